"""Messages: sent once for each purpose and matter, watched until delivered, and recovered if they fail."""

from __future__ import annotations

from ....core import decisions
from ....core.decisions import Decision
from .case import Case, Record

_PENDING_MINUTES = 60
"""How soon to look again at a message on its way, should neither its delivery nor its failure wake anybody."""

_MOST_TRIES = 2
"""How often one message is tried on one channel."""

_NOTHING_LEFT_MINUTES = 1_440
"""How soon to look again when every channel has failed."""


def send(case: Case, purpose: str, correlation_id: str) -> Decision:
    """Return the decision to send the message of a purpose about a matter, on the primary channel.

    Raises:
        UnreadError: the case has not been read.
    """
    fixture_id, role = case.message(purpose)
    payload = {
        "recipient_actor_id": case.actor(role),
        "message_fixture_id": fixture_id,
        "correlation_id": correlation_id,
    }
    return decisions.act("send_message", payload, rationale=f"{purpose} is due")


def recover(case: Case, purpose: str, failed: Record, channel: str) -> Decision:
    """Return the decision to make a failed message good on another channel.

    Raises:
        UnreadError: the case has not been read.
    """
    recovery = send(case, purpose, str(failed.get("correlation_id")))
    recovery["payload"] |= {"channel": channel, "recovery_of": failed.get("work_id")}
    return recovery


def sent(case: Case, purpose: str, correlation_id: str) -> bool:
    """Tell whether the message was sent, on whatever channel and however it went.

    Raises:
        UnreadError: the communications have not been read.
    """
    fixture_id, _ = case.message(purpose)
    return bool(case.rows("communications", message_fixture_id=fixture_id, correlation_id=correlation_id))


def deliver(case: Case, purpose: str, correlation_id: str) -> Decision | None:
    """Return the next step until a message is delivered, or null once it is.

    What failed on one channel is recovered on another: the one that was tried least, the first of them. With none left
    nothing can be done but to look again: somebody else must see to it.

    Raises:
        UnreadError: the case or the communications have not been read.
    """
    fixture_id, _ = case.message(purpose)
    attempts = case.rows("communications", message_fixture_id=fixture_id, correlation_id=correlation_id)
    states = [attempt.get("dispatch_status") for attempt in attempts]
    if "DELIVERED" in states:
        return None
    if not attempts:
        return send(case, purpose, correlation_id)
    tried = [attempt.get("channel") for attempt in attempts]
    left = [channel for channel in case.channels if channel != tried[-1] and tried.count(channel) < _MOST_TRIES]
    if "PENDING" in states or not left:
        patience = _PENDING_MINUTES if "PENDING" in states else _NOTHING_LEFT_MINUTES
        return decisions.wait(f"{purpose} is not delivered", ("message_delivered", "message_failed"), patience)
    return recover(case, purpose, attempts[-1], min(left, key=tried.count))
