"""``operatebench digest``: the SHA-256 of a document's canonical bytes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import OperateBenchError
from ..files import shown
from .inputs import parse_text, read_text, require_standard_input_once
from .options import JsonOption, ending
from .output import Exit, Reply

_ROLE = "document"


def digest(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="JSON documents; - is standard input.")],
    *,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show the bytes of canonicaljson and RFC 8785 beside ours, and why they differ."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Print the SHA-256 of each document's canonical bytes, as the identity contract defines them."""
    require_standard_input_once(files)
    reply = Reply("digest", as_json)
    return reply.give(lambda reply: _digest_all(reply, files, explain))


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        epilog=ending(
            "digest projections.json manifest.json",
            yes="every document was read",
            refused="a document was refused; the others were read",
        ),
    )(digest)


def _digest_all(reply: Reply, files: list[str], explain: bool) -> Exit:
    rows: list[dict[str, Any]] = []
    status = Exit.YES
    for file in files:
        try:
            row = _digest_one(reply, file, explain)
        except OperateBenchError as refusal:
            row = {"file": shown(file), "refusal": reply.say(refusal, {_ROLE: file})}
            status = Exit.REFUSED
        rows.append(row)
    return reply.end(status, files=rows)


def _digest_one(reply: Reply, file: str, explain: bool) -> dict[str, Any]:
    text = read_text(_ROLE, file)
    admitted = parse_text(_ROLE, text)
    sha256 = admitted.canonical.sha256()
    reply.data(f"{sha256}  {shown(file)}")
    row = {"file": shown(file), "sha256": sha256, "bytes": admitted.canonical.size}
    if explain:
        from .explain import compare

        comparison = compare(text, admitted)
        reply.data(*comparison.lines())
        row["explanation"] = comparison.to_json()
    return row
