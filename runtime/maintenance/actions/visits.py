"""The request for a supplier's visit: a first look, a revisit under warranty, or in place of one that is overdue."""

from __future__ import annotations

from ...core.protocol import Effect, Environment, Proposal
from ..duties import open_duty
from ..refusals import found, require
from ..rules import Rules
from ..state.records import UNBOOKED, Cycle, VisitStatus
from ..state.state import State


def judge_visit(state: State, proposal: Proposal, rules: Rules) -> tuple[str, ...]:
    """Grant a visit for the current cycle, if none stands.

    Refusals, in order:
        * ``UNKNOWN_WORK_CYCLE``
        * ``STALE_WORK_CYCLE``: not the current one
        * ``DUPLICATE_VISIT_REQUEST``: a visit stands; a declined, missed or overdue one does not
        * ``WORK_REQUIRES_AUTHORISATION``: quoted work, unless it is authorised and its visit overdue
        * ``VISIT_TYPE_MISMATCH``
        * ``UNKNOWN_SUPPLIER``
    """
    payload = proposal.payload
    cycle = found(state.cycles.get(payload["cycle_id"]), "UNKNOWN_WORK_CYCLE")
    require(cycle.cycle_id == state.current_cycle_id, "STALE_WORK_CYCLE")
    overdue = _is_overdue(state, cycle)
    require(cycle.visit_status in UNBOOKED or overdue, "DUPLICATE_VISIT_REQUEST")
    require(cycle.kind != "APPROVED_WORK" or overdue, "WORK_REQUIRES_AUTHORISATION")
    require(payload["visit_type"] == cycle.kind, "VISIT_TYPE_MISMATCH")
    require(rules.spec.actors.get(payload["supplier_actor_id"]) == "supplier", "UNKNOWN_SUPPLIER")
    return (cycle.cycle_id,)


def commit_visit(state: State, proposal: Proposal, rules: Rules, environment: Environment) -> Effect:
    """Ask for the visit; the supplier has still to accept it."""
    return book(state, rules, environment, state.cycles[proposal.payload["cycle_id"]], "REQUESTED")


def book(state: State, rules: Rules, environment: Environment, cycle: Cycle, status: VisitStatus) -> Effect:
    """Give a cycle a new visit, whose progress becomes a duty."""
    visit_id = state.next_visit_id()
    cycle.visit_id, cycle.visit_status = visit_id, status
    open_duty(state, rules, environment, f"visit_progress:{visit_id}", cycle.cycle_id)
    return Effect(cycle_id=cycle.cycle_id, bindings={"visit_id": visit_id, "related_visit_id": visit_id})


def _is_overdue(state: State, cycle: Cycle) -> bool:
    """Tell whether the supplier has not come, and the duty to see to it was breached."""
    waiting = cycle.visit_status in ("REQUESTED", "SCHEDULED")
    return waiting and state.obligations[f"visit_progress:{cycle.visit_id}"].status == "BREACHED"
