"""What leads on from a dead end: a correction by the supplier, or the operator's decision."""

from __future__ import annotations

from collections.abc import Iterable

from ....core import decisions
from ....core.decisions import Decision
from .case import Case


def decided_at(case: Case, subject_id: str) -> str:
    """Return the instant of the operator's last decision about a subject, or an empty text if there is none.

    Raises:
        UnreadError: the checkpoints have not been read.
    """
    exception = case.last("exceptions", subject_id=subject_id, status="RESOLVED")
    return str(exception.get("resolved_at")) if exception else ""


def put_before_operator(case: Case, reason: str, subject_id: str, evidence: Iterable[str]) -> Decision:
    """Return the step towards the operator's decision about a subject that has none yet.

    Raises:
        UnreadError: the checkpoints have not been read.
    """
    if case.rows("exceptions", subject_id=subject_id, status="OPEN"):
        return decisions.wait("the operator decides", ("exception_deadline_due", "operator_exception_resolved"))
    deadline = case.policy("exception_deadline_after_minutes")
    return decisions.escalate(subject_id, reason, evidence, deadline, "no rule leads on from here")


def correct(case: Case, subject_kind: str, subject_id: str, cycle_id: str, decided_at: str = "") -> Decision:
    """Return the step towards a corrected quote or invoice.

    Args:
        case: what was read.
        subject_kind: QUOTE or INVOICE.
        subject_id: the quote's or the invoice's id.
        cycle_id: the cycle it belongs to.
        decided_at: when the operator allowed it, if that was needed; what was asked for before does not count.

    Raises:
        UnreadError: the case has not been read.
    """
    request = case.last("corrections", subject_kind=subject_kind, subject_id=subject_id)
    # Canonical instants sort as text.
    if request is None or str(request.get("requested_at")) < decided_at:
        payload = {"subject_kind": subject_kind, "subject_id": subject_id, "cycle_id": cycle_id}
        return decisions.act("request_supplier_correction", payload, rationale="the supplier can put it right")
    awaited = ("supplier_invoice_received", "supplier_quote_received")
    return decisions.wait("the supplier corrects it", awaited, case.policy("visit_followup_after_minutes"))
