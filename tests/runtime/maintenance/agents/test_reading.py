"""When the agents read what."""

from __future__ import annotations

from typing import Any

import pytest

from operatebench.runtime.maintenance.agents import create
from tests.runtime.maintenance.agents.looks import CATALOGUE, ISSUE, PLAN, approval, cycle, event, look, quote

CASE: dict[str, Any] = {
    "issue": ISSUE,
    "customer_resolution": "UNCONFIRMED",
    "current_cycle_id": "work_cycle_2",
    "cycles": [cycle()],
    "ownership": None,
    "cancellation": None,
    "provisional_close": None,
}


def tools_of(decision: object) -> list[str]:
    assert isinstance(decision, dict)
    assert decision["kind"] == "RETRIEVE"
    return [request["tool"] for request in decision["requests"]]


PHASES = ("NEW", "ACTIVE", "WAITING_APPROVAL", "WAITING_EXCEPTION", "PROVISIONALLY_CLOSED", "a phase of tomorrow")


@pytest.mark.parametrize("event_type", [*PLAN.wake_event_types, None])
def test_every_wake_and_effect_is_followed_by_one_batch_within_bounds(event_type: str | None) -> None:
    woken_by = event(event_type) if event_type else None
    for phase in PHASES:
        for turn in (0, 2):
            tools = tools_of(create("reference").decide(look(phase=phase, woken_by=woken_by, turn=turn, tools=())))
            assert "get_case_record" in tools
            assert "list_recent_events" not in tools
            assert len(tools) == len(set(tools)) <= 6
            assert set(tools) <= CATALOGUE.keys()


def test_everything_is_read_anew_after_an_own_effect() -> None:
    woken_by = event("supplier_quote_received")
    tools = tools_of(create("reference").decide(look(phase="WAITING_APPROVAL", woken_by=woken_by, turn=2, tools=())))
    assert tools == ["get_case_record", "list_checkpoints"]


def test_what_decides_and_was_not_read_is_read() -> None:
    decision = create("reference").decide(look(**CASE, tools=("get_case_record",)))
    assert tools_of(decision) == ["list_checkpoints"]


def test_what_is_published_as_required_for_a_proposal_is_read_before_it() -> None:
    case = CASE | {"quotes": [quote(status="REJECTED")], "approvals": [approval(status="REJECTED")]}
    decision = create("reference").decide(look(**case, tools=("get_case_record", "list_checkpoints", "list_quotes")))
    assert tools_of(decision) == ["list_communications"]


def test_a_refused_proposal_is_not_repeated_in_the_same_invocation() -> None:
    refusal = {"action_type": "request_approval", "code": "QUOTE_NOT_OPEN", "detail": ""}
    decision = create("reference").decide(look(**CASE, quotes=[quote()], rejection=refusal))
    assert isinstance(decision, dict)
    assert (decision["kind"], decision["wake_on"]) == ("WAIT", list(PLAN.wake_event_types))
    other = refusal | {"action_type": "send_message"}
    decision = create("reference").decide(look(**CASE, quotes=[quote()], rejection=other))
    assert isinstance(decision, dict)
    assert decision["kind"] == "ACT"
