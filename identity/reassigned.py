"""Which paths went from one owner to another between two sets of projections; a diff of manifests refuses these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Reassigned(NamedTuple):
    """A path whose owner is another one now."""

    path: str
    old_owner: str
    new_owner: str


def reassigned(old: Mapping[str, Iterable[str]], new: Mapping[str, Iterable[str]]) -> tuple[Reassigned, ...]:
    """Return the paths that both sides have, under different owners; sorted by path.

    Args:
        old: owner -> its paths, such as the projections of a recorded manifest.
        new: likewise, such as the live ones.
    """
    before, after = _owners(old), _owners(new)
    return tuple(
        Reassigned(path, before[path], after[path])
        for path in sorted(before.keys() & after.keys())
        if before[path] != after[path]
    )


def _owners(projections: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {path: owner for owner, paths in projections.items() for path in paths}
