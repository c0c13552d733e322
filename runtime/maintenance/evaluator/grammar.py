"""The grammar of an invocation: its calls, its reads and what drops them, row after row."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...core.plain import canonical
from .case import Case
from .record import Row, finding, name
from .result import Finding
from .shapes import STATE_SHAPE, Form

CODES = (
    "RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE",
    "RETRIEVAL_INVALIDATION_CAUSE_UNKNOWN",
    "RETRIEVAL_INVOCATION_BINDING_BROKEN",
    "RETRIEVAL_TURN_BINDING_BROKEN",
    "RETRIEVAL_BATCH_ORDER_BROKEN",
    "RETRIEVAL_REQUEST_ORDER_BROKEN",
    "RETRIEVAL_BATCH_NOT_CANONICAL",
    "RETRIEVAL_AS_OF_NOT_ONE_INSTANT",
    "RETRIEVAL_RESULT_VOCABULARY_UNKNOWN",
    "RETRIEVAL_RECORD_IDENTITY_UNKNOWN",
    "RETRIEVAL_RECORDS_NOT_THE_PUBLISHED_PROJECTION",
    "RETRIEVAL_RECORD_VERSION_MISMATCH",
)

BODY_CODES = ("RETRIEVAL_RECORDS_NOT_THE_PUBLISHED_PROJECTION", "RETRIEVAL_RESULT_VOCABULARY_UNKNOWN")
"""Where none of these is found, the body of each read has the form of what its tool serves."""

_NEW_CALL = frozenset({"agent_outcome", "outcome_rejected", "retrieval_served", "retrieval_refused"})
_SAME_CALL = frozenset({"outcome_rejected", "wait_declared", "wait_rejected", "agent_session"})
_CAUSES: Mapping[str, str] = {"wake": "agent_invoked", "effect_accepted": "effect_accepted"}


def faults(case: Case) -> dict[str, list[Finding]]:
    """Return code -> findings of everything that breaks the grammar, in one walk over the rows."""
    walk = _Walk(case)
    before: Row | None = None
    for row in case.rows:
        walk.step(before, row)
        before = row
    if before is not None:
        walk.cause_without_invalidation(before, None)
    return walk.found


class _Walk:
    def __init__(self, case: Case) -> None:
        self.found: dict[str, list[Finding]] = defaultdict(list)
        self._case = case
        self._terminal = case.plan.roles.terminal_action
        self._index = 0
        self._held: set[str] = set()
        self._turn = -1
        self._yielded = False  # the invocation has come to its wait, or to an accepted end
        self._batch = -1
        self._first: Row | None = None  # of the batch under way
        self._versions: dict[tuple[str, str], bool] = {}

    def step(self, before: Row | None, row: Row) -> None:
        if before is not None:
            self.cause_without_invalidation(before, row)
        if row.kind == "agent_invoked":
            self._index, self._turn, self._batch, self._first = row["invocation_index"], -1, -1, None
            self._yielded = False
            self._held = set()
        elif "invocation_index" in row.data:
            self._call(before, row)
        if row.kind == "retrieval_served":
            self._served(row)
        elif row.kind != "retrieval_refused":
            self._first = None
        if row.kind == "wait_declared" or (row.kind == "effect_accepted" and row["action_type"] == self._terminal):
            self._yielded = True

    def cause_without_invalidation(self, before: Row, row: Row | None) -> None:
        """Check that the row after a wake or an own accepted effect drops what was read."""
        wakes = before.kind == "agent_invoked"
        if not wakes and not (before.kind == "effect_accepted" and before["action_type"] != self._terminal):
            return
        if row is None or row.kind != "derived_context_invalidated":
            self._fault("RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE", "what was read is not dropped", before)

    def _call(self, before: Row | None, row: Row) -> None:
        if row.invocation == 0 or row["invocation_index"] != self._index:
            self._fault("RETRIEVAL_INVOCATION_BINDING_BROKEN", "a row names an invocation that is not open", row)
        if self._yielded and row.kind != "agent_session":
            self._fault("RETRIEVAL_TURN_BINDING_BROKEN", "a call follows the one that ended its invocation", row)
        if row.kind == "derived_context_invalidated":
            self._invalidation(before, row)
            return
        turn = row["turn_index"]
        same = turn == self._turn and (
            row.kind in _SAME_CALL or (row.kind == "retrieval_served" and self._first is not None)
        )
        if not same and not (row.kind in _NEW_CALL and turn == self._turn + 1):
            self._fault("RETRIEVAL_TURN_BINDING_BROKEN", "the calls of an invocation are not counted 0, 1, 2", row)
        if turn != self._turn:
            self._first = None
        self._turn = turn

    def _invalidation(self, before: Row | None, row: Row) -> None:
        kind = _CAUSES.get(row["cause"])
        if kind is None:
            self._fault("RETRIEVAL_INVALIDATION_CAUSE_UNKNOWN", f"unknown cause {name(row['cause'])}", row)
            return
        wanted_turn, wanted_action = (0, None) if kind == "agent_invoked" else (self._turn, row["action_type"])
        if row["turn_index"] != wanted_turn:
            self._fault("RETRIEVAL_TURN_BINDING_BROKEN", "an invalidation names another turn than its cause's", row)
        if row["cleared_tools"] != sorted(self._held):
            code = "RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE"
            self._fault(code, "an invalidation does not name what it drops", row)
        self._held = set()
        bound = before is not None and before.kind == kind and before.data.get("action_type") == wanted_action
        if not bound or row["action_type"] != wanted_action:
            self._fault("RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE", "an invalidation follows no such cause", row)

    def _served(self, row: Row) -> None:
        data = row.data
        first, self._first = self._first, self._first or row
        if first is None:
            if data["batch_index"] != self._batch + 1:
                self._fault("RETRIEVAL_BATCH_ORDER_BROKEN", "the batches of an invocation are not counted 0, 1, 2", row)
            self._batch, self._request, self._tool = data["batch_index"], -1, ""
        elif data["batch_index"] != self._batch:
            self._fault("RETRIEVAL_BATCH_ORDER_BROKEN", "one call is two batches", row)
        if data["request_index"] != self._request + 1:
            self._fault("RETRIEVAL_REQUEST_ORDER_BROKEN", "the requests of a batch are not counted 0, 1, 2", row)
        if data["tool"] <= self._tool:
            self._fault("RETRIEVAL_BATCH_NOT_CANONICAL", "the tools of a batch are not sorted, each once", row)
        if data["as_of"] != data["at"] or (first is not None and data["as_of"] != first["as_of"]):
            self._fault("RETRIEVAL_AS_OF_NOT_ONE_INSTANT", "a batch was not read at the one instant of its row", row)
        self._request, self._tool = data["request_index"], data["tool"]
        self._held.add(data["tool"])
        self._result(row)

    _request = -1
    _tool = ""

    def _result(self, row: Row) -> None:
        data = row.data
        tool = self._case.plan.catalogue.get(data["tool"])
        stated = data["source"], data["authority"], data["schema_id"]
        if tool is None or stated != (tool.source, tool.authority, tool.schema_id):
            self._fault("RETRIEVAL_RESULT_VOCABULARY_UNKNOWN", f"no such result of {name(row['tool'])}", row)
        if data["record_id"] != f"{row['source']}:{self._case.plan.record_suffix}":
            self._fault("RETRIEVAL_RECORD_IDENTITY_UNKNOWN", f"{name(row['record_id'])} names no record", row)
        version = _version(data["records"])
        if data["record_version"] != version:
            self._fault("RETRIEVAL_RECORD_VERSION_MISMATCH", "the version is not that of the body", row)
        if tool is not None and not self._is_projection(row, version, tool.roots):
            code = "RETRIEVAL_RECORDS_NOT_THE_PUBLISHED_PROJECTION"
            self._fault(code, f"{name(row['tool'])} did not return its roots in their form", row)

    def _is_projection(self, row: Row, version: str | None, roots: tuple[str, ...]) -> bool:
        """Tell whether a body has its roots in their form; equal bodies, told by their digest, are looked at once."""
        records: Mapping[str, Any] = row["records"]
        key = row["tool"], version or ""
        if version is None:
            return False
        if key not in self._versions:
            self._versions[key] = _form_of_body(roots)(records)
        return self._versions[key]

    def _fault(self, code: str, detail: str, row: Row) -> None:
        self.found[code].append(finding(code, detail, (row,)))


@lru_cache(maxsize=64)
def _form_of_body(roots: tuple[str, ...]) -> Form:
    return Form({root: STATE_SHAPE[root] for root in roots})


def _version(records: Mapping[str, Any]) -> str | None:
    try:
        return hashlib.sha256(canonical(records)).hexdigest()[:16]
    except TypeError:
        return None
