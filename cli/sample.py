"""``operatebench sample``: gives the documents that come with the package to try it with."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from .. import samples
from ..files import make_folder, shown, write_files
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, write_out

group = group_of("Give sample documents to try the commands with.", "sample projections > projections.json")

_CARDS = ("operation.json", "scenario.json", "variant.json")
"""The sample chain of cards, upstream first."""


@group.command(
    epilog=ending("sample projections > projections.json", yes="printed", refused="nothing could be printed")
)
def projections(*, as_json: JsonOption = False) -> int:
    """Print the sample projections of all eleven components, ready for 'manifest build'."""

    def work(reply: Reply) -> Exit:
        text = files(samples).joinpath("projections.json").read_bytes()
        if not as_json:
            write_out(text)
        return reply.end(Exit.YES, projections=json.loads(text))

    return Reply("sample projections", as_json).give(work)


@group.command(
    epilog=ending(
        "sample spec > maintenance.yaml", yes="printed", refused="the spec could not be read: reinstall the package"
    )
)
def spec(*, as_json: JsonOption = False) -> int:
    """Print the packaged operation spec, to be edited, for 'operation validate' and 'run maintenance --spec'."""

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import packaged_spec_text

        text = packaged_spec_text()
        if not as_json:
            write_out(text)
        return reply.end(Exit.YES, text=text.decode())

    return Reply("sample spec", as_json).give(work)


@group.command(
    epilog=ending(
        "sample cards --out cards", yes="written", refused="the files could not be written; nothing was written"
    )
)
def cards(
    *,
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Write them into this folder, which is made if it is not there.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Write a sample chain of cards: an operation, a scenario of it, and a variant of that; for 'card check'."""
    require_output("--out", out, filled=True)

    def work(reply: Reply) -> Exit:
        make_folder(out)
        chain = {str(Path(out, name)): files(samples).joinpath("cards", name).read_bytes() for name in _CARDS}
        write_files(chain)
        names = [shown(path) for path in chain]
        reply.verdict(*(f"written: {name}" for name in names))
        return reply.end(Exit.YES, files=names)

    return Reply("sample cards", as_json).give(work)
