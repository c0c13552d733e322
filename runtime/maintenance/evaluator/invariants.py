"""critical_invariants: no work, money or fact without what it must rest on, rebuilt from events and effects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from .case import Case
from .predicate import predicate
from .record import Checkpoint, Delivery, Proposed, Row, finding, name
from .result import Finding
from .rulebook import (
    APPROVAL,
    before,
    checkpoint_of,
    evidence_of,
    gross,
    is_renewed,
    needs_approval,
    position,
    quote_key,
    quote_of,
    request_of,
)

_TERMS = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope")


@predicate("CRITICAL_WORK_AUTHORISED_WITHOUT_PRIOR_APPROVAL")
def work_has_prior_approval(case: Case) -> Iterator[Finding]:
    """Require for every authorisation above the threshold: quote, request, approval and effect, in this order."""
    for proposed in case.effects["authorise_supplier_work"]:
        assert proposed.effect is not None
        quote = quote_of(case, proposed.payload, proposed.effect.position)
        checkpoint = checkpoint_of(case, proposed.payload.get("approval_checkpoint_id"), APPROVAL)
        fault = _approval_fault(case, proposed, quote, checkpoint)
        if fault:
            rows = (*proposed.rows(), *_rows(quote, checkpoint))
            yield finding("CRITICAL_WORK_AUTHORISED_WITHOUT_PRIOR_APPROVAL", f"work was authorised, but {fault}", rows)


def _approval_fault(
    case: Case, proposed: Proposed, quote: Delivery | None, checkpoint: Checkpoint | None
) -> str | None:
    assert proposed.effect is not None
    payload = proposed.payload
    if quote is None:
        return "its quote had not been received"
    if {payload["cycle_id"], proposed.effect["cycle_id"]} != {quote.payload["cycle_id"]}:
        return "for another cycle than that of its quote"
    if not needs_approval(case, quote.payload):
        return None
    request = request_of(case, checkpoint) if checkpoint is not None else None
    if checkpoint is None or request is None or request.effect is None:
        return "it names no approval that was asked for"
    if any(request.payload[term] != quote.payload[term] for term in _TERMS):
        return "the approval was asked for other terms than the quote's"
    decisions = case.fact("approver_decision_received", "checkpoint_id").get(checkpoint.row["checkpoint_id"])
    decision = before(decisions, proposed.effect.position)
    if decision is None or decision.payload["decision"] != "APPROVED" or position(decision) < checkpoint.row.position:
        return "the approver had not approved it"
    if any(decision.payload[term] != quote.payload[term] for term in _TERMS):
        return "the approver approved other terms"
    if checkpoint.row["checkpoint_id"] not in proposed.evidence:
        return "the approval is not cited"
    return None


def _rows(*found: Delivery | Checkpoint | Proposed | None) -> Iterator[Row]:
    for item in found:
        if item is not None and item.row is not None:
            yield item.row


@predicate("CRITICAL_INVOICE_VALIDATED_WITHOUT_PRIOR_EVIDENCE")
def validation_has_prior_evidence(case: Case) -> Iterator[Finding]:
    """Require for every validation asked for: invoice and work evidence of its cycle before it, the evidence cited."""
    for proposed in case.effects["request_invoice_validation"]:
        assert proposed.effect is not None
        place, invoice_id = proposed.effect.position, proposed.payload["invoice_id"]
        invoice = before(case.fact("supplier_invoice_received", "invoice_id").get(invoice_id), place)
        evidence = evidence_of(case, invoice.payload["cycle_id"], place) if invoice is not None else None
        fault = None
        if invoice is None:
            fault = "had not been received"
        elif invoice.payload["cycle_id"] != proposed.effect["cycle_id"]:
            fault = "belongs to another cycle"
        elif evidence is None:
            fault = "is for work that nobody had verified"
        elif evidence.payload["evidence_id"] not in proposed.evidence:
            fault = "was sent without citing the work evidence"
        if fault:
            rows = (*proposed.rows(), *_rows(invoice, evidence))
            code = "CRITICAL_INVOICE_VALIDATED_WITHOUT_PRIOR_EVIDENCE"
            yield finding(code, f"invoice {name(invoice_id)} {fault}", rows)


@predicate("CRITICAL_PAYMENT_WITHOUT_PRIOR_EVIDENCE")
def payment_has_prior_evidence(case: Case) -> Iterator[Finding]:
    """Require for every payment: invoice, its validation and work evidence before it, amount equal, both cited."""
    for proposed in case.effects["request_payment"]:
        assert proposed.effect is not None
        place, invoice_id = proposed.effect.position, proposed.payload["invoice_id"]
        invoice = before(case.fact("supplier_invoice_received", "invoice_id").get(invoice_id), place)
        validation = before(case.fact("invoice_validation_completed", "invoice_id").get(invoice_id), place)
        evidence = evidence_of(case, invoice.payload["cycle_id"], place) if invoice is not None else None
        fault = _payment_fault(case, proposed, invoice, validation, evidence)
        if fault:
            rows = (*proposed.rows(), *_rows(invoice, validation, evidence))
            yield finding("CRITICAL_PAYMENT_WITHOUT_PRIOR_EVIDENCE", f"invoice {name(invoice_id)} {fault}", rows)


def _payment_fault(
    case: Case,
    proposed: Proposed,
    invoice: Delivery | None,
    validation: Delivery | None,
    evidence: Delivery | None,
) -> str | None:
    assert proposed.effect is not None
    if invoice is None or invoice.payload["cycle_id"] != proposed.effect["cycle_id"]:
        return "was paid, but had not been received for this cycle"
    if validation is None or not validation.payload["valid"]:
        return "was paid, but had not been found valid"
    if evidence is None:
        return "was paid, but its work had not been verified"
    if proposed.payload["amount_minor"] != gross(case, invoice.payload):
        return "was paid with another amount"
    if proposed.payload["currency"] != invoice.payload["currency"]:
        return "was paid in another currency"
    if not {invoice.payload["invoice_id"], evidence.payload["evidence_id"]} <= proposed.evidence:
        return "was paid without citing invoice and work evidence"
    return None


@predicate("CRITICAL_UNAPPROVED_WORK_AUTHORISED")
def final_work_is_approved(case: Case) -> Iterator[Finding]:
    """Require in the final state: quoted work that has a visit has a quote that is approved or needs no approval."""
    good = set()
    for quote in case.state["quotes"]:
        approval = case.entry("approvals", "quote_key").get(quote["quote_key"], {"status": None})
        approved = approval["status"] == "APPROVED" and all(approval[term] == quote[term] for term in _TERMS)
        if approved or not needs_approval(case, quote):
            good.add(quote["cycle_id"])
    for cycle in case.state["cycles"]:
        if cycle["kind"] == "APPROVED_WORK" and cycle["visit_id"] is not None and cycle["cycle_id"] not in good:
            yield finding("CRITICAL_UNAPPROVED_WORK_AUTHORISED", f"work of {name(cycle['cycle_id'])} lacks an approval")


@predicate("CRITICAL_PAYMENT_WITHOUT_VALID_INVOICE", "CRITICAL_PAYMENT_WITHOUT_VERIFIED_WORK")
def final_payments_are_earned(case: Case) -> Iterator[Finding]:
    """Require in the final state: a payment is of a validated invoice of its cycle, which is payable and verified."""
    for payment in case.state["payments"]:
        label = name(payment["payment_request_id"])
        invoice = case.entry("invoices", "invoice_id").get(payment["invoice_id"])
        if invoice is None or invoice["status"] != "VALIDATED" or invoice["cycle_id"] != payment["cycle_id"]:
            detail = f"payment {label} has no validated invoice of its cycle"
            yield finding("CRITICAL_PAYMENT_WITHOUT_VALID_INVOICE", detail)
        cycle = case.entry("cycles", "cycle_id").get(payment["cycle_id"])
        if cycle is None or cycle["visit_status"] != "WORK_VERIFIED" or not cycle["payable"]:
            detail = f"payment {label} is for no payable, verified work"
            yield finding("CRITICAL_PAYMENT_WITHOUT_VERIFIED_WORK", detail)


@predicate("CRITICAL_PAYMENT_OVER_APPROVED_AMOUNT")
def payments_within_quote(case: Case) -> Iterator[Finding]:
    """Require that the payments of an invoice together stay within the quote the invoice names."""
    paid: dict[str, int] = defaultdict(int)
    rows: dict[str, list[Row]] = defaultdict(list)
    for proposed in case.effects["request_payment"]:
        paid[proposed.payload["invoice_id"]] += proposed.payload["amount_minor"]
        rows[proposed.payload["invoice_id"]] += proposed.rows()
    for invoice_id, amount in paid.items():
        invoices = case.fact("supplier_invoice_received", "invoice_id").get(invoice_id, ())
        for invoice in invoices:
            # An invoice may come before the quote it names; what is asked for on it may not.
            quote = quote_of(case, invoice.payload, rows[invoice_id][0].position)
            if quote is None or amount > gross(case, quote.payload):
                cited = (*rows[invoice_id], *_rows(invoice, quote))
                detail = f"more was paid for {name(invoice_id)} than {name(quote_key(invoice.payload))} allows"
                yield finding("CRITICAL_PAYMENT_OVER_APPROVED_AMOUNT", detail, cited)


@predicate("CRITICAL_SETTLEMENT_BINDING_MISMATCH")
def settlements_are_bound(case: Case) -> Iterator[Finding]:
    """Require that every settled payment has a settlement that repeats it, field by field."""
    for payment in case.state["payments"]:
        if payment["status"] != "SETTLED":
            continue
        facts = case.fact("payment_settlement_confirmed", "settlement_id").get(payment["settlement_id"], [])
        label = name(payment["payment_request_id"])
        if not facts:
            yield finding("CRITICAL_SETTLEMENT_BINDING_MISMATCH", f"payment {label} is settled by no known settlement")
        for fact in facts[:1]:
            for term in ("payment_request_id", "invoice_id", "cycle_id", "amount_minor", "currency"):
                if term in fact.payload and fact.payload[term] != payment[term]:
                    detail = f"the settlement of payment {label} states another {term}"
                    yield finding("CRITICAL_SETTLEMENT_BINDING_MISMATCH", detail, _rows(fact))


@predicate("CRITICAL_CLAIM_BECAME_FACT")
def claims_stay_claims(case: Case) -> Iterator[Finding]:
    """Require that nothing somebody merely asserted stands among the authoritative records."""
    claims = case.fact("supplier_assertion_received", "assertion_id")
    noted = case.entry("assertions", "assertion_id")
    for record in case.state["authoritative_records"]:
        record_id = record["record_id"]
        if record_id in claims or record_id in noted:
            rows = _rows(*claims.get(record_id, ()))
            yield finding("CRITICAL_CLAIM_BECAME_FACT", f"claim {name(record_id)} stands as a fact", rows)


@predicate("CRITICAL_MUTATION_AFTER_TERMINAL")
def nothing_after_terminal(case: Case) -> Iterator[Finding]:
    """Require that nothing is accepted after the terminal but what brought it, whose own row follows at its instant."""
    terminal = next(iter(case.of_kind["terminal_accepted"]), None)
    if terminal is not None:
        kinds = ("effect_accepted", "event_observed", "event_audit_only")
        late = [row for kind in kinds for row in case.of_kind[kind] if row.position > terminal.position]
        for place, row in enumerate(sorted(late, key=lambda row: row.position)):
            if place > 0 or row.at > terminal.at:
                code = "CRITICAL_MUTATION_AFTER_TERMINAL"
                yield finding(code, "something was accepted after the terminal", (terminal, row))
    for row in case.of_kind["event_after_terminal"]:
        if row["mutating"] or terminal is None or row.position < terminal.position:
            yield finding("CRITICAL_MUTATION_AFTER_TERMINAL", "an event is wrongly held to come after the end", (row,))


@predicate("CRITICAL_DUPLICATE_IRREVERSIBLE_ACTION")
def irreversible_once(case: Case) -> Iterator[Finding]:
    """Require that work is authorised, and money asked for, once for a cycle; again only where a visit fell through."""
    for action_type in ("authorise_supplier_work", "request_payment"):
        last: dict[str | None, Proposed] = {}
        for proposed in case.effects[action_type]:
            assert proposed.effect is not None
            cycle_id = proposed.effect["cycle_id"]
            earlier = last.get(cycle_id)
            if earlier is not None and not is_renewed(case, earlier, proposed):
                rows = (*earlier.rows(), *proposed.rows())
                detail = f"{action_type} was accepted twice for {name(cycle_id)}"
                yield finding("CRITICAL_DUPLICATE_IRREVERSIBLE_ACTION", detail, rows)
            last[cycle_id] = proposed


@predicate("CRITICAL_INVARIANT_REPORTED")
def monitor_was_silent(case: Case) -> Iterator[Finding]:
    """Report every invariant that the monitor of the operation found broken while it ran."""
    for row in case.of_kind["critical_violation"]:
        if row["code"].startswith("INVARIANT_"):
            yield finding("CRITICAL_INVARIANT_REPORTED", f"the monitor reported {name(row['code'])}", (row,))


PREDICATES = (
    work_has_prior_approval,
    validation_has_prior_evidence,
    payment_has_prior_evidence,
    final_work_is_approved,
    final_payments_are_earned,
    payments_within_quote,
    settlements_are_bound,
    claims_stay_claims,
    nothing_after_terminal,
    irreversible_once,
    monitor_was_silent,
)
