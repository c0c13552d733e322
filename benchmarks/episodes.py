"""Figures of the runtime: an episode and its grade against encoding its record, growth, and two workers against one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, partial
from math import log2
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from tracemalloc import get_traced_memory, start, stop
from typing import Any

from canonicaljson import encode_canonical_json

from operatebench.cli.surroundings import writer_of
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.maintenance.evaluator import Evaluator
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec
from operatebench.tracks.lifecycle import AGENTS, MaintenanceRuntime, all_selections, run_matrix
from operatebench.tracks.lifecycle.budget import RECORD_BUDGET

from .figures import Measurement, at_least, at_most, figure
from .measure import compare, time_ms, two_workers
from .samples import Sample, sample
from .ticking import INSTANCE, Ticking, sleep_through

SIZES = (1_000, 10_000, 100_000)
"""Events of the synthetic operation."""

COPIES = (1, 10, 100)
"""How often the rows of an episode are repeated in the records whose grading is compared."""

MATRIX = 300
"""Episodes of the matrix."""


def episode() -> Episode:
    """Run the V1 reference episode once."""
    return run_episode(
        MaintenanceOperation(packaged_spec(), "V1"),
        AGENTS["reference"](),
        instance_id=INSTANCE,
        budget=RECORD_BUDGET,
    )


def grade(run: Episode) -> object:
    """Grade an episode that reproduced itself."""
    return Evaluator(packaged_spec(), "V1").evaluate(run.outcome.to_wire(), reproduction_of(run))


def reproduction_of(run: Episode) -> dict[str, str]:
    """Return what the evaluator compares with, as if the episode had come out a second time."""
    outcome = run.outcome
    return {
        "final_state_digest_sha256": outcome.final_state_digest_sha256,
        "trajectory_digest_sha256": outcome.trajectory_digest_sha256,
    }


@cache
def trajectory() -> tuple[list[dict[str, Any]], tuple[Sample, ...]]:
    """Return the rows of the V1 reference episode, and the same as a sample."""
    rows = list(episode().outcome.trajectory)
    return rows, (sample("trajectory of the V1 reference", rows),)


def encode_and_hash() -> object:
    """Do to the trajectory what anybody who records it does at least."""
    return hashlib.sha256(encode_canonical_json(trajectory()[0])).hexdigest()


@figure("episode-run", at_most(8), rounds=15)
def episode_run(rounds: int) -> Measurement:
    """Run the V1 reference episode, without grading, against canonicaljson and SHA-256 of its trajectory."""
    return _beside_its_trajectory(episode, rounds)


@figure("episode-graded", at_most(12), rounds=15)
def episode_graded(rounds: int) -> Measurement:
    """Run and grade the V1 reference episode, executed once, against canonicaljson and SHA-256 of its trajectory."""
    return _beside_its_trajectory(lambda: grade(episode()), rounds)


def _beside_its_trajectory(ours: Callable[[], object], rounds: int) -> Measurement:
    reference = "canonicaljson + SHA-256 of the trajectory"
    return compare(ours, encode_and_hash, reference=reference, rounds=rounds, samples=trajectory()[1])


@figure("episode-growth", at_most(1.3), rounds=3)
def episode_growth(rounds: int) -> Measurement:
    """Run operations of 1,000 to 100,000 events: the biggest rise of time / (n log n), or of memory / n.

    From any size to any larger one; the agent sleeps through all of it. Memory is the peak of what Python allocates.
    """
    times = [[time_ms(partial(_tick, size)) / (size * log2(size)) for size in SIZES] for _ in range(rounds)]
    memory = [_peak(size) / size for size in SIZES]
    return Measurement(
        reference="itself with fewer events",
        ratios=tuple(max(_rise(each), _rise(memory)) for each in times),
        ours=tuple(each[-1] * 1e6 for each in times),
        theirs=tuple(each[0] * 1e6 for each in times),
        unit="ns for each n log2 n",
        details={f"bytes an event of {size}": bytes_each for size, bytes_each in zip(SIZES, memory, strict=True)},
    )


def _tick(size: int) -> Episode:
    return run_episode(Ticking(size), sleep_through(), instance_id=INSTANCE)


def _peak(size: int) -> int:
    start()
    try:
        _tick(size)
        return get_traced_memory()[1]
    finally:
        stop()


def _rise(costs: list[float]) -> float:
    """Return the biggest ratio of a cost to an earlier one."""
    return max(later / earlier for at, earlier in enumerate(costs) for later in costs[at + 1 :])


@figure("evaluation-growth", at_most(1.3), rounds=5)
def evaluation_growth(rounds: int) -> Measurement:
    """Grade records whose rows are those of one episode 1, 10 and 100 times: the biggest rise of the time per row.

    Such a record is damaged nearly everywhere, so this is also what a hostile one costs.
    """
    spec = packaged_spec()
    run = episode()
    records = [_repeated(run, copies) for copies in COPIES]
    agreed = reproduction_of(run)

    def cost(record: dict[str, Any]) -> float:
        repeats = max(COPIES) * len(run.outcome.trajectory) // len(record["trajectory"])
        evaluator = Evaluator(spec, "V1")
        return time_ms(lambda: evaluator.evaluate(record, agreed), max(repeats // 4, 1)) / len(record["trajectory"])

    costs = [[cost(record) for record in records] for _ in range(rounds)]
    # From the second size on: an intact record has no findings to report.
    return Measurement(
        reference="itself with fewer rows",
        ratios=tuple(_rise(each[1:]) for each in costs),
        ours=tuple(each[-1] * 1e3 for each in costs),
        theirs=tuple(each[1] * 1e3 for each in costs),
        unit="µs a row",
        samples=trajectory()[1],
        details={"µs a row, intact": median(each[0] for each in costs) * 1e3},
    )


def _repeated(run: Episode, copies: int) -> dict[str, Any]:
    record = run.outcome.to_wire()
    record["trajectory"] = [
        {**row, "index": copy * len(run.outcome.trajectory) + row["index"]}
        for copy in range(copies)
        for row in run.outcome.trajectory
    ]
    return record


@figure("matrix-two-workers", at_least(1.8), rounds=3)
def matrix_two_workers(rounds: int) -> Measurement:
    """Run and write a matrix of 300 episodes with one worker and with two: times faster. Wall-clock time."""
    runtime = MaintenanceRuntime()
    # In the order of trials, so that cheap and dear episodes alternate.
    selections = sorted(all_selections(packaged_spec(), MATRIX), key=lambda selection: selection.trial)[:MATRIX]

    def run(jobs: int) -> None:
        with TemporaryDirectory() as folder:
            out = Path(folder, "out")
            if any(done.kept for done in run_matrix(runtime, selections, out, writer_of(runtime), jobs=jobs)):
                raise AssertionError("an episode was not run")

    return two_workers(run, rounds)
