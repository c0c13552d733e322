"""``operatebench vectors``: runs conformance vector files against this package."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DocumentError, OperateBenchError
from ..files import shown
from .inputs import file_label, read_bytes, require_standard_input_once
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply
from .packaged import copy_documents

if TYPE_CHECKING:  # at run time it would load the models
    from ..conformance.runner import FileReport

group = group_of("Run conformance vectors, or write them to disk.", "vectors verify")

_ROLE = "vectors"


@group.command(
    epilog=ending(
        "vectors verify",
        "vectors verify more-vectors.json",
        yes="every case passed",
        no="a case failed",
        refused="a file was refused: unreadable, not strict JSON, or not of a known vector language",
    )
)
def verify(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Vector files; without any, the packaged ones.")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """Run every case of each vector file and print one line per file, then each failed case with its reason.

    Of run bundles and ledgers every verdict is printed.

    The language of the files is described in FORMAT.md beside the packaged ones; `vectors export` writes them all.
    """
    require_standard_input_once(paths or [])
    return Reply("vectors verify", as_json).give(lambda reply: _verify(reply, paths or []))


@group.command(
    epilog=ending(
        "vectors export --out vectors",
        yes="written",
        refused="a name is taken, or a file could not be written; then no file was",
    )
)
def export(
    *,
    out: Annotated[str, typer.Option(metavar="DIR", help="Write into this folder, which is made if it is not there.")],
    as_json: JsonOption = False,
) -> int:
    """Write the packaged vector files, each language with its FORMAT.md, for implementations in any language."""
    require_output("--out", out, filled=True)

    def work(reply: Reply) -> Exit:
        from .. import vectors

        written = [shown(path) for path in copy_documents(files(vectors), out)]
        reply.data(*written)
        reply.verdict(f"written: {len(written)} files")
        return reply.end(Exit.YES, files=written)

    return Reply("vectors export", as_json).give(work)


def _verify(reply: Reply, paths: list[str]) -> Exit:
    from ..conformance.runner import packaged_files

    rows: list[dict[str, Any]] = []
    refused = failed = False
    for name, data in [(path, None) for path in paths] or packaged_files():
        try:
            report = _report(name, data)
        except OperateBenchError as refusal:
            rows.append({"name": file_label(name), "refusal": reply.say(refusal, {_ROLE: name})})
            refused = True
            continue
        reply.data(
            report.line(),
            *(f"  {answer.id}: {answer.said}" for answer in report.answers),
            *(f"  {failure.id}: {failure.reason}" for failure in report.failures),
        )
        rows.append(report.to_json())
        failed = failed or bool(report.failures)
    return reply.end(Exit.REFUSED if refused else Exit.NO if failed else Exit.YES, files=rows)


def _report(name: str, data: bytes | None) -> FileReport:
    """Run one vector file, which is read first if its data are not there.

    Raises:
        OperateBenchError: the file is refused; the path starts with the role.
    """
    from ..conformance.runner import VECTOR_FILE_PROFILE, run_file

    if data is None:
        try:
            data = read_bytes(name, VECTOR_FILE_PROFILE.max_text_bytes)
        except DocumentError as refusal:
            raise refusal.moved_to(f"{_ROLE}#") from None
    try:
        return run_file(data, file_label(name))
    except OperateBenchError as refusal:
        raise refusal.moved_to(f"{_ROLE}#{refusal.path}") from None
