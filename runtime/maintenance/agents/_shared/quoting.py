"""From a quote to authorised work: approval where the amount needs one, reminder, and the way on after a refusal."""

from __future__ import annotations

from ....core import decisions
from ....core.decisions import Decision
from .case import Case, Record
from .messages import deliver, send, sent
from .ways_on import correct, decided_at, put_before_operator

_BINDING = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope", "cycle_id")


def procure(case: Case, cycle: Record) -> Decision:
    """Return the next step for a cycle of work to be paid to which nobody has been sent.

    Raises:
        UnreadError: a record that decides has not been read.
    """
    cycle_id = cycle.get("cycle_id")
    approval = case.last("approvals", cycle_id=cycle_id)
    if approval and approval.get("status") == "OPEN":
        return _await_approval(case, approval)
    quote = case.last("quotes", cycle_id=cycle_id)
    if quote is None:
        return decisions.wait(
            "no quote is there", ("supplier_quote_received",), case.policy("visit_followup_after_minutes")
        )
    if approval and approval.get("quote_key") != quote.get("quote_key"):
        approval = None  # It was about a version that this quote supersedes.
    if approval and approval.get("status") != "APPROVED":
        return _find_way_on(case, approval)
    if approval or case.gross(quote) <= case.policy("approval_threshold_minor"):
        return _authorise(quote, approval)
    payload = {name: quote.get(name) for name in _BINDING}
    payload["deadline_after_minutes"] = case.policy("approval_deadline_after_minutes")
    return decisions.act("request_approval", payload, rationale="the amount is above the threshold")


def _await_approval(case: Case, approval: Record) -> Decision:
    due = approval.get("reminder_fired")
    reminder = deliver(case, "approval_reminder", str(approval.get("checkpoint_id"))) if due else None
    if reminder:
        return reminder
    awaited = (
        "approval_deadline_due",
        "approval_reminder_due",
        "approver_decision_received",
        "supplier_assertion_received",
        "supplier_invoice_received",
    )
    return decisions.wait("the approver decides", awaited)


def _authorise(quote: Record, approval: Record | None) -> Decision:
    payload = {name: quote.get(name) for name in ("quote_id", "quote_version", "cycle_id")}
    if approval is None:
        return decisions.act("authorise_supplier_work", payload, rationale="the amount needs no approval")
    checkpoint_id = str(approval.get("checkpoint_id"))
    payload["approval_checkpoint_id"] = checkpoint_id
    return decisions.act("authorise_supplier_work", payload, (checkpoint_id,), "the quote is approved")


def _find_way_on(case: Case, approval: Record) -> Decision:
    cycle_id, checkpoint_id = str(approval.get("cycle_id")), str(approval.get("checkpoint_id"))
    decided = decided_at(case, checkpoint_id)
    if decided:
        return correct(case, "QUOTE", str(approval.get("quote_id")), cycle_id, decided)
    if not sent(case, "cannot_proceed", cycle_id):
        return send(case, "cannot_proceed", cycle_id)
    evidence = (checkpoint_id, str(approval.get("quote_key")))
    return put_before_operator(case, f"APPROVAL_{approval.get('status')}", checkpoint_id, evidence)
