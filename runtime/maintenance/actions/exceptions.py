"""The request that the operator resolve what the agent has no rule for."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..checkpoints import open_exception
from ..refusals import found, require
from ..rules import Rules
from ..state.records import Approval
from ..state.state import State


def judge_exception(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant calling on the operator about an approval or invoice that was refused, once unless nobody answered.

    Refusals, in order:
        * ``EXCEPTION_ALREADY_OPEN``
        * ``EXCEPTION_NOT_ELIGIBLE``: the subject is unknown, superseded or in another status, or was resolved before
        * ``DEADLINE_OUTSIDE_POLICY``
        * ``INCOMPLETE_CHECKPOINT_CONTEXT``: subject, or quote of the approval, is not cited
    """
    payload = proposal.payload
    require(all(item.status != "OPEN" for item in state.exceptions.values()), "EXCEPTION_ALREADY_OPEN")
    context = found(_context(state, payload["exception_type"], payload["subject_id"]), "EXCEPTION_NOT_ELIGIBLE")
    earlier = [item for item in state.exceptions.values() if item.subject_id == payload["subject_id"]]
    require(all(item.status == "EXPIRED" for item in earlier), "EXCEPTION_NOT_ELIGIBLE")
    require(
        payload["deadline_after_minutes"] == rules.policy.exception_deadline_after_minutes, "DEADLINE_OUTSIDE_POLICY"
    )
    require(set(context) <= set(proposal.evidence_refs), "INCOMPLETE_CHECKPOINT_CONTEXT")
    return context


def commit_exception(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Open the exception."""
    subject_id = proposal.payload["subject_id"]
    subject = state.approvals.get(subject_id) or state.invoices[subject_id]
    exception = open_exception(
        state,
        rules,
        environment,
        exception_type=proposal.payload["exception_type"],
        subject_id=subject_id,
        cycle_id=subject.cycle_id,
        evidence_refs=proposal.evidence_refs,
    )
    return Effect(cycle_id=exception.cycle_id, bindings={"checkpoint_id": exception.checkpoint_id})


def _context(state: State, exception_type: str, subject_id: str) -> tuple[str, ...] | None:
    """Return what the operator must look at, or null where there is nothing to resolve."""
    if exception_type == "INVOICE_REJECTED":
        invoice = state.invoices.get(subject_id)
        return (subject_id,) if invoice and invoice.status == "REJECTED" else None
    approval = state.approvals.get(subject_id)
    if approval and is_turned_down(state, approval) and exception_type == f"APPROVAL_{approval.status}":
        return approval.checkpoint_id, approval.quote_key
    return None


def is_turned_down(state: State, approval: Approval) -> bool:
    """Tell whether an approval was not given and nothing has put that right since."""
    # A superseded quote has another status than its approval: then there is a newer version to go on with.
    return approval.status in ("REJECTED", "EXPIRED") and state.quotes[approval.quote_key].status == approval.status
