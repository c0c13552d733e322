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

Kind = Callable[[Any], bool]
Shape = Mapping[str, Kind]

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


def has_shape(value: object, shape: Shape) -> bool:
    """Tell whether ``value`` is an object of exactly the fields of ``shape``, each of its kind."""
    if type(value) is not dict or len(value) != len(shape):
        return False
    # A loop, because this is where most of an evaluation's time goes.
    for name, kind in shape.items():  # noqa: SIM110
        if name not in value or not kind(value[name]):
            return False
    return True


def _text(value: Any) -> bool:
    return type(value) is str and value != "" and (value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value))


def _prose(value: Any) -> bool:
    return type(value) is str


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _flag(value: Any) -> bool:
    return type(value) is bool


def _object(value: Any) -> bool:
    return type(value) is dict


def _instant(value: Any) -> bool:
    return epoch_seconds(value) is not None


def _bindings(value: Any) -> bool:
    return type(value) is dict and all(_text(name) and _text(bound) for name, bound in value.items())


def _optional(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def _exactly(wanted: str | int) -> Kind:
    return lambda value: type(value) is type(wanted) and value == wanted


def _list(kind: Kind) -> Kind:
    return lambda value: type(value) is list and all(map(kind, value))


def _records(**fields: Kind) -> Kind:
    return _list(lambda value: has_shape(value, fields))


def _record(**fields: Kind) -> Kind:
    return lambda value: has_shape(value, fields)


_ID = _optional(_text)
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
        **dict.fromkeys(("caused_by", "cycle_id", "correlation_id", "recovery_of", "exception_type"), _ID),
        **dict.fromkeys(("terminal_outcome", "trigger_event_id", "trigger_event_type"), _ID),
        **dict.fromkeys(("trigger_event_authority",), _ID),
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
        ("derived_context_invalidated", "action_type"): _ID,
        ("terminal_accepted", "actor_id"): _ID,
    }
)


def row_shapes(row_types: Mapping[str, tuple[str, ...]]) -> dict[str, Shape]:
    """Return record type -> form of the whole row, given each type's payload fields."""
    return {
        record_type: {
            "index": _count,
            "at": _instant,
            "record_type": _text,
            **{name: _EXCEPTIONS.get((record_type, name)) or _FIELD_KINDS.get(name, _text) for name in fields},
        }
        for record_type, fields in row_types.items()
    }


EVENT_SHAPE: Shape = MappingProxyType(
    {
        **dict.fromkeys(("event_id", "event_type", "actor_id", "disposition", "verdict_code"), _text),
        "at": _instant,
        "sequence": _count,
        "payload": _object,
        "triggers_agent": _flag,
        "caused_by": _ID,
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
        "terminal_outcome": _ID,
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
        "terminal": _optional(_record(outcome=_text, at=_instant, cycle_id=_ID)),
        "replay_final": _flag,
        "issue": _optional(
            _record(issue_id=_text, reporter_actor_id=_text, classification=_text, reported_at=_instant)
        ),
        "customer_resolution": _text,
        "current_cycle_id": _ID,
        "reopen_count": _count,
        "ownership": _optional(_record(actor_id=_text, checkpoint_id=_text, cycle_id=_ID, at=_instant)),
        "cancellation": _optional(_record(actor_id=_text, checkpoint_id=_text, cycle_id=_ID, at=_instant)),
        "provisional_close": _optional(
            _record(cycle_id=_text, accepted_at=_instant, reopen_until=_instant, timer_event_id=_text)
        ),
        "cycles": _records(
            cycle_id=_text,
            kind=_text,
            parent_cycle_id=_ID,
            scope=_ID,
            payable=_flag,
            visit_id=_ID,
            visit_status=_text,
            reported_outcome=_ID,
            further_work_open=_flag,
            work_evidence_id=_ID,
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
            cycle_id=_ID,
            assignee_actor_id=_text,
            evidence_refs=_list(_prose),
            opened_at=_instant,
            deadline_at=_instant,
            status=_text,
            resolution=_ID,
            resolved_at=_optional(_instant),
        ),
        "invoices": _records(
            invoice_id=_text,
            cycle_id=_text,
            **_QUOTE,
            **_MONEY,
            plus_vat=_flag,
            status=_text,
            validation_id=_ID,
            corrects_invoice_id=_ID,
        ),
        "payments": _records(
            payment_request_id=_text, invoice_id=_text, cycle_id=_text, **_MONEY, status=_text, settlement_id=_ID
        ),
        "obligations": _records(
            obligation_id=_text,
            kind=_text,
            cycle_id=_ID,
            due_at=_instant,
            status=_text,
            closed_at=_optional(_instant),
        ),
        "assertions": _records(assertion_id=_text, actor_id=_text, assertion=_text, cycle_id=_ID, at=_instant),
        "contradictions": _records(contradiction_id=_text, cycle_id=_ID, status=_text, resolved_by=_ID),
        "corrections": _records(
            subject_kind=_text, subject_id=_text, cycle_id=_text, requested_at=_instant, status=_text
        ),
        "authoritative_records": _records(
            record_id=_text, kind=_text, cycle_id=_ID, subject_id=_text, at=_instant, facts=_object
        ),
        "communications": _records(
            work_id=_text,
            recipient_actor_id=_text,
            message_fixture_id=_text,
            purpose=_text,
            correlation_id=_ID,
            channel=_text,
            recovery_of=_ID,
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
    return all(name in payload for name in required) and all(
        _declared(value, required.get(name) or optional.get(name)) for name, value in payload.items()
    )


def _declared(value: Any, kind: str | tuple[str, ...] | None) -> bool:
    if kind == "text":
        return _text(value)
    if kind == "integer":
        return type(value) is int and abs(value) <= _LARGEST
    if kind == "boolean":
        return type(value) is bool
    return kind is not None and type(value) is str and value in kind
