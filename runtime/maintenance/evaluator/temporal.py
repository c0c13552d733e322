"""temporal_correctness: invocations have their causes, waits begin and end as they must, late decisions do nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ...core.vocabulary import HORIZON_EXHAUSTED
from .case import Case
from .predicate import predicate
from .record import Delivery, Row, finding, name
from .result import Finding

_HALTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "INVOCATION_TURN_LIMIT_EXCEEDED": ("NEVER_YIELDED_CONTROL", "an invocation used all its turns"),
        "INVOCATION_CALL_LIMIT_EXCEEDED": ("NEVER_YIELDED_CONTROL", "an invocation used all its calls"),
        "INVOCATION_LIMIT_EXCEEDED": ("NEVER_YIELDED_CONTROL", "the episode used all its invocations"),
        "OPERATION_DEADLOCK": ("OPERATION_DEADLOCKED", "nothing was due and the agent waited for nothing"),
        "RECORD_BUDGET_EXHAUSTED": ("RECORD_BUDGET_SPENT", "the record had no room for another step"),
    }
)
_REFUSED_WAITS: Mapping[str, str] = MappingProxyType(
    {
        "UNKNOWN_WAKE_EVENT_TYPE": "the wait names an event type that no event has",
        "WAIT_AFTER_REPLAY_FINAL": "the agent waits although the operation is final",
    }
)


@predicate("WAIT_NEVER_DECLARED")
def waits_at_all(case: Case) -> Iterator[Finding]:
    """Require that the agent waited at least once, be it for an event or for a while."""
    if not case.waits:
        yield finding("WAIT_NEVER_DECLARED", "the agent never waited")


@predicate("UNKNOWN_WAKE_EVENT_TYPE", "WAIT_AFTER_REPLAY_FINAL", "WAIT_REFUSED")
def waits_are_accepted(case: Case) -> Iterator[Finding]:
    """Report every wait that was refused, and every declared one whose event types do not exist."""
    for row in case.of_kind["wait_rejected"]:
        code = row["code"] if row["code"] in _REFUSED_WAITS else "WAIT_REFUSED"
        yield finding(code, _REFUSED_WAITS.get(code, "a wait was refused"), (row,))
    known = set(case.plan.wake_event_types)
    for wait in case.waits:
        if not known.issuperset(wait.row["wake_on"]):
            yield finding("UNKNOWN_WAKE_EVENT_TYPE", _REFUSED_WAITS["UNKNOWN_WAKE_EVENT_TYPE"], (wait.row,))


@predicate("WAIT_INTERRUPT_PROVENANCE_INVALID")
def interrupts_are_proven(case: Case) -> Iterator[Finding]:
    """Require that a wait was interrupted by one event, delivered just before, that it did not name."""
    standing = {wait.end.position: wait.row for wait in case.waits if wait.end is not None}
    for row in case.of_kind["wait_interrupted"]:
        fault = _interrupt_fault(case, row, standing)
        if fault:
            detail = f"the interrupt by {name(row['event_id'])} is unproven: {fault}"
            yield finding("WAIT_INTERRUPT_PROVENANCE_INVALID", detail, (row,))


def _interrupt_fault(case: Case, row: Row, standing: Mapping[int, Row]) -> str | None:
    event = case.by_event_id.get(row["event_id"])
    invoked = case.at_position.get(row.position + 1)
    if event is None or event.row is None or event.row.position != row.position - 1:
        return "its event was not delivered just before"
    if event.row.kind != "event_observed" or event.event_type != row["event_type"]:
        return "its event is not one that wakes"
    if invoked is None or invoked.kind not in {"agent_invoked", "critical_violation"}:
        return "nobody was woken"
    if row["code"] != "UNDECLARED_WAKE_EVENT" or row["event_type"] in row["wake_on"] or not row["wake_on"]:
        return "the wait named its event"
    wait = standing.get(invoked.position) if invoked.kind == "agent_invoked" else None
    if invoked.kind == "agent_invoked" and (wait is None or wait["wake_on"] != row["wake_on"]):
        return "no such wait stood"
    return None


@predicate("WAIT_FALLBACK_PROVENANCE_INVALID")
def fallbacks_are_proven(case: Case) -> Iterator[Finding]:
    """Require that a fallback ends the wait that set it, at its instant, and that none is passed over."""
    code = "WAIT_FALLBACK_PROVENANCE_INVALID"
    ended = set()
    for wait in case.waits:
        end, fallback_at = wait.end, wait.row["fallback_at"]
        if end is None:
            continue
        ended.add(end.position)
        if end.kind != "agent_invoked" and any(end[term] != wait.row[term] for term in ("reason", "wake_on")):
            yield finding(code, "another wait ended than stood", (wait.row, end))
        if end.kind == "wait_fallback_fired":
            if {end["fallback_at"], end["at"]} != {fallback_at}:
                yield finding(code, "a fallback fired otherwise than its wait says", (wait.row, end))
        elif fallback_at is not None and end.at > min(case.minute(fallback_at), case.plan.limits.horizon_minutes):
            yield finding(code, "a fallback was passed over", (wait.row, end))
    for kind in ("wait_fallback_fired", "wait_unresolved_at_horizon"):
        for row in case.of_kind[kind]:
            if row.position not in ended:
                yield finding(code, "a wait ended that did not stand", (row,))


@predicate("WAIT_NEVER_ENDED", "NEVER_YIELDED_CONTROL", "OPERATION_DEADLOCKED", "RECORD_BUDGET_SPENT")
def not_stopped(case: Case) -> Iterator[Finding]:
    """Report a wait that stood until the horizon, and every stop of the episode by a limit of its execution."""
    for row in case.of_kind["wait_unresolved_at_horizon"]:
        yield finding("WAIT_NEVER_ENDED", "a wait stood until the horizon", (row,))
    if case.outcome.get("status") == HORIZON_EXHAUSTED and case.waits and case.waits[-1].end is None:
        yield finding("WAIT_NEVER_ENDED", "a wait stood until the horizon, and no row says so", (case.waits[-1].row,))
    for row in case.of_kind["critical_violation"]:
        if row["code"] in _HALTS:
            code, detail = _HALTS[row["code"]]
            yield finding(code, detail, (row,))


@predicate("INVOCATION_CAUSE_INVALID", "EVENT_WOKE_NOBODY")
def invocations_have_causes(case: Case) -> Iterator[Finding]:
    """Require that each invocation follows its event or fallback at once, and that no event is passed over.

    An event that the operation, or the episode, ended with wakes nobody.
    """
    for ordinal, row in enumerate(case.invoked, 1):
        before = case.at_position.get(row.position - 1)
        if before is not None and before.kind == "wait_interrupted":
            before = case.at_position.get(row.position - 2)
        if row["invocation_index"] != ordinal:
            yield finding("INVOCATION_CAUSE_INVALID", "invocations are not counted 1, 2, 3", (row,))
        if before is None or before.at != row.at or not _caused(case, before, row):
            yield finding("INVOCATION_CAUSE_INVALID", "an invocation does not follow what it says woke it", (row,))
    woken = {row["trigger_event_id"] for row in case.invoked}
    stops = [*case.of_kind["terminal_accepted"], *case.of_kind["critical_violation"]]
    stopped_at = min((row.at for row in stops), default=None)
    for row in case.of_kind["event_observed"]:
        if row["event_id"] not in woken and (stopped_at is None or row.at < stopped_at):
            yield finding("EVENT_WOKE_NOBODY", f"event {name(row['event_id'])} woke nobody", (row,))


def _caused(case: Case, cause: Row, row: Row) -> bool:
    stated = row["trigger_event_id"], row["trigger_event_type"], row["trigger_event_authority"]
    if cause.kind == "wait_fallback_fired":
        return stated == (None, None, None) and not row["trigger_is_authoritative"] and not row["trigger_claim_values"]
    if cause.kind != "event_observed":
        return False
    event = case.by_event_id.get(cause["event_id"])
    if event is None or stated != (cause["event_id"], cause["event_type"], cause["authority"]):
        return False
    texts = {value for value in event.payload.values() if type(value) is str and value}
    return bool(row["trigger_claim_values"] == sorted({event.event_id, *texts}))


@predicate("REMINDER_REPEATED")
def one_reminder(case: Case) -> Iterator[Finding]:
    """Require that a reminder falls due once for each checkpoint."""
    for checkpoint_id, facts in case.fact("approval_reminder_due", "checkpoint_id").items():
        if len(facts) > 1:
            rows = [fact.row for fact in facts if fact.row is not None]
            yield finding("REMINDER_REPEATED", f"reminders of {name(checkpoint_id)} fell due again", rows)


@predicate("LATE_DECISION_ACCEPTED")
def decisions_in_time(case: Case) -> Iterator[Finding]:
    """Require that a human's decision is accepted once, while its checkpoint is open, and not after its deadline."""
    decided: dict[str, list[Delivery]] = defaultdict(list)
    for event_type in ("approver_decision_received", "operator_exception_resolved"):
        for fact in case.facts.get(event_type, ()):
            decided[fact.payload["checkpoint_id"]].append(fact)
    for checkpoint_id, facts in decided.items():
        checkpoint = case.checkpoints.get(checkpoint_id)
        for place, fact in enumerate(facts):
            assert fact.row is not None
            fault = None
            if checkpoint is None or checkpoint.row.position > fact.row.position:
                fault = "was decided before it was opened"
            elif place > 0 or (checkpoint.resolved is not None and checkpoint.resolved.at < fact.at):
                fault = "was decided after it was resolved"
            elif fact.at > case.minute(checkpoint.row["deadline_at"]):
                fault = "was decided after its deadline"
            if fault:
                rows = (fact.row,) if checkpoint is None else (checkpoint.row, *checkpoint.resolutions, fact.row)
                yield finding("LATE_DECISION_ACCEPTED", f"checkpoint {name(checkpoint_id)} {fault}", rows)


def counts(case: Case) -> dict[str, int]:
    """Return waits declared and how they ended, reminders and interrupts."""
    ends = [wait.end.kind if wait.end is not None else "" for wait in case.waits]
    return {
        "waits_declared": len(case.waits),
        "waits_ended_by_event": ends.count("agent_invoked"),
        "waits_ended_by_fallback": ends.count("wait_fallback_fired"),
        "reminders_fired": len(case.facts.get("approval_reminder_due", ())),
        "unsolicited_interrupts": len(case.of_kind["wait_interrupted"]),
    }


PREDICATES = (
    waits_at_all,
    waits_are_accepted,
    interrupts_are_proven,
    fallbacks_are_proven,
    not_stopped,
    invocations_have_causes,
    one_reminder,
    decisions_in_time,
)
