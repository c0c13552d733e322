"""Duties of the agent and their timers: opened, closed, and due."""

from __future__ import annotations

from typing import Literal

from ..core.protocol import Environment
from .rules import Rules
from .state.records import Obligation
from .state.state import State


def open_duty(state: State, rules: Rules, environment: Environment, obligation_id: str, cycle_id: str) -> None:
    """Open the duty ``<kind>:<key>`` and arm the timer that breaches it unless it is closed before."""
    kind = obligation_id.partition(":")[0]
    within = rules.due_within(kind)
    state.obligations[obligation_id] = Obligation(
        obligation_id, kind, cycle_id, due_at=environment.instant(environment.now + within)
    )
    environment.open_obligation(obligation_id, kind, cycle_id, within)
    environment.set_timer(_timer(obligation_id), "obligation_due", within, {"obligation_id": obligation_id})


def close_duty(
    state: State, environment: Environment, obligation_id: str, status: Literal["DISCHARGED", "CANCELLED", "BREACHED"]
) -> None:
    """Close a duty, if it exists and is open, and disarm its timer."""
    obligation = state.obligations.get(obligation_id)
    if obligation is None or obligation.status != "OPEN":
        return
    obligation.status = status
    obligation.closed_at = environment.instant(environment.now)
    environment.close_obligation(obligation_id, obligation.kind, obligation.cycle_id, status.lower())
    environment.cancel_timer(_timer(obligation_id))


def _timer(obligation_id: str) -> str:
    return f"timer_obligation:{obligation_id}"
