"""From verified work to settled payment."""

from __future__ import annotations

from ....core import decisions
from ....core.decisions import Decision
from .case import Case, Record
from .ways_on import correct, decided_at, put_before_operator

_TERMS = ("cycle_id", "amount_minor", "currency", "plus_vat")


def settle(case: Case, cycle: Record) -> Decision | None:
    """Return the next step for the invoices of a cycle, or null where there is none: not yet, or not any more.

    What costs nothing needs no invoice, but one that came for it all the same must be put right.

    Raises:
        UnreadError: a record that decides has not been read.
    """
    cycle_id, evidence = str(cycle.get("cycle_id")), str(cycle.get("work_evidence_id"))
    if cycle.get("payable") and cycle.get("visit_status") != "WORK_VERIFIED":
        return None
    invoices = [row for row in case.rows("invoices", cycle_id=cycle_id) if row.get("status") != "SUPERSEDED"]
    if not invoices:
        return _await(case, "supplier_invoice_received") if cycle.get("payable") else None
    invoice = next((row for row in invoices if row.get("status") != "VALIDATED"), invoices[0])
    invoice_id, status = str(invoice.get("invoice_id")), invoice.get("status")
    if status == "RECEIVED":
        if not _matches_quote(case, invoice):
            return correct(case, "INVOICE", invoice_id, cycle_id)
        return decisions.act(
            "request_invoice_validation", {"invoice_id": invoice_id}, (evidence,), "the work is verified"
        )
    if status == "VALIDATION_REQUESTED":
        return _await(case, "invoice_validation_completed")
    if status == "REJECTED":
        return _mend(case, invoice_id, cycle_id)
    payment = case.last("payments", cycle_id=cycle_id)
    if payment is None:
        payload = {
            "invoice_id": invoice_id,
            "amount_minor": case.gross(invoice),
            "currency": invoice.get("currency"),
        }
        return decisions.act("request_payment", payload, (evidence, invoice_id), "the invoice is valid")
    return None if payment.get("status") == "SETTLED" else _await(case, "payment_settlement_confirmed")


def _matches_quote(case: Case, invoice: Record) -> bool:
    """Tell whether an invoice repeats the terms of the approved quote version it names."""
    named = {name: invoice.get(name) for name in ("quote_id", "quote_version", *_TERMS)}
    return bool(case.rows("quotes", status="APPROVED", **named))


def _mend(case: Case, invoice_id: str, cycle_id: str) -> Decision:
    """Ask the supplier; if nothing has come when the wait for it runs out, the operator; then the supplier again."""
    asked = case.rows("corrections", subject_kind="INVOICE", subject_id=invoice_id)
    decided = decided_at(case, invoice_id) if asked else ""
    if not asked or decided:
        return correct(case, "INVOICE", invoice_id, cycle_id, decided)
    if case.observation.event is None or case.rows("exceptions", subject_id=invoice_id):
        return put_before_operator(case, "INVOICE_REJECTED", invoice_id, (invoice_id,))
    return correct(case, "INVOICE", invoice_id, cycle_id)


def _await(case: Case, event_type: str) -> Decision:
    return decisions.wait("it is somebody else's turn", (event_type,), case.policy("visit_followup_after_minutes"))
