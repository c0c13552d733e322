"""Actions on invoices: asking for validation, and for payment."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..refusals import found, require
from ..rules import Rules
from ..state.records import Invoice, Payment
from ..state.state import State

TERMS = ("cycle_id", "amount_minor", "currency", "plus_vat")


def matches_quote(state: State, invoice: Invoice) -> bool:
    """Tell whether an invoice repeats the terms of the approved quote version it names."""
    quote = state.quotes.get(f"{invoice.quote_id}:v{invoice.quote_version}")
    return (
        quote is not None
        and quote.status == "APPROVED"
        and all(getattr(invoice, term) == getattr(quote, term) for term in TERMS)
    )


def judge_validation(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant sending an invoice for verified work to validation.

    Refusals, in order:
        * ``UNKNOWN_INVOICE``
        * ``INVOICE_NOT_PENDING``: sent already, decided on or superseded
        * ``WORK_NOT_VERIFIED``
        * ``INVOICE_QUOTE_NOT_APPROVED``
        * ``INVOICE_QUOTE_MISMATCH``: cycle, amount, currency or tax differs from the quote
        * ``MISSING_AUTHORITY_EVIDENCE``: the work evidence is not cited
    """
    del rules
    invoice = _invoice(state, proposal)
    require(invoice.status == "RECEIVED", "INVOICE_NOT_PENDING")
    evidence_id = found(state.cycles[invoice.cycle_id].work_evidence_id, "WORK_NOT_VERIFIED")
    quote = found(state.quotes.get(f"{invoice.quote_id}:v{invoice.quote_version}"), "INVOICE_QUOTE_NOT_APPROVED")
    require(quote.status == "APPROVED", "INVOICE_QUOTE_NOT_APPROVED")
    require(matches_quote(state, invoice), "INVOICE_QUOTE_MISMATCH")
    require(evidence_id in proposal.evidence_refs, "MISSING_AUTHORITY_EVIDENCE")
    return evidence_id, invoice.invoice_id, quote.quote_key


def commit_validation(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Send the invoice to validation."""
    del rules, environment
    invoice = _invoice(state, proposal)
    invoice.status = "VALIDATION_REQUESTED"
    return Effect(cycle_id=invoice.cycle_id, bindings={"invoice_id": invoice.invoice_id})


def judge_payment(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant paying a validated invoice, once for its cycle.

    Refusals, in order:
        * ``UNKNOWN_INVOICE``
        * ``DUPLICATE_PAYMENT_REQUEST``: the cycle has a payment
        * ``PAYMENT_NOT_REQUIRED``: the cycle is not payable
        * ``WORK_NOT_VERIFIED``
        * ``INVOICE_NOT_VALIDATED``
        * ``PAYMENT_AMOUNT_MISMATCH``: amount or currency is not what the invoice comes to with tax
        * ``MISSING_AUTHORITY_EVIDENCE``: the invoice or the work evidence is not cited
    """
    invoice = _invoice(state, proposal)
    cycle = state.cycles[invoice.cycle_id]
    require(all(payment.cycle_id != cycle.cycle_id for payment in state.payments.values()), "DUPLICATE_PAYMENT_REQUEST")
    require(cycle.payable, "PAYMENT_NOT_REQUIRED")
    evidence_id = found(cycle.work_evidence_id, "WORK_NOT_VERIFIED")
    require(invoice.status == "VALIDATED", "INVOICE_NOT_VALIDATED")
    require(
        proposal.payload["amount_minor"] == rules.gross(invoice) and proposal.payload["currency"] == invoice.currency,
        "PAYMENT_AMOUNT_MISMATCH",
    )
    require({invoice.invoice_id, evidence_id} <= set(proposal.evidence_refs), "MISSING_AUTHORITY_EVIDENCE")
    return evidence_id, invoice.invoice_id, str(invoice.validation_id)


def commit_payment(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Request the payment."""
    del environment
    invoice, payment_id = _invoice(state, proposal), state.next_payment_id()
    state.payments[payment_id] = Payment(
        payment_id, invoice.invoice_id, invoice.cycle_id, rules.gross(invoice), invoice.currency
    )
    return Effect(
        cycle_id=invoice.cycle_id, bindings={"payment_request_id": payment_id, "invoice_id": invoice.invoice_id}
    )


def _invoice(state: State, proposal: Proposal) -> Invoice:
    return found(state.invoices.get(proposal.payload["invoice_id"]), "UNKNOWN_INVOICE")
