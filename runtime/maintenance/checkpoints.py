"""Checkpoints, where a human decides: opened with their timers, and closed by a decision or a deadline."""

from __future__ import annotations

from typing import Literal

from ..core.protocol import Environment
from .duties import close_duty
from .rules import APPROVAL_CHECKPOINT, EXCEPTION_CHECKPOINT, Rules
from .state.records import Approval, ExceptionCheckpoint, Quote
from .state.state import State


def open_approval(state: State, rules: Rules, environment: Environment, quote: Quote) -> Approval:
    """Put the terms of a quote to the approver; a reminder and the deadline are armed."""
    now, deadline = environment.now, rules.policy.approval_deadline_after_minutes
    checkpoint_id = state.next_checkpoint_id()
    approval = state.approvals[checkpoint_id] = Approval(
        checkpoint_id,
        quote.quote_key,
        quote.quote_id,
        quote.quote_version,
        quote.cycle_id,
        quote.amount_minor,
        quote.currency,
        quote.plus_vat,
        quote.scope,
        assignee_actor_id=rules.assignee(APPROVAL_CHECKPOINT),
        opened_at=environment.instant(now),
        deadline_at=environment.instant(now + deadline),
    )
    quote.status = "APPROVAL_REQUESTED"
    environment.open_checkpoint(
        checkpoint_id,
        APPROVAL_CHECKPOINT,
        assignee_actor_id=approval.assignee_actor_id,
        cycle_id=quote.cycle_id,
        deadline_after_minutes=deadline,
        evidence_refs=[quote.quote_key],
    )
    payload = {"checkpoint_id": checkpoint_id, "cycle_id": quote.cycle_id}
    reminder = rules.policy.approval_reminder_after_minutes
    environment.set_timer(_reminder_timer(checkpoint_id), "approval_reminder_due", reminder, payload)
    environment.set_timer(_deadline_timer("approval", checkpoint_id), "approval_deadline_due", deadline, payload)
    return approval


def close_approval(
    state: State,
    environment: Environment,
    approval: Approval,
    status: Literal["APPROVED", "REJECTED", "EXPIRED"],
    resolved_by: str,
) -> None:
    """Close an approval; its quote follows, unless a newer one has superseded it, and so does the reminder duty."""
    approval.status = status
    approval.resolved_at = environment.instant(environment.now)
    quote = state.quotes[approval.quote_key]
    if quote.status == "APPROVAL_REQUESTED":
        quote.status = status
    environment.cancel_timer(_reminder_timer(approval.checkpoint_id))
    environment.cancel_timer(_deadline_timer("approval", approval.checkpoint_id))
    close_duty(state, environment, f"approval_reminder:{approval.checkpoint_id}", "CANCELLED")
    environment.resolve_checkpoint(approval.checkpoint_id, APPROVAL_CHECKPOINT, status, resolved_by)


def open_exception(
    state: State,
    rules: Rules,
    environment: Environment,
    *,
    exception_type: str,
    subject_id: str,
    cycle_id: str,
    evidence_refs: tuple[str, ...],
) -> ExceptionCheckpoint:
    """Call upon the operator about a subject the agent cannot go on with; the deadline is armed."""
    now, deadline = environment.now, rules.policy.exception_deadline_after_minutes
    checkpoint_id = state.next_checkpoint_id()
    exception = state.exceptions[checkpoint_id] = ExceptionCheckpoint(
        checkpoint_id,
        exception_type,
        subject_id,
        cycle_id,
        assignee_actor_id=rules.assignee(EXCEPTION_CHECKPOINT),
        evidence_refs=evidence_refs,
        opened_at=environment.instant(now),
        deadline_at=environment.instant(now + deadline),
    )
    environment.open_checkpoint(
        checkpoint_id,
        EXCEPTION_CHECKPOINT,
        assignee_actor_id=exception.assignee_actor_id,
        cycle_id=cycle_id,
        deadline_after_minutes=deadline,
        evidence_refs=evidence_refs,
        exception_type=exception_type,
    )
    payload = {"checkpoint_id": checkpoint_id, "cycle_id": cycle_id}
    environment.set_timer(_deadline_timer("exception", checkpoint_id), "exception_deadline_due", deadline, payload)
    return exception


def close_exception(
    environment: Environment, exception: ExceptionCheckpoint, resolution: str | None, resolved_by: str
) -> None:
    """Close an exception with the operator's decision, or, without one, as expired."""
    exception.status = "EXPIRED" if resolution is None else "RESOLVED"
    exception.resolution = resolution
    exception.resolved_at = environment.instant(environment.now)
    environment.cancel_timer(_deadline_timer("exception", exception.checkpoint_id))
    environment.resolve_checkpoint(
        exception.checkpoint_id, EXCEPTION_CHECKPOINT, resolution or exception.status, resolved_by
    )


def _reminder_timer(checkpoint_id: str) -> str:
    return f"timer_approval_reminder:{checkpoint_id}"


def _deadline_timer(kind: str, checkpoint_id: str) -> str:
    return f"timer_{kind}_deadline:{checkpoint_id}"
