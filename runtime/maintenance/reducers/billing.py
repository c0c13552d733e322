"""Events of billing: the invoice, what validation made of it, and the settlement of its payment."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..duties import open_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import Invoice
from ..state.state import State
from .facts import establish, require_new


def invoice_received(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Keep an invoice, whenever it comes; one that corrects another supersedes it.

    Refusals, in order:
        * ``DUPLICATE_INVOICE``
        * ``UNKNOWN_WORK_CYCLE``
        * ``OPERATION_PROVISIONALLY_CLOSED``
        * ``INVALID_INVOICE_AMOUNT``: not positive
        * ``INVOICE_CORRECTION_MISMATCH``: what it corrects is not a received or rejected invoice of the same cycle, or
          of one that costs nothing
    """
    del rules, environment
    payload = event.payload
    invoice_id, cycle_id, corrects = payload["invoice_id"], payload["cycle_id"], payload.get("corrects_invoice_id")
    require(not state.is_taken(invoice_id), "DUPLICATE_INVOICE")
    require(cycle_id in state.cycles, "UNKNOWN_WORK_CYCLE")
    require(state.provisional_close is None, "OPERATION_PROVISIONALLY_CLOSED")
    require(payload["amount_minor"] > 0, "INVALID_INVOICE_AMOUNT")
    if corrects is not None:
        corrected = found(state.invoices.get(corrects), "INVOICE_CORRECTION_MISMATCH")
        require(
            (corrected.cycle_id == cycle_id or not state.cycles[corrected.cycle_id].payable)
            and corrected.status in ("RECEIVED", "REJECTED"),
            "INVOICE_CORRECTION_MISMATCH",
        )
        corrected.status = "SUPERSEDED"
        for correction in state.corrections:
            if correction.subject_kind == "INVOICE" and correction.subject_id == corrects:
                correction.status = "RECEIVED"
    state.invoices[invoice_id] = Invoice(
        invoice_id,
        cycle_id,
        payload["quote_id"],
        payload["quote_version"],
        payload["amount_minor"],
        payload["currency"],
        payload["plus_vat"],
        corrects_invoice_id=corrects,
    )
    return Verdict(True, cycle_id=cycle_id, bindings={"invoice_id": invoice_id})


def validation_completed(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Establish whether an invoice is valid.

    Refusals, in order:
        * ``UNKNOWN_INVOICE``
        * ``INVOICE_NOT_AWAITING_VALIDATION``
        * ``WORK_CYCLE_MISMATCH``: a cycle is named and is not the invoice's
        * ``DUPLICATE_AUTHORITATIVE_RECORD``
    """
    del rules
    payload = event.payload
    validation_id = payload["validation_id"]
    invoice = found(state.invoices.get(payload["invoice_id"]), "UNKNOWN_INVOICE")
    require(invoice.status == "VALIDATION_REQUESTED", "INVOICE_NOT_AWAITING_VALIDATION")
    require(payload.get("cycle_id", invoice.cycle_id) == invoice.cycle_id, "WORK_CYCLE_MISMATCH")
    require_new(state, validation_id)
    invoice.status = "VALIDATED" if payload["valid"] else "REJECTED"
    invoice.validation_id = validation_id
    establish(
        state,
        event,
        environment,
        kind="invoice_validation",
        record_id=validation_id,
        cycle_id=invoice.cycle_id,
        subject="invoice_id",
    )
    return Verdict(True, cycle_id=invoice.cycle_id, bindings={"invoice_id": invoice.invoice_id})


def settlement_confirmed(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Establish that a payment was made exactly as it was requested; the customer can now be told.

    Refusals, in order:
        * ``NO_PAYMENT_REQUESTED``
        * ``PAYMENT_REQUEST_MISMATCH``
        * ``PAYMENT_ALREADY_SETTLED``
        * ``SETTLEMENT_BINDING_MISMATCH``: invoice, cycle, amount or currency differs
        * ``DUPLICATE_AUTHORITATIVE_RECORD``
    """
    payload = event.payload
    settlement_id = payload["settlement_id"]
    require(bool(state.payments), "NO_PAYMENT_REQUESTED")
    payment = found(state.payments.get(payload["payment_request_id"]), "PAYMENT_REQUEST_MISMATCH")
    require(payment.status == "REQUESTED", "PAYMENT_ALREADY_SETTLED")
    require(
        all(payload[term] == getattr(payment, term) for term in ("invoice_id", "cycle_id", "amount_minor", "currency")),
        "SETTLEMENT_BINDING_MISMATCH",
    )
    require_new(state, settlement_id)
    payment.status = "SETTLED"
    payment.settlement_id = settlement_id
    establish(
        state,
        event,
        environment,
        kind="payment_settlement",
        record_id=settlement_id,
        cycle_id=payment.cycle_id,
        subject="payment_request_id",
    )
    if payment.cycle_id == state.current_cycle_id:
        open_duty(state, rules, environment, f"completion_notice:{payment.cycle_id}", payment.cycle_id)
    return Verdict(True, cycle_id=payment.cycle_id, bindings={"payment_request_id": payment.payment_request_id})
