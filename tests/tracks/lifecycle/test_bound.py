"""The Maintenance runtime as a bound component: what it knows, and that a recorded tape gives the same run again."""

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from operatebench.replay.bound import BoundRuntime, Execution
from operatebench.replay.evidence import build_evidence
from operatebench.runtime.core.decisions import MALFORMED_DETAILS
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.maintenance.evaluator import DIMENSIONS
from operatebench.runtime.maintenance.spec.load import parse_spec
from operatebench.tracks.lifecycle import (
    AGENTS,
    AgentFactory,
    MaintenanceRuntime,
    bound,
    live_source,
    live_source_files,
    load_spec,
    packaged_spec,
    packaged_spec_text,
)
from tests.tracks.lifecycle.episodes import OPERATION, execution_of, runtime, selection_of

SELECTION = selection_of("V1", "reference").to_wire()
RUNS = [*(("V1", agent) for agent in AGENTS), ("V2", "reference"), ("V3", "reference"), ("V2", "conversational")]


def test_it_is_a_bound_runtime() -> None:
    live: BoundRuntime = runtime()  # the type checker compares every member

    assert live.source_identity_digest_sha256 == live_source().identity.digest_sha256
    assert live.live(SELECTION) is runtime().identity("V1", "reference").projections
    assert live.live({**SELECTION, "trial": 7}) == live.live(SELECTION) != live.live({**SELECTION, "variant_id": "V2"})


@pytest.mark.parametrize(
    "changes",
    [
        {"track": "another"},
        {"pack": "another"},
        {"operation_id": "ANOTHER"},
        {"operation_id": OPERATION.lower()},
        {"variant_id": "V9"},
        {"variant_id": "v1"},
        {"agent_id": "nobody"},
        {"agent_id": "Reference"},
        {"arm": "half_lifecycle"},
        {"plan": "another"},
    ],
)
def test_a_selection_that_nothing_here_has_is_unknown(changes: dict[str, str]) -> None:
    assert runtime().live({**SELECTION, **changes}) is None


def test_each_spec_has_its_own_operation_and_each_runtime_its_own_agents() -> None:
    renamed = packaged_spec_text().replace(OPERATION.encode(), b"ANOTHER_OPERATION")
    other = MaintenanceRuntime(parse_spec(renamed, "s"))
    selection = {**SELECTION, "operation_id": "ANOTHER_OPERATION"}

    assert (runtime().live(selection), other.live(SELECTION)) == (None, None)
    assert other.live(selection) is not None
    assert MaintenanceRuntime(agents={"own": AGENTS["reference"]}).live(SELECTION) is None


def again(runs: MaintenanceRuntime, selection: dict[str, Any], tape: dict[str, Any]) -> Execution:
    """Replay a tape under the instance id of a selection."""
    instance_id = runs.identity(selection["variant_id"], selection["agent_id"]).instance_id(selection["trial"])
    return runs.replay(selection, instance_id, tape)


@pytest.mark.parametrize(("variant", "agent"), RUNS)
def test_a_recorded_tape_gives_the_recorded_run_again_and_its_ending(variant: str, agent: str) -> None:
    run, selection = execution_of(variant, agent), selection_of(variant, agent).to_wire()

    replayed = again(runtime(), selection, deepcopy(run.decision_tape))

    assert replayed == run
    grade = runtime().evaluate(selection, run, replayed)
    assert runtime().outcome_class(run.outcome) == grade["outcome_class"]
    assert next(row["ok"] for row in grade["vector"] if row["dimension"] == "deterministic_replay")


class Odd:
    """Says one odd thing, then what the reference says."""

    def __init__(self, odd: Callable[[], object]) -> None:
        self._odd = iter([odd])
        self._reference = AGENTS["reference"]()

    def decide(self, observation: Observation) -> object:
        for odd in self._odd:
            return odd()
        return self._reference.decide(observation)


def fail() -> object:
    raise SystemExit


ODD: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "raises": fail,
    "no_json": lambda: {"kind": "WAIT", "reason": 1.5},
    "too_long": lambda: {"kind": "COMPLETE", "reason": "x" * 70_000, "evidence_refs": []},
    "of_a_refused_shape": lambda: {"kind": "WAIT", "reason": "", "wake_on": [], "fallback_after_minutes": None},
    "unknown_tool": lambda: {"kind": "RETRIEVE", "requests": [{"tool": "no_such", "arguments": {}}]},
    **{code.lower(): lambda code=code: {"kind": "MALFORMED", "code": code} for code in MALFORMED_DETAILS},  # type: ignore[misc]  # mypy finds no type for a lambda with a default
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_decision_is_replayed_as_it_was_recorded(name: str) -> None:
    runs = MaintenanceRuntime(agents={"reference": lambda: Odd(ODD[name])})
    run = runs.execute(SELECTION, "opinst_" + "0" * 32)

    replayed = runs.replay(SELECTION, "opinst_" + "0" * 32, run.decision_tape)

    assert replayed == run
    rows = run.outcome["trajectory"]
    assert {"outcome_rejected", "retrieval_refused"} & {row["record_type"] for row in rows}


class Talks:
    """Has a session."""

    def converse(self, observation: Observation, _session: Sequence[object]) -> object:
        return AGENTS["always_wait"]().decide(observation)


class TalksNot:
    """Has the name of what it would need for a session, and nothing behind it."""

    converse = None

    def decide(self, observation: Observation) -> object:
        return AGENTS["always_wait"]().decide(observation)


@pytest.mark.parametrize(("create", "sessions"), [(Talks, True), (TalksNot, False)])
def test_a_session_is_kept_in_a_replay_if_it_was_in_the_run(create: AgentFactory, sessions: bool) -> None:
    runs = MaintenanceRuntime(agents={"reference": create})
    run = runs.execute(SELECTION, "opinst_" + "0" * 32)

    assert any(row["record_type"] == "agent_session" for row in run.outcome["trajectory"]) == sessions
    assert runs.replay(SELECTION, "opinst_" + "0" * 32, run.decision_tape) == run


def swap(decisions: list[dict[str, Any]], at: int) -> None:
    """Exchange a decision with the next other one."""
    other = next(i for i in range(at + 1, len(decisions)) if decisions[i]["outcome"] != decisions[at]["outcome"])
    decisions[at]["outcome"], decisions[other]["outcome"] = decisions[other]["outcome"], decisions[at]["outcome"]


TAMPER: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "emptied": lambda decisions: decisions.clear(),
    "cut in the middle": lambda decisions: decisions.__delitem__(slice(len(decisions) // 2, None)),
    "cut at the end": lambda decisions: decisions.pop(),
    "one too few": lambda decisions: decisions.pop(3),
    "first swapped": lambda decisions: swap(decisions, 0),
    "middle swapped": lambda decisions: swap(decisions, len(decisions) // 2),
    "last swapped": lambda decisions: swap(decisions, len(decisions) - 3),
    "impossible": lambda decisions: decisions[5].update(
        outcome={"kind": "ACT", "action_type": "x", "payload": {}, "evidence_refs": [], "rationale": ""}
    ),
}


@pytest.mark.parametrize("how", TAMPER)
@pytest.mark.parametrize("agent", ["reference", "conversational"])
def test_another_tape_gives_another_run_and_raises_nothing(agent: str, how: str) -> None:
    run, selection = execution_of("V1", agent), selection_of("V1", agent).to_wire()
    tape = deepcopy(run.decision_tape)
    TAMPER[how](tape["decisions"])

    replayed = again(runtime(), selection, tape)

    assert replayed.outcome != run.outcome
    assert replayed.decision_tape != run.decision_tape
    build_evidence(  # what comes of it is sound nevertheless
        manifest_digest="0" * 64, instance_id="opinst_" + "0" * 32, **dataclasses.asdict(replayed)
    )


def test_more_decisions_than_were_asked_for_are_not_in_the_run() -> None:
    run = execution_of("V1", "reference")
    tape = deepcopy(run.decision_tape)
    tape["decisions"].append(tape["decisions"][0])

    replayed = again(runtime(), SELECTION, tape)

    assert replayed == run
    assert replayed.decision_tape != tape


def test_another_instance_is_another_run() -> None:
    run = execution_of("V1", "reference")

    replayed = runtime().replay(SELECTION, "opinst_" + "0" * 32, run.decision_tape)

    assert replayed.outcome == run.outcome
    assert replayed.decision_tape != run.decision_tape  # it holds digests of what the agent saw


def test_the_rows_are_handed_on_as_they_are_made() -> None:
    groups: list[Sequence[Any]] = []
    run = runtime().execute(SELECTION, runtime().identity("V1", "reference").instance_id(0), groups.append)

    assert [row for group in groups for row in group] == run.outcome["trajectory"]
    assert len(groups) > 10
    assert run == execution_of("V1", "reference")


def test_executions_share_nothing_that_could_be_changed() -> None:
    one, two = (again(runtime(), SELECTION, execution_of("V1", "reference").decision_tape) for _ in range(2))
    one.execution_record["attempts"].append("mine")
    one.outcome["trajectory"].clear()

    assert two == execution_of("V1", "reference")


def test_the_spec_has_a_digest_unless_it_is_the_packaged_one(tmp_path: Path) -> None:
    commented = b"# mine\n" + packaged_spec_text()
    (tmp_path / "same.yaml").write_bytes(packaged_spec_text())
    (tmp_path / "commented.yaml").write_bytes(commented)
    same, other = (MaintenanceRuntime(load_spec(tmp_path / f"{name}.yaml")) for name in ("same", "commented"))

    assert runtime().spec_sha256 is None
    assert same.spec_sha256 is None
    assert other.spec_sha256 == hashlib.sha256(commented).hexdigest()
    assert other.identity("V1", "reference").manifest == runtime().identity("V1", "reference").manifest


def test_the_last_violation_names_the_ending() -> None:
    outcome = {"status": "operation_deadlock", "terminal_outcome": None}
    codes = ("INVOCATION_LIMIT_EXCEEDED", "HUMAN_CHECKPOINT_BUDGET_EXCEEDED")
    rows = [{"record_type": "critical_violation", "code": code} for code in codes]

    assert runtime().outcome_class({**outcome, "trajectory": rows}) == "human_intervention_budget_exceeded"
    assert runtime().outcome_class({**outcome, "trajectory": rows[:1]}) == "operation_deadlock"
    assert runtime().outcome_class({**outcome, "trajectory": []}) == "operation_deadlock"


def test_a_record_is_graded_whatever_it_holds_and_with_or_without_a_second_one() -> None:
    run = execution_of("V1", "reference")
    alone = runtime().evaluate(SELECTION, run, None)
    empty = runtime().evaluate(SELECTION, dataclasses.replace(run, outcome={}), run)

    assert [row["dimension"] for row in alone["vector"]] == list(DIMENSIONS)
    assert [row["dimension"] for row in alone["vector"] if not row["ok"]] == ["deterministic_replay"]
    assert {finding["code"] for finding in alone["findings"]} == {"REPLAY_NOT_CHECKED"}
    assert not all(row["ok"] for row in empty["vector"])


def built_of(monkeypatch: pytest.MonkeyPatch, path: str) -> MaintenanceRuntime:
    """Return the runtime of a build in which one file is another."""
    files = {**live_source_files(), path: (1, "f" * 64)}
    monkeypatch.setattr(bound, "live_source_files", lambda: files)
    return MaintenanceRuntime()


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("runtime/core/engine.py", False),
        ("runtime/maintenance/operation.py", False),
        ("runtime/maintenance/agents/reference.py", False),
        ("identity/canonical.py", False),
        ("runtime/maintenance/evaluator/recovery.py", True),
        ("runtime/maintenance/agents/always_wait.py", True),
        ("tracks/lifecycle/bound.py", True),
    ],
)
def test_the_instance_moves_with_what_can_change_the_run(
    monkeypatch: pytest.MonkeyPatch, path: str, same: bool
) -> None:
    assert path in live_source_files()
    now, then = runtime().identity("V1", "reference"), built_of(monkeypatch, path).identity("V1", "reference")

    assert (then.instance_id(0) == now.instance_id(0)) == same
    evaluator = "evaluator_bundle_content"
    assert (then.content_digest(evaluator) == now.content_digest(evaluator)) == ("evaluator" not in path)


def test_an_identity_is_made_once_and_only_of_what_there_is() -> None:
    assert runtime().identity("V1", "reference") is runtime().identity("V1", "reference")
    for names in (("V9", "reference"), ("V1", "nobody")):
        with pytest.raises(KeyError):
            runtime().identity(*names)
    assert packaged_spec() is runtime().spec
