"""What a figure is and how it gets into the table: a function decorated with :func:`figure`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Literal

from .samples import Sample


@dataclass(frozen=True, slots=True)
class Target:
    """The number a ratio is held to.

    Attributes:
        bound: whether the ratio may be at most or must be at least ``value``; both inclusive.
        value: the number.
    """

    bound: Literal["at most", "at least"]
    value: float

    def met_by(self, ratio: float) -> bool:
        """Tell whether ``ratio`` keeps the target."""
        return ratio <= self.value if self.bound == "at most" else ratio >= self.value

    def __str__(self) -> str:
        return f"{'<=' if self.bound == 'at most' else '>='} {self.value:g}"


def at_most(value: float) -> Target:
    """Return the target of a ratio that shall be small."""
    return Target("at most", value)


def at_least(value: float) -> Target:
    """Return the target of a ratio that shall be big."""
    return Target("at least", value)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one figure saw, round by round.

    Attributes:
        reference: what the other side is.
        ratios: the ratio of each round.
        ours: our side of each round, in ``unit``.
        theirs: the reference's side of each round, in ``unit``.
        unit: what ``ours`` and ``theirs`` are counted in.
        samples: the documents that were measured.
        details: further numbers worth keeping, by name.
    """

    reference: str
    ratios: tuple[float, ...]
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    unit: str = "ms"
    samples: tuple[Sample, ...] = ()
    details: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios. It is not the ratio of the medians: noise common to a round cancels out."""
        return median(self.ratios)

    @property
    def spread(self) -> float:
        """The distance between the quartiles of the ratios, as share of the ratio; 0 for a single round."""
        if len(self.ratios) < 2:
            return 0.0
        lower, _, upper = quantiles(self.ratios, n=4, method="inclusive")
        return (upper - lower) / self.ratio


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    Attributes:
        name: its name, which ``--only`` takes.
        about: one sentence saying what is measured against what.
        target: what it is held to.
        rounds: how many rounds are measured unless told otherwise.
        measure: measures the given number of rounds.
    """

    name: str
    about: str
    target: Target
    rounds: int
    measure: Callable[[int], Measurement]


FIGURES: dict[str, Figure] = {}
"""Every figure registered so far, by name; `catalogue.py` imports them all."""


def figure(name: str, target: Target, *, rounds: int) -> Callable[[Callable[[int], Measurement]], Figure]:
    """Register the decorated function as a figure; the first paragraph of its docstring says what the figure is.

    Args:
        name: unique name of the figure.
        target: what it is held to.
        rounds: usual number of rounds.

    Raises:
        ValueError: the name is taken, or the function has no docstring.
    """

    def register(measure: Callable[[int], Measurement]) -> Figure:
        if name in FIGURES:
            raise ValueError(f"two figures are named {name}")
        if not measure.__doc__:
            raise ValueError(f"the function of figure {name} has no docstring to say what it is")
        about = " ".join(measure.__doc__.partition("\n\n")[0].split())
        FIGURES[name] = Figure(name, about, target, rounds, measure)
        return FIGURES[name]

    return register
