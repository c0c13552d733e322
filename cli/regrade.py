"""``operatebench regrade``: grades a recorded run again with the evaluator that is here, and writes that beside it."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from ..errors import BundleError, DocumentError, OperateBenchError, escape
from ..files import shown, write_files
from .operation import read_spec
from .options import JsonOption, RunArgument, SpecOption, ending, require_output
from .output import Exit, Reply


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "regrade",
        epilog=ending(
            "regrade run",
            "regrade run --out grade.json",
            yes="the run was replayed exactly, and its new grade is written",
            no="the run does not come out here as it was recorded, or its bundle is no sound one: no grade",
            refused="no run bundle, or not as it was written; or the grade could not be written",
        ),
    )(regrade)


def regrade(
    run: RunArgument,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the grade to this new file; without it, to RUN.regrade.json."
        ),
    ] = None,
    spec_file: SpecOption = None,
    as_json: JsonOption = False,
) -> int:
    """Grade a recorded run again with the evaluator that is here, which may be another than the one that graded it.

    The run is verified and replayed first, and must come out exactly as it was recorded. The bundle stays as it is: the
    new grade is a file of its own, which names the bundle and both evaluators.
    """
    root = run.rstrip("/") or run
    named = root if os.path.basename(root) not in ("", ".", "..") else os.path.realpath(root)  # noqa: PTH119
    file = f"{named}.regrade.json" if out is None else out
    require_output("--out", file)

    def work(reply: Reply) -> Exit:
        from ..replay.regrade import regrade as grade_again
        from ..replay.regrade import regrade_bytes
        from ..replay.verify import Verifier
        from ..tracks.lifecycle import MaintenanceRuntime

        runtime = MaintenanceRuntime(read_spec(spec_file))
        try:
            document = grade_again(Verifier(runtime).replay_exactly(root), runtime)
        except (BundleError, DocumentError):
            raise
        except OperateBenchError as refusal:
            return reply.refuse(refusal, Exit.NO)
        runtime.require_unchanged_source()
        write_files({file: regrade_bytes(document)})
        reply.data(*_lines(document))
        reply.verdict(f"REGRADED: {shown(root)}: {shown(file)} {document['regrade_digest_sha256']}")
        return reply.end(Exit.YES, bundle=shown(root), regrade_file=shown(file), regrade=document)

    return Reply("regrade", as_json).give(work)


def _lines(document: dict[str, Any]) -> list[str]:
    old, new = (document[f"{which}_evaluator_content_digest_sha256"] for which in ("old", "new"))
    evaluation = document["evaluation"]
    return [
        f"graded by   {new}{', as before' if new == old else ''}",
        *([] if new == old else [f"before by   {old}"]),
        "",
        *(f"  {'holds' if each['ok'] else 'fails':<6} {escape(each['dimension'])}" for each in evaluation["vector"]),
        f"  {len(evaluation['findings'])} findings, {escape(evaluation['outcome_class'])}",
    ]
