"""Puts the rows of a trajectory into words: one short sentence for each row that tells people something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from ...errors import describe, escape
from .form import is_instant

ROOM = 88
"""A sentence lists no more than fits in so many characters; beside index, day, time and kind, a line then has 120."""

_LONGEST = 120
_MORE = ", …"

Row = Mapping[str, Any]


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


@dataclass(frozen=True, slots=True)
class Scene:
    """What the rows of an episode leave to be looked up.

    Attributes:
        first_day: the day on which the episode starts.
        payloads: event id -> payload of the delivered event; a row names the event only.
    """

    first_day: date
    payloads: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, outcome: Mapping[str, Any]) -> Scene:
        """Return the scene of an episode outcome in wire form."""
        started = datetime.fromisoformat(outcome["started_at"]).date()
        return cls(started, {event["event_id"]: event["payload"] for event in outcome["events"]})

    def day_and_clock(self, instant: str) -> tuple[int, str]:
        """Return the simulated day, from 1, and ``HH:MM``."""
        at = datetime.fromisoformat(instant)
        return (at.date() - self.first_day).days + 1, f"{at:%H:%M}"

    def when(self, value: Any) -> str:
        """Return an instant as words, as the columns of a timeline show it; whatever is none stays what it is."""
        if not is_instant(value):
            return word(value)
        day, clock = self.day_and_clock(value)
        return f"day {day} {clock}"

    def payload_of(self, event_id: Any) -> Mapping[str, Any]:
        """Return the payload of a delivered event; that of an event nobody knows is empty."""
        return self.payloads.get(event_id, {}) if type(event_id) is str else {}


def tell(row: Row, scene: Scene) -> Told:
    """Return the kind and the sentence of any row; values are escaped and cut, whatever they are.

    A sentence names what matters: ids, amounts, decisions, reasons. The row has the rest.
    """
    kind, teller = _TELLERS.get(row["record_type"], (Kind.EFFECT, _plainly))
    return kind, teller(row, scene)


def tell_reads(rows: Sequence[Row]) -> Told:
    """Return the kind and the sentence of a batch of served reads."""
    return Kind.READ, _listing("reads ", [row["tool"] for row in rows])


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


_SAY = frozenset(
    {
        *("assertion", "attended", "classification", "decision", "exception_type"),
        *("outcome", "response", "status", "valid"),
    }
)
_SUMS = frozenset({"amount_minor"})
_CONTEXT = frozenset({"correlation_id", "cycle_id"})
_UNSAID = frozenset({"currency", "deadline_after_minutes", "parent_cycle_id", "plus_vat", "related_visit_id", "scope"})
"""Fields that say again, or in more detail, what others of the same object have said."""


def _rank(name: str) -> int:
    """Return how early a field is told: decisions, sums, ids, what it all belongs to, and whatever else there is."""
    return 0 if name in _SAY else 1 if name in _SUMS else 3 if name in _CONTEXT else 2 if name.endswith("_id") else 4


def _essence(values: Any, scene: Scene) -> list[str]:
    """Return what matters of an object, in words; an id or a decision needs no name beside it."""
    if type(values) is not dict:
        return [word(values)]
    told = []
    for name in sorted(values.keys() - _UNSAID, key=lambda name: (_rank(name), name)):
        value = values[name]
        if value is not None:
            bare = type(value) is str and (name in _SAY or name.endswith("_id"))
            told.append(scene.when(value) if bare else f"{escape(name, _LONGEST)} {scene.when(value)}")
    return told


def _fitting(before: str, words: Iterable[str], after: str) -> str:
    """Return a sentence that lists words, as many as there is room for, but at least one."""
    listed, *others = [*dict.fromkeys(words)] or ["nothing"]
    for index, other in enumerate(others, 1):
        longer = f"{listed}, {other}"
        end = _MORE if index < len(others) else ""
        if len(before) + len(longer) + len(end) + len(after) > ROOM:
            listed += _MORE
            break
        listed = longer
    return f"{before}{listed}{after}"


def _within(before: str, values: Any, after: str, scene: Scene) -> str:
    """Return a sentence with what matters of an object in brackets, if anything does."""
    told = _essence(values, scene)
    return _fitting(f"{before} (", told, f"){after}") if told else before + after


def _listing(before: str, values: Any, after: str = "") -> str:
    """Return a sentence that lists the items of an array."""
    return _fitting(before, map(word, values) if type(values) is list else [word(values)], after)


_Teller = Callable[[Row, Scene], str]


def _plainly(row: Row, scene: Scene) -> str:
    """Tell a row of a type that has no sentence: a type of the domain, or bookkeeping of the engine."""
    rest = {name: value for name, value in row.items() if name not in ("index", "at", "record_type")}
    return _within(word(row["record_type"]).replace("_", " "), rest, "", scene)


def _delivery(end: str) -> _Teller:
    def teller(row: Row, scene: Scene) -> str:
        said = f"{word(row['actor_id'])}: {word(row['event_type'])}"
        return _within(said, scene.payload_of(row["event_id"]), end.format_map(_Words(row, scene)), scene)

    return teller


def _sentence(text: str) -> _Teller:
    """Return the teller of rows whose sentence only fills in fields."""
    return lambda row, scene: text.format_map(_Words(row, scene))


class _Words(dict[str, str]):
    """Fields of a row as words, made when a sentence asks for them."""

    def __init__(self, row: Row, scene: Scene) -> None:
        super().__init__()
        self._row = row
        self._scene = scene

    def __missing__(self, name: str) -> str:
        return self._scene.when(self._row[name])


def _wake(row: Row, _: Scene) -> str:
    cause = row["trigger_event_type"]
    by = "after waiting long enough" if cause is None else f"by {word(cause)}"
    return f"agent woken {by} (invocation {word(row['invocation_index'])})"


def _wait(row: Row, scene: Scene) -> str:
    until = "" if row["fallback_at"] is None else f" until {scene.when(row['fallback_at'])}"
    after = f"{until}: {word(row['reason'])}"
    return _listing("waits for ", row["wake_on"], after) if row["wake_on"] else f"waits{after}"


def _refused_reads(row: Row, _: Scene) -> str:
    return _listing("no reading of ", row["requested_tools"], f": {word(row['code'])}: {word(row['detail'])}")


def _proposal(row: Row, scene: Scene) -> str:
    return _within(f"proposes {word(row['action_type'])}", row["payload"], _cited(row), scene)


def _completion(row: Row, _: Scene) -> str:
    return f"proposes that all is done: {word(row['reason'])}{_cited(row)}"


def _cited(row: Row) -> str:
    return f"; cites {word(row['evidence_refs'])}" if row["evidence_refs"] else ""


def _grant(row: Row, _: Scene) -> str:
    said = f"granted: {word(row['action_type'])}"
    return _listing(f"{said}, because of ", row["basis"]) if row["basis"] else said


def _effect(row: Row, scene: Scene) -> str:
    """Tell what was done, with the ids it made; of a completion, what it made of the operation."""
    said = f"done: {word(row['action_type'])}"
    return _within(said, row["bindings"], "", scene) if row["code"] == "ACCEPTED" else f"{said}: {word(row['code'])}"


def _failed_attempt(row: Row, scene: Scene) -> str:
    again = "no further attempt" if row["retry_at"] is None else f"again {scene.when(row['retry_at'])}"
    sent = f"{word(row['message_fixture_id'])} to {word(row['recipient_actor_id'])} by {word(row['channel'])}"
    return f"not delivered: {sent}, attempt {word(row['attempt'])}; {again}"


def _checkpoint(row: Row, scene: Scene) -> str:
    about = row["checkpoint_type"] if row["exception_type"] is None else row["exception_type"]
    asked = f"{word(row['assignee_actor_id'])} is asked: {word(about)} ({word(row['checkpoint_id'])})"
    return f"{asked}, until {scene.when(row['deadline_at'])}"


_TELLERS: Mapping[str, tuple[Kind, _Teller]] = MappingProxyType(
    {
        "episode_started": (Kind.FRAME, _sentence("starts; the horizon is {horizon_at}")),
        "episode_ended": (Kind.FRAME, _sentence("ends: {status}, after {invocations} invocations")),
        "critical_violation": (Kind.VIOLATION, _sentence("{code}: {detail}")),
        "event_observed": (Kind.EVENT, _delivery("")),
        "event_audit_only": (Kind.EVENT, _delivery("")),
        "event_rejected": (Kind.REFUSAL, _delivery("; refused: {code}: {detail}")),
        "event_after_terminal": (Kind.EVENT, _delivery("; too late: {code}")),
        "agent_invoked": (Kind.WAKE, _wake),
        "outcome_rejected": (Kind.REFUSAL, _sentence("no decision: {code}: {detail}")),
        "wait_declared": (Kind.WAIT, _wait),
        "wait_rejected": (Kind.REFUSAL, _sentence("no such wait: {code}: {detail}")),
        "wait_fallback_fired": (Kind.WAIT, _sentence("waited in vain until {fallback_at}")),
        "wait_interrupted": (
            Kind.WAIT,
            lambda row, _: _listing(f"woken by {word(row['event_type'])} while waiting for ", row["wake_on"]),
        ),
        "wait_unresolved_at_horizon": (
            Kind.WAIT,
            lambda row, _: _listing("still waiting for ", row["wake_on"], " at the horizon"),
        ),
        "retrieval_served": (Kind.READ, _sentence("reads {tool}")),
        "retrieval_refused": (Kind.REFUSAL, _refused_reads),
        "action_proposed": (Kind.PROPOSAL, _proposal),
        "action_rejected": (Kind.REFUSAL, _sentence("{action_type} refused: {code}: {detail}")),
        "terminal_proposed": (Kind.PROPOSAL, _completion),
        "terminal_rejected": (Kind.REFUSAL, _sentence("not done yet: {code}: {detail}")),
        "authority_decided": (Kind.EFFECT, _grant),
        "effect_accepted": (Kind.EFFECT, _effect),
        "side_effect": (
            Kind.MESSAGE,
            _sentence("{status}: {message_fixture_id} to {recipient_actor_id} by {channel}, attempt {attempt}"),
        ),
        "side_effect_failed": (Kind.MESSAGE, _failed_attempt),
        "work_failed": (Kind.MESSAGE, _sentence("given up: {work_id} after {attempts} attempts")),
        "checkpoint_opened": (Kind.HUMAN, _checkpoint),
        "checkpoint_resolved": (Kind.HUMAN, _sentence("{checkpoint_id} is {resolution}, by {resolved_by}")),
        "obligation_created": (Kind.DUTY, _sentence("owes {obligation_id} until {due_at}")),
        "obligation_discharged": (Kind.DUTY, _sentence("kept: {obligation_id}")),
        "obligation_cancelled": (Kind.DUTY, _sentence("no longer owed: {obligation_id}")),
        "obligation_breached": (Kind.DUTY, _sentence("not kept: {obligation_id}")),
        "terminal_accepted": (Kind.FRAME, _sentence("final: {outcome}")),
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
