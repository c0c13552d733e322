"""A conversational agent gets its session; it is derived, recorded by digest, and no fact depends on it."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.runtime.core.decisions import act, retrieve, wait
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.observation import Observation
from tests.runtime.core.licensing import CHECK, Scripted, Turn, rows, run

STEPS = (
    retrieve("read_file"),
    act("fly", {}),
    act("request_check", {"application_id": "app_1"}),
    wait("on", ["document_checked"]),
)


class Talking:
    """Plays the same script, and keeps what its session was at every call."""

    def __init__(self, *steps: Turn) -> None:
        self._script = Scripted(*steps)
        self.sessions: list[tuple[Mapping[str, Any], ...]] = []
        self.seen = self._script.seen

    def converse(self, observation: Observation, session: Sequence[Mapping[str, Any]]) -> object:
        self.sessions.append(tuple(session))
        return self._script.decide(observation)


def facts(episode: Episode) -> list[dict[str, Any]]:
    """Return the rows without the session and without what only counts rows."""
    kept = [row for row in episode.outcome.trajectory if row["record_type"] != "agent_session"]
    return [{name: value for name, value in row.items() if name != "index"} for row in kept]


def rebuilt(seen: list[Observation], decisions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Build the session again from observations and tape alone."""
    events: list[dict[str, Any]] = []
    for observation, entry in zip(seen, decisions, strict=True):
        event, rejection = observation.event, observation.last_rejection
        events += [
            {
                "role": "observed",
                "turn_index": observation.turn_index,
                "event_id": None if event is None else event["event_id"],
                "phase": observation.phase,
                "rejection": None if rejection is None else rejection["code"],
                "served": {tool: result["record_version"] for tool, result in observation.retrieval["served"].items()},
            },
            {
                "role": "decided",
                "turn_index": observation.turn_index,
                "decision_digest_sha256": hashlib.sha256(encode_canonical_json(entry["outcome"])).hexdigest(),
            },
        ]
    return events


def test_the_session_follows_from_observations_and_tape() -> None:
    agent = Talking(*STEPS)
    episode = run(agent, CHECK)
    expected = rebuilt(agent.seen, episode.decisions)
    assert [event["role"] for event in agent.sessions[-1]][-1] == "observed"
    assert [
        dict(event) | {"served": dict(event["served"])} if "served" in event else dict(event)
        for event in agent.sessions[-1]
    ] == expected[:-1]
    assert [len(session) for session in agent.sessions] == [1, 3, 5, 7, 9]


def test_each_invocation_closes_with_the_digest_and_count_of_its_events() -> None:
    agent = Talking(*STEPS)
    episode = run(agent, CHECK)
    expected = rebuilt(agent.seen, episode.decisions)
    parts = [expected[:8], expected[8:]]
    assert [
        (row["invocation_index"], row["turn_index"], row["count"], row["events_digest_sha256"])
        for row in rows(episode, "agent_session")
    ] == [
        (1, 3, 8, hashlib.sha256(encode_canonical_json(parts[0])).hexdigest()),
        (2, 0, 2, hashlib.sha256(encode_canonical_json(parts[1])).hexdigest()),
    ]


def test_an_invocation_that_is_halted_closes_its_session_too() -> None:
    episode = run(Talking(*[act("fly", {})] * 4))
    shown = [row["record_type"] for row in episode.outcome.trajectory][-3:]
    assert shown == ["agent_session", "critical_violation", "episode_ended"]
    assert rows(episode, "agent_session")[0]["count"] == 8


def test_a_conversational_agent_leaves_the_facts_of_a_stateless_one() -> None:
    talking, silent = run(Talking(*STEPS), CHECK), run(Scripted(*STEPS), CHECK)
    assert facts(talking) == facts(silent)
    assert talking.decisions == silent.decisions
    assert talking.outcome.final_state == silent.outcome.final_state
    assert not rows(silent, "agent_session")


def test_tampering_with_the_session_changes_no_fact() -> None:
    class Tampering(Talking):
        def converse(self, observation: Observation, session: Any) -> object:
            with pytest.raises(TypeError):
                session[-1]["phase"] = "DONE"
            with pytest.raises(TypeError):
                session[0] = {}
            session._events[:] = [{"role": "invented"}]
            return super().converse(observation, session)

    assert run(Tampering(*STEPS), CHECK) == run(Talking(*STEPS), CHECK)


def test_slices_of_a_session_are_copies() -> None:
    agent = Talking(lambda _: None)
    looked: list[Any] = []

    class Slicing(Talking):
        def converse(self, observation: Observation, session: Any) -> object:
            looked.append((session[:1], session[-1]["role"], len(session)))
            return agent.converse(observation, session)

    run(Slicing())
    assert [type(part) for part, _, _ in looked] == [tuple, tuple]
    assert [role for _, role, _ in looked] == ["observed", "observed"]
