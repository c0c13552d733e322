"""Records of real episodes, and the means to forge them."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from canonicaljson import encode_canonical_json

from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.evaluator import PREDICATES, Evaluation, Evaluator, Predicate
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec

Record = dict[str, Any]
Row = dict[str, Any]


@cache
def _episode(agent_id: str, variant_id: str) -> bytes:
    operation = MaintenanceOperation(packaged_spec(), variant_id)
    episode = run_episode(operation, AGENTS[agent_id](), instance_id="opinst_" + "0" * 32)
    return orjson.dumps(episode.outcome.to_wire())


def record_of(variant_id: str, agent_id: str = "reference") -> Record:
    """Return a fresh copy of the record of one episode."""
    record: Record = orjson.loads(_episode(agent_id, variant_id))
    return record


def reproduction_of(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of a second execution that came out the same."""
    return {name: record[name] for name in ("final_state_digest_sha256", "trajectory_digest_sha256")}


@cache
def evaluator(variant_id: str, left_out: str | None = None) -> Evaluator:
    """Return the evaluator, without one of its predicates if it is named."""
    kept = tuple(predicate for predicate in PREDICATES if predicate.predicate_id != left_out)
    return Evaluator(packaged_spec(), variant_id, kept)


def grade(record: Record, variant_id: str, left_out: str | None = None) -> Evaluation:
    """Grade a record whose second execution came out the same."""
    return evaluator(variant_id, left_out).evaluate(record, reproduction_of(record))


@cache
def predicate_of(code: str) -> Predicate:
    """Return the one predicate that finds a code."""
    (found,) = [predicate for predicate in PREDICATES if code in predicate.codes]
    return found


def digest(value: Any) -> str:
    return hashlib.sha256(encode_canonical_json(value)).hexdigest()


class Forgery:
    """A record under the forger's hands; :meth:`sealed` numbers its rows anew and makes its digests right."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.rows: list[Row] = record["trajectory"]
        self.events: list[Row] = record["events"]
        self.state: dict[str, Any] = record["final_state"]

    def sealed(self, *, renumbered: bool = True) -> Record:
        if renumbered:
            for index, row in enumerate(self.rows):
                row["index"] = index
        self.record["final_state_digest_sha256"] = digest(self.state)
        self.record["trajectory_digest_sha256"] = digest(self.rows)
        return self.record

    def row(self, record_type: str, nth: int = 0, **terms: Any) -> Row:
        """Return the ``nth`` row of a type with these terms."""
        return [
            row
            for row in self.rows
            if row["record_type"] == record_type and all(row[term] == value for term, value in terms.items())
        ][nth]

    def drop(self, row: Row) -> None:
        self.rows[:] = [other for other in self.rows if other is not row]

    def add(self, after: Row, record_type: str, **payload: Any) -> Row:
        """Put a row behind another, at its instant."""
        row = {"index": 0, "at": after["at"], "record_type": record_type, **payload}
        self.rows.insert(self._position(after) + 1, row)
        return row

    def twice(self, row: Row, **changes: Any) -> Row:
        """Put a copy of a row behind it."""
        again = {**copy.deepcopy(row), **changes}
        self.rows.insert(self._position(row) + 1, again)
        return again

    def move(self, row: Row, after: Row) -> None:
        self.drop(row)
        self.rows.insert(self._position(after) + 1, row)

    def next(self, row: Row) -> Row:
        return self.rows[self._position(row) + 1]

    def _position(self, row: Row) -> int:
        return next(position for position, other in enumerate(self.rows) if other is row)

    def event(self, event_type: str, nth: int = 0) -> Row:
        return [event for event in self.events if event["event_type"] == event_type][nth]

    def drop_event(self, event_type: str, nth: int = 0) -> None:
        """Take an event out of the record, with its row."""
        event = self.event(event_type, nth)
        self.events.remove(event)
        self.drop(next(row for row in self.rows if row.get("event_id") == event["event_id"] and "provenance" in row))

    def refuse(self, after: Row, code: str, action_type: str = "request_payment", **payload: Any) -> Row:
        """Put a refused proposal behind a row."""
        own = {"proposal_id": "proposal_forged", "action_type": action_type}
        proposed = self.add(after, "action_proposed", **own, payload=payload, evidence_refs=[])
        return self.add(proposed, "action_rejected", **own, code=code, detail="")

    def effect(self, action_type: str, nth: int = 0) -> Row:
        return self.row("effect_accepted", nth, action_type=action_type)

    def proposal(self, action_type: str, nth: int = 0) -> Row:
        return self.row("action_proposed", nth, action_type=action_type)

    def deeper(self, *path: str | int) -> Any:
        """Return a part of the final state."""
        value: Any = self.state
        for step in path:
            value = value[step]
        return value
