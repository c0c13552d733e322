"""Runs one trial and keeps it as a run bundle."""

from __future__ import annotations

import os

from ...authority import UsedAuthorization
from ...replay.bundle import Writer
from ...replay.record import record_run
from .bound import MaintenanceRuntime
from .record import EpisodeRecord, read_episode
from .selection import Selection


def keep_run(
    runtime: MaintenanceRuntime,
    selection: Selection,
    path: str | os.PathLike[str],
    writer: Writer,
    *,
    authorization: UsedAuthorization | None = None,
) -> EpisodeRecord:
    """Run one trial into a new folder, and return what is there afterwards.

    Args:
        runtime: the operation and its agents.
        selection: what to run.
        path: the folder of the bundle; nothing may be there.
        writer: what runs here, as the bundle says it.
        authorization: what the run was admitted with, if it was.

    Raises:
        KeyError: there is no such variant or agent.
        DocumentError: the bundle cannot be written.
        LedgerError: ``ledger_unwritable``.
    """
    identity = runtime.identity(selection.variant_id, selection.agent_id)
    record_run(runtime, identity, selection.to_wire(), path, writer, authorization=authorization)
    return read_episode(path)
