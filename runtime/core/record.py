"""The record of an episode: rows, delivered events and decisions, each encoded once, and whether there is room left."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import orjson

from .clock import Clock
from .endings import RECORD_BUDGET_EXHAUSTED, Halted
from .plain import Piece, canonical, count_nodes
from .rows import ROW_TYPES


@dataclass(frozen=True, slots=True)
class RecordBudget:
    """How long a record may get, so that it fits the evidence contract together with the final state.

    Attributes:
        rows: rows of the trajectory.
        events: delivered events.
        decisions: decisions on the tape.
        nodes: values and member names in all three.
        size: canonical bytes of all three.
    """

    rows: int = 4_000
    events: int = 4_000
    decisions: int = 4_000
    nodes: int = 80_000
    size: int = 6 * 1024 * 1024


# A decision has at most 64 KiB and 2,000 nodes, and its tape entry and four rows can repeat it; then come the rows of
# the domain, and the closing rows, of which one can repeat a wait's reason. Served records are counted beside this.
_RESERVE = RecordBudget(rows=64, events=1, decisions=1, nodes=12_000, size=512 * 1024)


class Journal:
    """An append-only array of JSON objects with its measure and its digest.

    Attributes:
        items: the objects, plain; nothing a domain or an agent holds is part of them.
        nodes: values and member names, the array included.
        size: canonical bytes, the array included.
    """

    __slots__ = ("_parts", "items", "nodes", "size")

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.nodes = 1
        self.size = 2
        self._parts: list[bytes] = []

    def append(self, value: dict[str, Any]) -> None:
        """Append a plain JSON object."""
        data = canonical(value)
        self._add(orjson.loads(data), data, count_nodes(value))

    def append_composed(self, value: dict[str, Any], name: str, part: Piece) -> None:
        """Append an object of plain scalars, with ``part`` as one more member."""
        data = canonical({**value, name: part.fragment})
        self._add({**value, name: part.value}, data, 2 * len(value) + 2 + part.nodes)

    def sha256(self) -> str:
        """Return the SHA-256 of the array's canonical bytes."""
        return hashlib.sha256(b"[" + b",".join(self._parts) + b"]").hexdigest()

    def _add(self, item: dict[str, Any], data: bytes, nodes: int) -> None:
        self.size += len(data) + (1 if self.items else 0)
        self.nodes += nodes
        self.items.append(item)
        self._parts.append(data)


class Record:
    """Everything an episode leaves behind, in the order it happened."""

    __slots__ = ("_budget", "_clock", "_types", "decisions", "events", "rows")

    def __init__(self, clock: Clock, domain_types: Mapping[str, tuple[str, ...]], budget: RecordBudget | None) -> None:
        """Begin an empty record.

        Args:
            clock: says when a row is appended.
            domain_types: the domain's own row types and their payload fields.
            budget: limits of the record; null for none.

        Raises:
            ValueError: the domain declares a row type that the engine has.
        """
        if not ROW_TYPES.keys().isdisjoint(domain_types):
            raise ValueError("a domain cannot declare a row type of the engine")
        self._clock = clock
        self._budget = budget
        self._types = {name: set(fields) for name, fields in {**ROW_TYPES, **domain_types}.items()}
        self.rows = Journal()
        self.events = Journal()
        self.decisions = Journal()

    def row(self, record_type: str, payload: dict[str, Any]) -> None:
        """Append a row of the trajectory.

        Args:
            record_type: a declared type.
            payload: plain JSON by field.

        Raises:
            TypeError: the type is not declared, or the fields are not exactly the declared ones.
        """
        self.rows.append(self._placed(record_type, payload, payload.keys()))

    def row_with(self, record_type: str, payload: dict[str, Any], name: str, part: Piece) -> None:
        """Append a row whose payload is plain scalars and the field ``name``, which is encoded already.

        Raises:
            TypeError: as :meth:`row`.
        """
        self.rows.append_composed(self._placed(record_type, payload, {*payload, name}), name, part)

    def _placed(self, record_type: str, payload: dict[str, Any], names: AbstractSet[str]) -> dict[str, Any]:
        if self._types.get(record_type) != names:
            raise TypeError(f"row {record_type!r} is not declared with exactly {sorted(names)}")
        return {"index": len(self.rows.items), "at": self._clock.text, "record_type": record_type, **payload}

    def require_room(self, rows: int = 0, nodes: int = 0, size: int = 0) -> None:
        """Halt unless one more step, with so much beside it, and the closing rows fit the budget.

        Raises:
            Halted: they do not.
        """
        budget, events, decisions = self._budget, self.events, self.decisions
        if budget is None:
            return
        if not (
            len(self.rows.items) + rows + _RESERVE.rows <= budget.rows
            and len(events.items) + _RESERVE.events <= budget.events
            and len(decisions.items) + _RESERVE.decisions <= budget.decisions
            and self.rows.nodes + events.nodes + decisions.nodes + nodes + _RESERVE.nodes <= budget.nodes
            and self.rows.size + events.size + decisions.size + size + _RESERVE.size <= budget.size
        ):
            raise Halted(RECORD_BUDGET_EXHAUSTED)
