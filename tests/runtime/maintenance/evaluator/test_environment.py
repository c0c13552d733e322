"""The world outside is held to its plan exactly, and accused of nothing that the plan allows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.plain import thaw
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.evaluator import Evaluation, Evaluator
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec
from operatebench.runtime.maintenance.spec.load import parse_spec
from tests.runtime.maintenance.evaluator.episodes import Forgery, Record, grade, record_of, reproduction_of

Variant = dict[str, Any]


def changed(variant_id: str, change: Callable[[Variant], object]) -> tuple[Record, Evaluation]:
    """Run and grade the reference on a packaged variant after a change."""
    content = thaw(packaged_spec().content)
    change(content["variants"][variant_id])
    spec = parse_spec(json.dumps(content).encode(), "changed.yaml")
    operation = MaintenanceOperation(spec, variant_id)
    record = run_episode(operation, AGENTS["reference"](), instance_id="opinst_" + "0" * 32).outcome.to_wire()
    return record, Evaluator(spec, variant_id).evaluate(record, reproduction_of(record))


def event(variant: Variant, event_id: str) -> Any:
    (found,) = [item for item in variant["events"] if item["event_id"] == event_id]
    return found


def claim(event_type: str, cycle_id: str, assertion: str = "PAYMENT_RECEIVED", about: str = "work_cycle_2") -> Any:
    """Return a claim that follows an event of one cycle."""
    return {
        "event_id": "ev_added",
        "event_type": "supplier_assertion_received",
        "actor_id": "plumber_1",
        "trigger": {"kind": "event", "type_name": event_type, "correlation": {"cycle_id": cycle_id}},
        "delay_minutes": 10,
        "triggers_agent": True,
        "payload": {"assertion_id": "claim_added", "assertion": assertion, "cycle_id": about},
    }


@pytest.mark.parametrize(
    ("variant_id", "event_id", "field"),
    [
        ("V1", "ev_13", "related_visit_id"),
        ("V1", "ev_16", "visit_id"),
        ("V1", "ev_17", "related_visit_id"),
        ("V3", "ev_8", "checkpoint_id"),
    ],
)
def test_an_id_that_the_cause_allots_replaces_what_its_author_wrote(variant_id: str, event_id: str, field: str) -> None:
    record, evaluation = changed(
        variant_id, lambda variant: event(variant, event_id)["payload"].update({field: "to_be_allotted"})
    )
    assert [item["payload"][field] for item in record["events"] if item["event_id"] == event_id] != ["to_be_allotted"]
    assert evaluation.findings == ()


def test_a_trigger_can_name_the_cycle_that_only_the_verdict_knows() -> None:
    def change(variant: Variant) -> None:
        del event(variant, "ev_11")["payload"]["cycle_id"]
        variant["events"].append(claim("invoice_validation_completed", "work_cycle_2"))

    record, evaluation = changed("V1", change)
    assert "ev_added" in {item["event_id"] for item in record["events"]}
    assert evaluation.findings == ()


@pytest.mark.parametrize(("cycle_id", "follows"), [("work_cycle_2", False), ("work_cycle_3", True)])
def test_a_report_that_reopens_belongs_to_the_cycle_it_opens(cycle_id: str, follows: bool) -> None:
    record, evaluation = changed(
        "V1", lambda variant: variant["events"].append(claim("customer_resolution_reported", cycle_id))
    )
    came = [item["at"] for item in record["events"] if item["event_id"] == "ev_added"]
    assert came == ["2032-04-12T06:00:00Z"] * follows  # ten minutes after the first report
    assert evaluation.findings == ()


@pytest.mark.parametrize("event_type", ["supplier_visit_response", "supplier_quote_received"])
def test_a_claim_is_contradicted_until_something_bears_it_out(event_type: str) -> None:
    """Claims of the first cycle's work, made before it was looked at and while its repair is awaited."""
    cycle_id = {"supplier_visit_response": "work_cycle_1", "supplier_quote_received": "work_cycle_2"}[event_type]
    record, evaluation = changed(
        "V1",
        lambda variant: variant["events"].append(claim(event_type, cycle_id, "WORK_COMPLETE", "work_cycle_1")),
    )
    found = {item["contradiction_id"]: item["resolved_by"] for item in record["final_state"]["contradictions"]}
    assert found == {"claim_1": "evidence_1", "claim_added": "evidence_1"}
    assert evaluation.findings == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda forgery: forgery.event("provisional_close_expired").update(sequence=1_000_500),
        lambda forgery: forgery.event("message_delivered").update(sequence=1_000_001),
        lambda forgery: forgery.event("provisional_close_expired")["payload"].update(cycle_id="work_cycle_2"),
        lambda forgery: forgery.event("message_delivered")["payload"].update(work_id="message"),
        lambda forgery: forgery.event("message_delivered")["payload"].update(work_id="message_2"),
    ],
)
def test_what_the_environment_armed_is_tied_to_its_row(change: Callable[[Forgery], object]) -> None:
    forgery = Forgery(record_of("V1"))
    change(forgery)
    assert grade(forgery.sealed(), "V1").finding_codes == ("EVENT_ALTERED",)
