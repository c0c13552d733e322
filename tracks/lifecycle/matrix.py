"""Runs many trials, some at a time, each into a file of its own; what is finished is never run twice."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path

from ...errors import DocumentError, EpisodeError, OperateBenchError
from ...files import shown
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.spec import OperationSpec
from .ownership import evaluator_source_digest
from .record import EpisodeRecord, read_episode, write_episode
from .run import run_one
from .selection import Selection, operation_instance_id


@dataclass(frozen=True, slots=True)
class Finished:
    """A trial whose file is complete.

    Attributes:
        kept: whether the file was there already, and its episode not run again.
    """

    selection: Selection
    file: str
    kept: bool
    outcome_class: str
    reliable: bool
    failed_dimensions: tuple[str, ...]
    finding_codes: tuple[str, ...]


def all_selections(spec: OperationSpec, trials: int) -> tuple[Selection, ...]:
    """Return every variant with every agent, so many times, in the order of spec, registry and trial."""
    return tuple(
        Selection(spec.operation_id, variant_id, agent_id, trial)
        for variant_id in spec.variants
        for agent_id in AGENTS
        for trial in range(trials)
    )


def run_matrix(
    spec: OperationSpec, selections: Sequence[Selection], folder: str | os.PathLike[str], *, jobs: int
) -> Iterator[Finished]:
    """Run trials and yield each one, in the order given, as soon as it and all before it are finished.

    A file is kept if it is complete, and its instance id and evaluator source are today's; any other file of its name
    is replaced. Neither files nor order depend on ``jobs``. A worker writes its own files, each in one step, and Ctrl-C
    lets it finish the trial it is at: what an interrupted run leaves is whole.

    Args:
        spec: the operation.
        selections: what to run; no two are equal.
        folder: where the files go; it is made if it is not there.
        jobs: worker processes; 1 runs everything in this one.

    Raises:
        DocumentError: the folder cannot be made, or a file not be written.
        EpisodeError: ``episode_too_large``, or ``worker_lost``.
    """
    _make_folder(folder)
    work = _Work(spec, os.fspath(folder), evaluator_source_digest())
    if min(jobs, len(selections)) < 2:
        yield from map(work.finish, selections)
        return
    # Forked workers hold the spec as it is here; nothing of it is read or sent again.
    pool = ProcessPoolExecutor(
        min(jobs, len(selections)), mp_context=get_context("fork"), initializer=_begin, initargs=(work,)
    )
    with pool:
        try:
            yield from pool.map(_finish, selections)
        except BrokenProcessPool:
            expected = "workers that live as long as their work"
            raise EpisodeError("worker_lost", expected=expected, actual="one that ended") from None


@dataclass(frozen=True, slots=True)
class _Work:
    """What every trial of a matrix needs; the evaluator's digest is taken once, before the first of them."""

    spec: OperationSpec
    folder: str
    evaluator_source_digest_sha256: str

    def finish(self, selection: Selection) -> Finished:
        """See to it that the file of a trial is complete."""
        path = Path(self.folder, f"{selection.variant_id}.{selection.agent_id}.{selection.trial}.json")
        record = self._complete(path, selection)
        kept = record is not None
        if record is None:
            run = run_one(self.spec, selection.variant_id, selection.agent_id, selection.trial)
            record = EpisodeRecord.of(self.spec, run)
            write_episode(path, record, replace=True)
        evaluation = record.evaluation
        return Finished(
            selection=selection,
            file=shown(path),
            kept=kept,
            outcome_class=evaluation["outcome_class"],
            reliable=evaluation["reliable"],
            failed_dimensions=tuple(evaluation["failed_dimensions"]),
            finding_codes=tuple(evaluation["finding_codes"]),
        )

    def _complete(self, path: Path, selection: Selection) -> EpisodeRecord | None:
        """Return what a file holds if it is the finished trial as it would be run today."""
        try:
            record = read_episode(path)
        except OperateBenchError:  # missing, damaged, or no episode at all: the trial is run
            return None
        instance_id = operation_instance_id(self.spec.digest_sha256, selection)
        today = (selection, instance_id, self.evaluator_source_digest_sha256)
        found = (record.selection, record.instance_id, record.evaluator_source_digest_sha256)
        return record if found == today else None


_work: _Work
"""The work of a worker process, set once when it begins; the main process has none."""


def _begin(work: _Work) -> None:
    global _work  # noqa: PLW0603  (a process pool has no other place for it)
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the main one decides
    threading.Thread(target=_end_with_the_main_process, daemon=True).start()


def _end_with_the_main_process() -> None:
    """Wait for the end of the main process, however it came, and end this one; nobody would give it work again."""
    main = parent_process()
    assert main is not None
    main.join()
    os._exit(1)


def _finish(selection: Selection) -> Finished:
    return _work.finish(selection)


def _make_folder(folder: str | os.PathLike[str]) -> None:
    try:
        Path(folder).mkdir(exist_ok=True)
    except OSError as fault:
        actual = os.strerror(fault.errno or 0)
        expected = "a folder, or a free name in one"
        raise DocumentError("file_unwritable", path=shown(folder), expected=expected, actual=actual) from None
