"""``operatebench build``: says what a build of this toolkit was made of."""

from __future__ import annotations

from typing import Annotated

import typer

from ..files import shown, write_files
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, pretty, write_out
from .tree import TREE, PathArgument, read_tree

group = group_of("Say what a build was made of.", "build describe")

_LOCK = "requirements/dev.txt"


@group.command(
    epilog=ending(
        "build describe",
        "build describe --wheel dist/operatebench-0.1.0-py3-none-any.whl --sdist dist/operatebench-0.1.0.tar.gz",
        yes="described",
        refused="the tree is not clean, the build backend is not known, a file is missing or of another kind, or the"
        " wheel was made by another version of the backend",
    )
)
def describe(
    path: PathArgument = ".",
    *,
    wheel: Annotated[str | None, typer.Option(metavar="FILE", help="The wheel that was built, beside --sdist.")] = None,
    sdist: Annotated[
        str | None, typer.Option(metavar="FILE", help="The source archive that was built, beside --wheel.")
    ] = None,
    lock: Annotated[
        str, typer.Option(metavar="PATH", help="The lock file of what builds, from the top of the tree.")
    ] = _LOCK,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the descriptor here instead of to standard output.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Describe a build: source tree, lock file, build backend and its version, wheel and source archive.

    Run it in the environment that builds: the version of the backend is the one installed here. Without --wheel and
    --sdist it describes the checkout alone.
    """
    if (wheel is None) != (sdist is None):
        raise typer.BadParameter("--wheel and --sdist belong together")
    if out is not None:
        require_output("--out", out)

    def work(reply: Reply) -> Exit:
        from ..provenance import describe_build

        source = read_tree(path, reply)
        artifacts = None if wheel is None or sdist is None else (wheel, sdist)
        descriptor = describe_build(source, lock, artifacts).to_wire()
        if out is not None:
            write_files({out: pretty(descriptor)})
        elif not as_json:
            write_out(pretty(descriptor))
        reply.verdict(f"described: source tree {source.tree.digest_sha256}")
        return reply.end(
            Exit.YES,
            descriptor_file=None if out is None else shown(out),
            descriptor=descriptor if out is None else None,
        )

    return Reply("build describe", as_json, {TREE: path}).give(work)
