"""Events of visits: the supplier's answer and report, and what is verified about them."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..duties import close_duty, open_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import Cycle
from ..state.state import State
from .facts import establish, require_new


def visit_response(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Note whether the supplier comes; after a refusal the cycle can have another visit.

    Refusals, in order:
        * ``UNKNOWN_WORK_CYCLE``
        * ``UNKNOWN_VISIT``
        * ``VISIT_NOT_AWAITING_RESPONSE``
    """
    del rules
    cycle = _visited(state, event)
    require(cycle.visit_status == "REQUESTED", "VISIT_NOT_AWAITING_RESPONSE")
    if event.payload["response"] == "ACCEPTED":
        cycle.visit_status = "SCHEDULED"
    else:
        cycle.visit_status = "DECLINED"
        close_duty(state, environment, f"visit_progress:{cycle.visit_id}", "CANCELLED")
    return _about(cycle)


def attendance_verified(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Establish whether the supplier came; after a missed visit the cycle can have another.

    Refusals, in order:
        * ``UNKNOWN_WORK_CYCLE``
        * ``UNKNOWN_VISIT``
        * ``VISIT_NOT_SCHEDULED``
        * ``DUPLICATE_AUTHORITATIVE_RECORD``
    """
    del rules
    cycle = _visited(state, event)
    require(cycle.visit_status == "SCHEDULED", "VISIT_NOT_SCHEDULED")
    record_id = f"attendance:{cycle.visit_id}"
    require_new(state, record_id)
    attended = event.payload["attended"]
    cycle.visit_status = "ATTENDED" if attended else "MISSED"
    close_duty(state, environment, f"visit_progress:{cycle.visit_id}", "DISCHARGED" if attended else "CANCELLED")
    establish(
        state,
        event,
        environment,
        kind="visit_attendance",
        record_id=record_id,
        cycle_id=cycle.cycle_id,
        subject="visit_id",
    )
    return _about(cycle)


def work_reported(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Note the supplier's report: a claim about the work, and perhaps a signal that more is needed.

    Refusals, in order:
        * ``UNKNOWN_WORK_CYCLE``
        * ``UNKNOWN_VISIT``
        * ``OPERATION_PROVISIONALLY_CLOSED``
        * ``VISIT_NOT_ATTENDED``: not yet, or verified already
    """
    del rules, environment
    cycle = _visited(state, event)
    require(state.provisional_close is None, "OPERATION_PROVISIONALLY_CLOSED")
    require(cycle.visit_status in ("ATTENDED", "WORK_REPORTED"), "VISIT_NOT_ATTENDED")
    cycle.visit_status = "WORK_REPORTED"
    cycle.reported_outcome = event.payload["outcome"]
    cycle.scope = cycle.scope or event.payload["scope"]
    if cycle.reported_outcome == "FURTHER_WORK_NEEDED":
        cycle.further_work_open = True
    return _about(cycle)


def work_verified(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Establish that the work of a cycle is done, which answers every claim about it and the cycles it follows from.

    Refusals, in order:
        * ``UNKNOWN_WORK_CYCLE``
        * ``UNKNOWN_VISIT``
        * ``OPERATION_PROVISIONALLY_CLOSED``
        * ``VISIT_NOT_ATTENDED``: not yet, or verified already
        * ``DUPLICATE_AUTHORITATIVE_RECORD``
        * ``WARRANTY_SCOPE_MISMATCH``: a warranty cycle repeats the scope it makes good
        * ``WORK_SCOPE_MISMATCH``: quoted work has the quoted scope
    """
    cycle, evidence_id, scope = _visited(state, event), event.payload["evidence_id"], event.payload["scope"]
    require(state.provisional_close is None, "OPERATION_PROVISIONALLY_CLOSED")
    require(cycle.visit_status in ("ATTENDED", "WORK_REPORTED"), "VISIT_NOT_ATTENDED")
    require_new(state, evidence_id)
    require(cycle.kind != "WARRANTY_REVISIT" or scope == cycle.scope, "WARRANTY_SCOPE_MISMATCH")
    require(cycle.kind != "APPROVED_WORK" or scope == cycle.scope, "WORK_SCOPE_MISMATCH")
    cycle.visit_status = "WORK_VERIFIED"
    cycle.work_evidence_id = evidence_id
    cycle.scope = scope
    establish(
        state,
        event,
        environment,
        kind="work_evidence",
        record_id=evidence_id,
        cycle_id=cycle.cycle_id,
        subject="visit_id",
    )
    for answered in state.lineage(cycle):
        answered.further_work_open = False
        for contradiction in state.contradictions.values():
            if contradiction.cycle_id == answered.cycle_id and contradiction.status == "OPEN":
                contradiction.status = "RESOLVED"
                contradiction.resolved_by = evidence_id
    if not cycle.payable and cycle.cycle_id == state.current_cycle_id:
        open_duty(state, rules, environment, f"completion_notice:{cycle.cycle_id}", cycle.cycle_id)
    return _about(cycle)


def _visited(state: State, event: Event) -> Cycle:
    cycle = found(state.cycles.get(event.payload["cycle_id"]), "UNKNOWN_WORK_CYCLE")
    require(cycle.visit_id == event.payload["visit_id"], "UNKNOWN_VISIT")
    return cycle


def _about(cycle: Cycle) -> Verdict:
    assert cycle.visit_id is not None
    return Verdict(
        True, cycle_id=cycle.cycle_id, bindings={"visit_id": cycle.visit_id, "related_visit_id": cycle.visit_id}
    )
