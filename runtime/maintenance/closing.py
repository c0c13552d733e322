"""Provisional close, what reopens it, and the ends that are final."""

from __future__ import annotations

from ..core.protocol import Environment
from .duties import close_duty
from .rules import Rules
from .state.records import Cycle, ProvisionalClose, Terminal
from .state.state import State


def close_provisionally(state: State, rules: Rules, environment: Environment, cycle: Cycle) -> None:
    """Close the operation on a cycle, for as long as the customer may report otherwise."""
    now, window = environment.now, rules.policy.provisional_close_minutes
    close = state.provisional_close = ProvisionalClose(
        cycle.cycle_id,
        accepted_at=environment.instant(now),
        reopen_until=environment.instant(now + window),
        # Every close before this one was followed by a reopening.
        timer_event_id=f"timer_provisional_close:{state.reopen_count + 1}",
    )
    environment.record("provisional_close_entered", cycle_id=cycle.cycle_id, reopen_until=close.reopen_until)
    environment.set_timer(close.timer_event_id, "provisional_close_expired", window, {"cycle_id": cycle.cycle_id})


def reopen(state: State, environment: Environment, cycle: Cycle) -> Cycle:
    """Open a warranty cycle for a cycle whose verified work did not last, and make it the current one."""
    if state.provisional_close is not None:
        environment.cancel_timer(state.provisional_close.timer_event_id)
        state.provisional_close = None
    close_duty(state, environment, f"completion_notice:{cycle.cycle_id}", "CANCELLED")
    state.reopen_count += 1
    warranty = Cycle(state.next_cycle_id(), "WARRANTY_REVISIT", cycle.cycle_id, cycle.scope, payable=False)
    state.cycles[warranty.cycle_id] = warranty
    state.current_cycle_id = warranty.cycle_id
    environment.record(
        "operation_reopened",
        reopened_cycle_id=cycle.cycle_id,
        warranty_cycle_id=warranty.cycle_id,
        reason="CUSTOMER_REPORTS_PERSISTENCE",
    )
    return warranty


def finish(state: State, environment: Environment, outcome: str, cycle_id: str, actor_id: str | None) -> None:
    """End the operation for good."""
    state.provisional_close = None
    state.terminal = Terminal(outcome, environment.instant(environment.now), cycle_id)
    environment.accept_terminal(outcome, cycle_id, actor_id)
