"""``operatebench verify``: checks that a run bundle is what a run wrote, and that the run comes out again here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DocumentError, escape
from ..files import read_file, read_standard_input, shown
from .admission import IssuersOption, read_issuers
from .operation import read_spec
from .options import MOST_JOBS, JsonOption, SpecOption, ending, processes, require_digest
from .output import Exit, Reply
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..authority import TrustedIssuers
    from ..replay.verify import VerificationReport
    from ..tracks.lifecycle import Judged, MaintenanceRuntime

_MAX_LIST_BYTES = 64 * 1024 * 1024
_MOST_BUNDLES = 100_000
_PAUSE_SECONDS = 1.0
"""Lines come together that come within this time; the source is looked at before they are written."""

_MARKS = {"passed": "ok", "failed": "FAILED", "not_present": "-", "not_reached": "not reached"}


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "verify",
        epilog=ending(
            "verify run",
            "verify run --expect 5f2c...",
            "verify --many runs --jobs 2",
            yes="verified; with --many, every bundle",
            no="refused, consistent only, diverged or replayed: the verdict says which, and where",
            refused="no run bundle could be read there, or the source changed meanwhile",
        ),
    )(verify)


def verify(
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="The folder of the run bundle.", show_default=False)
    ] = None,
    *,
    many: Annotated[
        str | None,
        typer.Option(metavar="DIR|LIST", help="Verify all that is in a folder, or what a file lists, one per line."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_JOBS, metavar="J", help="With --many: processes at work; without, one per processor."
        ),
    ] = None,
    spec_file: SpecOption = None,
    expect: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The digest that artifact, manifest or evidence must have."),
    ] = None,
    issuers_file: IssuersOption = None,
    as_json: JsonOption = False,
) -> int:
    """Verify a run bundle: its members, what they are bound to, and that the run comes out again here.

    Nothing in it is trusted. The same agent runs again, every row is compared, and the grade is computed anew. The end
    of the answer says what even that does not establish.
    """
    if (run is None) == (many is None):
        raise typer.BadParameter("give RUN, or --many with a folder or a list")
    if many is not None and expect is not None:
        raise typer.BadParameter("--expect is about one bundle: it does not go with --many")
    if many is None and jobs is not None:
        raise typer.BadParameter("--jobs goes with --many")
    if expect is not None:
        require_digest("--expect", expect)

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import MaintenanceRuntime

        issuers = None if issuers_file is None else read_issuers(issuers_file)
        runtime = MaintenanceRuntime(read_spec(spec_file))
        if run is not None:
            return _verify_one(reply, runtime, run, expect, issuers)
        return _verify_many(reply, runtime, str(many), processes(jobs), issuers)

    return Reply("verify", as_json, {} if issuers_file is None else {"issuers": issuers_file}).give(work)


def _verify_one(
    reply: Reply, runtime: MaintenanceRuntime, run: str, expect: str | None, issuers: TrustedIssuers | None
) -> Exit:
    from ..replay.verify import verify

    report = verify(run, runtime, expect=expect, issuers=issuers)
    runtime.require_unchanged_source()
    if report.readable:
        reply.data(*_lines(report))
    if report.refusal is not None:
        reply.say(report.refusal, {})
    reply.verdict(f"{report.verdict.value.upper()}: {shown(run)}: {report.meaning}")
    return reply.end(Exit(report.exit_status), bundle=shown(run), **report.to_wire())


def _lines(report: VerificationReport) -> list[str]:
    from ..cards.authoring.words import table
    from ..replay.verify import NOT_ESTABLISHED, Verdict

    lines = table(
        (
            (each.number, each.name, _MARKS[each.state.value], each.refusal.code if each.refusal else each.detail)
            for each in report.checks
        ),
        "",
    )
    if report.comparison is not None and report.comparison.moved:
        lines += ["", "other here than in the bundle"]
        for row in report.comparison.moved:
            lines.append(f"  {row.component}{'' if row.paths else ' follows'}")
            lines += [f"    {escape(path, 1_024)}" for path in row.paths]
        lines += [
            f"  {escape(row.path, 1_024)} belonged to {row.old_owner}, here to {row.new_owner}"
            for row in report.comparison.reassigned
        ]
    if report.divergence is not None:
        found = report.divergence
        lines += ["", "first divergence", f"  {found.place}", f"    recorded  {found.recorded}"]
        lines.append(f"    replayed  {found.replayed}")
    if report.artifact is not None and report.verdict is not Verdict.VERIFIED:
        writer = report.artifact.writer
        spec = "the packaged spec" if writer.spec_sha256 is None else f"spec {writer.spec_sha256}"
        lines += [
            "",
            "written by, as it says itself",
            f"  {escape(writer.distribution)} {escape(writer.version)}, {spec}",
            f"  source {writer.source_identity_digest_sha256}",
        ]
    return [*lines, "", "not established", *(f"  {each}" for each in NOT_ESTABLISHED)]


def _verify_many(
    reply: Reply, runtime: MaintenanceRuntime, many: str, jobs: int, issuers: TrustedIssuers | None
) -> Exit:
    from ..tracks.lifecycle import verify_many

    paths = _paths(many)
    counts: dict[str, int] = {}
    rows = []
    worst = Exit.YES
    waiting: list[str] = []
    written = monotonic()
    with Progress("bundles", wanted=not reply.as_json) as progress:
        for done, each in enumerate(verify_many(runtime, paths, jobs=jobs, issuers=issuers), 1):
            counts[each.verdict.value] = counts.get(each.verdict.value, 0) + 1
            if each.exit_status:
                worst = Exit.NO
            waiting.append(_line(each))
            if reply.as_json:
                rows.append({"index": done - 1, **_json(each)})
            if done == len(paths) or monotonic() - written > _PAUSE_SECONDS:
                runtime.require_unchanged_source()  # no verdict is given after a change
                reply.data(*waiting)
                waiting.clear()
                written = monotonic()
            progress.show(done, len(paths))
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    reply.verdict(f"{shown(many)}: {len(paths)} bundles: {said}")
    return reply.end(worst, counts=dict(sorted(counts.items())), bundles=rows)


def _line(judged: Judged) -> str:
    why = "" if judged.refusal is None else f"  {judged.refusal.code}  {judged.refusal.path}".rstrip()
    return f"{judged.verdict.value.upper():<15}  {shown(judged.path)}{why}"


def _json(judged: Judged) -> dict[str, object]:
    return {
        "bundle": shown(judged.path),
        "verdict": judged.verdict.value,
        "artifact_digest_sha256": judged.artifact_digest_sha256,
        "refusal": None if judged.refusal is None else judged.refusal.to_json(),
    }


def _is_beside(name: str) -> bool:
    """Tell what may stand beside bundles without being one; whatever else is no bundle is refused as that."""
    return name.startswith(".") or name.endswith(".regrade.json")


def _paths(many: str) -> list[str]:
    """Return the bundles in a folder, by name, or those that a file lists.

    Raises:
        DocumentError: neither can be read, or there are none, or too many.
    """
    paths = list(islice(_named(many), _MOST_BUNDLES + 1))
    if not paths:
        raise DocumentError("file_missing", path=shown(many), expected="at least one run bundle", actual="none")
    if len(paths) > _MOST_BUNDLES:
        expected = f"at most {_MOST_BUNDLES} run bundles"
        raise DocumentError("file_too_large", path=shown(many), expected=expected, actual="more")
    return paths


def _named(many: str) -> Iterator[str]:
    if many != "-" and Path(many).is_dir():
        if Path(many, "artifact.json").exists():
            raise typer.BadParameter(f"--many {shown(many)} is a run bundle itself: leave out --many")
        yield from sorted(str(entry) for entry in Path(many).iterdir() if not _is_beside(entry.name))
    else:
        text = read_standard_input(_MAX_LIST_BYTES) if many == "-" else read_file(many, _MAX_LIST_BYTES)
        yield from (os.fsdecode(line) for line in (line.rstrip(b"\n") for line in BytesIO(text)) if line)
