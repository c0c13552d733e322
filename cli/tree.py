"""``operatebench tree``: the digest of a checkout's clean tracked source tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import OperateBenchError
from ..files import shown
from .options import JsonOption, ending, group_of
from .output import Exit, Reply
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load git's reader
    from ..provenance import SourceTree

group = group_of("Identify the source tree of a checkout.", "tree digest")

TREE = "tree"
"""The role of a checkout in refusals."""

PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="The top level of a checkout; without it, the working folder.")
]


@group.command(
    epilog=ending(
        "tree digest",
        "tree digest --json ../checkout",
        yes="the tree is clean, and this is its digest",
        refused="no git, no checkout, not clean, or an entry that may not be in such a tree",
    )
)
def digest(path: PathArgument = ".", *, as_json: JsonOption = False) -> int:
    """Print the digest of a checkout in which nothing was changed, staged or added since the last commit.

    Every tracked file is read and hashed as it lies there. Git is asked what is tracked and whether it is clean;
    whatever program the repository's settings name is not run.
    """

    def work(reply: Reply) -> Exit:
        source = read_tree(path, reply)
        tree = source.tree
        reply.data(f"{tree.digest_sha256}  {tree.entries} entries  {tree.framed_bytes} bytes framed")
        reply.verdict(f"clean: {shown(source.root)} at {source.commit}")
        return reply.end(Exit.YES, root=shown(source.root), **tree_json(source))

    return Reply("tree digest", as_json, {TREE: path}).give(work)


def read_tree(path: str, reply: Reply) -> SourceTree:
    """Read a checkout, and show at a terminal how far it is; the path of a refusal starts with the role."""
    from ..provenance import read_source_tree

    try:
        with Progress("files", wanted=not reply.as_json) as progress:
            return read_source_tree(path, os.environ.get("PATH", os.defpath), progress.show)
    except OperateBenchError as refusal:
        below = "" if refusal.path.startswith("/") else refusal.path  # only the folder itself has an absolute path
        raise refusal.moved_to(f"{TREE}#{below}") from None


def tree_json(source: SourceTree) -> dict[str, str | int]:
    """Return what programs are told of a checkout."""
    from ..provenance import CLEAN_TREE_ALGORITHM

    return {
        "source_commit": source.commit,
        "source_tree_algorithm": CLEAN_TREE_ALGORITHM,
        "source_tree_digest_sha256": source.tree.digest_sha256,
        "entries": source.tree.entries,
        "framed_bytes": source.tree.framed_bytes,
    }
