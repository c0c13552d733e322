"""What a record speaks of, put together from rows: deliveries, proposals, checkpoints, duties, work, timers, waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....errors import describe
from .result import Finding
from .vocabulary import DIMENSION_OF


@dataclass(slots=True)
class Row:
    """A row that has its form.

    Attributes:
        position: in the trajectory, whatever index the row states.
        at: minutes from the start.
        kind: the record type.
        invocation: ordinal of the agent's invocation the row lies in, from 1; 0 outside.
    """

    position: int
    at: int
    kind: str
    invocation: int
    data: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


@dataclass(slots=True)
class Delivery:
    """An event that was delivered, and its row.

    Attributes:
        position: in the list of events.
        usable: type and payload are what the operation declares.
        row: the row that records it; null when there is none or they disagree.
        entitled: its actor's role may emit events of this type.
    """

    position: int
    event_id: str
    event_type: str
    actor_id: str
    at: int
    sequence: int
    payload: Mapping[str, Any]
    triggers_agent: bool
    caused_by: str | None
    disposition: str
    verdict_code: str
    usable: bool
    entitled: bool
    row: Row | None = None


@dataclass(slots=True)
class Proposed:
    """A proposal, what had been read when it was made, and every answer it got.

    Attributes:
        usable: type and payload are what the operation declares.
        served: tool -> the row it was last served by, since the last wake or own accepted effect.
        versions: tool -> two rows of that window that disagree about its version.
        invoked: the row that opened the invocation; null outside of one.
        brought: rows recorded between the authority decision and the accepted effect.
    """

    row: Row
    proposal_id: str
    action_type: str
    payload: Mapping[str, Any]
    evidence: frozenset[str]
    usable: bool
    served: Mapping[str, Row]
    versions: Mapping[str, tuple[Row, Row]]
    invoked: Row | None
    rejections: list[Row] = field(default_factory=list)
    decisions: list[Row] = field(default_factory=list)
    effects: list[Row] = field(default_factory=list)
    brought: list[Row] = field(default_factory=list)

    @property
    def effect(self) -> Row | None:
        """The accepted transition, or null."""
        return self.effects[0] if self.effects else None

    @property
    def refusal(self) -> str | None:
        """The code it was refused with, or null."""
        return self.rejections[0]["code"] if self.rejections else None

    @property
    def answers(self) -> list[Row]:
        """Refusals and accepted transitions, as they came."""
        return sorted([*self.rejections, *self.effects], key=lambda row: row.position)

    def rows(self) -> tuple[Row, ...]:
        """Return the proposal's row and its answers'."""
        return (self.row, *self.answers)


@dataclass(slots=True)
class Checkpoint:
    """A human called upon; ``proposed`` is the request it came from."""

    row: Row
    proposed: Proposed | None
    resolutions: list[Row] = field(default_factory=list)

    @property
    def resolved(self) -> Row | None:
        """The row that resolved it, or null."""
        return self.resolutions[0] if self.resolutions else None


@dataclass(slots=True)
class Duty:
    """An obligation; ``proposed`` is the action whose commit opened it, null when an event did."""

    row: Row
    proposed: Proposed | None
    closings: list[Row] = field(default_factory=list)

    @property
    def closed(self) -> Row | None:
        """The row that closed it, or null."""
        return self.closings[0] if self.closings else None


@dataclass(slots=True)
class Work:
    """Scheduled work: its creation, its attempts, its end."""

    row: Row
    proposed: Proposed | None
    attempts: list[Row] = field(default_factory=list)
    ends: list[Row] = field(default_factory=list)

    @property
    def delivered(self) -> Row | None:
        """The attempt that succeeded, or null."""
        return next((row for row in self.attempts if row.kind == "side_effect"), None)

    @property
    def failed(self) -> Row | None:
        """The row that says it finally failed, or null."""
        return next((row for row in self.ends if row.kind == "work_failed"), None)


@dataclass(slots=True)
class Timer:
    """A timer that was armed."""

    row: Row
    cancellations: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class Wait:
    """A declared wait, and the row that ended it: an invocation, a fallback or the horizon."""

    row: Row
    end: Row | None = None


def finding(code: str, detail: str, rows: Iterable[Row] = (), positions: Iterable[int] = ()) -> Finding:
    """Return a finding of the dimension its code belongs to, resting on ``rows`` and on bare ``positions``."""
    cited = {row.position: row for row in rows}
    places = tuple(sorted({*cited, *positions}))
    at = cited[max(cited)]["at"] if cited else None
    return Finding(DIMENSION_OF[code], code, detail, at, places)


def name(value: object) -> str:
    """Return an id as it may stand in a detail: escaped and cut."""
    return describe(value)
