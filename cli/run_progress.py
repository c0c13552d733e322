"""Shows people at a terminal how much of a long run is done; writes nothing anywhere else."""

from __future__ import annotations

import sys


class Progress:
    """One line that is written over again with every step.

    Args:
        total: how many steps there are.
        noun: what is counted, in the plural.
        wanted: whether it is to be shown at all.
    """

    def __init__(self, total: int, noun: str, *, wanted: bool) -> None:
        self._total = total
        self._noun = noun
        self._done = 0
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()

    def step(self) -> None:
        """Count one more."""
        self._done += 1
        self._write(f"{self._done} of {self._total} {self._noun}")

    def clear(self) -> None:
        """Take the line away."""
        self._write("")

    def _write(self, text: str) -> None:
        if self._wanted:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
