"""Puts the rows of a trajectory into words: one sentence for each row that tells people something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from ...errors import describe, escape

_LONGEST = 120

Row = Mapping[str, Any]
Payloads = Mapping[str, Mapping[str, Any]]
"""Event id -> payload of the delivered event; a row names the event only."""


class Kind(StrEnum):
    """What kind of thing a row tells."""

    FRAME = "frame"
    EVENT = "event"
    WAKE = "wake"
    READ = "read"
    PROPOSAL = "proposal"
    REFUSAL = "refusal"
    EFFECT = "effect"
    MESSAGE = "message"
    HUMAN = "human"
    DUTY = "duty"
    WAIT = "wait"
    VIOLATION = "violation"


Told = tuple[Kind, str]


def tell(row: Row, payloads: Payloads) -> Told:
    """Return the kind and the sentence of any row; values are escaped and cut, whatever they are."""
    return (_TELLERS.get(row["record_type"]) or _plainly)(row, payloads)


def word(value: Any) -> str:
    """Return a value of a row as words."""
    if type(value) is str:
        return escape(value, _LONGEST)
    if type(value) is list:
        return ", ".join(map(word, value)) or "nothing"
    if type(value) is dict:
        return facts(value) or "nothing"
    return describe(value)


def facts(values: Mapping[str, Any]) -> str:
    """Return an object as words: each member and what it is; members that are null are left out."""
    found = ", ".join(f"{escape(name)} {word(value)}" for name, value in values.items() if value is not None)
    return escape(found, 2 * _LONGEST)


def span(minutes: int) -> str:
    """Return simulated minutes as days, hours and minutes."""
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = {"d": days, "h": hours, "min": minutes}
    return " ".join(f"{count} {unit}" for unit, count in parts.items() if count) or "0 min"


def _plainly(row: Row, _: Payloads) -> Told:
    """Tell a row of a type that has no sentence: a type of the domain, or bookkeeping of the engine."""
    rest = {name: value for name, value in row.items() if name not in ("index", "at", "record_type")}
    return Kind.EFFECT, f"{word(row['record_type']).replace('_', ' ')}: {facts(rest)}"


def _delivery(kind: Kind, end: str) -> Callable[[Row, Payloads], Told]:
    def teller(row: Row, payloads: Payloads) -> Told:
        event_id = row["event_id"]
        payload = facts(payloads.get(event_id, {}) if type(event_id) is str else {})
        said = f"{word(row['actor_id'])}: {word(row['event_type'])}"
        return kind, " ".join(filter(None, (said, f"({payload})" if payload else "", end.format_map(_Words(row)))))

    return teller


def _sentence(kind: Kind, text: str) -> Callable[[Row, Payloads], Told]:
    """Return the teller of rows whose sentence only fills in fields."""
    return lambda row, _: (kind, text.format_map(_Words(row)))


class _Words(dict[str, str]):
    """Fields of a row as words, made when a sentence asks for them."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self._row = row

    def __missing__(self, name: str) -> str:
        return word(self._row[name])


def _wake(row: Row, _: Payloads) -> Told:
    cause = row["trigger_event_type"]
    by = "after waiting long enough" if cause is None else f"by {word(cause)}"
    return Kind.WAKE, f"agent woken {by} (invocation {word(row['invocation_index'])})"


def _wait(row: Row, _: Payloads) -> Told:
    ends = [f"for {word(row['wake_on'])}" if row["wake_on"] else "", _until(row["fallback_at"])]
    return Kind.WAIT, f"waits {' '.join(filter(None, ends))}: {word(row['reason'])}"


def _until(instant: Any) -> str:
    return "" if instant is None else f"until {word(instant)} at the latest"


def _proposal(row: Row, _: Payloads) -> Told:
    cited = f"; cites {word(row['evidence_refs'])}" if row["evidence_refs"] else ""
    return Kind.PROPOSAL, f"proposes {word(row['action_type'])} ({word(row['payload'])}){cited}"


def _completion(row: Row, _: Payloads) -> Told:
    cited = f"; cites {word(row['evidence_refs'])}" if row["evidence_refs"] else ""
    return Kind.PROPOSAL, f"proposes that all is done: {word(row['reason'])}{cited}"


def _grant(row: Row, _: Payloads) -> Told:
    grounds = f", because of {word(row['basis'])}" if row["basis"] else ""
    return Kind.EFFECT, f"granted: {word(row['action_type'])}{grounds}"


def _effect(row: Row, _: Payloads) -> Told:
    made = f": {facts(row['bindings'])}" if type(row["bindings"]) is dict and row["bindings"] else ""
    return Kind.EFFECT, f"done: {word(row['action_type'])}{made}"


def _failed_attempt(row: Row, _: Payloads) -> Told:
    again = "no further attempt" if row["retry_at"] is None else f"again at {word(row['retry_at'])}"
    sent = f"{word(row['message_fixture_id'])} to {word(row['recipient_actor_id'])} by {word(row['channel'])}"
    return Kind.MESSAGE, f"not delivered: {sent}, attempt {word(row['attempt'])}; {again}"


def _checkpoint(row: Row, _: Payloads) -> Told:
    about = "" if row["exception_type"] is None else f" about {word(row['exception_type'])}"
    asked = f"{word(row['assignee_actor_id'])} is asked: {word(row['checkpoint_type'])}{about}"
    return Kind.HUMAN, f"{asked} ({word(row['checkpoint_id'])}), until {word(row['deadline_at'])}"


_DUTY = "{kind} ({obligation_id})"

_TELLERS: Mapping[str, Callable[[Row, Payloads], Told]] = MappingProxyType(
    {
        "episode_started": _sentence(Kind.FRAME, "starts; the horizon is {horizon_at}"),
        "episode_ended": _sentence(Kind.FRAME, "ends: {status}, after {invocations} invocations"),
        "critical_violation": _sentence(Kind.VIOLATION, "{code}: {detail}"),
        "event_observed": _delivery(Kind.EVENT, ""),
        "event_audit_only": _delivery(Kind.EVENT, "- nobody is woken"),
        "event_rejected": _delivery(Kind.REFUSAL, "- refused: {code}"),
        "event_after_terminal": _delivery(Kind.EVENT, "- too late: {code}"),
        "agent_invoked": _wake,
        "outcome_rejected": _sentence(Kind.REFUSAL, "no decision: {code}"),
        "wait_declared": _wait,
        "wait_rejected": _sentence(Kind.REFUSAL, "no such wait: {code}"),
        "wait_fallback_fired": _sentence(Kind.WAIT, "waited in vain until {fallback_at}"),
        "wait_interrupted": _sentence(Kind.WAIT, "woken by {event_type} while waiting for {wake_on}"),
        "wait_unresolved_at_horizon": _sentence(Kind.WAIT, "still waiting for {wake_on} at the horizon"),
        "retrieval_served": _sentence(Kind.READ, "reads {tool}"),
        "retrieval_refused": _sentence(Kind.REFUSAL, "no reading of {requested_tools}: {code}"),
        "action_proposed": _proposal,
        "action_rejected": _sentence(Kind.REFUSAL, "{action_type} refused: {code}"),
        "terminal_proposed": _completion,
        "terminal_rejected": _sentence(Kind.REFUSAL, "not done yet: {code}"),
        "authority_decided": _grant,
        "effect_accepted": _effect,
        "side_effect": _sentence(
            Kind.MESSAGE, "{status}: {message_fixture_id} to {recipient_actor_id} by {channel}, attempt {attempt}"
        ),
        "side_effect_failed": _failed_attempt,
        "work_failed": _sentence(Kind.MESSAGE, "given up: {work_id} after {attempts} attempts"),
        "checkpoint_opened": _checkpoint,
        "checkpoint_resolved": _sentence(Kind.HUMAN, "{checkpoint_id} is {resolution}, by {resolved_by}"),
        "obligation_created": _sentence(Kind.DUTY, f"owes {_DUTY} until {{due_at}}"),
        "obligation_discharged": _sentence(Kind.DUTY, f"kept: {_DUTY}"),
        "obligation_cancelled": _sentence(Kind.DUTY, f"no longer owed: {_DUTY}"),
        "obligation_breached": _sentence(Kind.DUTY, f"not kept: {_DUTY}"),
        "terminal_accepted": _sentence(Kind.FRAME, "final: {outcome}"),
    }
)

BOOKKEEPING = frozenset(
    {
        "agent_outcome",  # what follows from a decision is told by rows of its own
        "agent_session",
        "derived_context_invalidated",
        "timer_cancelled",
        "timer_scheduled",
        "work_cancelled",
        "work_completed",  # told as a side effect
        "work_created",
    }
)
"""Row types that a timeline leaves out: they keep the books of the engine."""
