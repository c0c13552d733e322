"""A completion is not good because it was granted: with its guard gone, all that it must be refused for is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from operatebench.runtime.core import decisions
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.plain import thaw
from operatebench.runtime.core.protocol import Agent
from operatebench.runtime.maintenance.actions import completion
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.evaluator import Evaluation, Evaluator
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.reducers import timers
from operatebench.runtime.maintenance.spec import OperationSpec, packaged_spec
from operatebench.runtime.maintenance.spec.load import parse_spec
from tests.runtime.maintenance.evaluator.episodes import reproduction_of

READS = ("get_case_record", "list_billing", "list_checkpoints", "list_obligations")
OPEN, DECISION = "CRITICAL_COMPLETION_WITH_OPEN_WORK", "CRITICAL_COMPLETION_WITH_OPEN_DECISION"
WAKE, WORK = "CRITICAL_COMPLETION_BEFORE_REQUIRED_WAKE", "CRITICAL_COMPLETION_WITHOUT_VERIFIED_WORK"
PAYMENT, NOTICE = "CRITICAL_COMPLETION_WITHOUT_PAYMENT", "CRITICAL_COMPLETION_WITHOUT_NOTICE"
CUSTOMER = "CRITICAL_COMPLETION_AGAINST_CUSTOMER"


Moment = Callable[[Observation, Any], bool]


class Hasty:
    """The reference, which completes the operation the first time it would do a certain other thing."""

    def __init__(self, instead_of: Moment) -> None:
        self._reference = AGENTS["reference"]()
        self._instead_of = instead_of
        self._done = False

    def decide(self, observation: Observation) -> object:
        decision = self._reference.decide(observation)
        if self._done or not self._instead_of(observation, decision):
            return decision
        missing = [tool for tool in READS if tool not in observation.retrieval["served"]]
        if missing:
            return decisions.retrieve(*missing)
        self._done = True
        return decisions.complete("Enough.", [])


def act(action_type: str, **payload: Any) -> Moment:
    return lambda _, decision: (
        decision["kind"] == "ACT"
        and decision["action_type"] == action_type
        and payload.items() <= decision["payload"].items()
    )


def wait(event_type: str, after: str) -> Moment:
    """Tell whether it would wait for an event after another one woke it."""
    return lambda observation, decision: (
        decision["kind"] == "WAIT"
        and event_type in decision["wake_on"]
        and (observation.event or {}).get("event_type") == after
    )


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every completion be granted, and the operation end when its window closes."""
    monkeypatch.setattr(completion, "require", lambda *_: None)
    monkeypatch.setattr(completion, "refuse_if", lambda _: None)
    monkeypatch.setattr(timers, "refuse_if", lambda _: None)


def graded(agent: Agent, variant_id: str, spec: OperationSpec | None = None) -> Evaluation:
    spec = spec or packaged_spec()
    record = run_episode(
        MaintenanceOperation(spec, variant_id), agent, instance_id="opinst_" + "0" * 32
    ).outcome.to_wire()
    return Evaluator(spec, variant_id).evaluate(record, reproduction_of(record))


def completed_wrongly(evaluation: Evaluation) -> set[str]:
    assert not evaluation.reliable
    return {code for code in evaluation.finding_codes if code.startswith("CRITICAL_COMPLETION_")}


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize(
    ("instead_of", "variant_id", "codes"),
    [
        (wait("supplier_visit_response", "customer_issue_reported"), "V1", {OPEN, WAKE, WORK, NOTICE}),
        (wait("supplier_quote_received", "supplier_work_reported"), "V1", {DECISION, WORK, NOTICE}),
        (act("request_approval"), "V1", {DECISION, WORK, NOTICE}),
        (wait("approver_decision_received", "supplier_assertion_received"), "V1", {OPEN, DECISION, WORK, NOTICE}),
        (act("authorise_supplier_work"), "V1", {DECISION, WORK, NOTICE}),
        (act("request_invoice_validation"), "V1", {DECISION, PAYMENT, NOTICE}),
        (wait("invoice_validation_completed", "work_evidence_verified"), "V1", {WAKE, PAYMENT, NOTICE}),
        (act("request_payment"), "V1", {PAYMENT, NOTICE}),
        (wait("payment_settlement_confirmed", "invoice_validation_completed"), "V1", {WAKE, PAYMENT, NOTICE}),
        (act("send_message", message_fixture_id="msg_completion_notice"), "V1", {OPEN, NOTICE}),
        (act("request_supplier_visit", visit_type="WARRANTY_REVISIT"), "V1", {WORK, CUSTOMER, NOTICE}),
        (act("send_message", message_fixture_id="msg_handover_notice"), "V2", {OPEN, NOTICE}),
        (wait("message_failed", "operator_exception_resolved"), "V2", {OPEN, WAKE, NOTICE}),
    ],
)
def test_whatever_the_guard_is_for_is_found_without_it(instead_of: Moment, variant_id: str, codes: set[str]) -> None:
    assert completed_wrongly(graded(Hasty(instead_of), variant_id)) == codes


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize(
    ("instead_of", "codes"),
    [
        (act("request_supplier_correction"), {DECISION, PAYMENT, NOTICE}),
        (wait("supplier_invoice_received", "invoice_validation_completed"), {DECISION, WAKE, PAYMENT, NOTICE}),
    ],
)
def test_an_invoice_turned_down_and_its_correction_are_not_passed_over(instead_of: Moment, codes: set[str]) -> None:
    content = thaw(packaged_spec().content)
    events = content["variants"]["V1"]["events"]
    (validation,) = [event for event in events if event["event_type"] == "invoice_validation_completed"]
    validation["payload"]["valid"] = False
    spec = parse_spec(json.dumps(content).encode(), "changed.yaml")
    assert completed_wrongly(graded(Hasty(instead_of), "V1", spec)) == codes


@pytest.mark.usefixtures("unguarded")
@pytest.mark.parametrize("variant_id", ["V1", "V2", "V3"])
def test_who_needs_no_guard_is_not_accused(variant_id: str) -> None:
    assert graded(AGENTS["reference"](), variant_id).reliable
