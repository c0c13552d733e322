"""Runs many trials, some at a time, each into a file of its own; what is finished is never run twice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ...errors import DocumentError, OperateBenchError
from ...files import make_folder, shown
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.spec import OperationSpec
from .ownership import evaluator_source_digest
from .record import EpisodeRecord, read_episode, write_episode
from .run import run_one
from .selection import Selection, operation_instance_id
from .workers import in_workers


class Earlier(StrEnum):
    """What stood where the file of a trial belongs, before the trial was looked at."""

    NOTHING = "nothing"
    CURRENT = "current"
    """The episode as it would be run and graded today; it is kept."""
    OUTDATED = "outdated"
    """A whole episode, but of another spec, evaluator or trial; the trial is run."""
    DAMAGED = "damaged"
    """No whole episode; the trial is run."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A trial whose file is complete.

    Attributes:
        earlier: what stood in place of its file.
    """

    selection: Selection
    file: str
    earlier: Earlier
    outcome_class: str
    reliable: bool
    failed_dimensions: tuple[str, ...]
    finding_codes: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether the file was there already, and its episode not run again."""
        return self.earlier is Earlier.CURRENT


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
    make_folder(folder)
    work = _Work(spec, os.fspath(folder), evaluator_source_digest())
    workers = min(jobs, len(selections))
    yield from map(work.finish, selections) if workers < 2 else in_workers(work.finish, selections, workers)


@dataclass(frozen=True, slots=True)
class _Work:
    """What every trial of a matrix needs; the evaluator's digest is taken once, before the first of them."""

    spec: OperationSpec
    folder: str
    evaluator_source_digest_sha256: str

    def finish(self, selection: Selection) -> Finished:
        """See to it that the file of a trial is complete."""
        path = Path(self.folder, f"{selection.variant_id}.{selection.agent_id}.{selection.trial}.json")
        record, earlier = self._earlier(path, selection)
        if record is None:
            run = run_one(self.spec, selection.variant_id, selection.agent_id, selection.trial)
            record = EpisodeRecord.of(self.spec, run)
            write_episode(path, record, replace=True)
        evaluation = record.evaluation
        return Finished(
            selection=selection,
            file=shown(path),
            earlier=earlier,
            outcome_class=evaluation["outcome_class"],
            reliable=evaluation["reliable"],
            failed_dimensions=tuple(evaluation["failed_dimensions"]),
            finding_codes=tuple(evaluation["finding_codes"]),
        )

    def _earlier(self, path: Path, selection: Selection) -> tuple[EpisodeRecord | None, Earlier]:
        """Return what a file holds if it is the finished trial as it would be run today; and what it is."""
        try:
            record = read_episode(path)
        except DocumentError as refusal:
            return None, Earlier.NOTHING if refusal.code == "file_missing" else Earlier.DAMAGED
        except OperateBenchError:
            return None, Earlier.DAMAGED
        instance_id = operation_instance_id(self.spec.digest_sha256, selection)
        today = (selection, instance_id, self.evaluator_source_digest_sha256)
        found = (record.selection, record.instance_id, record.evaluator_source_digest_sha256)
        return (record, Earlier.CURRENT) if found == today else (None, Earlier.OUTDATED)
