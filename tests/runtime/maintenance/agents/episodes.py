"""Episodes of the packaged operation, each run once for all tests that look at it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.maintenance.agents import create
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import OperationSpec, packaged_spec

Row = Mapping[str, Any]
INSTANCE_ID = "opinst_" + "0" * 32


def run(spec: OperationSpec, agent_id: str, variant_id: str) -> Episode:
    """Run one episode."""
    return run_episode(MaintenanceOperation(spec, variant_id), create(agent_id), instance_id=INSTANCE_ID)


@cache
def episode(agent_id: str, variant_id: str) -> Episode:
    """Return the episode of an agent on a variant of the packaged operation."""
    return run(packaged_spec(), agent_id, variant_id)


def rows(of: Episode, *record_types: str) -> list[Row]:
    """Return the rows of some types."""
    return [row for row in of.outcome.trajectory if row["record_type"] in record_types]


def sent(of: Episode) -> list[tuple[str, str, str, str | None]]:
    """Return channel, purpose, correlation and recovered message of every message, in order."""
    return [
        (item["channel"], item["purpose"], item["correlation_id"], item["recovery_of"])
        for item in of.outcome.final_state["communications"]
    ]


def refusals(of: Episode) -> list[str]:
    """Return the codes of everything that was refused to the agent, in order."""
    kinds = ("action_rejected", "outcome_rejected", "retrieval_refused", "terminal_rejected", "wait_rejected")
    return [row["code"] for row in rows(of, *kinds)]
