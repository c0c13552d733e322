"""The form of an episode file: which members it has, and what each of them is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import EpisodeError, pointer
from ...runtime.core.rows import ROW_TYPES
from . import shape
from .selection import ARM, PACK, PLAN, TRACK

EPISODE_SCHEMA = "operatebench.episode.v1"
EPISODE_SCHEMA_VERSION = 1
SELF_DIGEST = "episode_digest_sha256"
"""The digest the file carries of itself, over all other members."""

_DIMENSION = shape.closed(dimension=shape.TEXT, ok=shape.BOOLEAN, counts=shape.OBJECT)
_ROWS = shape.array_of(shape.COUNT)
_FINDING = shape.closed(
    dimension=shape.TEXT, code=shape.TEXT, detail=shape.TEXT, at=shape.or_null(shape.TEXT), rows=_ROWS
)
_TOUCH = shape.closed(
    kind=shape.TEXT,
    checkpoint_type=shape.or_null(shape.TEXT),
    checkpoint_id=shape.or_null(shape.TEXT),
    at=shape.or_null(shape.TEXT),
    rows=_ROWS,
)
_OPPORTUNITY = shape.closed(
    opportunity_id=shape.TEXT,
    kind=shape.TEXT,
    opened_at=shape.or_null(shape.TEXT),
    due_at=shape.or_null(shape.TEXT),
    verdict=shape.TEXT,
    rows=_ROWS,
)
_EVENT = shape.closed(
    event_id=shape.TEXT,
    event_type=shape.TEXT,
    actor_id=shape.TEXT,
    at=shape.INSTANT,
    sequence=shape.COUNT,
    payload=shape.OBJECT,
    triggers_agent=shape.BOOLEAN,
    caused_by=shape.or_null(shape.TEXT),
    disposition=shape.TEXT,
    verdict_code=shape.TEXT,
)
_DECISION = shape.closed(
    invocation_index=shape.integer_from(1),
    turn_index=shape.COUNT,
    observation_digest_sha256=shape.DIGEST,
    outcome=shape.OBJECT,
)


def _has_load(value: Any, place: shape.Place) -> None:
    """Let the counts of an evaluator pass; two of them are shown to people."""
    shape.OBJECT(value, place)
    for name in {"decisions": 0, "decisions_with_human": 0, **value}:
        shape.COUNT(value.get(name), (*place, name))


def _is_row(value: Any, place: shape.Place) -> None:
    """Let a row pass that stands where it says, and has the fields of its type if the engine declares it."""
    shape.OBJECT(value, place)
    kind = value.get("record_type")
    shape.TEXT(kind, (*place, "record_type"))
    shape.equal_to(place[-1])(value.get("index"), (*place, "index"))
    shape.INSTANT(value.get("at"), (*place, "at"))
    if kind in ROW_TYPES and value.keys() != {"index", "at", "record_type", *ROW_TYPES[kind]}:
        raise shape.refused(place, f"the fields of {kind}", value)


_FORM = shape.closed(
    schema=shape.equal_to(EPISODE_SCHEMA),
    schema_version=shape.equal_to(EPISODE_SCHEMA_VERSION),
    selection=shape.closed(
        track=shape.equal_to(TRACK),
        pack=shape.equal_to(PACK),
        operation_id=shape.TEXT,
        variant_id=shape.TEXT,
        agent_id=shape.TEXT,
        arm=shape.equal_to(ARM),
        plan=shape.equal_to(PLAN),
        trial=shape.COUNT,
    ),
    operation_instance_id=shape.matching(re.compile(r"opinst_[0-9a-f]{32}", re.ASCII), "an operation instance id"),
    spec=shape.closed(sha256=shape.DIGEST, digest_sha256=shape.DIGEST),
    evaluator_source_digest_sha256=shape.DIGEST,
    outcome=shape.closed(
        schema=shape.equal_to("operatebench.episode_outcome.v2"),
        schema_version=shape.equal_to(2),
        status=shape.TEXT,
        terminal_outcome=shape.or_null(shape.TEXT),
        replay_final=shape.BOOLEAN,
        started_at=shape.INSTANT,
        ended_at=shape.INSTANT,
        simulated_minutes=shape.COUNT,
        invocations=shape.COUNT,
        final_state=shape.OBJECT,
        final_state_digest_sha256=shape.DIGEST,
        trajectory=shape.array_of(_is_row),
        trajectory_digest_sha256=shape.DIGEST,
        events=shape.array_of(_EVENT),
    ),
    decision_tape=shape.closed(
        schema=shape.equal_to("operatebench.decision_tape.v1"),
        schema_version=shape.equal_to(1),
        decisions=shape.array_of(_DECISION),
        decisions_digest_sha256=shape.DIGEST,
    ),
    evaluation=shape.closed(
        outcome_class=shape.TEXT,
        legitimate_completion=shape.BOOLEAN,
        reliable=shape.BOOLEAN,
        failed_dimensions=shape.array_of(shape.TEXT),
        finding_codes=shape.array_of(shape.TEXT),
        dimensions=shape.array_of(_DIMENSION),
        findings=shape.array_of(_FINDING),
        human_touches=shape.array_of(_TOUCH),
        opportunities=shape.array_of(_OPPORTUNITY),
        load=_has_load,
    ),
    **{SELF_DIGEST: shape.DIGEST},
)


def require_form(document: Mapping[str, Any]) -> None:
    """Refuse what is not an episode file by its form; what reads one afterwards can rely on every member.

    Raises:
        EpisodeError: ``episode_shape``; the path is a JSON Pointer.
    """
    _FORM(document, ())
    rows = len(document["outcome"]["trajectory"])
    for part in ("findings", "human_touches", "opportunities"):
        for index, item in enumerate(document["evaluation"][part]):
            if any(cited >= rows for cited in item["rows"]):
                place = pointer("evaluation", part, index, "rows")
                raise EpisodeError("episode_shape", path=place, expected=f"rows below {rows}", actual="one beyond")
