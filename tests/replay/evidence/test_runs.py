"""What the engine records of a run fits the contract, and is sealed as it is, whatever the agent did."""

import pytest

from operatebench.replay.evidence import parse_evidence
from operatebench.tracks.lifecycle import AGENTS
from tests.replay.evidence.documents import Evidence, built, provider_null
from tests.tracks.lifecycle.episodes import execution_of, runtime

CONTROLS = [("V1", agent) for agent in sorted(AGENTS)]


@pytest.mark.parametrize(("variant", "agent"), [*CONTROLS, ("V2", "reference"), ("V3", "reference")])
def test_an_episode_becomes_evidence(variant: str, agent: str) -> None:
    run = execution_of(variant, agent)
    start: Evidence = provider_null() | {"operation_instance_id": runtime().identity(variant, agent).instance_id(0)}
    assert (run.execution_record, run.provider_binding) == (start["execution_record"], start["provider_binding"])

    evidence = built(start, outcome=run.outcome, decision_tape=run.decision_tape)

    assert parse_evidence(evidence.to_bytes()) == evidence
    assert evidence.to_wire()["outcome"] == run.outcome
    assert evidence.to_wire()["decision_tape"] == run.decision_tape
    parts = run.outcome["trajectory"], run.outcome["events"], run.decision_tape["decisions"]
    assert max(map(len, parts)) <= 4_000
    assert nodes(run.outcome) + nodes(run.decision_tape) <= 100_000


def nodes(value: object) -> int:
    """Count values and member names (evidence contract, 2.1)."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(nodes, value.values()))
    return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1
