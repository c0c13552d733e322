"""That the sources a census names exist below a source root and nowhere else (card contract, section 18)."""

from __future__ import annotations

from os.path import realpath
from pathlib import Path, PosixPath

from ..cards.refusal import refusal


class SourceRoot:
    """The root of a source tree, resolved once. Each source is looked up once, however many entries name it.

    Args:
        folder: the root; a relative one is taken from the working directory.

    Raises:
        CardValidationError: ``census.argument``, or ``census.source_root`` with the operating system's error as cause.
    """

    def __init__(self, folder: object) -> None:
        if type(folder) is not str and type(folder) is not PosixPath:
            wrong = TypeError("the source root is neither text nor a path")
            raise refusal("census.argument", "source_root#", "text or a pathlib.Path", folder) from wrong
        self._found: set[str] = set()
        try:
            self._root = Path(realpath(folder, strict=True))
        except (OSError, ValueError) as fault:
            raise refusal("census.source_root", "source_root#", "a folder", str(folder)) from fault
        if not self._root.is_dir():
            raise refusal("census.source_root", "source_root#", "a folder", str(folder))

    def require_source(self, source: str, at: str) -> None:
        """Refuse a source that does not exist, or that a link leads out of the root.

        Args:
            source: a path relative to the root, whose form has been checked.
            at: its place in the census.

        Raises:
            CardValidationError: ``census.source_stale``, with the operating system's error as cause, or
                ``census.source_escapes``.
        """
        if source in self._found:
            return
        try:
            found = Path(realpath(self._root / source, strict=True))
        except (OSError, ValueError) as fault:  # the latter for a name the file system cannot spell
            raise refusal("census.source_stale", at, "a source below the source root", source) from fault
        if not found.is_relative_to(self._root):
            raise refusal("census.source_escapes", at, "a source that resolves below the source root", source)
        self._found.add(source)
