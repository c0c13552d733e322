"""The rules the reference decides by: a cascade over the record, first match wins, nothing remembered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ....core import decisions
from ....core.decisions import Decision
from .billing import settle
from .case import Case, Record
from .messages import deliver, send, sent
from .quoting import procure

_DAY_MINUTES = 1_440
_ON_SITE = (
    "obligation_due",
    "supplier_quote_received",
    "supplier_work_reported",
    "visit_attendance_verified",
    "work_evidence_verified",
)
_NEXT_AFTER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "REQUESTED": ("obligation_due", "supplier_visit_response"),
        "SCHEDULED": _ON_SITE,
        "ATTENDED": _ON_SITE,
        "WORK_REPORTED": ("supplier_quote_received", "work_evidence_verified"),
    }
)
"""Status of a visit -> what can happen next."""

_OPEN = (
    ("approvals", {"status": "OPEN"}),
    ("communications", {"dispatch_status": "PENDING"}),
    ("exceptions", {"status": "OPEN"}),
    ("obligations", {"status": "OPEN"}),
    ("payments", {"status": "REQUESTED"}),
)
"""Root and fields of what stands in the way of every end."""


def next_step(case: Case) -> Decision:
    """Return what the record calls for next.

    Claims decide nothing: what an actor says happened shows here only once a system of record has it.

    Raises:
        UnreadError: a record that decides has not been read.
    """
    handed_over = case.record("ownership") or case.record("cancellation")
    if handed_over:
        return deliver(case, "handover_notice", str(handed_over.get("cycle_id"))) or _complete(case, "handed over")
    if case.record("provisional_close"):
        return decisions.wait(
            "the reopen window is open", ("customer_resolution_reported", "provisional_close_expired")
        )
    cycle = case.current_cycle
    if cycle is None:
        return decisions.wait("no issue is reported", ("customer_issue_reported",), _DAY_MINUTES)
    if cycle.get("visit_status") == "WORK_VERIFIED":
        return _close(case, cycle)
    if cycle.get("visit_status") in {"NONE", "DECLINED", "MISSED"}:
        return procure(case, cycle) if cycle.get("payable") else request_visit(case, cycle)
    return request_visit(case, cycle) if _is_overdue(case, cycle) else _await_visit(case, cycle)


def request_visit(case: Case, cycle: Record) -> Decision:
    """Return the decision to request the visit of a cycle.

    Raises:
        UnreadError: the case has not been read.
    """
    payload = {
        "visit_type": cycle.get("kind"),
        "cycle_id": cycle.get("cycle_id"),
        "supplier_actor_id": case.actor("supplier"),
    }
    return decisions.act("request_supplier_visit", payload, rationale="the cycle has no visit")


def _is_overdue(case: Case, cycle: Record) -> bool:
    """Tell whether the supplier has not come in time; nobody says so but the timer, or a wait that ran out."""
    if cycle.get("visit_status") not in {"REQUESTED", "SCHEDULED"}:
        return False
    if case.observation.event is not None and not case.woken_by("obligation_due"):
        return False
    duty = case.last("obligations", obligation_id=f"visit_progress:{cycle.get('visit_id')}")
    return duty is not None and duty.get("status") == "BREACHED"


def _await_visit(case: Case, cycle: Record) -> Decision:
    awaited = _NEXT_AFTER.get(str(cycle.get("visit_status")), ("obligation_due",))
    return decisions.wait("the visit takes its course", awaited, case.policy("visit_followup_after_minutes"))


def _close(case: Case, cycle: Record) -> Decision:
    cycle_id, evidence = str(cycle.get("cycle_id")), str(cycle.get("work_evidence_id"))
    step = settle(case, cycle) if cycle.get("payable") else None
    if step is None and cycle.get("kind") == "WARRANTY_REVISIT" and case.word("customer_resolution") == "PERSISTS":
        step = _confirm(case, cycle_id)
    return (
        step
        or deliver(case, "completion_notice", cycle_id)
        or next(filter(None, (settle(case, other) for other in case.rows("cycles"))), None)
        or _complete(case, "nothing is left", evidence)
    )


def _complete(case: Case, reason: str, *evidence: str) -> Decision:
    """Complete, unless something is open that the agent can do nothing about but wait."""
    if any(case.rows(root, **state) for root, state in _OPEN):
        return decisions.wait("something is still open", case.observation.wake_event_types, _DAY_MINUTES)
    return decisions.complete(reason, evidence)


def _confirm(case: Case, cycle_id: str) -> Decision | None:
    """Ask whether a revisit helped, and wait, but not for longer than the completion notice can wait itself.

    Null once that has been waited for: the work was verified after the report, and the notice says how to report again.
    """
    if not sent(case, "revisit_notice", cycle_id):
        return send(case, "revisit_notice", cycle_id)
    if case.observation.event is None or sent(case, "completion_notice", cycle_id):
        return None
    patience = max(1, case.policy("completion_notice_within_minutes") // 2)
    return decisions.wait("the customer says whether it helped", ("customer_resolution_reported",), patience)
