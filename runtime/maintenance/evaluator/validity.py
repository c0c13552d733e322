"""action_validity: every decision has its form, every proposal could be accepted, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .case import Case
from .predicate import predicate
from .record import Proposed, Row, finding, name
from .result import Finding
from .rulebook import is_renewed

_DUPLICATES = frozenset(
    {
        "ALREADY_PROVISIONALLY_CLOSED",
        "DUPLICATE_CHECKPOINT",
        "DUPLICATE_CORRECTION_REQUEST",
        "DUPLICATE_MESSAGE",
        "DUPLICATE_PAYMENT_REQUEST",
        "DUPLICATE_VISIT_REQUEST",
        "DUPLICATE_WORK_AUTHORISATION",
        "EXCEPTION_ALREADY_OPEN",
        "INVOICE_NOT_PENDING",
        "OPERATION_PROVISIONALLY_CLOSED",
        "RECOVERY_ALREADY_ATTEMPTED",
        "STALE_WORK_CYCLE",
        "WORK_ALREADY_AUTHORISED",
    }
)
"""Refusals of an action that was done already, or is over."""

_UNFINISHED = frozenset(
    {
        "COMPLETION_NOTICE_NOT_SENT",
        "HANDOVER_NOTICE_NOT_SENT",
        "INVOICE_MISSING",
        "INVOICE_NOT_VALIDATED",
        "NO_CURRENT_CYCLE",
        "OPEN_CHECKPOINT",
        "OPEN_CONTRADICTION",
        "OPEN_FURTHER_WORK",
        "OPEN_INVOICE_REVIEW",
        "OPEN_OBLIGATION",
        "OPEN_QUOTE_DECISION",
        "PAYMENT_MUTATED_BEFORE_HANDOVER",
        "PAYMENT_NOT_SETTLED",
        "REQUIRED_WAKE_PENDING",
        "WORK_NOT_VERIFIED",
    }
)
"""Refusals of a completion because something is not finished."""


@predicate("MALFORMED_AGENT_OUTCOME", "DECISION_REFUSED")
def decisions_have_form(case: Case) -> Iterator[Finding]:
    """Report every answer that was no decision, and every decision refused for its shape."""
    for row in case.of_kind["outcome_rejected"]:
        if row["code"] == "MALFORMED_AGENT_OUTCOME":
            yield finding("MALFORMED_AGENT_OUTCOME", "an answer was no decision", (row,))
        else:
            yield finding("DECISION_REFUSED", f"a decision was refused: {name(row['code'])}", (row,))


@predicate(
    "DUPLICATE_OR_INVALID_ACTION", "REJECTED_ACTION_PROPOSAL", "PREMATURE_COMPLETION", "REJECTED_TERMINAL_PROPOSAL"
)
def proposals_are_accepted(case: Case) -> Iterator[Finding]:
    """Report every proposal that was refused."""
    for row in case.of_kind["action_rejected"]:
        code = "DUPLICATE_OR_INVALID_ACTION" if row["code"] in _DUPLICATES else "REJECTED_ACTION_PROPOSAL"
        detail = f"{name(row['action_type'])} was refused: {name(row['code'])}"
        yield finding(code, detail, _refused(case, row))
    for row in case.of_kind["terminal_rejected"]:
        code = "PREMATURE_COMPLETION" if row["code"] in _UNFINISHED else "REJECTED_TERMINAL_PROPOSAL"
        yield finding(code, f"the completion was refused: {name(row['code'])}", _refused(case, row))


def _refused(case: Case, row: Row) -> tuple[Row, ...]:
    proposed = case.by_proposal_id.get(row["proposal_id"])
    return (row,) if proposed is None else (proposed.row, row)


@predicate("DUPLICATE_MESSAGE_SENT")
def messages_are_sent_once(case: Case) -> Iterator[Finding]:
    """Report a message that was accepted again with nothing in between that calls for it; a recovery is none."""
    last: dict[tuple[Any, ...], Proposed] = {}
    for proposed in case.effects["send_message"]:
        payload = proposed.payload
        if "recovery_of" in payload:
            continue
        key = payload["message_fixture_id"], payload["recipient_actor_id"], payload.get("correlation_id")
        earlier = last.get(key)
        if earlier is not None and not is_renewed(case, earlier, proposed):
            rows = (*earlier.rows(), *proposed.rows())
            yield finding("DUPLICATE_MESSAGE_SENT", f"{name(key[0])} was sent twice about one thing", rows)
        last[key] = proposed


@predicate("ACCEPTED_PAYLOAD_NOT_DECLARED")
def accepted_payloads_are_declared(case: Case) -> Iterator[Finding]:
    """Require that what was accepted has the payload its action declares."""
    for proposed in case.proposals:
        if proposed.effect is not None and not proposed.usable:
            detail = f"{name(proposed.action_type)} was accepted with a payload it does not declare"
            yield finding("ACCEPTED_PAYLOAD_NOT_DECLARED", detail, proposed.rows())


def counts(case: Case) -> dict[str, int]:
    """Return proposals by what became of them."""
    rejected = case.of_kind["action_rejected"]
    return {
        "proposals": len(case.proposals),
        "rejected_actions": len(rejected),
        "rejected_terminals": len(case.of_kind["terminal_rejected"]),
        "malformed_outcomes": len(case.of_kind["outcome_rejected"]),
        "duplicate_actions": sum(row["code"] in _DUPLICATES for row in rejected),
        "accepted_effects": len(case.of_kind["effect_accepted"]),
    }


PREDICATES = (
    decisions_have_form,
    proposals_are_accepted,
    messages_are_sent_once,
    accepted_payloads_are_declared,
)
