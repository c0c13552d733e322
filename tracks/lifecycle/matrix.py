"""Runs many trials, some at a time, each into a run bundle of its own; what is finished is never run twice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ...authority import UsedAuthorization
from ...files import make_folder, shown
from ...replay.bundle import Writer, discard_run, require_discardable
from ...replay.verify import Verdict, Verifier
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.spec import OperationSpec
from .bound import MaintenanceRuntime
from .keep import keep_run
from .record import EpisodeRecord, read_episode
from .selection import Selection
from .workers import in_workers


class Earlier(StrEnum):
    """What stood where the bundle of a trial belongs, before the trial was looked at."""

    NOTHING = "nothing"
    CURRENT = "current"
    """This trial, and it verifies: it comes out, and is graded, so here too. It is kept."""
    OUTDATED = "outdated"
    """A run, but of another runtime, spec, evaluator or trial; the trial is run."""
    DAMAGED = "damaged"
    """No whole run, or one that is refused or comes out otherwise; the trial is run."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A trial whose bundle is complete.

    Attributes:
        bundle: where it is, for people.
        earlier: what stood in its place.
    """

    selection: Selection
    bundle: str
    earlier: Earlier
    outcome_class: str
    reliable: bool
    failed_dimensions: tuple[str, ...]
    finding_codes: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether the bundle was there already, and its trial not run again."""
        return self.earlier is Earlier.CURRENT


_NEW = ".new"
"""What the name of a run ends with until it takes the place of another one."""


def all_selections(spec: OperationSpec, trials: int) -> tuple[Selection, ...]:
    """Return every variant with every agent, so many times, in the order of spec, registry and trial."""
    return tuple(
        Selection(spec.operation_id, variant_id, agent_id, trial)
        for variant_id in spec.variants
        for agent_id in AGENTS
        for trial in range(trials)
    )


def run_matrix(
    runtime: MaintenanceRuntime,
    selections: Sequence[Selection],
    folder: str | os.PathLike[str],
    writer: Writer,
    *,
    jobs: int,
    authorization: UsedAuthorization | None = None,
) -> Iterator[Finished]:
    """Run trials and yield each one, in the order given, as soon as it and all before it are finished.

    A bundle is kept if it verifies; any other run of its name is replaced, once the new one is whole. Neither bundles
    nor order depend on ``jobs``. A worker writes its own bundles, and Ctrl-C lets it finish the trial it is at: what an
    interrupted matrix leaves is whole.

    Args:
        runtime: the operation and its agents.
        selections: what to run; no two are equal.
        folder: where the bundles go; it is made if it is not there.
        writer: what runs here, as the bundles say it.
        jobs: worker processes; 1 runs everything in this one.
        authorization: what the runs were admitted with, if they were; bundles that are kept stay as they are.

    Raises:
        DocumentError: the folder cannot be made, a bundle not be written, or no folder is in the place of one.
        LedgerError: ``ledger_unwritable``.
        BundleError: something that is no run stands where a bundle belongs.
        EpisodeError: ``worker_lost``.
    """
    make_folder(folder)
    work = _Work(runtime, Verifier(runtime), os.fspath(folder), writer, authorization)
    yield from in_workers(work.finish, selections, jobs)


@dataclass(frozen=True, slots=True)
class _Work:
    """What every trial of a matrix needs."""

    runtime: MaintenanceRuntime
    verifier: Verifier
    folder: str
    writer: Writer
    authorization: UsedAuthorization | None

    def finish(self, selection: Selection) -> Finished:
        """See to it that the bundle of a trial is complete."""
        path = Path(self.folder, f"{selection.variant_id}.{selection.agent_id}.{selection.trial}")
        new = path.with_name(f"{path.name}{_NEW}")
        if os.path.lexists(new):  # left by a matrix that was interrupted
            discard_run(new)
        record, earlier = self._earlier(path, selection)
        if record is None and earlier is Earlier.NOTHING:
            record = self._run(selection, path)
        elif record is None:
            require_discardable(path)
            record = self._run(selection, new)
            discard_run(path)
            new.rename(path)
        return Finished(
            selection=selection,
            bundle=shown(path),
            earlier=earlier,
            outcome_class=record.evaluation["outcome_class"],
            reliable=record.reliable,
            failed_dimensions=record.failed_dimensions,
            finding_codes=record.finding_codes,
        )

    def _run(self, selection: Selection, path: Path) -> EpisodeRecord:
        return keep_run(self.runtime, selection, path, self.writer, authorization=self.authorization)

    def _earlier(self, path: Path, selection: Selection) -> tuple[EpisodeRecord | None, Earlier]:
        """Return the run that stands in a place if it is the finished trial as it would be today; and what it is."""
        if not os.path.lexists(path):
            return None, Earlier.NOTHING
        if path.is_symlink():  # what is elsewhere is not the run of this place
            return None, Earlier.DAMAGED
        verdict = self.verifier.verify(path).verdict
        if verdict in (Verdict.REFUSED, Verdict.DIVERGED):
            return None, Earlier.DAMAGED
        record = read_episode(path) if verdict is Verdict.VERIFIED else None
        if record is None or record.selection != selection:
            return None, Earlier.OUTDATED
        return record, Earlier.CURRENT
