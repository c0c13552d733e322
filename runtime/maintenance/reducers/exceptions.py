"""Events of exceptions: the operator's decision, and the deadline it did not meet."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..checkpoints import close_exception
from ..duties import open_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import ExceptionCheckpoint, Handover
from ..state.state import State


def operator_decided(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Close an exception: taking over and cancelling must be told the customer, an alternative allows a correction.

    Refusals, in order:
        * ``UNKNOWN_EXCEPTION_CHECKPOINT``
        * ``CHECKPOINT_NOT_OPEN``
        * ``WORK_CYCLE_MISMATCH``: a cycle is named and is not the exception's
        * ``CHECKPOINT_DEADLINE_PASSED``: at the deadline itself the decision still counts
    """
    exception = _open_exception(state, event)
    decision, checkpoint_id, cycle_id = event.payload["decision"], exception.checkpoint_id, exception.cycle_id
    require(event.payload.get("cycle_id", cycle_id) == cycle_id, "WORK_CYCLE_MISMATCH")
    now = environment.instant(environment.now)
    require(now <= exception.deadline_at, "CHECKPOINT_DEADLINE_PASSED")
    close_exception(environment, exception, decision, event.actor_id)
    if decision == "TAKE_OWNERSHIP":
        state.ownership = Handover(event.actor_id, checkpoint_id, cycle_id, now)
    elif decision == "CANCEL_OPERATION":
        state.cancellation = Handover(event.actor_id, checkpoint_id, cycle_id, now)
    if state.handover is not None:
        open_duty(state, rules, environment, f"handover_notice:{checkpoint_id}", cycle_id)
    return _about(exception)


def exception_deadline_due(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let an exception expire; another about its subject can be opened.

    Refusals, in order:
        * ``UNKNOWN_EXCEPTION_CHECKPOINT``
        * ``CHECKPOINT_NOT_OPEN``
        * ``TIMER_NOT_DUE``
    """
    del rules
    exception = _open_exception(state, event)
    require(environment.instant(environment.now) >= exception.deadline_at, "TIMER_NOT_DUE")
    close_exception(environment, exception, None, event.actor_id)
    return _about(exception)


def _open_exception(state: State, event: Event) -> ExceptionCheckpoint:
    exception = found(state.exceptions.get(event.payload["checkpoint_id"]), "UNKNOWN_EXCEPTION_CHECKPOINT")
    require(exception.status == "OPEN", "CHECKPOINT_NOT_OPEN")
    return exception


def _about(exception: ExceptionCheckpoint) -> Verdict:
    return Verdict(True, cycle_id=exception.cycle_id, bindings={"checkpoint_id": exception.checkpoint_id})
