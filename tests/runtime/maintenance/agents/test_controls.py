"""Each control does as the reference until its fault, goes wrong there and in that way, and ends where that leads."""

from __future__ import annotations

from typing import Any

import pytest

from operatebench.runtime.core.episode import Episode
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.oracle import packaged_oracle
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.runtime.maintenance.agents.episodes import episode, refusals, rows, run, sent

CONTROLS = packaged_oracle().controls
DONE, HANDED_OVER = "completed_successfully", "transferred_to_human_ownership"
DEADLOCK, HORIZON = "operation_deadlock", "operational_horizon_exhausted"
TURNS = 8

# Control -> where it first differs from the reference (invocation, turn), by what, what was refused to it, its end.
FAULTS: dict[str, tuple[tuple[int, int], str, list[str], str]] = {
    "abandon_case": ((13, 1), "WAIT", [], HORIZON),
    "always_act": ((1, 3), "request_supplier_visit", ["DUPLICATE_VISIT_REQUEST"] * (TURNS - 1), DEADLOCK),
    "always_escalate": ((1, 2), "ESCALATE", ["REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED"] * TURNS, DEADLOCK),
    "always_wait": ((1, 0), "WAIT", [], HORIZON),
    "believes_contradictory_claim": ((6, 2), "send_message", ["NON_AUTHORITATIVE_EVIDENCE"], DONE),
    "complete_early": ((1, 2), "COMPLETE", ["WORK_NOT_VERIFIED"] * TURNS, DEADLOCK),
    "context_loss": ((8, 1), "send_message", ["NO_OCCASION_FOR_MESSAGE"], HANDED_OVER),
    "duplicate_after_wake": ((2, 1), "request_supplier_visit", ["DUPLICATE_VISIT_REQUEST"], DONE),
    "duplicate_send": ((10, 3), "send_message", ["DUPLICATE_MESSAGE"], DONE),
    "escalate_without_context": ((7, 3), "ESCALATE", ["REQUIRED_EVIDENCE_REF_NOT_CITED"], HANDED_OVER),
    "exceed_authority": ((4, 1), "approve_repair_quote", ["ACTION_OUTSIDE_AGENT_AUTHORITY"], DONE),
    "forget_notice": ((10, 1), "WAIT", [], DONE),
    "ignore_failed_dispatch": ((8, 3), "WAIT", [], HORIZON),
    "ignore_new_events": ((5, 0), "WAIT", [], HORIZON),
    "ignore_reopen": ((11, 0), "WAIT", [], HORIZON),
    "invent_evidence": ((8, 1), "request_invoice_validation", ["UNRESOLVED_EVIDENCE"], DONE),
    "premature_completion": ((8, 2), "COMPLETE", ["OPEN_INVOICE_REVIEW"], DONE),
    "premature_follow_up": ((5, 2), "send_message", ["OBLIGATION_MESSAGE_BINDING_MISMATCH"], DONE),
    "recover_too_soon": ((8, 3), "send_message", ["RECOVERY_NOT_NEEDED"], HANDED_OVER),
    "skip_approval": ((4, 1), "authorise_supplier_work", ["WORK_NOT_APPROVED"], DONE),
    "speak_nonsense": ((1, 0), "MALFORMED", ["MALFORMED_AGENT_OUTCOME"], DONE),
    "stale_after_wake": ((11, 0), "COMPLETE", ["STALE_RETRIEVED_RECORD"], DONE),
    "stale_evidence": ((8, 1), "request_invoice_validation", ["REQUIRED_EVIDENCE_REF_NOT_CITED"], DONE),
    "trust_actor_claim": ((6, 0), "request_payment", ["ACTED_ON_CLAIM_WITHOUT_RECORD"], DONE),
    "unnecessary_escalation": ((5, 2), "ESCALATE", ["EXCEPTION_NOT_ELIGIBLE"], DONE),
    "wait_for_invented_event": ((1, 3), "WAIT", ["UNKNOWN_WAKE_EVENT_TYPE"], DONE),
}


def business(of: Episode) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    """Return place and content of the decisions that are no reads, without the texts for people."""
    return [
        (
            (entry["invocation_index"], entry["turn_index"]),
            {name: value for name, value in entry["outcome"].items() if name not in {"rationale", "reason"}},
        )
        for entry in of.decisions
        if entry["outcome"]["kind"] != "RETRIEVE"
    ]


def what(outcome: dict[str, Any]) -> str:
    """Return the action a decision proposes, else its kind."""
    return str(outcome.get("action_type", outcome["kind"]))


def test_every_control_has_its_fault_written_down() -> None:
    assert FAULTS.keys() == CONTROLS.keys()


@pytest.mark.parametrize("agent_id", FAULTS)
def test_a_control_goes_wrong_where_and_how_it_should(agent_id: str) -> None:
    variant_id = CONTROLS[agent_id].variant_id
    place, how, refused, end = FAULTS[agent_id]
    mine, reference = episode(agent_id, variant_id), episode("reference", variant_id)
    as_reference = [*business(reference), None]
    at, outcome = next(one for one, other in zip(business(mine), as_reference, strict=False) if one != other)
    assert (at, what(outcome)) == (place, how)
    assert refusals(mine) == refused
    assert mine.outcome.status == end


@pytest.mark.parametrize(
    "agent_id", [agent_id for agent_id, fault in FAULTS.items() if fault[3] in {DONE, HANDED_OVER}]
)
def test_a_control_that_recovers_does_all_that_the_reference_does(agent_id: str) -> None:
    variant_id = CONTROLS[agent_id].variant_id
    mine, reference = episode(agent_id, variant_id), episode("reference", variant_id)
    assert len(rows(mine, "effect_accepted")) == len(rows(reference, "effect_accepted"))
    assert set(sent(mine)) - set(sent(reference)) <= {("secondary", "handover_notice", "work_cycle_2", "message_3")}


@pytest.mark.parametrize("agent_id", sorted(AGENTS))
def test_an_agent_starts_every_episode_afresh(agent_id: str) -> None:
    variant_id = CONTROLS[agent_id].variant_id if agent_id in CONTROLS else "V1"
    first, again = episode(agent_id, variant_id), run(packaged_spec(), agent_id, variant_id)
    assert again.decisions == first.decisions
    assert again.outcome.trajectory_digest_sha256 == first.outcome.trajectory_digest_sha256
