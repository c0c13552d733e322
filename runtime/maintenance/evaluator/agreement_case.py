"""environment_integrity: the final state of cycles and case is what events and effects made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.plain import thaw
from .agreement import Expected, compare
from .case import Case
from .digests import digest
from .predicate import predicate
from .record import Delivery, finding
from .result import Finding
from .rulebook import bookings, checkpoint_cycle, current_cycle, cycles, handovers, row_of, same
from .standing import standing


@predicate("STATE_CYCLES_DISAGREE", "STATE_CASE_DISAGREES")
def case_agrees(case: Case) -> Iterator[Finding]:
    """Compare cycles, and what is said of the case as a whole, with the events and effects that made them."""
    yield from compare(case, "STATE_CYCLES_DISAGREE", "cycles", "cycle_id", _cycles(case))
    words = case.facts.get("customer_resolution_reported", [])
    reopenings = case.of_kind["operation_reopened"]
    reported = [
        row_of(fact) for fact in words if fact.verdict_code == "REOPENED" and fact.payload["status"] == "PERSISTS"
    ]
    if [row.position + 1 for row in reopenings] != [row.position for row in reported]:
        detail = "the operation was reopened otherwise than the customer's reports say"
        yield finding("STATE_CASE_DISAGREES", detail, (*reopenings, *reported))
    wanted = {
        "reopen_count": len(reopenings),
        "provisional_close": _provisional_close(case, len(reopenings)),
        "current_cycle_id": current_cycle(case, len(case.outcome.get("trajectory", ()))),
        "customer_resolution": words[-1].payload["status"] if words else "UNCONFIRMED",
        "issue": next(map(_issue, case.facts.get("customer_issue_reported", ())), None),
        "ownership": None,
        "cancellation": None,
    }
    for fact in reversed(handovers(case)):
        root = "ownership" if fact.payload["decision"] == "TAKE_OWNERSHIP" else "cancellation"
        checkpoint_id = fact.payload["checkpoint_id"]
        terms = {"actor_id": fact.actor_id, "checkpoint_id": checkpoint_id, "at": row_of(fact)["at"]}
        wanted[root] = {**terms, "cycle_id": checkpoint_cycle(case, checkpoint_id)}
    for root, value in wanted.items():
        if not same(case.state[root], value):
            yield finding("STATE_CASE_DISAGREES", f"{root} of the final state is not what the record makes it")
    if digest(case.state["hidden"]) != digest(thaw(case.variant.hidden_initial_values)):
        yield finding("STATE_CASE_DISAGREES", "what the variant hides has changed")


def _provisional_close(case: Case, reopenings: int) -> dict[str, Any] | None:
    """Return the provisional close that stands at the end, or null: reopening and finality end it."""
    ends = [*case.of_kind["operation_reopened"], *case.of_kind["terminal_accepted"]]
    for row in case.of_kind["provisional_close_entered"][-1:]:
        if all(end.position < row.position for end in ends):
            terms = {"cycle_id": row["cycle_id"], "accepted_at": row["at"], "reopen_until": row["reopen_until"]}
            return {**terms, "timer_event_id": f"timer_provisional_close:{reopenings + 1}"}
    return None


def _issue(fact: Delivery) -> dict[str, Any]:
    terms = {term: fact.payload[term] for term in ("issue_id", "classification")}
    return {**terms, "reporter_actor_id": fact.actor_id, "reported_at": row_of(fact)["at"]}


def _cycles(case: Case) -> Expected:
    visits: dict[str | None, tuple[str | None, str]] = {}
    for effect in bookings(case):
        asked = effect["action_type"] == "request_supplier_visit"
        visits[effect["cycle_id"]] = effect["bindings"].get("visit_id"), "REQUESTED" if asked else "SCHEDULED"
    verified = case.fact("work_evidence_verified", "cycle_id")
    reported = case.fact("supplier_work_reported", "cycle_id")
    unanswered = {signal.cycle_id for signal in standing(case).signals if signal.closed is None}
    expected = {}
    for cycle_id, cycle in cycles(case).items():
        evidence = verified.get(cycle_id, [None])[0]
        report = reported.get(cycle_id, [None])[-1]
        visit_id, status = visits.get(cycle_id, (None, "NONE"))
        fields = {
            "kind": cycle.kind,
            "parent_cycle_id": cycle.parent_id,
            "payable": cycle.kind == "APPROVED_WORK",
            "visit_id": visit_id,
            "visit_status": _visit_status(case, visit_id, status),
            "reported_outcome": None if report is None else report.payload["outcome"],
            "further_work_open": cycle_id in unanswered,
            "work_evidence_id": None if evidence is None else evidence.payload["evidence_id"],
        }
        if (scope := _scope(case, cycle_id)) is not None:
            fields["scope"] = scope
        expected[cycle_id] = (fields, (cycle.row,))
    return expected


def _scope(case: Case, cycle_id: str | None) -> str | None:
    """Return the scope that was verified, else the one last quoted, else the one first reported, else null."""
    verified = case.fact("work_evidence_verified", "cycle_id").get(cycle_id, [])[:1]
    quoted = case.fact("supplier_quote_received", "cycle_id").get(cycle_id, [])[-1:]
    reported = case.fact("supplier_work_reported", "cycle_id").get(cycle_id, [])[:1]
    return next((str(fact.payload["scope"]) for fact in (*verified, *quoted, *reported)), None)


def _visit_status(case: Case, visit_id: str | None, status: str) -> str:
    for fact in case.fact("supplier_visit_response", "visit_id").get(visit_id, [])[:1]:
        status = "SCHEDULED" if fact.payload["response"] == "ACCEPTED" else "DECLINED"
    for fact in case.fact("visit_attendance_verified", "visit_id").get(visit_id, [])[:1]:
        status = "ATTENDED" if fact.payload["attended"] else "MISSED"
    if case.fact("supplier_work_reported", "visit_id").get(visit_id):
        status = "WORK_REPORTED"
    return "WORK_VERIFIED" if case.fact("work_evidence_verified", "visit_id").get(visit_id) else status


PREDICATES = (case_agrees,)
