"""Runs one trial and keeps it as a run bundle."""

from __future__ import annotations

import os

from ...replay.bundle import Writer
from ...replay.record import record_run
from .bound import MaintenanceRuntime
from .record import EpisodeRecord, read_episode
from .selection import Selection


def keep_run(
    runtime: MaintenanceRuntime, selection: Selection, path: str | os.PathLike[str], writer: Writer
) -> EpisodeRecord:
    """Run one trial into a new folder, and return what is there afterwards.

    Args:
        runtime: the operation and its agents.
        selection: what to run.
        path: the folder of the bundle; nothing may be there.
        writer: what runs here, as the bundle says it.

    Raises:
        KeyError: there is no such variant or agent.
        DocumentError: the bundle cannot be written.
        LedgerError: ``ledger_unwritable``.
    """
    identity = runtime.identity(selection.variant_id, selection.agent_id)
    record_run(runtime, identity, selection.to_wire(), path, writer)
    return read_episode(path)
