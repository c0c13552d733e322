"""One trial: executed twice with fresh agents, graded with its reproduction, within the record budget."""

import pytest

from operatebench.runtime.core.decisions import act, wait
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.protocol import Agent
from operatebench.tracks.lifecycle import (
    AGENTS,
    EpisodeRecord,
    grade_lines,
    packaged_spec,
    parse_episode,
    picture,
    run,
    run_one,
    timeline,
)
from operatebench.tracks.lifecycle.selection import Selection, operation_instance_id
from operatebench.tracks.lifecycle.tell import Kind

SPEC = packaged_spec()


def test_a_trial_is_executed_and_graded() -> None:
    trial = run_one(SPEC, "V1", "reference", 2)

    assert trial.selection == Selection(SPEC.operation_id, "V1", "reference", 2)
    assert trial.instance_id == operation_instance_id(SPEC.digest_sha256, trial.selection)
    assert trial.episode.outcome.status == SPEC.variants["V1"].expected_terminal
    assert trial.evaluation.reliable


def test_running_again_gives_the_same() -> None:
    assert run_one(SPEC, "V3", "reference") == run_one(SPEC, "V3", "reference")


@pytest.mark.parametrize(("variant", "agent"), [("V4", "reference"), ("V1", "nobody")])
def test_unknown_names_are_wrong_calls(variant: str, agent: str) -> None:
    with pytest.raises(KeyError):
        run_one(SPEC, variant, agent)


def test_an_agent_of_ones_own_is_run_as_a_registered_one() -> None:
    registered = run_one(SPEC, "V1", "always_wait")
    made = []

    def create() -> Agent:
        made.append(AGENTS["always_wait"]())
        return made[-1]

    own = run_one(SPEC, "V1", "my_own", create=create)

    assert len({id(agent) for agent in made}) == 2
    assert own.selection == Selection(SPEC.operation_id, "V1", "my_own", 0)
    assert own.instance_id != registered.instance_id
    assert (own.episode.outcome, own.evaluation) == (registered.episode.outcome, registered.evaluation)
    assert parse_episode(EpisodeRecord.of(SPEC, own).to_bytes()).selection == own.selection


def test_a_second_execution_that_differs_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    executions = iter(
        [run.execute(SPEC, Selection(SPEC.operation_id, "V1", agent, 0)) for agent in ("reference", "always_wait")]
    )
    monkeypatch.setattr(run, "execute", lambda *_: next(executions))

    evaluation = run_one(SPEC, "V1", "reference").evaluation

    assert evaluation.failed_dimensions == ("deterministic_replay",)
    assert evaluation.finding_codes == ("REPLAY_DIVERGED",)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_episode_fits_the_evidence_contract(agent: str) -> None:
    episode = run.execute(SPEC, Selection(SPEC.operation_id, "V1", agent, 0))

    assert len(episode.outcome.trajectory) <= 4_000
    assert len(episode.outcome.events) <= 4_000
    assert len(episode.decisions) <= 4_000
    assert nodes(episode.outcome.to_wire()) + nodes(episode.tape()) <= 100_000


class Talkative:
    """Says as much as is admitted, in every turn, and is never wrong enough to be stopped for it."""

    def decide(self, observation: Observation) -> object:
        if observation.turn_index % 2 == 0:
            return act("x", {"text": "y" * 60_000})
        return wait("z" * 60_000, fallback_after_minutes=1)


def test_a_record_that_is_full_can_be_kept_read_and_shown() -> None:
    text = EpisodeRecord.of(SPEC, run_one(SPEC, "V1", "talkative", create=Talkative)).to_bytes()
    record = parse_episode(text)

    violations = [row for row in record.outcome["trajectory"] if row["record_type"] == "critical_violation"]
    assert [row["code"] for row in violations] == ["RECORD_BUDGET_EXHAUSTED"]
    assert len(text) < 8 * 1024 * 1024
    assert any(moment.kind is Kind.VIOLATION for moment in timeline(record))
    assert grade_lines(record)
    assert picture(record)


def nodes(value: object) -> int:
    """Count values and member names (evidence contract, 2.1)."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(nodes, value.values()))
    return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1
