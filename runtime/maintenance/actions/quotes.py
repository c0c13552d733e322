"""Actions on quotes: asking for approval, and authorising the work."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..checkpoints import open_approval
from ..refusals import found, require
from ..rules import Rules
from ..state.records import UNBOOKED, Quote
from ..state.state import State
from .visits import book

TERMS = ("cycle_id", "amount_minor", "currency", "plus_vat", "scope")
"""What a request for approval must repeat of the quote."""


def judge_approval(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant putting a quote above the threshold to the approver.

    Refusals, in order:
        * ``UNKNOWN_QUOTE``
        * ``DUPLICATE_CHECKPOINT``: an approval of this version is open
        * ``QUOTE_NOT_OPEN``: decided on or superseded
        * ``QUOTE_BINDING_MISMATCH``: a term differs
        * ``APPROVAL_NOT_REQUIRED``
        * ``QUOTE_EXPIRED``
        * ``DEADLINE_OUTSIDE_POLICY``
    """
    quote = _quote(state, proposal)
    require(quote.status != "APPROVAL_REQUESTED", "DUPLICATE_CHECKPOINT")
    require(quote.status == "RECEIVED", "QUOTE_NOT_OPEN")
    require(all(proposal.payload[term] == getattr(quote, term) for term in TERMS), "QUOTE_BINDING_MISMATCH")
    require(rules.needs_approval(quote), "APPROVAL_NOT_REQUIRED")
    require(rules.instant(proposal.at) <= quote.valid_until, "QUOTE_EXPIRED")
    require(
        proposal.payload["deadline_after_minutes"] == rules.policy.approval_deadline_after_minutes,
        "DEADLINE_OUTSIDE_POLICY",
    )
    return (quote.quote_key,)


def commit_approval(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Open the approval."""
    approval = open_approval(state, rules, environment, _quote(state, proposal))
    return Effect(cycle_id=approval.cycle_id, bindings={"checkpoint_id": approval.checkpoint_id})


def judge_authorisation(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant the work of a quote that is approved, or needs no approval.

    Refusals, in order:
        * ``UNKNOWN_QUOTE``
        * ``QUOTE_BINDING_MISMATCH``: the cycle is not the quote's
        * ``DUPLICATE_WORK_AUTHORISATION``: a visit stands; after a missed one the work can be authorised again
        * ``UNKNOWN_CHECKPOINT``: an approval is named that does not exist
        * ``WORK_NOT_APPROVED``: the named approval was not granted, or none is named above the threshold
        * ``MISSING_AUTHORITY_EVIDENCE``: the named approval is not cited
        * ``STALE_APPROVAL``: it was given for another quote or version
        * ``QUOTE_NOT_APPROVED``: the quote is not, or no longer, one to act upon
        * ``QUOTE_EXPIRED``
    """
    quote = _quote(state, proposal)
    require(proposal.payload["cycle_id"] == quote.cycle_id, "QUOTE_BINDING_MISMATCH")
    require(state.cycles[quote.cycle_id].visit_status in UNBOOKED, "DUPLICATE_WORK_AUTHORISATION")
    basis: tuple[str, ...] = (quote.quote_key,)
    if "approval_checkpoint_id" in proposal.payload:
        approval = found(state.approvals.get(proposal.payload["approval_checkpoint_id"]), "UNKNOWN_CHECKPOINT")
        require(approval.status == "APPROVED", "WORK_NOT_APPROVED")
        require(approval.checkpoint_id in proposal.evidence_refs, "MISSING_AUTHORITY_EVIDENCE")
        require(approval.quote_key == quote.quote_key, "STALE_APPROVAL")
        require(quote.status == "APPROVED", "QUOTE_NOT_APPROVED")
        basis = (approval.checkpoint_id, quote.quote_key)
    else:
        require(not rules.needs_approval(quote), "WORK_NOT_APPROVED")
        require(quote.status in ("RECEIVED", "APPROVED"), "QUOTE_NOT_APPROVED")
    require(rules.instant(proposal.at) <= quote.valid_until, "QUOTE_EXPIRED")
    return basis


def commit_authorisation(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Authorise the work, which schedules its visit. A quote that needed no approval counts as approved by it."""
    quote = _quote(state, proposal)
    quote.status = "APPROVED"
    state.current_cycle_id = quote.cycle_id
    return book(state, rules, environment, state.cycles[quote.cycle_id], "SCHEDULED")


def _quote(state: State, proposal: Proposal) -> Quote:
    payload = proposal.payload
    return found(state.quotes.get(f"{payload['quote_id']}:v{payload['quote_version']}"), "UNKNOWN_QUOTE")
