"""What the engine records of a run is sealed as it is, whatever the agent did."""

import pytest

from operatebench.replay.evidence import parse_evidence
from operatebench.tracks.lifecycle import AGENTS, packaged_spec, run_one
from tests.replay.evidence.documents import Evidence, built, provider_null

CONTROLS = [("V1", agent) for agent in sorted(AGENTS)]


@pytest.mark.parametrize(("variant", "agent"), [*CONTROLS, ("V2", "reference"), ("V3", "reference")])
def test_an_episode_becomes_evidence(variant: str, agent: str) -> None:
    run = run_one(packaged_spec(), variant, agent)
    outcome, tape = run.episode.outcome.to_wire(), run.episode.tape()
    start: Evidence = provider_null() | {"operation_instance_id": run.instance_id}

    evidence = built(start, outcome=outcome, decision_tape=tape)

    assert parse_evidence(evidence.to_bytes()) == evidence
    assert evidence.to_wire()["outcome"] == outcome
    assert evidence.to_wire()["decision_tape"] == tape
