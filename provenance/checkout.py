"""The clean tracked source tree of a real checkout: first whether it is clean, then every tracked file."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from ..errors import CleanTreeError, RepositoryError
from ..files import shown
from .clean_tree import CleanTree, TreeFraming
from .git import Git
from .work_tree import WorkTree

SYSTEM = os.name
_OBSERVED = ("core.fileMode", "core.symlinks")


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A checkout whose working tree is what was committed.

    Attributes:
        tree: what its entries come to.
        commit: the object name of the commit. It says where the tree was seen, and decides nothing: two commits may
            have the same tree.
        root: the top level, without links.
    """

    tree: CleanTree
    commit: str
    root: str


def read_source_tree(
    root: str | os.PathLike[str], search_path: str, progress: Callable[[int, int], None] | None = None
) -> SourceTree:
    """Require a checkout to be clean, and hash the bytes of its working tree (evidence contract, section 8).

    Whether it is clean, git says: nothing is staged, ``git status`` lists nothing, no entry is hidden from it, and
    executable bits and links are looked at. Settings of users and of the system do not count, nor do programs that the
    repository's own settings name.

    Args:
        root: the top level of the working tree; links in this path are followed, once.
        search_path: the folders to look for git in, as in ``PATH``.
        progress: is told how many entries are done, and how many there are.

    Raises:
        CleanTreeError: one of the twelve codes; the path is that of the entry.
        RepositoryError: git could not answer.
        DocumentError: ``file_unreadable``: the folder itself.
    """
    place = os.fsencode(os.path.realpath(root))
    git = Git(place, search_path)
    commit = git.commit()
    git.switch_off_filters()
    _require_nothing_staged(git)
    total = _require_nothing_changed(git)
    _require_modes_observed(git)
    framing = TreeFraming()
    with WorkTree(place) as files, closing(git.tree()) as records:
        for done, (mode, path) in enumerate(records, 1):
            framing.add(mode, path, files.read)
            if progress is not None:
                progress(done, total)
    now = git.commit()
    if now != commit:
        raise RepositoryError("head_moved", path=shown(place), expected=commit, actual=now)
    return SourceTree(framing.result(), commit, os.fsdecode(place))


def _require_nothing_staged(git: Git) -> None:
    answer = git.answer("diff-index", "--cached", "--quiet", "HEAD", "--")
    if answer.status != 0:
        expected = "git diff-index to end with 0"
        raise CleanTreeError("staged_index_drift", expected=expected, actual=answer.failure)


def _require_nothing_changed(git: Git) -> int:
    """Return how many entries the index has."""
    # A submodule is refused later in any case. Its own settings are not switched off, so git must not look into it.
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
    with closing(git.records(*status)) as records:
        for record in records:
            raise _dirty(record[3:], "nothing in git status", shown(record[:2].strip()))
    total = 0
    # An index can tell `git status` to take entries for unchanged, whatever the files are.
    with closing(git.records("ls-files", "-v", "-z")) as records:
        for record in records:
            if record[:2] != b"H ":
                raise _dirty(record[2:], "an entry that git status looks at", "assume-unchanged or skip-worktree")
            total += 1
    return total


def _dirty(path: bytes, expected: str, actual: str) -> CleanTreeError:
    return CleanTreeError("dirty_tracked_content", path=shown(path), expected=expected, actual=actual)


def _require_modes_observed(git: Git) -> None:
    code = "mode_observation_unavailable"
    if SYSTEM != "posix":
        raise CleanTreeError(code, expected="a POSIX system", actual=SYSTEM)
    for name in _OBSERVED:
        answer = git.answer("config", "--type=bool", "--get", name)
        unset = answer.status == 1
        if not unset and (answer.status != 0 or answer.output.strip() != b"true"):
            actual = shown(answer.output.strip()) if answer.status == 0 else f"git config: {answer.failure}"
            raise CleanTreeError(code, path=name, expected="true, or no such setting", actual=actual)
