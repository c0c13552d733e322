"""Times two ways of doing something against each other, in interleaved rounds with the garbage collector on."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter_ns, thread_time_ns

from .figures import Measurement
from .samples import Sample

_LEAST_TIME_NS = 20_000_000
"""A side that takes less than this is repeated inside a round until it takes as long."""


def compare(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    reference: str,
    rounds: int,
    samples: tuple[Sample, ...],
    floor_ms: float = 0.0,
    inverted: bool = False,
) -> Measurement:
    """Time both sides once a round, the side that goes first changing from round to round.

    Args:
        ours: our side; what it returns is dropped inside the measured time, as with the reference.
        theirs: the reference's side.
        reference: what the reference is.
        rounds: how many rounds.
        samples: the documents both sides work on.
        floor_ms: the reference counts as this many milliseconds when it takes less.
        inverted: take the reference's time by ours ("times faster") instead of ours by the reference's.
    """
    sides = (ours, theirs)
    repeats = [_repeats(side) for side in sides]
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append(time_ms(sides[side], repeats[side]))
    ratios = tuple(
        max(other, floor_ms) / our if inverted else our / max(other, floor_ms)
        for our, other in zip(*times, strict=True)
    )
    return Measurement(reference, ratios, tuple(times[0]), tuple(times[1]), samples=samples)


def two_workers(work: Callable[[int], object], rounds: int) -> Measurement:
    """Time some work with one worker process and with two, in turns: times faster, by the clock on the wall.

    Args:
        work: what is done, given the number of workers.
        rounds: how many rounds.
    """
    times: dict[int, list[float]] = {1: [], 2: []}
    for number in range(rounds):
        for jobs in (1, 2) if number % 2 == 0 else (2, 1):
            began = perf_counter_ns()
            work(jobs)
            times[jobs].append((perf_counter_ns() - began) / 1e6)
    return Measurement(
        reference="itself with one worker",
        ratios=tuple(one / two for one, two in zip(times[1], times[2], strict=True)),
        ours=tuple(times[2]),
        theirs=tuple(times[1]),
    )


def time_ms(side: Callable[[], object], repeats: int = 1) -> float:
    """Return how many milliseconds of processor time one call of ``side`` takes, as mean of ``repeats`` calls in a row.

    Both sides compute in one thread and wait for nothing, so processor time is what they would take on an idle
    machine; the clock on the wall would add whatever else runs. The collector is on, as in a user's process. It is run
    once before, so that no side pays for what another one left.
    """
    gc.collect()
    start = thread_time_ns()
    for _ in range(repeats):
        side()
    return (thread_time_ns() - start) / repeats / 1e6


def _repeats(side: Callable[[], object]) -> int:
    """Warm ``side`` up and return how often it is to be called in a round."""
    side()
    return 1 + int(_LEAST_TIME_NS / 1e6 / max(time_ms(side), 1e-3))
