"""What changed between two sources: which files, and who owns each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .source import SourceIdentityV1

Change: TypeAlias = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class SourceChange:
    """One file that is not as it was.

    Attributes:
        path: relative to the package.
        change: what happened to it.
        owner: to whom it belongs.
    """

    path: str
    change: Change
    owner: str

    def to_wire(self) -> dict[str, Any]:
        """Return the change as a fresh plain object."""
        return {"path": self.path, "change": self.change, "owner": self.owner}


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """All files that are not as they were, in code-point order of their paths."""

    changes: tuple[SourceChange, ...]

    @classmethod
    def between(cls, old: SourceIdentityV1, new: SourceIdentityV1) -> SourceDifference:
        """Compare two sources."""
        owners = {file.path: file.owner for file in (*old.files, *new.files)}
        before, after = ({file.path: file for file in source.files} for source in (old, new))
        return cls(changes_between(before, after, owners.__getitem__))

    def by_owner(self) -> dict[str, tuple[SourceChange, ...]]:
        """Return the changes of each owner that has any, owners in code-point order."""
        groups = defaultdict(list)
        for change in self.changes:
            groups[change.owner].append(change)
        return {owner: tuple(groups[owner]) for owner in sorted(groups)}

    def to_wire(self) -> dict[str, Any]:
        """Return the difference as a fresh plain object."""
        return {
            "changes": [change.to_wire() for change in self.changes],
            "owners": {owner: len(changes) for owner, changes in self.by_owner().items()},
        }


def changes_between(
    before: Mapping[str, object], after: Mapping[str, object], owner_of: Callable[[str], str]
) -> tuple[SourceChange, ...]:
    """Compare what two sides say of each path."""

    def change_of(path: str) -> Change:
        if path not in before:
            return "added"
        return "changed" if path in after else "removed"

    moved = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
    return tuple(SourceChange(path, change_of(path), owner_of(path)) for path in moved)
