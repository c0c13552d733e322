"""The request that the supplier replace an invoice or a quote."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..refusals import RefusalError, found, require
from ..rules import Rules
from ..state.records import UNBOOKED, Correction, Invoice, Quote
from ..state.state import State
from .billing import matches_quote


def judge_correction(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant a correction for each reason there is for one, and one more for each alternative the operator authorised.

    An invoice that was rejected, that cannot be what was quoted, or that is for what costs nothing gives a reason; so
    does a quote that ran out before its work was authorised.

    Refusals, in order:
        * ``UNKNOWN_INVOICE`` or ``UNKNOWN_QUOTE``
        * ``WORK_CYCLE_MISMATCH``
        * ``DUPLICATE_CORRECTION_REQUEST``: every reason is used up by a request that is still open
        * ``CORRECTION_NOT_ELIGIBLE``: there is no reason
    """
    subject_id = proposal.payload["subject_id"]
    if proposal.payload["subject_kind"] == "INVOICE":
        invoice = found(state.invoices.get(subject_id), "UNKNOWN_INVOICE")
        cycle_id, ref, subjects = invoice.cycle_id, invoice.invoice_id, {invoice.invoice_id}
        eligible = int(_is_unpayable(state, invoice))
    else:
        quote = found(_latest(state, subject_id), "UNKNOWN_QUOTE")
        cycle_id, ref = quote.cycle_id, quote.quote_key
        subjects = {item.checkpoint_id for item in state.approvals.values() if item.quote_key == quote.quote_key}
        eligible = int(_has_run_out(state, quote, rules.instant(proposal.at)))
    require(proposal.payload["cycle_id"] == cycle_id, "WORK_CYCLE_MISMATCH")
    alternatives = [
        item.checkpoint_id
        for item in state.exceptions.values()
        if item.subject_id in subjects and item.resolution == "AUTHORISE_ALTERNATIVE"
    ]
    asked = sum(
        item.subject_id == subject_id and item.subject_kind == proposal.payload["subject_kind"]
        for item in state.corrections
        if item.status == "OPEN"
    )
    if asked >= eligible + len(alternatives):
        require(not asked, "DUPLICATE_CORRECTION_REQUEST")
        raise RefusalError("CORRECTION_NOT_ELIGIBLE")
    return (ref, *alternatives)


def commit_correction(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Ask the supplier for the correction."""
    del rules
    payload = proposal.payload
    state.corrections.append(
        Correction(
            payload["subject_kind"],
            payload["subject_id"],
            payload["cycle_id"],
            requested_at=environment.instant(environment.now),
        )
    )
    bound = "corrects_invoice_id" if payload["subject_kind"] == "INVOICE" else "quote_id"
    return Effect(cycle_id=payload["cycle_id"], bindings={bound: payload["subject_id"]})


def _latest(state: State, quote_id: str) -> Quote | None:
    return next((quote for quote in reversed(state.quotes.values()) if quote.quote_id == quote_id), None)


def _is_unpayable(state: State, invoice: Invoice) -> bool:
    if invoice.status == "RECEIVED":
        cycle = state.cycles[invoice.cycle_id]
        return not cycle.payable or (cycle.visit_status == "WORK_VERIFIED" and not matches_quote(state, invoice))
    return invoice.status == "REJECTED"


def _has_run_out(state: State, quote: Quote, now: str) -> bool:
    unused = quote.status in ("RECEIVED", "APPROVED") and state.cycles[quote.cycle_id].visit_status in UNBOOKED
    return unused and now > quote.valid_until
