"""One trial: executed twice with fresh agents, graded with its reproduction, within the record budget."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from operatebench.runtime.core.decisions import act, wait
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.protocol import Agent
from operatebench.runtime.core.vocabulary import Ending
from operatebench.tracks.lifecycle import (
    AGENTS,
    MaintenanceRuntime,
    grade_lines,
    keep_run,
    packaged_spec,
    picture,
    read_episode,
    run_one,
    timeline,
)
from operatebench.tracks.lifecycle.tell import Kind
from tests.tracks.lifecycle.episodes import execution_of, record_of, runtime, selection_of, writer

SPEC = packaged_spec()


def test_a_trial_is_executed_and_graded() -> None:
    trial = run_one(runtime(), "V1", "reference", 2)

    assert trial.selection == selection_of("V1", "reference", 2)
    assert trial.instance_id == runtime().identity("V1", "reference").instance_id(2)
    assert trial.outcome["status"] == SPEC.variants["V1"].expected_terminal
    assert trial.reliable
    assert (trial.failed_dimensions, trial.finding_codes) == ((), ())


def test_an_unreliable_trial_names_its_reasons() -> None:
    trial = record_of("V1", "trust_actor_claim")

    assert not trial.reliable
    assert "authority_boundaries" in trial.failed_dimensions
    assert trial.failed_dimensions == tuple(name for name in SPEC.dimensions if name in trial.failed_dimensions)
    assert "CLAIM_TREATED_AS_AUTHORITATIVE" in trial.finding_codes
    assert trial.finding_codes == tuple(sorted({each["code"] for each in trial.evaluation["findings"]}))


@pytest.mark.parametrize("ending", Ending)
def test_only_a_legitimate_end_with_all_dimensions_is_reliable(ending: Ending) -> None:
    good = record_of("V1", "reference")
    rows = [dict(row) for row in good.evaluation["vector"]]
    rows[-1]["ok"] = False

    def reliable(**changes: Any) -> bool:
        evaluation = {**good.evaluation, "outcome_class": ending.value, **changes}
        return dataclasses.replace(good, evaluation=evaluation).reliable

    assert reliable() == (ending in {Ending.SUCCESSFUL_COMPLETION, Ending.AUTHORISED_CANCELLATION_OR_TRANSFER})
    assert not reliable(vector=rows)


def test_running_again_gives_the_same() -> None:
    assert run_one(runtime(), "V3", "reference") == record_of("V3", "reference")


@pytest.mark.parametrize(("variant", "agent"), [("V4", "reference"), ("V1", "nobody")])
def test_unknown_names_are_wrong_calls(variant: str, agent: str) -> None:
    with pytest.raises(KeyError):
        run_one(runtime(), variant, agent)


def test_an_agent_of_ones_own_is_run_as_a_registered_one(tmp_path: Path) -> None:
    registered = record_of("V1", "always_wait")
    made = []

    def create() -> Agent:
        made.append(AGENTS["always_wait"]())
        return made[-1]

    with_own = MaintenanceRuntime(agents={"my_own": create})
    own = run_one(with_own, "V1", "my_own")

    assert len({id(agent) for agent in made}) == 2
    assert own.selection == selection_of("V1", "my_own")
    assert own.instance_id != registered.instance_id
    assert (own.outcome, own.evaluation) == (registered.outcome, registered.evaluation)
    kept = keep_run(with_own, own.selection, tmp_path / "run", writer())
    assert (kept.selection, kept.instance_id, kept.outcome) == (own.selection, own.instance_id, own.outcome)
    with pytest.raises(KeyError):
        run_one(with_own, "V1", "reference")


def test_a_second_execution_that_differs_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    executions = iter([execution_of("V1", agent) for agent in ("reference", "always_wait")])
    monkeypatch.setattr(MaintenanceRuntime, "execute", lambda *_: next(executions))

    trial = run_one(runtime(), "V1", "reference")

    assert trial.failed_dimensions == ("deterministic_replay",)
    assert trial.finding_codes == ("REPLAY_DIVERGED",)


class Talkative:
    """Says as much as is admitted, in every turn, and is never wrong enough to be stopped for it."""

    def decide(self, observation: Observation) -> object:
        if observation.turn_index % 2 == 0:
            return act("x", {"text": "y" * 60_000})
        return wait("z" * 60_000, fallback_after_minutes=1)


def test_a_record_that_is_full_can_be_kept_read_and_shown(tmp_path: Path) -> None:
    full = MaintenanceRuntime(agents={"talkative": Talkative})
    kept = keep_run(full, selection_of("V1", "talkative"), tmp_path / "run", writer())
    record = read_episode(tmp_path / "run")

    assert record == kept
    violations = [row for row in record.outcome["trajectory"] if row["record_type"] == "critical_violation"]
    assert [row["code"] for row in violations] == ["RECORD_BUDGET_EXHAUSTED"]
    assert (tmp_path / "run" / "evidence.json").stat().st_size <= 8 * 1024 * 1024 + 1
    assert any(moment.kind is Kind.VIOLATION for moment in timeline(record))
    assert grade_lines(record)
    assert picture(record)
