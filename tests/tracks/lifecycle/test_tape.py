"""Agents that decide what a tape says, in order, whatever they see; after its end they say nothing."""

from typing import Any, cast

import pytest

from operatebench.runtime.core.observation import Observation
from operatebench.tracks.lifecycle import TapeAgent
from operatebench.tracks.lifecycle.tape import ConversationalTapeAgent
from tests.tracks.lifecycle.episodes import execution_of

SEEN = cast("Observation", None)
"""Nothing is looked at."""


def entry(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a tape."""
    return {"invocation_index": 1, "turn_index": 0, "observation_digest_sha256": "0" * 64, "outcome": outcome}


@pytest.mark.parametrize("kind", [TapeAgent, ConversationalTapeAgent])
def test_the_tape_is_said_in_order_and_then_nothing(kind: type[TapeAgent]) -> None:
    outcomes: list[dict[str, Any]] = [{"kind": "WAIT"}, {"kind": "MALFORMED", "code": "x"}, {"kind": "WAIT"}]
    agent = kind(map(entry, outcomes))

    assert [agent.decide(SEEN) for _ in range(5)] == [*outcomes, None, None]


def test_every_recorded_decision_is_said() -> None:
    decisions = execution_of("V1", "reference").decision_tape["decisions"]
    agent = TapeAgent(decisions)

    assert [agent.decide(SEEN) for _ in decisions] == [decision["outcome"] for decision in decisions]
    assert agent.decide(SEEN) is None


def test_only_the_conversational_one_converses() -> None:
    agent = ConversationalTapeAgent([entry({"kind": "WAIT"})])

    assert not hasattr(TapeAgent([]), "converse")
    assert agent.converse(SEEN, [{"kind": "observed"}]) == {"kind": "WAIT"}
    assert agent.converse(SEEN, []) is None
