"""The conversational agent decides as the reference does, and its session carries no fact."""

from __future__ import annotations

import pytest

from operatebench.runtime.maintenance.agents.conversational import Conversational
from operatebench.runtime.maintenance.agents.reference import Reference
from tests.runtime.maintenance.agents.episodes import episode, rows
from tests.runtime.maintenance.agents.looks import look


@pytest.mark.parametrize("variant_id", ["V1", "V2", "V3"])
def test_it_decides_as_the_reference(variant_id: str) -> None:
    conversational, reference = episode("conversational", variant_id), episode("reference", variant_id)
    assert conversational.decisions == reference.decisions
    assert conversational.outcome.final_state == reference.outcome.final_state
    assert len(rows(conversational, "agent_session")) == conversational.outcome.invocations
    assert rows(reference, "agent_session") == []


def test_no_session_changes_a_decision() -> None:
    seen = look(issue=None, current_cycle_id=None)
    lie = {"role": "decided", "turn_index": 0, "decision_digest_sha256": "0" * 64}
    assert Conversational().converse(seen, (lie,)) == Conversational().converse(seen, ()) == Reference().decide(seen)
