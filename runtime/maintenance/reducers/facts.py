"""Authoritative records: what an authoritative system said becomes a fact, once."""

from __future__ import annotations

from ...core.protocol import Environment, Event
from ..refusals import require
from ..state.records import AuthoritativeRecord
from ..state.state import State

_ELSEWHERE = ("cycle_id", "evidence_id", "settlement_id", "validation_id")
"""Payload fields that a record has under other names."""


def require_new(state: State, record_id: str) -> None:
    """Refuse a record whose id anything has already.

    Raises:
        RefusalError: ``DUPLICATE_AUTHORITATIVE_RECORD``.
    """
    require(not state.is_taken(record_id), "DUPLICATE_AUTHORITATIVE_RECORD")


def establish(
    state: State, event: Event, environment: Environment, *, kind: str, record_id: str, cycle_id: str, subject: str
) -> None:
    """Keep what the event says; ``subject`` is the payload field that names what the fact is about."""
    state.authoritative_records[record_id] = AuthoritativeRecord(
        record_id,
        kind,
        cycle_id,
        event.payload[subject],
        at=environment.instant(environment.now),
        facts={name: value for name, value in event.payload.items() if name not in (subject, *_ELSEWHERE)},
    )
