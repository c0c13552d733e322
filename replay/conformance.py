"""A bound runtime that is all data, for conformance vectors: a small automaton, its agents and its grade (contract, 7).

Anybody can write it in a few lines of any language, and then run replay vectors without an operation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..cards import load_card_chain
from ..cards.projection import CARD_ROOTS, card_pointers
from ..identity.registry import COMPONENTS
from .bound import Execution, Projections, RowSink, Selection, execution_record_without_provider
from .evidence import DECISION_TAPE_SCHEMA, EPISODE_OUTCOME_SCHEMA, content_digest
from .evidence.contract import HALTS

DEADLOCK, HORIZON = HALTS
UNCLASSIFIED = "unclassified"
"""The class of an ending that the automaton does not name."""

SAME_AGAIN = "same_again"
"""The last dimension of every grade: a second execution, if there is one, came out the same."""

_SCAFFOLD = "scaffold_content"

_Name = Annotated[str, Field(min_length=1, max_length=256)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Pointers = dict[str, Any]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Row(_Strict):
    """A row of the trajectory; the automaton adds index and instant."""

    record_type: _Name
    body: dict[str, Any]

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        if not self.body.keys().isdisjoint(("at", "index", "record_type")):
            raise ValueError("a body without at, index and record_type")
        return self


class Event(_Strict):
    """An event that is delivered and wakes the agent; the automaton adds its id, number and instant."""

    event_type: _Name
    actor_id: _Name
    payload: dict[str, Any]


class Transition(_Strict):
    """What a decision leads to: time passes first, then rows and events happen."""

    next: _Name
    minutes: Annotated[int, Field(ge=0, le=1_440)] = 0
    rows: Annotated[list[Row], Field(max_length=4)] = []
    events: Annotated[list[Event], Field(max_length=4)] = []


class Choice(_Strict):
    """A decision and where it leads."""

    decision: dict[str, Any]
    then: Transition


class Asking(_Strict):
    """A state in which the agent is called; a decision that is none of the choices leads to ``otherwise``."""

    choices: Annotated[list[Choice], Field(max_length=64)]
    otherwise: Transition


class Ending(_Strict):
    """A state in which the episode has ended."""

    terminal: _Name


class Agent(_Strict):
    """A decision table: state -> decision, for every state that asks; and what the agent's component projects."""

    projection: _Pointers
    decisions: dict[str, dict[str, Any]]


class Rule(_Strict):
    """A rule of the grade: how many rows of a type there must be; else there is a finding that names them."""

    dimension: _Name
    code: _Name
    detail: str
    record_type: _Name
    at_least: Annotated[int, Field(ge=0)] = 0
    at_most: Annotated[int, Field(ge=0)] | None = None


class Cards(_Strict):
    """The cards of the operation."""

    operation: dict[str, Any]
    semantic_scenario: dict[str, Any]
    variant: dict[str, Any]


class Selected(_Strict):
    """What all selections of an automaton have in common."""

    track: _Name
    pack: _Name
    operation_id: _Name
    variant_id: _Name
    arm: _Name
    plan: _Name


class Automaton(_Strict):
    """The whole document.

    Attributes:
        automaton: name and version of this form.
        source_identity_digest_sha256: the digest of the source that it pretends to be.
        spec_sha256: that of its spec; null for the packaged one.
        selection: the selection of its runs, without agent and trial.
        cards: what the card components project, as section 4 of the replay contract has it, beside ``projections``.
        projections: component -> field path -> value, for all components but the agent's.
        agents: id -> agent.
        outcome_source: where it says that decisions come from.
        starts_at: instant of the start.
        start: the first state.
        max_steps: decisions after which it halts at its horizon.
        states: name -> state.
        outcome_classes: status -> kind of ending.
        rules: of the grade.
        touches: type of row -> kind of human touch that such a row is.
    """

    automaton: Literal["operatebench.conformance_automaton.v1"]
    source_identity_digest_sha256: _Digest
    spec_sha256: _Digest | None
    selection: Selected
    cards: Cards
    projections: dict[str, _Pointers]
    agents: Annotated[dict[_Name, Agent], Field(min_length=1, max_length=16)]
    outcome_source: Literal["deterministic", "recorded"]
    starts_at: Annotated[str, Field(pattern=r"^2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
    start: _Name
    max_steps: Annotated[int, Field(ge=1, le=1_000)]
    states: Annotated[dict[_Name, Asking | Ending], Field(min_length=1, max_length=256)]
    outcome_classes: dict[_Name, _Name]
    rules: Annotated[list[Rule], Field(max_length=64)]
    touches: dict[_Name, _Name]

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        # Every ValueError is a fault of the document, and refusals are some.
        datetime.fromisoformat(self.starts_at)
        load_card_chain([json.dumps(card) for card in self.cards.model_dump().values()])
        if self.projections.keys() != COMPONENTS.keys() - {_SCAFFOLD}:
            raise ValueError("projections of all components but the agent's")
        asking = {name: state for name, state in self.states.items() if isinstance(state, Asking)}
        reached = {self.start}
        for state in asking.values():
            content_digest([choice.decision for choice in state.choices])
            reached |= {each.next for each in (state.otherwise, *(choice.then for choice in state.choices))}
        if not reached <= self.states.keys():
            raise ValueError("transitions to states that exist")
        for agent in self.agents.values():
            content_digest(agent.decisions)
        if any(agent.decisions.keys() != asking.keys() for agent in self.agents.values()):
            raise ValueError("agents that decide in every state that asks, and in no other")
        return self


_Decide = Callable[[str, int], Mapping[str, Any] | None]
"""From the state, and how many decisions there were, to the next decision; None if there is none."""


class AutomatonRuntime:
    """An automaton as a bound runtime (:class:`.bound.BoundRuntime`)."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._transitions = {
            name: {content_digest(choice.decision): choice.then for choice in state.choices}
            for name, state in automaton.states.items()
            if isinstance(state, Asking)
        }
        self._live = {name: self._projections(agent) for name, agent in automaton.agents.items()}

    @property
    def cards(self) -> dict[str, dict[str, Any]]:
        """The cards, by ``operation``, ``semantic_scenario`` and ``variant``."""
        return self._automaton.cards.model_dump()

    @property
    def source_identity_digest_sha256(self) -> str:
        """The digest that the document states."""
        return self._automaton.source_identity_digest_sha256

    @property
    def spec_sha256(self) -> str | None:
        """The digest that the document states."""
        return self._automaton.spec_sha256

    def selection(self, agent_id: str, trial: int) -> dict[str, Any]:
        """Return the selection of one trial of an agent."""
        return {**self._automaton.selection.model_dump(), "agent_id": agent_id, "trial": trial}

    def live(self, selection: Selection) -> Projections | None:
        """Return what the agent's and all other components project; None for an unknown selection."""
        agent_id, trial = selection["agent_id"], selection["trial"]
        known = agent_id in self._live and dict(selection) == self.selection(agent_id, trial)
        return self._live[agent_id] if known else None

    def execute(self, selection: Selection, instance_id: str, on_rows: RowSink | None = None) -> Execution:
        """Run an agent of the document."""
        decisions = self._automaton.agents[selection["agent_id"]].decisions
        return self._run(instance_id, lambda state, _: decisions[state], on_rows)

    def replay(self, selection: Selection, instance_id: str, decision_tape: Mapping[str, Any]) -> Execution:  # noqa: ARG002  (the protocol's; all agents have one engine)
        """Run with recorded decisions; where they end before the episode does, it is a deadlock."""
        recorded = [each["outcome"] for each in decision_tape["decisions"]]
        return self._run(instance_id, lambda _, number: recorded[number] if number < len(recorded) else None)

    def outcome_class(self, outcome: Mapping[str, Any]) -> str:
        """Return the kind of ending that the document names for the status."""
        return self._automaton.outcome_classes.get(outcome["status"], UNCLASSIFIED)

    def evaluate(self, selection: Selection, record: Execution, reproduction: Execution | None) -> dict[str, Any]:  # noqa: ARG002  (the protocol's; all agents have one grade)
        """Grade a record by the rules of the document."""
        rows = [(index, row) for index, row in enumerate(record.outcome["trajectory"]) if _is_row(row)]
        findings = []
        for rule in self._automaton.rules:
            found = [index for index, row in rows if row["record_type"] == rule.record_type]
            if len(found) < rule.at_least or (rule.at_most is not None and len(found) > rule.at_most):
                findings.append(_finding(rule.dimension, rule.code, rule.detail, found))
        if reproduction is not None and content_digest(reproduction.outcome) != content_digest(record.outcome):
            findings.append(_finding(SAME_AGAIN, "OTHER_OUTCOME", "A second execution had another outcome.", []))
        failed = {finding["dimension"] for finding in findings}
        dimensions = dict.fromkeys([*(rule.dimension for rule in self._automaton.rules), SAME_AGAIN])
        return {
            "vector": [{"dimension": dimension, "ok": dimension not in failed} for dimension in dimensions],
            "findings": findings,
            "human_touches": [
                {
                    "kind": self._automaton.touches[row["record_type"]],
                    "checkpoint_type": None,
                    "checkpoint_id": None,
                    "at": row["at"],
                    "rows": [index],
                }
                for index, row in rows
                if row["record_type"] in self._automaton.touches
            ],
            "opportunities": [],
            "load": {"decisions": len(record.decision_tape["decisions"])},
            "outcome_class": self.outcome_class(record.outcome),
        }

    def _projections(self, agent: Agent) -> Projections:
        projections = {name: dict(pointers) for name, pointers in self._automaton.projections.items()}
        for card in self.cards.values():
            component, _ = CARD_ROOTS[card["schema"]]
            projections[component].update(card_pointers(card))
        return {**projections, _SCAFFOLD: dict(agent.projection)}

    def _run(self, instance_id: str, decide: _Decide, on_rows: RowSink | None = None) -> Execution:
        automaton = self._automaton
        started = now = datetime.fromisoformat(automaton.starts_at)
        name = automaton.start
        trajectory: list[dict[str, Any]] = []
        events: list[dict[str, Any]] = []
        decisions: list[dict[str, Any]] = []
        terminal = None
        while True:
            state = automaton.states[name]
            if isinstance(state, Ending):
                status = terminal = state.terminal
                break
            decision = decide(name, len(decisions)) if len(decisions) < automaton.max_steps else None
            if decision is None:
                status = HORIZON if len(decisions) == automaton.max_steps else DEADLOCK
                break
            number = len(decisions) + 1
            seen = {"operation_instance_id": instance_id, "state": name, "invocation_index": number}
            decisions.append(
                {
                    "invocation_index": number,
                    "turn_index": 0,
                    "observation_digest_sha256": content_digest(seen),
                    "outcome": dict(decision),
                }
            )
            transition = self._transitions[name].get(content_digest(dict(decision)), state.otherwise)
            now += timedelta(minutes=transition.minutes)
            step = [
                {"index": index, "at": _text(now), "record_type": row.record_type, **row.body}
                for index, row in enumerate(transition.rows, len(trajectory))
            ]
            trajectory += step
            events += [_event(event, index, now) for index, event in enumerate(transition.events, len(events))]
            if on_rows is not None and step:
                on_rows(step)
            name = transition.next
        final_state = {"state": name, "decisions": len(decisions)}
        outcome = {
            "schema": EPISODE_OUTCOME_SCHEMA,
            "schema_version": 2,
            "status": status,
            "terminal_outcome": terminal,
            "replay_final": terminal is not None,
            "started_at": automaton.starts_at,
            "ended_at": _text(now),
            "simulated_minutes": (now - started) // timedelta(minutes=1),
            "invocations": len(decisions),
            "final_state": final_state,
            "final_state_digest_sha256": content_digest(final_state),
            "trajectory": trajectory,
            "trajectory_digest_sha256": content_digest(trajectory),
            "events": events,
        }
        tape = {
            "schema": DECISION_TAPE_SCHEMA,
            "schema_version": 1,
            "decisions": decisions,
            "decisions_digest_sha256": content_digest(decisions),
        }
        return Execution(outcome, tape, execution_record_without_provider(self._automaton.outcome_source), None)


def _is_row(row: object) -> bool:
    """Tell whether a value of a trajectory is a row at all; a foreign one can hold anything."""
    return type(row) is dict and type(row.get("at")) is str and type(row.get("record_type")) is str


def _finding(dimension: str, code: str, detail: str, rows: list[int]) -> dict[str, Any]:
    return {"dimension": dimension, "code": code, "detail": detail, "at": None, "rows": rows}


def _event(event: Event, index: int, now: datetime) -> dict[str, Any]:
    return {
        "event_id": f"event-{index}",
        "event_type": event.event_type,
        "actor_id": event.actor_id,
        "at": _text(now),
        "sequence": index,
        "payload": dict(event.payload),
        "triggers_agent": True,
        "caused_by": None,
        "disposition": "delivered",
        "verdict_code": "accepted",
    }


def _text(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
