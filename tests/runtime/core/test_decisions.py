"""Whatever an agent returns or raises, the engine goes on, and the tape holds decisions of the closed union only."""

import collections
import datetime as dt
import enum
import uuid
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings

from operatebench.runtime.core import decisions
from operatebench.runtime.core.decisions import MALFORMED_DETAILS, act, admit, ask, complete, escalate, retrieve, wait
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.observation import Observation
from tests.identity import hostile
from tests.runtime.core.decision_oracle import any_return, is_taped_as_it_is, measure
from tests.runtime.core.licensing import REST, Forever, Scripted, rows, run

UNCLASSIFIED = {"kind": "MALFORMED", "code": "MODEL_OUTPUT_UNCLASSIFIED"}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@given(any_return)
@settings(max_examples=200)
def test_admission_agrees_with_the_schema_of_the_union(value: Any) -> None:
    admitted = admit(value)
    assert admitted.value == (value if is_taped_as_it_is(value) else UNCLASSIFIED)
    assert admitted.nodes == measure(admitted.value)[0]


@given(any_return)
@settings(max_examples=100)
def test_an_episode_survives_any_return_and_tapes_it_or_malformed(value: Any) -> None:
    episode = run(Scripted(lambda _: value))
    taped = episode.decisions[0]["outcome"]
    assert taped == (value if is_taped_as_it_is(value) else UNCLASSIFIED)
    assert all(is_taped_as_it_is(decision["outcome"]) for decision in episode.decisions)


@pytest.mark.parametrize(
    "decision",
    [
        act("a", {"x": [1, {"y": None}]}, ["r"], "why"),
        wait("r", ["e"], 5),
        wait("r"),
        ask("a", "m", wait("r", [], 1), "c"),
        ask("a", "m", wait("r", [], 1)),
        escalate("c", "e", ["r"], 5, "why"),
        complete("r", ["x"]),
        retrieve(),
        retrieve("a", "b"),
    ],
)
def test_the_builders_make_what_the_tape_holds(decision: dict[str, Any]) -> None:
    assert admit(decision).value == decision
    assert is_taped_as_it_is(decision)


def test_admission_detaches() -> None:
    decision = act("a", {"x": [1]})
    admitted = admit(decision).value
    decision["payload"]["x"].append(2)
    assert admitted["payload"] == {"x": [1]}


def members(count: int) -> dict[str, Any]:
    return act("a", {str(number): 0 for number in range(count)})


def sized(size: int) -> dict[str, Any]:
    empty = len(admit(complete("")).data)
    return complete("x" * (size - empty))


@pytest.mark.parametrize(
    ("fits", "over"),
    [
        (act("a", {"x": nested(30)}), act("a", {"x": nested(31)})),
        (members(994), members(995)),
        (sized(65_536), sized(65_537)),
        (act("x" * 256, {}), act("x" * 257, {})),
        (act("\U0001f600" * 256, {}), act("\U0001f600" * 257, {})),
        (wait("r", [], 2**53 - 1), wait("r", [], 2**53)),
        (escalate("c", "e", [], 0), escalate("c", "e", [], -1)),
    ],
)
def test_every_limit_at_both_sides(fits: Any, over: Any) -> None:
    assert admit(fits).value == fits
    assert admit(over).value == UNCLASSIFIED


class Text(str):
    __slots__ = ()


class Word(enum.StrEnum):
    ACT = "ACT"


class Pair(collections.UserDict[str, Any]):
    pass


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "WAIT",
        REST["kind"],
        object(),
        collections.OrderedDict(REST),
        MappingProxyType(REST),
        Pair(REST),
        {**REST, "wake_on": ("claim_made",)},
        {**REST, "reason": Text("r")},
        {**act("a", {}), "kind": Word.ACT},
        act("a", {"x": uuid.UUID(int=1)}),
        act("a", {"x": dt.datetime(2040, 1, 1, tzinfo=dt.UTC)}),
        act("a", {"x": 1.0}),
        act("a", {"x": float("nan")}),
        act("a", {"x": 10**5000}),
        act("a", {"x": "\ud800"}),
        act("a", {"\udfff": 1}),
        {**act("a", {}), "payload": {1: 2}},
        {**REST, "fallback_after_minutes": True},
        act("a", {"x": LOOP}),
        act("a", {"x": nested(100_000)}),
        act("a", {"x": b"x"}),
        complete("x" * 5_000_000),
        iter([REST]),
    ],
)
def test_what_only_looks_like_a_decision_is_malformed(value: Any) -> None:
    episode = run(Scripted(lambda _: value))
    assert episode.decisions[0]["outcome"] == UNCLASSIFIED
    rejected = rows(episode, "outcome_rejected")[0]
    assert (rejected["code"], rejected["detail"]) == (
        "MALFORMED_AGENT_OUTCOME",
        MALFORMED_DETAILS["MODEL_OUTPUT_UNCLASSIFIED"],
    )


def test_no_hook_of_a_hostile_object_runs() -> None:
    for thing in (make() for make in hostile.VALUES.values()):
        for value in (thing, {**act("a", {}), "payload": {"x": thing}}, {**REST, "wake_on": [thing]}):
            with hostile.armed() as ran:
                admitted = admit(value)
            assert admitted.value == UNCLASSIFIED
            assert ran == []


class Odd(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [ValueError("x" * 99), RecursionError(), MemoryError(), SystemExit(3), GeneratorExit(), Odd(), StopIteration()],
)
def test_whatever_an_agent_raises_is_a_malformed_decision(error: BaseException) -> None:
    def explode(_: Observation) -> object:
        raise error

    episode = run(Scripted(explode))
    assert episode.decisions[0]["outcome"] == UNCLASSIFIED
    assert "x" * 99 not in str(episode)


def test_an_agent_that_recurses_without_end_is_malformed() -> None:
    def dig(observation: Observation) -> object:
        return [dig(observation)]

    assert run(Scripted(dig)).decisions[0]["outcome"] == UNCLASSIFIED


def test_an_agent_without_the_right_methods_is_malformed() -> None:
    class Prickly:
        def __getattr__(self, name: str) -> Any:
            raise SystemExit(name)

    for agent in (object(), None, Prickly()):
        assert run(agent).decisions[0]["outcome"] == UNCLASSIFIED


def test_an_interrupt_from_the_keyboard_passes() -> None:
    def stop(_: Observation) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Scripted(stop))


@pytest.mark.parametrize("code", sorted(MALFORMED_DETAILS))
def test_a_classified_malformed_decision_keeps_its_code_on_the_tape(code: str) -> None:
    agent = Scripted({"kind": "MALFORMED", "code": code})
    episode = run(agent)
    assert episode.decisions[0]["outcome"]["code"] == code
    rejected = rows(episode, "outcome_rejected")[0]
    assert (rejected["code"], rejected["detail"]) == ("MALFORMED_AGENT_OUTCOME", MALFORMED_DETAILS[code])
    assert agent.seen[1].last_rejection == {
        "action_type": "<decision>",
        "code": rejected["code"],
        "detail": rejected["detail"],
    }


@pytest.mark.parametrize(
    ("decision", "code"),
    [
        (wait("r"), "WAIT_CONTRACT_BROKEN"),
        (wait("r", ["claim_made"], 0), "WAIT_CONTRACT_BROKEN"),
        (ask("ann", "receipt", wait("r")), "WAIT_CONTRACT_BROKEN"),
        (escalate("c", "e", [], 0), "DEADLINE_NOT_POSITIVE"),
        (wait("r", [], 2**53 - 1), "DEADLINE_BEYOND_CALENDAR"),
        (ask("ann", "receipt", wait("r", [], 2**53 - 1)), "DEADLINE_BEYOND_CALENDAR"),
        (escalate("c", "e", [], 2**53 - 1), "DEADLINE_BEYOND_CALENDAR"),
    ],
)
def test_a_member_of_the_union_that_breaks_a_shape_rule_is_taped_and_refused_before_anything_happens(
    decision: dict[str, Any], code: str
) -> None:
    episode = run(Scripted(decision))
    assert episode.decisions[0]["outcome"] == decision
    rejected = rows(episode, "outcome_rejected")[0]
    assert (rejected["code"], rejected["detail"], rejected["turn_index"]) == (code, decisions.REFUSED_SHAPES[code], 0)
    assert not rows(episode, "action_proposed")
    assert len(rows(episode, "agent_outcome")) == 1


def test_every_refused_decision_uses_a_business_turn() -> None:
    def ended_by(agent: Any) -> tuple[str, int]:
        episode: Episode = run(agent)
        return rows(episode, "critical_violation")[0]["code"], len(episode.decisions)

    assert ended_by(Forever(lambda _: None)) == ("INVOCATION_TURN_LIMIT_EXCEEDED", 4)
    assert ended_by(Forever(lambda _: wait("r"))) == ("INVOCATION_TURN_LIMIT_EXCEEDED", 4)
    assert ended_by(Forever(lambda _: wait("r", ["moon"]))) == ("INVOCATION_TURN_LIMIT_EXCEEDED", 4)


def test_the_tape_names_call_and_observation() -> None:
    episode = run(Scripted(retrieve("read_file"), REST))
    assert [(entry["invocation_index"], entry["turn_index"]) for entry in episode.decisions] == [(1, 0), (1, 1)]
    assert all(
        sorted(entry) == ["invocation_index", "observation_digest_sha256", "outcome", "turn_index"]
        for entry in episode.decisions
    )
    tape = episode.tape()
    assert (tape["schema"], tape["schema_version"]) == ("operatebench.decision_tape.v1", 1)
    assert tape["decisions"] == list(episode.decisions)
    tape["decisions"][0]["outcome"]["kind"] = "changed"
    assert episode.decisions[0]["outcome"]["kind"] == "RETRIEVE"
