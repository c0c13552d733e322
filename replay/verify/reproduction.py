"""Check 10: the run comes out again, and where it does not, the first place where it went another way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import VerificationError, describe, escape, pointer
from ...errors.texts import MAX_PATH, MAX_TEXT
from ...identity.compare import first_difference
from ..bound import BoundRuntime, Execution
from ..bundle.contract import PLACES
from ..evidence.digest import evidence_digest
from .recording import Recording

_EVIDENCE = PLACES["evidence"].path
_PARTS = ("outcome", "decision_tape", "execution_record", "provider_binding")
_REPLAYED = ("outcome", "decision_tape")
"""What follows from the decisions alone."""

_SERIES = (
    ("row", ("outcome", "trajectory")),
    ("decision", ("decision_tape", "decisions")),
    ("event", ("outcome", "events")),
)
"""What happens one after the other: rows first, because they tell most."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where a recorded run and the one here went different ways.

    Attributes:
        part: ``row``, ``decision`` or ``event``; the name of a member of the evidence; or ``terminal``, of the ledger.
        index: of the row, decision or event; None elsewhere.
        field: JSON Pointer into it.
        recorded: what was recorded, as short text.
        replayed: what came out here, as short text.
    """

    part: str
    index: int | None
    field: str
    recorded: str
    replayed: str

    def __post_init__(self) -> None:
        """Keep texts that are safe to print: some come out of the bundle as they are."""
        for name in ("field", "recorded", "replayed"):
            object.__setattr__(self, name, escape(getattr(self, name), MAX_PATH if name == "field" else MAX_TEXT))

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return f"{self.part}{'' if self.index is None else f' {self.index}'} {self.field}".rstrip()

    def to_wire(self) -> dict[str, Any]:
        """Return the divergence as a fresh plain object."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came out here.

    Attributes:
        agent: whether the live agent ran; else the recorded decisions were replayed.
        execution: the run.
        refusal: why it is not the recorded one: ``agent_differs``, ``engine_differs`` or ``outcome_class_differs``.
        divergence: the first place where it is not.
    """

    agent: bool
    execution: Execution
    refusal: VerificationError | None = None
    divergence: Divergence | None = None

    @property
    def agent_said(self) -> str:
        """What can be said of the agent: ``reproduced``, ``not reproduced`` or ``recorded, not reproduced``."""
        if not self.agent:
            return "recorded, not reproduced"
        same = self.refusal is None or self.refusal.code == "outcome_class_differs"
        return "reproduced" if same else "not reproduced"


def reproduce(recording: Recording, bound: BoundRuntime) -> Reproduction:
    """Run what was recorded again.

    A deterministic agent runs itself: then one execution shows that agent and engine are the recorded ones. Any other
    decisions are replayed as they were recorded, and nothing is said about who made them.
    """
    selection, evidence = dict(recording.selection), recording.evidence
    instance_id, tape = evidence["operation_instance_id"], evidence["decision_tape"]
    agent = evidence["execution_record"]["outcome_source"] == "deterministic"
    if agent:
        execution = bound.execute(selection, instance_id)
        if not _is_recorded(evidence, execution, _PARTS):
            replayed = bound.replay(selection, instance_id, tape)
            if _is_recorded(evidence, replayed, _REPLAYED):
                return _diverged("agent_differs", evidence, execution, agent=True)
            return _diverged("engine_differs", evidence, replayed, agent=True)
    else:
        execution = bound.replay(selection, instance_id, tape)
        if not _is_recorded(evidence, execution, _REPLAYED):
            return _diverged("engine_differs", evidence, execution, agent=False)
    live, said = bound.outcome_class(execution.outcome), recording.ledger.terminal.outcome_class
    if live == said:
        return Reproduction(agent, execution)
    at = f"{PLACES['ledger'].path} line {recording.ledger.summary.lines} /outcome_class"
    refusal = VerificationError("outcome_class_differs", path=at, expected=live, actual=said)
    return Reproduction(agent, execution, refusal, Divergence("terminal", None, "/outcome_class", said, live))


def _is_recorded(evidence: Mapping[str, Any], execution: Execution, parts: tuple[str, ...]) -> bool:
    """Tell whether the recorded evidence would be the same with these parts of the execution; true is not 1."""
    live = evidence_digest({**evidence, **{part: getattr(execution, part) for part in parts}})
    return bool(live == evidence["runtime_evidence_digest_sha256"])


def _diverged(code: str, evidence: Mapping[str, Any], execution: Execution, *, agent: bool) -> Reproduction:
    found = first_divergence(evidence, execution)
    at = f"{_EVIDENCE} {found.place}"
    refusal = VerificationError(code, path=at, expected=found.replayed, actual=found.recorded)
    return Reproduction(agent, execution, refusal, found)


def _type_of(row: Any) -> str:
    return describe(row.get("record_type")) if type(row) is dict else describe(row)


def first_divergence(evidence: Mapping[str, Any], execution: Execution) -> Divergence:
    """Return the first place where recorded evidence and an execution differ: rows, decisions, events, then the rest.

    Args:
        evidence: of the recorded run.
        execution: another run of it.
    """
    live = {part: getattr(execution, part) for part in _PARTS}
    for part, (document, member) in _SERIES:
        found = first_difference(evidence[document][member], live[document][member])
        if found is not None:
            tokens, recorded, replayed = found
            if not tokens:  # one of the two goes on where the other ends
                shorter = min(len(evidence[document][member]), len(live[document][member]))
                return Divergence(part, shorter, "", recorded, replayed)
            index, *inside = tokens
            place = pointer(*inside)
            if part == "row":  # rows of different types differ in most members, and the type says it best
                types = [_type_of(side[index]) for side in (evidence[document][member], live[document][member])]
                if types[0] != types[1]:
                    place, recorded, replayed = "/record_type", *types
            return Divergence(part, int(index), place, recorded, replayed)
    for part in _PARTS:
        found = first_difference(evidence[part], live[part])
        if found is not None:
            return Divergence(part, None, pointer(*found[0]), found[1], found[2])
    raise AssertionError("runs of different digests differ somewhere")
