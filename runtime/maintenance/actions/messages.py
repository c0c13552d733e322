"""Sending a message, and what its delivery discharges."""

from __future__ import annotations

from ...core.protocol import Dispatch, Effect, Environment, Proposal
from ..duties import close_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import UNBOOKED, Communication, Cycle
from ..state.state import State
from .exceptions import is_turned_down


def judge_message(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant a message that is what it says, to whom it is for.

    Refusals, in order:
        * ``UNKNOWN_RECIPIENT``
        * ``UNKNOWN_MESSAGE_FIXTURE``
        * ``UNKNOWN_CHANNEL``
        * by purpose, see below
        * ``RECIPIENT_ROLE_MISMATCH``
        * without ``recovery_of``: ``CHANNEL_NOT_FOR_PRIMARY_SEND``
        * with it: ``RECOVERY_BINDING_MISMATCH``: no such message, or recipient, fixture or correlation differs, or the
          channel does not
        * ``RECOVERY_NOT_NEEDED``: it has not failed
        * ``RECOVERY_ALREADY_ATTEMPTED``
        * ``DUPLICATE_MESSAGE``: the same was sent to the same about the same, and did not fail for good

    A completion notice is about a cycle:
        * ``COMPLETION_NOTICE_WRONG_RECIPIENT``: not the reporter
        * ``NO_COMPLETION_TO_ANNOUNCE``: telling of this cycle is no duty, or no longer

    A handover notice is about the cycle of the exception:
        * ``NO_HANDOVER_TO_ANNOUNCE``
        * ``OBLIGATION_MESSAGE_BINDING_MISMATCH``: not the reporter, or another cycle

    A reminder is about an open approval whose reminder has fallen due:
        * ``OBLIGATION_MESSAGE_BINDING_MISMATCH``: no such approval, or not its assignee

    Any other is about a cycle:
        * ``UNKNOWN_WORK_CYCLE``
        * ``NO_OCCASION_FOR_MESSAGE``: see :func:`_calls_for`
    """
    payload = proposal.payload
    recipient, correlation_id = payload["recipient_actor_id"], payload.get("correlation_id")
    require(recipient in rules.spec.actors, "UNKNOWN_RECIPIENT")
    fixture = found(rules.spec.message_fixtures.get(payload["message_fixture_id"]), "UNKNOWN_MESSAGE_FIXTURE")
    channel = payload.get("channel", rules.primary_channel)
    require(channel in rules.spec.channels, "UNKNOWN_CHANNEL")
    basis = _require_occasion(state, fixture.purpose, recipient, correlation_id)
    require(rules.spec.actors[recipient] == fixture.recipient_role, "RECIPIENT_ROLE_MISMATCH")
    if "recovery_of" in payload:
        _require_recoverable(state, proposal, channel)
    else:
        require(channel == rules.primary_channel, "CHANNEL_NOT_FOR_PRIMARY_SEND")
    about = (recipient, payload["message_fixture_id"], correlation_id)
    require(
        all(
            message.dispatch_status == "FAILED"
            for message in state.communications.values()
            if (message.recipient_actor_id, message.message_fixture_id, message.correlation_id) == about
        ),
        "DUPLICATE_MESSAGE",
    )
    return basis


def commit_message(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Hand the message to its channel; that it was delivered is known later."""
    payload, work_id = proposal.payload, state.next_work_id()
    dispatch = Dispatch(
        work_id=work_id,
        channel=payload.get("channel", rules.primary_channel),
        recipient_actor_id=payload["recipient_actor_id"],
        message_fixture_id=payload["message_fixture_id"],
        correlation_id=payload.get("correlation_id"),
        recovery_of=payload.get("recovery_of"),
    )
    state.communications[work_id] = Communication(
        work_id,
        dispatch.recipient_actor_id,
        dispatch.message_fixture_id,
        rules.spec.message_fixtures[dispatch.message_fixture_id].purpose,
        dispatch.correlation_id,
        dispatch.channel,
        dispatch.recovery_of,
        sent_at=environment.instant(environment.now),
    )
    environment.start_dispatch(dispatch)
    cycle_id = dispatch.correlation_id if dispatch.correlation_id in state.cycles else None
    return Effect(cycle_id=cycle_id, bindings={"work_id": work_id})


def attempt_failed(state: State, work_id: str, attempt: int) -> None:
    """Note an attempt that failed and will be made again."""
    state.communications[work_id].attempts = attempt


def dispatch_ended(state: State, work_id: str, environment: Environment, *, delivered: bool) -> None:
    """Note how a dispatch ended. Only delivery discharges the duty that the message was sent for."""
    message = state.communications[work_id]
    message.attempts += 1
    message.dispatch_status = "DELIVERED" if delivered else "FAILED"
    message.ended_at = environment.instant(environment.now)
    if not delivered:
        return
    if message.purpose in ("completion_notice", "approval_reminder"):
        close_duty(state, environment, f"{message.purpose}:{message.correlation_id}", "DISCHARGED")
    elif message.purpose == "handover_notice" and state.handover is not None:
        close_duty(state, environment, f"handover_notice:{state.handover.checkpoint_id}", "DISCHARGED")


def _require_occasion(state: State, purpose: str, recipient: str, correlation_id: str | None) -> tuple[str, ...]:
    reporter = state.issue.reporter_actor_id if state.issue is not None else None
    if purpose == "completion_notice":
        require(recipient == reporter, "COMPLETION_NOTICE_WRONG_RECIPIENT")
        duty = found(state.obligations.get(f"completion_notice:{correlation_id}"), "NO_COMPLETION_TO_ANNOUNCE")
        require(duty.status != "CANCELLED", "NO_COMPLETION_TO_ANNOUNCE")
        return (str(duty.cycle_id),)
    if purpose == "handover_notice":
        handover = found(state.handover, "NO_HANDOVER_TO_ANNOUNCE")
        require(recipient == reporter and correlation_id == handover.cycle_id, "OBLIGATION_MESSAGE_BINDING_MISMATCH")
        return (handover.checkpoint_id,)
    if purpose == "approval_reminder":
        approval = found(state.approvals.get(correlation_id or ""), "OBLIGATION_MESSAGE_BINDING_MISMATCH")
        require(
            approval.status == "OPEN" and approval.reminder_fired and approval.assignee_actor_id == recipient,
            "OBLIGATION_MESSAGE_BINDING_MISMATCH",
        )
        return (approval.checkpoint_id,)
    cycle = found(state.cycles.get(correlation_id or ""), "UNKNOWN_WORK_CYCLE")
    require(state.handover is None and _calls_for(state, purpose, cycle), "NO_OCCASION_FOR_MESSAGE")
    return (cycle.cycle_id,)


def _calls_for(state: State, purpose: str, cycle: Cycle) -> bool:
    """Tell whether a cycle gives occasion for a message.

    Access is asked for until the current cycle's visit has taken place, and a revisit is announced in a current
    warranty cycle. Work cannot proceed while an approval or an invoice of the cycle is turned down.
    """
    if purpose == "cannot_proceed":
        return any(
            item.cycle_id == cycle.cycle_id and is_turned_down(state, item) for item in state.approvals.values()
        ) or any(item.cycle_id == cycle.cycle_id and item.status == "REJECTED" for item in state.invoices.values())
    is_current = cycle.cycle_id == state.current_cycle_id
    if purpose == "revisit_notice":
        return is_current and cycle.kind == "WARRANTY_REVISIT"
    return is_current and cycle.visit_status in (*UNBOOKED, "REQUESTED", "SCHEDULED")


def _require_recoverable(state: State, proposal: Proposal, channel: str) -> None:
    payload = proposal.payload
    failed = found(state.communications.get(payload["recovery_of"]), "RECOVERY_BINDING_MISMATCH")
    require(
        failed.recipient_actor_id == payload["recipient_actor_id"]
        and failed.message_fixture_id == payload["message_fixture_id"]
        and failed.correlation_id == payload.get("correlation_id")
        and failed.channel != channel,
        "RECOVERY_BINDING_MISMATCH",
    )
    require(failed.dispatch_status == "FAILED", "RECOVERY_NOT_NEEDED")
    require(
        all(message.recovery_of != failed.work_id for message in state.communications.values()),
        "RECOVERY_ALREADY_ATTEMPTED",
    )
