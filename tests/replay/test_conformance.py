"""An automaton runs, ends and replays as its document says, within its bounds."""

from copy import deepcopy
from typing import Any

import pytest

from operatebench.replay.bound import BoundRuntime
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.evidence import validate_decision_tape, validate_episode_outcome, validate_execution_record
from tests.conformance.automata import AUTOMATON, WAIT

INSTANCE = f"opinst_{'0' * 32}"


def runtime(**members: Any) -> AutomatonRuntime:
    return AutomatonRuntime(Automaton.model_validate({**AUTOMATON, **members}))


BOUND = runtime()
CAREFUL = BOUND.selection("careful", 0)


def test_it_is_a_bound_runtime_whose_records_are_sound() -> None:
    bound: BoundRuntime = BOUND

    for agent in AUTOMATON["agents"]:
        run = bound.execute(bound_selection := BOUND.selection(agent, 3), INSTANCE)
        validate_episode_outcome(run.outcome)
        validate_decision_tape(run.decision_tape)
        validate_execution_record(run.execution_record)
        assert bound.execute(bound_selection, INSTANCE) == run
        assert bound.replay(bound_selection, INSTANCE, run.decision_tape) == run


def test_rows_are_handed_out_step_by_step() -> None:
    steps: list[list[Any]] = []
    run = BOUND.execute(CAREFUL, INSTANCE, lambda rows: steps.append(list(rows)))

    assert [len(step) for step in steps] == [2, 1, 1, 1]
    assert [row for step in steps for row in step] == run.outcome["trajectory"]
    assert run.outcome["simulated_minutes"] == 5 + 1440 + 10
    assert run.outcome["ended_at"] == "2032-02-29T22:15:00Z"


def test_what_the_sink_raises_ends_the_run() -> None:
    def full(_: object) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        BOUND.execute(CAREFUL, INSTANCE, full)


def test_an_agent_that_never_ends_halts_at_the_horizon() -> None:
    run = BOUND.execute(BOUND.selection("idle", 0), INSTANCE)

    assert run.outcome["status"] == "operational_horizon_exhausted"
    assert len(run.decision_tape["decisions"]) == AUTOMATON["max_steps"]
    assert BOUND.outcome_class(run.outcome) == "abandoned"


def test_a_tape_that_ends_early_is_a_deadlock_of_no_named_class() -> None:
    tape = deepcopy(BOUND.execute(CAREFUL, INSTANCE).decision_tape)
    del tape["decisions"][2:]
    run = BOUND.replay(CAREFUL, INSTANCE, tape)

    assert (run.outcome["status"], run.outcome["terminal_outcome"]) == ("operation_deadlock", None)
    assert BOUND.outcome_class(run.outcome) == "unclassified"


def test_other_decisions_lead_elsewhere_and_the_observation_says_where() -> None:
    tape = deepcopy(BOUND.execute(CAREFUL, INSTANCE).decision_tape)
    tape["decisions"][0]["outcome"] = WAIT
    run = BOUND.replay(CAREFUL, INSTANCE, tape)

    assert run.outcome["trajectory"][0]["record_type"] == "nothing_done"
    seen = [each["observation_digest_sha256"] for each in run.decision_tape["decisions"]]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("member", ["operation_id", "variant_id", "agent_id", "arm", "plan", "track", "pack"])
def test_another_selection_is_unknown(member: str) -> None:
    assert BOUND.live({**CAREFUL, member: "other"}) is None
    assert BOUND.live({**CAREFUL, "trial": 9}) is BOUND.live(CAREFUL)


def test_a_grade_says_what_is_wrong_and_tells_whether_it_came_out_again() -> None:
    run, other = (BOUND.execute(BOUND.selection(agent, 0), INSTANCE) for agent in ("hasty", "careful"))
    alone, beside = (BOUND.evaluate(CAREFUL, run, again) for again in (None, other))

    assert [row["dimension"] for row in alone["vector"] if not row["ok"]] == ["approval"]
    assert [row["dimension"] for row in beside["vector"] if not row["ok"]] == ["approval", "same_again"]
    assert [finding["code"] for finding in beside["findings"]] == ["NOT_APPROVED", "OTHER_OUTCOME"]


def test_a_grade_of_foreign_rows_raises_nothing() -> None:
    run = BOUND.execute(CAREFUL, INSTANCE)
    run.outcome["trajectory"] += [
        None,
        1,
        "x",
        [],
        {},
        {"record_type": 5},
        {"record_type": []},
        {"record_type": "approval_asked"},
    ]

    assert BOUND.evaluate(CAREFUL, run, None)["vector"][-1] == {"dimension": "same_again", "ok": True}
