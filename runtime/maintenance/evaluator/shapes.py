"""The form of everything in a record: the kind of each field of each row, event and state record.

What does not have its form is reported and left out, so that every check behind this line can rely on types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ...core.rows import ROW_TYPES
from ..plan import ROW_TYPES as DOMAIN_ROW_TYPES

Kind = Callable[[Any], bool]
Shape = Mapping[str, Kind]

_SCALARS = frozenset({str, int, bool, type(None)})
_LARGEST = 2**53 - 1
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def epoch_seconds(instant: object) -> int | None:
    """Return the seconds of a canonical instant since the year 1, or null for anything else."""
    return _seconds(instant) if type(instant) is str else None


@lru_cache(maxsize=4096)  # the rows of a record share few instants
def _seconds(instant: str) -> int | None:
    if not _INSTANT.fullmatch(instant):
        return None
    try:
        moment = datetime.fromisoformat(instant[:-1])
    except ValueError:
        return None
    return moment.toordinal() * 86_400 + moment.hour * 3_600 + moment.minute * 60 + moment.second


def _text(value: Any) -> bool:
    return type(value) is str and value != "" and (value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value))


def _prose(value: Any) -> bool:
    return type(value) is str


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _id(value: Any) -> bool:
    return value is None or _text(value)


def _flag(value: Any) -> bool:
    return type(value) is bool


def _object(value: Any) -> bool:
    return type(value) is dict


def _flat(value: Any) -> bool:
    return type(value) is dict and {type(item) for item in value.values()} <= _SCALARS


def _instant(value: Any) -> bool:
    return type(value) is str and _seconds(value) is not None


def _bindings(value: Any) -> bool:
    return type(value) is dict and all(_text(name) and _text(bound) for name, bound in value.items())


def _optional(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def _exactly(wanted: str | int) -> Kind:
    return lambda value: type(value) is type(wanted) and value == wanted


def _list(kind: Kind) -> Kind:
    return lambda value: type(value) is list and all(map(kind, value))


class Form:
    """The kind of an object: exactly the given fields, each of its kind, and so many that are looked at elsewhere."""

    __slots__ = ("_counts", "_others", "_size", "_texts")

    def __init__(self, fields: Shape, elsewhere: int = 0) -> None:
        self._size = len(fields) + elsewhere
        self._texts = tuple((name, kind is _id) for name, kind in fields.items() if kind in {_text, _id})
        self._counts = tuple(name for name, kind in fields.items() if kind is _count)
        self._others = tuple((name, kind) for name, kind in fields.items() if kind not in {_text, _id, _count})

    def __call__(self, value: Any) -> bool:
        """Tell whether ``value`` is such an object."""
        if type(value) is not dict or len(value) != self._size:
            return False
        # Loops, and most fields decided in place, because this is where much of an evaluation's time goes.
        try:
            for name, may_be_null in self._texts:
                text = value[name]
                if type(text) is str:
                    if not ((text and text.isascii()) or _text(text)):
                        return False
                elif text is not None or not may_be_null:
                    return False
            for name in self._counts:
                count = value[name]
                if type(count) is not int or not 0 <= count <= _LARGEST:
                    return False
            for name, kind in self._others:
                if not kind(value[name]):
                    return False
        except KeyError:  # another field in its place
            return False
        return True


def _record(**fields: Kind) -> Kind:
    return Form(fields)


def _records(**fields: Kind) -> Kind:
    return _list(Form(fields))


_TEXTS = _list(_text)

_FIELD_KINDS: Shape = MappingProxyType(
    {
        **dict.fromkeys(("starts_at", "horizon_at", "as_of", "due_at", "deadline_at", "reopen_until"), _instant),
        **dict.fromkeys(("fallback_at", "retry_at"), _optional(_instant)),
        **dict.fromkeys(("invocations", "invocation_index", "turn_index", "count", "batch_index"), _count),
        **dict.fromkeys(("request_index", "request_count", "attempt", "attempts", "max_attempts"), _count),
        **dict.fromkeys(("backoff_minutes",), _count),
        **dict.fromkeys(("observational", "mutating", "trigger_is_authoritative", "replay_final"), _flag),
        **dict.fromkeys(("committed_decision_preserved",), _flag),
        **dict.fromkeys(("caused_by", "cycle_id", "correlation_id", "recovery_of", "exception_type"), _id),
        **dict.fromkeys(("terminal_outcome", "trigger_event_id", "trigger_event_type"), _id),
        **dict.fromkeys(("trigger_event_authority",), _id),
        **dict.fromkeys(("detail", "reason"), _prose),
        **dict.fromkeys(("wake_on", "requested_tools", "cleared_tools", "basis"), _TEXTS),
        **dict.fromkeys(("evidence_refs", "trigger_claim_values"), _list(_prose)),
        **dict.fromkeys(("payload", "records"), _object),
        "bindings": _bindings,
    }
)
"""Row field -> kind; every other field is a non-empty text."""

_EXCEPTIONS: Mapping[tuple[str, str], Kind] = MappingProxyType(
    {
        ("agent_outcome", "outcome"): _object,
        ("derived_context_invalidated", "action_type"): _id,
        ("terminal_accepted", "actor_id"): _id,
    }
)


COMMON = ("index", "at", "record_type")
"""What every row has, and whoever reads one looks at first."""

ROW_FORMS: Mapping[str, Form] = MappingProxyType(
    {
        record_type: Form(
            {name: _EXCEPTIONS.get((record_type, name)) or _FIELD_KINDS.get(name, _text) for name in fields},
            elsewhere=len(COMMON),
        )
        for record_type, fields in {**ROW_TYPES, **DOMAIN_ROW_TYPES}.items()
    }
)
"""Record type -> form of a row, save what all have in common."""

EVENT_FORM = Form(
    {
        **dict.fromkeys(("event_id", "event_type", "actor_id", "disposition", "verdict_code"), _text),
        "at": _instant,
        "sequence": _count,
        "payload": _object,
        "triggers_agent": _flag,
        "caused_by": _id,
    }
)
"""The ten fields of an event (evidence contract, 2.3)."""

OUTCOME_SHAPE: Shape = MappingProxyType(
    {
        "schema": _exactly("operatebench.episode_outcome.v2"),
        "schema_version": _exactly(2),
        **dict.fromkeys(("status", "final_state_digest_sha256", "trajectory_digest_sha256"), _text),
        **dict.fromkeys(("simulated_minutes", "invocations"), _count),
        **dict.fromkeys(("started_at", "ended_at"), _instant),
        **dict.fromkeys(("trajectory", "events"), lambda value: type(value) is list),
        "terminal_outcome": _id,
        "replay_final": _flag,
        "final_state": _object,
    }
)
"""The fourteen fields of an episode outcome (evidence contract, 2.3)."""

_MONEY: Shape = {"amount_minor": _count, "currency": _text}
_QUOTE: Shape = {"quote_id": _text, "quote_version": _count}

STATE_SHAPE: Shape = MappingProxyType(
    {
        "phase": _text,
        "terminal": _optional(_record(outcome=_text, at=_instant, cycle_id=_id)),
        "replay_final": _flag,
        "issue": _optional(
            _record(issue_id=_text, reporter_actor_id=_text, classification=_text, reported_at=_instant)
        ),
        "customer_resolution": _text,
        "current_cycle_id": _id,
        "reopen_count": _count,
        "ownership": _optional(_record(actor_id=_text, checkpoint_id=_text, cycle_id=_id, at=_instant)),
        "cancellation": _optional(_record(actor_id=_text, checkpoint_id=_text, cycle_id=_id, at=_instant)),
        "provisional_close": _optional(
            _record(cycle_id=_text, accepted_at=_instant, reopen_until=_instant, timer_event_id=_text)
        ),
        "cycles": _records(
            cycle_id=_text,
            kind=_text,
            parent_cycle_id=_id,
            scope=_id,
            payable=_flag,
            visit_id=_id,
            visit_status=_text,
            reported_outcome=_id,
            further_work_open=_flag,
            work_evidence_id=_id,
        ),
        "quotes": _records(
            quote_key=_text,
            **_QUOTE,
            cycle_id=_text,
            **_MONEY,
            plus_vat=_flag,
            scope=_text,
            status=_text,
            received_at=_instant,
            valid_until=_instant,
        ),
        "approvals": _records(
            checkpoint_id=_text,
            quote_key=_text,
            **_QUOTE,
            cycle_id=_text,
            **_MONEY,
            plus_vat=_flag,
            scope=_text,
            assignee_actor_id=_text,
            opened_at=_instant,
            deadline_at=_instant,
            status=_text,
            resolved_at=_optional(_instant),
            reminder_fired=_flag,
        ),
        "exceptions": _records(
            checkpoint_id=_text,
            exception_type=_text,
            subject_id=_text,
            cycle_id=_id,
            assignee_actor_id=_text,
            evidence_refs=_list(_prose),
            opened_at=_instant,
            deadline_at=_instant,
            status=_text,
            resolution=_id,
            resolved_at=_optional(_instant),
        ),
        "invoices": _records(
            invoice_id=_text,
            cycle_id=_text,
            **_QUOTE,
            **_MONEY,
            plus_vat=_flag,
            status=_text,
            validation_id=_id,
            corrects_invoice_id=_id,
        ),
        "payments": _records(
            payment_request_id=_text, invoice_id=_text, cycle_id=_text, **_MONEY, status=_text, settlement_id=_id
        ),
        "obligations": _records(
            obligation_id=_text,
            kind=_text,
            cycle_id=_id,
            due_at=_instant,
            status=_text,
            closed_at=_optional(_instant),
        ),
        "assertions": _records(assertion_id=_text, actor_id=_text, assertion=_text, cycle_id=_id, at=_instant),
        "contradictions": _records(contradiction_id=_text, cycle_id=_id, status=_text, resolved_by=_id),
        "corrections": _records(
            subject_kind=_text, subject_id=_text, cycle_id=_text, requested_at=_instant, status=_text
        ),
        "authoritative_records": _records(
            record_id=_text, kind=_text, cycle_id=_id, subject_id=_text, at=_instant, facts=_flat
        ),
        "communications": _records(
            work_id=_text,
            recipient_actor_id=_text,
            message_fixture_id=_text,
            purpose=_text,
            correlation_id=_id,
            channel=_text,
            recovery_of=_id,
            sent_at=_instant,
            attempts=_count,
            dispatch_status=_text,
            ended_at=_optional(_instant),
        ),
        "hidden": _object,
    }
)
"""Every root of the canonical state (published form of the case, and of what the tools serve)."""


def payload_fits(
    payload: Mapping[str, Any], required: Mapping[str, str | tuple[str, ...]], optional: Mapping[str, Any]
) -> bool:
    """Tell whether a payload has every required field, none undeclared, and each of its declared kind."""
    if not required.keys() <= payload.keys():
        return False
    for name, value in payload.items():  # noqa: SIM110 - a loop for the same reason as above
        if not _declared(value, required.get(name) or optional.get(name)):
            return False
    return True


def _declared(value: Any, kind: str | tuple[str, ...] | None) -> bool:
    if kind == "text":
        return _text(value)
    if kind == "integer":
        return type(value) is int and abs(value) <= _LARGEST
    if kind == "boolean":
        return type(value) is bool
    return kind is not None and type(value) is str and value in kind
