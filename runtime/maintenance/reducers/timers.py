"""Events of time alone: a duty falls due, a reopen window ends."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..closing import finish, what_is_open
from ..duties import close_duty
from ..refusals import found, refuse_if, require
from ..rules import Rules
from ..state.state import State


def obligation_due(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Note that a duty was not discharged in time.

    Refusals, in order:
        * ``UNKNOWN_OBLIGATION``
        * ``OBLIGATION_NOT_OPEN``
        * ``TIMER_NOT_DUE``
    """
    del rules
    obligation = found(state.obligations.get(event.payload["obligation_id"]), "UNKNOWN_OBLIGATION")
    require(obligation.status == "OPEN", "OBLIGATION_NOT_OPEN")
    require(environment.instant(environment.now) >= obligation.due_at, "TIMER_NOT_DUE")
    close_duty(state, environment, obligation.obligation_id, "BREACHED")
    return Verdict(True, "OBLIGATION_BREACHED", cycle_id=obligation.cycle_id)


def window_expired(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """End the operation: it was complete, and the customer did not report otherwise in time.

    Refusals, in order:
        * ``NOT_PROVISIONALLY_CLOSED``: not at all, or on another cycle
        * ``TIMER_NOT_DUE``
        * those of :func:`..closing.what_is_open`: nothing may have opened since
    """
    del rules
    close = found(state.provisional_close, "NOT_PROVISIONALLY_CLOSED")
    require(close.cycle_id == event.payload["cycle_id"], "NOT_PROVISIONALLY_CLOSED")
    require(environment.instant(environment.now) >= close.reopen_until, "TIMER_NOT_DUE")
    refuse_if(what_is_open(state))
    finish(state, environment, "completed_successfully", close.cycle_id, actor_id=None)
    return Verdict(True, "FINALIZED", cycle_id=close.cycle_id)
