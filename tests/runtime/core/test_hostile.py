"""Agents that never stop end, and what they leave fits the evidence contract."""

from collections.abc import Callable
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.runtime.core.decisions import act, ask, complete, escalate, retrieve, wait
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.record import RecordBudget
from tests.runtime.core.decision_oracle import measure
from tests.runtime.core.licensing import PLAN, Forever, Licensing, audit_at, plan, rows, run

GENEROUS = {
    "horizon_minutes": 10**9,
    "max_turns_per_invocation": 10**6,
    "max_invocations": 10**6,
    "max_retrieval_batches_per_invocation": 10**6,
}


def widest_list(value: Any) -> int:
    below = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return max([len(below), *map(widest_list, below)])


def assert_fits_evidence(episode: Episode) -> None:
    whole = {"outcome": episode.outcome.to_wire(), "decision_tape": episode.tape()}
    room_for_the_rest = 2_000
    assert measure(whole)[0] + room_for_the_rest <= 100_000
    assert len(encode_canonical_json(whole)) + room_for_the_rest <= 8 * 1024 * 1024
    assert widest_list(whole) <= 4_096


def wide(_: Any) -> object:
    return act("file_note", {"text": "n", "many": list(range(1_900))}, [])


def long(_: Any) -> object:
    return wait("\u00e9" * 30_000, ["claim_made"] * 400, 1)


LOOPS: dict[str, Callable[[Any], object]] = {
    "always reads": lambda _: retrieve("read_file", "read_post"),
    "always reads nothing": lambda _: retrieve("nothing"),
    "always waits a minute": lambda _: wait("on", [], 1),
    "always waits for everything": lambda _: wait("on", PLAN.wake_event_types, 1),
    "always malformed": lambda _: None,
    "always refused": lambda _: act("fly", {}),
    "always acts": lambda _: act("file_note", {"text": "note"}),
    "always completes": lambda _: complete("done"),
    "always asks": lambda _: ask("ann", "receipt", wait("on", [], 1)),
    "always escalates": lambda _: escalate("c", "e", [], 1),
    "always wide": wide,
    "always long": long,
}


@pytest.mark.parametrize("name", LOOPS)
def test_an_endless_agent_ends_within_the_record_budget(name: str) -> None:
    episode = run(Forever(LOOPS[name]), limits=GENEROUS, budget=RecordBudget())
    code = rows(episode, "critical_violation")[-1]["code"]
    assert code == ("HUMAN_CHECKPOINT_BUDGET_EXCEEDED" if name == "always escalates" else "RECORD_BUDGET_EXHAUSTED")
    assert_fits_evidence(episode)
    assert [row["record_type"] for row in episode.outcome.trajectory][-2:] == ["critical_violation", "episode_ended"]


def test_an_endless_agent_ends_within_the_limits_of_the_episode_too() -> None:
    for make in LOOPS.values():
        assert rows(run(Forever(make)), "critical_violation", "wait_unresolved_at_horizon")


def test_a_hundred_thousand_events_run_without_a_budget() -> None:
    events = [audit_at(1 + number // 50, number) for number in range(100_000)]
    episode = run(Forever(lambda _: wait("on", ["review_decided"])), of=plan(*events))
    assert len(episode.outcome.events) == 100_001
    assert len(rows(episode, "event_audit_only")) == 100_000
    assert len(episode.outcome.final_state["claims"]) == 100_000


def test_many_events_are_cut_by_the_budget() -> None:
    events = [audit_at(number, number) for number in range(1, 5_000)]
    episode = run(Forever(lambda _: wait("on", ["review_decided"])), *events, budget=RecordBudget())
    assert rows(episode, "critical_violation")[0]["code"] == "RECORD_BUDGET_EXHAUSTED"
    assert_fits_evidence(episode)
    assert Licensing().is_replay_final(episode.outcome.final_state) is episode.outcome.replay_final
