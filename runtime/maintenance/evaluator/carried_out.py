"""environment_integrity: each decision of the agent is carried out as it was made, and nothing else is in its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.plain import canonical
from .case import Case
from .predicate import predicate
from .record import Row, finding
from .result import Finding

_CARRIED_OUT = frozenset({"action_proposed", "terminal_proposed", "wait_declared", "wait_rejected"})
_PROPOSING = ("ACT", "ASK", "ESCALATE")
"""Compared, not looked up: in a damaged record a kind may be anything."""


@predicate("DECISION_NOT_CARRIED_OUT")
def decisions_are_carried_out(case: Case) -> Iterator[Finding]:
    """Require that each decision is followed by its proposal or wait, and that no proposal or wait is without one.

    ASK and ESCALATE propose first; once that is accepted their wait follows, unless the operation or episode ends.
    """
    decision: Row | None = None
    owed: list[tuple[str, Any]] = []
    for row in case.rows:
        if row.kind in {"agent_outcome", "agent_invoked", "episode_ended"}:
            if decision is not None and owed and not _is_excused(case, decision, owed, row):
                yield finding("DECISION_NOT_CARRIED_OUT", "a decision was not carried out", (decision,))
            decision = row if row.kind == "agent_outcome" else None
            owed = [] if decision is None else list(_owed(case, decision["outcome"]))
        elif row.kind in _CARRIED_OUT:
            wanted = owed.pop(0) if owed else None
            if wanted is None or not _matches(case, row, wanted):
                rows = (row,) if decision is None else (decision, row)
                yield finding("DECISION_NOT_CARRIED_OUT", "something else was carried out than decided", rows)
            elif decision is not None and decision["outcome"].get("kind") in _PROPOSING and not _is_accepted(case, row):
                owed = []


def _is_excused(case: Case, decision: Row, owed: list[tuple[str, Any]], following: Row) -> bool:
    """Tell whether only the wait of an ASK or ESCALATE is missing, because the operation or episode ended first."""
    stops = [*case.of_kind["terminal_accepted"][:1], *case.of_kind["critical_violation"][:1]]
    asked = decision["outcome"].get("kind") in _PROPOSING and len(owed) == 1
    return asked and any(decision.position < row.position < following.position for row in stops)


def _is_accepted(case: Case, row: Row) -> bool:
    proposed = case.by_proposal_id.get(row.data.get("proposal_id", ""))
    return proposed is not None and proposed.effect is not None


def _owed(case: Case, outcome: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield record type and content of the rows that a decision must be followed by, in order."""
    roles, kind = case.plan.roles, outcome.get("kind")
    if kind == "ACT":
        yield _proposal(outcome.get("action_type"), outcome.get("payload"), outcome.get("evidence_refs"))
    elif kind == "COMPLETE":
        yield "terminal_proposed", _encoded([outcome.get("reason"), outcome.get("evidence_refs")])
    elif kind == "WAIT":
        yield "wait_declared", _wait(outcome)
    elif kind == "ASK":
        terms = ("recipient_actor_id", "message_fixture_id", "correlation_id")
        payload = {term: outcome.get(term) for term in terms if outcome.get(term) is not None}
        yield _proposal(roles.communication_action, payload, [])
        inner = outcome.get("wait")
        yield "wait_declared", _wait(inner if type(inner) is dict else {})
    elif kind == "ESCALATE":
        deadline, awaited = outcome.get("deadline_after_minutes"), roles.exception_resolved_event
        subject = {"exception_type": outcome.get("exception_type"), "subject_id": outcome.get("checkpoint_id")}
        payload = {**subject, "deadline_after_minutes": deadline}
        yield _proposal(roles.exception_action, payload, outcome.get("evidence_refs"))
        yield "wait_declared", _wait({"reason": awaited, "wake_on": [awaited], "fallback_after_minutes": deadline})
    else:
        yield "nothing", None


def _proposal(action_type: Any, payload: Any, evidence_refs: Any) -> tuple[str, Any]:
    return "action_proposed", _encoded([action_type, payload, evidence_refs])


def _wait(wait: Mapping[str, Any]) -> tuple[Any, list[str], Any]:
    wake_on = wait.get("wake_on")
    texts = wake_on if type(wake_on) is list and all(type(item) is str for item in wake_on) else []
    return wait.get("reason"), sorted(set(texts)), wait.get("fallback_after_minutes")


def _encoded(value: Any) -> bytes | None:
    try:
        return canonical(value)
    except TypeError:
        return None


def _matches(case: Case, row: Row, wanted: tuple[str, Any]) -> bool:
    """Tell whether a row is what its decision asks for; a wait may also be refused."""
    kind, content = wanted
    if row.kind == "wait_rejected":
        return kind == "wait_declared"
    if row.kind != kind or content is None:
        return False
    if kind == "action_proposed":
        return bool(_encoded([row["action_type"], row["payload"], row["evidence_refs"]]) == content)
    if kind == "terminal_proposed":
        return bool(_encoded([row["reason"], row["evidence_refs"]]) == content)
    after = None if row["fallback_at"] is None else case.minute(row["fallback_at"]) - row.at
    return bool((row["reason"], row["wake_on"], after) == content)


PREDICATES = (decisions_are_carried_out,)
