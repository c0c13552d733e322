"""A predicate: one thing that can be wrong, with the finding codes that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .case import Case
from .result import Finding
from .vocabulary import DIMENSION_OF

Check = Callable[[Case], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A check that can be left out.

    Attributes:
        predicate_id: ``<module>.<function>``.
        codes: what it can find; no other predicate finds any of them.
        check: gives the findings of one case.
    """

    predicate_id: str
    codes: tuple[str, ...]
    check: Check

    @property
    def dimension(self) -> str:
        """The dimension all its codes belong to."""
        return DIMENSION_OF[self.codes[0]]


def predicate(*codes: str) -> Callable[[Check], Predicate]:
    """Make a check the predicate that finds ``codes``; they belong to one dimension."""
    assert len({DIMENSION_OF[code] for code in codes}) == 1

    def made(check: Check) -> Predicate:
        return Predicate(f"{check.__module__.rsplit('.', 1)[-1]}.{check.__name__}", codes, check)

    return made
