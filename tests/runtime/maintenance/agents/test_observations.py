"""What agents are shown: nothing of variant, expected end, hidden state or what is to come; and texts are surface."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.plain import thaw
from operatebench.runtime.maintenance.agents import AGENTS, create
from operatebench.runtime.maintenance.evaluator import Evaluator
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import OperationSpec, packaged_spec
from operatebench.runtime.maintenance.spec.load import parse_spec

SPEC = packaged_spec()
INSTANCE = "opinst_" + "0" * 32


class Watched:
    """An agent, and everything it is shown."""

    def __init__(self, agent_id: str) -> None:
        self._agent: Any = create(agent_id)
        self.seen: list[dict[str, Any]] = []
        if hasattr(self._agent, "converse"):
            self.converse = self._converse

    def decide(self, observation: Observation) -> object:
        self.seen.append(observation.to_wire())
        return self._agent.decide(observation)

    def _converse(self, observation: Observation, session: Sequence[Any]) -> object:
        self.seen.append(observation.to_wire())
        return self._agent.converse(observation, session)


def watch(spec: OperationSpec, variant_id: str, agent_id: str) -> tuple[Watched, Episode]:
    agent = Watched(agent_id)
    return agent, run_episode(MaintenanceOperation(spec, variant_id), agent, instance_id=INSTANCE)


def words(value: Any) -> Iterator[str]:
    """Yield every text and every member name in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from words(item)
    elif isinstance(value, list):
        for item in value:
            yield from words(item)


@pytest.mark.parametrize("variant_id", SPEC.variants)
@pytest.mark.parametrize("agent_id", AGENTS)
def test_no_observation_holds_what_is_withheld(agent_id: str, variant_id: str) -> None:
    variant = SPEC.variants[variant_id]
    agent, episode = watch(SPEC, variant_id, agent_id)
    hidden = set(words(dict(variant.hidden_initial_values)))
    never = {SPEC.semantic_scenario_id, variant.label, variant_id, *SPEC.terminals, *hidden}
    at = {event["event_id"]: event["at"] for event in episode.outcome.events}
    texts = {
        event.event_id: SPEC.surface_fixtures[event.surface_fixture_id]
        for event in variant.events
        if event.surface_fixture_id
    }
    assert agent.seen
    for seen in agent.seen:
        shown = set(words(seen))
        to_come = {event.event_id for event in variant.events if at.get(event.event_id, "9") > seen["now"]}
        assert not shown & (never | to_come)
        assert not shown & {texts[event_id] for event_id in to_come & texts.keys()}


def test_the_shared_opening_looks_the_same_in_every_variant_but_for_the_budget() -> None:
    def opening(variant_id: str) -> list[dict[str, Any]]:
        agent, _ = watch(SPEC, variant_id, "reference")
        seen = [each for each in agent.seen if each["invocation_index"] <= 6]
        for each in seen:
            del each["policy"]["human_checkpoint_budget"]
        return seen

    assert opening("V1") == opening("V2") == opening("V3")


def test_other_texts_change_no_row_no_state_and_no_grade() -> None:
    content = thaw(SPEC.content)
    for number, name in enumerate(content["surface_fixtures"]):
        content["surface_fixtures"][name] = f"Nothing of note, {number}."
    for fixture in content["message_fixtures"].values():
        fixture["text"] = "Nothing."
    other_spec = parse_spec(json.dumps(content).encode(), "other.yaml")
    assert other_spec.digest_sha256 != SPEC.digest_sha256
    for variant_id in SPEC.variants:
        agent, other = watch(other_spec, variant_id, "reference")
        _, same = watch(SPEC, variant_id, "reference")
        assert any(word.startswith("Nothing of note") for word in words(agent.seen))
        assert other.outcome == same.outcome
        grades = [
            Evaluator(spec, variant_id).evaluate(episode.outcome.to_wire(), None).to_wire()
            for spec, episode in ((other_spec, other), (SPEC, same))
        ]
        assert grades[0] == grades[1]
