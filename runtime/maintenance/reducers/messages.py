"""Events of messages: a dispatch went through, failed for good, or is tried again."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..refusals import found, require
from ..rules import Rules
from ..state.records import DispatchStatus
from ..state.state import State


def message_delivered(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let the agent know that a message went through; what that discharges has happened with the dispatch.

    Refusals, in order:
        * ``UNKNOWN_MESSAGE``
        * ``MESSAGE_STATUS_MISMATCH``
    """
    del rules, environment
    return _stands(state, event, "DELIVERED")


def message_failed(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let the agent know that a message has failed for good.

    Refusals, in order:
        * ``UNKNOWN_MESSAGE``
        * ``MESSAGE_STATUS_MISMATCH``
    """
    del rules, environment
    return _stands(state, event, "FAILED")


def retry_due(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Let the next attempt at a message begin.

    Refusals, in order:
        * ``UNKNOWN_MESSAGE``
        * ``MESSAGE_STATUS_MISMATCH``
    """
    del rules, environment
    return _stands(state, event, "PENDING")


def _stands(state: State, event: Event, status: DispatchStatus) -> Verdict:
    message = found(state.communications.get(event.payload["work_id"]), "UNKNOWN_MESSAGE")
    require(message.dispatch_status == status, "MESSAGE_STATUS_MISMATCH")
    return Verdict(True, cycle_id=message.correlation_id if message.correlation_id in state.cycles else None)
