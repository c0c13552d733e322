"""Events of the customer: the issue, and whether it is resolved."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..closing import reopen
from ..refusals import found, require
from ..rules import Rules
from ..state.records import Cycle, Issue
from ..state.state import State


def issue_reported(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Take the issue up, with its diagnostic cycle.

    Refusals, in order:
        * ``DUPLICATE_ISSUE``
        * ``UNSUPPORTED_CLASSIFICATION``
    """
    payload = event.payload
    require(state.issue is None, "DUPLICATE_ISSUE")
    require(payload["classification"] == rules.policy.issue_classification, "UNSUPPORTED_CLASSIFICATION")
    cycle_id = payload["cycle_id"]
    state.issue = Issue(
        payload["issue_id"], event.actor_id, payload["classification"], environment.instant(environment.now)
    )
    state.cycles[cycle_id] = Cycle(cycle_id, "DIAGNOSTIC", parent_cycle_id=None, scope=None, payable=False)
    state.current_cycle_id = cycle_id
    return Verdict(True, cycle_id=cycle_id)


def resolution_reported(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Note the customer's word. If verified work did not last, a warranty cycle follows, and a provisional close ends.

    Refusals, in order:
        * ``UNKNOWN_ISSUE``
        * ``UNKNOWN_WORK_CYCLE``: the report names a cycle that does not exist
        * ``UNKNOWN_VISIT``: the report names a visit that no cycle, or not the named one, has
        * ``REOPEN_WINDOW_CLOSED``: a report of persistence after the window
    """
    del rules
    payload, cycles, close = event.payload, state.cycles, state.provisional_close
    require(state.issue is not None and state.issue.issue_id == payload["issue_id"], "UNKNOWN_ISSUE")
    named = list(cycles.values())
    if "cycle_id" in payload:
        named = [found(cycles.get(payload["cycle_id"]), "UNKNOWN_WORK_CYCLE")]
    if "related_visit_id" in payload:
        require(any(cycle.visit_id == payload["related_visit_id"] for cycle in named), "UNKNOWN_VISIT")
    persists = payload["status"] == "PERSISTS"
    if persists and close is not None:
        # At the last instant of the window the report still counts.
        require(environment.instant(environment.now) <= close.reopen_until, "REOPEN_WINDOW_CLOSED")
    state.customer_resolution = payload["status"]
    current = cycles[state.current_cycle_id] if state.current_cycle_id is not None else None
    if persists and current is not None and current.visit_status == "WORK_VERIFIED":
        return Verdict(True, "REOPENED", cycle_id=reopen(state, environment, current).cycle_id)
    return Verdict(True, cycle_id=payload.get("cycle_id"))
