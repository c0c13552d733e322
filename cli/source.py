"""``operatebench source``: shows what code a package consists of, and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DocumentError, OperateBenchError
from ..files import shown
from .inputs import read_document, require_standard_input_once
from .options import JsonOption, ending, group_of
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the parser
    from ..provenance import SourceChange, SourceDifference, SourceIdentityV1, SourceSnapshot

group = group_of("Show the source identity of the package, and compare two.", "source show")

_SHORT = 12


@group.command(
    epilog=ending(
        "source show",
        "source show --json > source.json",
        yes="shown; it is what was installed, or there is no list of that to compare with",
        no="shown; it is not what was installed",
        refused="no package, a file that belongs to none, a link, or a file that was changed meanwhile",
    )
)
def show(
    *,
    root: Annotated[
        str | None, typer.Option(metavar="PATH", help="The package's folder; without it, the package that runs here.")
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="List every file.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show the digest of a package's source, and which component owns how much of it.

    Every file is read and hashed. An installed package is also compared with its RECORD, what the installer wrote down.
    """
    folder = str(Path(__file__).parents[1]) if root is None else root

    def work(reply: Reply) -> Exit:
        from ..provenance import compare_with_record

        snapshot = _take("root", folder)
        record = compare_with_record(snapshot)
        identity = snapshot.identity
        reply.data(f"source {identity.digest_sha256}", *_owner_lines(identity, files=files))
        if record.difference is None:
            reply.verdict(f"RECORD: not applicable: {record.reason}")
        else:
            reply.data(*_change_lines(record.difference))
            reply.verdict(f"RECORD: {record.verdict}")
        return reply.end(
            Exit.NO if record.verdict == "differs" else Exit.YES,
            root=shown(snapshot.root),
            source_identity=identity.to_wire(),
            owners={file.path: file.owner for file in identity.files},
            record=record.to_wire(),
        )

    return Reply("source show", as_json, {"root": folder}).give(work)


@group.command(
    epilog=ending(
        "source diff source.json site-packages/operatebench",
        yes="identical",
        no="something changed",
        refused="one of the two was refused: no package, or no unchanged source identity",
    )
)
def diff(
    old: Annotated[
        str,
        typer.Argument(metavar="OLD", help="The source before: a package's folder, or a saved answer of 'show'."),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The source after, likewise; - is standard input.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Say which files changed between two sources, and which component owns each.

    The owners are those of the package that runs here; a file that it does not know is unlisted. The digest in a saved
    answer, that of 'source show --json', is made again. A source identity by itself may be given too.
    """
    files = {"old": old, "new": new}
    require_standard_input_once(files.values())

    def work(reply: Reply) -> Exit:
        from ..provenance import SourceDifference

        before, after = (_read(role, name) for role, name in files.items())
        difference = SourceDifference.between(before, after)
        if difference.changes:
            last = f"source {before.digest_sha256} -> {after.digest_sha256}"
        else:
            last = f"identical: source {before.digest_sha256}"
        reply.data(*_change_lines(difference), last)
        return reply.end(
            Exit.NO if difference.changes else Exit.YES,
            identical=not difference.changes,
            old_source_identity_digest_sha256=before.digest_sha256,
            new_source_identity_digest_sha256=after.digest_sha256,
            **difference.to_wire(),
        )

    return Reply("source diff", as_json, files).give(work)


def _take(role: str, folder: str) -> SourceSnapshot:
    """Read a package's folder; the path of a refusal starts with the role."""
    from ..provenance import take_source_snapshot
    from ..tracks.lifecycle.ownership import OWNER_TABLE

    try:
        return take_source_snapshot(folder, OWNER_TABLE)
    except OperateBenchError as refusal:
        below = "" if refusal.path.startswith("/") else refusal.path  # only the folder itself has an absolute path
        raise refusal.moved_to(f"{role}#{below}") from None


def _read(role: str, name: str) -> SourceIdentityV1:
    """Read a package's folder or a saved source identity; the path of a refusal starts with the role."""
    from ..provenance import read_source_identity
    from ..tracks.lifecycle.ownership import OWNER_TABLE

    try:
        document, place = read_document(role, name), ""
    except DocumentError as refusal:
        if refusal.code == "file_type" and Path(name).is_dir():
            return _take(role, name).identity
        raise
    if type(document) is dict and "source_identity" in document:  # the answer of `source show --json`
        document, place = document["source_identity"], "/source_identity"
    try:
        return read_source_identity(document, OWNER_TABLE)
    except OperateBenchError as refusal:
        raise refusal.moved_to(f"{role}#{place}{refusal.path}") from None


def _owner_lines(identity: SourceIdentityV1, *, files: bool) -> list[str]:
    """Return a line for each owner, and below it one for each of its files if they are asked for."""
    lines = []
    for owner in sorted({file.owner for file in identity.files}):
        part = identity.of_owner(owner)
        size = sum(file.size for file in part.files)
        lines.append(f"  {owner:<28}  {part.digest_sha256[:_SHORT]}  {len(part.files):>4} files  {size:>9} bytes")
        if files:
            lines += [f"    {file.sha256[:_SHORT]}  {file.size:>9}  {file.path}" for file in part.files]
    return lines


def _change_lines(difference: SourceDifference) -> list[str]:
    """Return what changed, below its owner."""
    lines = []
    for owner, changes in difference.by_owner().items():
        lines += [owner, *map(_change_line, changes)]
    return lines


def _change_line(change: SourceChange) -> str:
    return f"  {change.change:<7}  {change.path}"
