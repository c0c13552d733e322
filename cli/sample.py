"""``operatebench sample``: prints the documents that come with the package to try it with."""

from __future__ import annotations

import json
from importlib.resources import files

from .. import samples
from .options import JsonOption, ending, group_of
from .output import Exit, Reply, write_out

group = group_of("Print sample documents to try the commands with.", "sample projections > projections.json")


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
