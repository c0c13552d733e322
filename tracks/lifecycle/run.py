"""One trial: execute, execute again with a fresh agent, evaluate; all of it in memory."""

from __future__ import annotations

from .bound import MaintenanceRuntime
from .record import EpisodeRecord
from .selection import Selection


def run_one(runtime: MaintenanceRuntime, variant_id: str, agent_id: str, trial: int = 0) -> EpisodeRecord:
    """Run one trial, and keep nothing of it on disk.

    Args:
        runtime: the operation and its agents.
        variant_id: one of its variants.
        agent_id: one of its agents.
        trial: from 0; it changes the instance id and nothing else.

    Raises:
        KeyError: there is no such variant or agent.
    """
    selection = Selection(runtime.spec.operation_id, variant_id, agent_id, trial)
    recorded, instance_id = selection.to_wire(), runtime.identity(variant_id, agent_id).instance_id(trial)
    first, again = (runtime.execute(recorded, instance_id) for _ in range(2))
    return EpisodeRecord(
        selection, instance_id, first.outcome, first.decision_tape, runtime.evaluate(recorded, first, again)
    )
