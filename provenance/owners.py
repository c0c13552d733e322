"""The owner table: which files a package consists of, and to whom each belongs. It is passed in from above."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NAME = "[A-Za-z0-9_][A-Za-z0-9_.-]*+"
_PATH = re.compile(f"{_NAME}(?:/{_NAME})*+")


def is_source_path(path: str) -> bool:
    """Say whether a path is relative, plain and ASCII; no name in it begins with a dot."""
    return _PATH.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class OwnerTable:
    """Which files a package consists of, and to whom each belongs.

    Attributes:
        entries: file, or folder with a slash at its end -> owner. The longest entry that a path begins with counts.
        suffixes: the kinds of files that the entries of folders cover; any other file needs an entry of its own.
    """

    entries: Mapping[str, str]
    suffixes: tuple[str, ...]

    def owner_of(self, path: str) -> str:
        """Return the owner of a file.

        Args:
            path: relative to the package, with slashes, such as ``runtime/core/engine.py``.

        Raises:
            KeyError: no entry covers the path.
        """
        if path in self.entries:
            return self.entries[path]
        if is_source_path(path) and path.endswith(self.suffixes):
            folder, below, _ = path.rpartition("/")
            while below:
                owner = self.entries.get(f"{folder}/")
                if owner is not None:
                    return owner
                folder, below, _ = folder.rpartition("/")
        raise KeyError(path)

    def top_level(self) -> frozenset[str]:
        """Return the names of the files and folders in the package's root that the entries are about."""
        return frozenset(entry.partition("/")[0] for entry in self.entries)
