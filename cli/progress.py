"""Shows people at a terminal how much of something long is done; writes nothing anywhere else."""

from __future__ import annotations

import sys
from typing import Self


class Progress:
    """One line that is written over again, at most a hundred times, and taken away at the end.

    Args:
        noun: what is counted, in the plural.
        wanted: whether it is to be shown at all.
    """

    def __init__(self, noun: str, *, wanted: bool) -> None:
        self._noun = noun
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")

    def show(self, done: int, total: int) -> None:
        """Say how much is done, if that is another hundredth of it."""
        if 100 * done // total > 100 * (done - 1) // total:
            self._write(f"{done} of {total} {self._noun}")

    def _write(self, text: str) -> None:
        if self._wanted:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
