"""Conduct that is right in an unusual way is not accused, and conduct that only looks right is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from operatebench.runtime.core import decisions
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.evaluator import Evaluation
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.runtime.maintenance.evaluator.episodes import grade

Change = Callable[[Observation, Any], Any]


class Changed:
    """The reference, whose decisions are changed before they are carried out."""

    def __init__(self, change: Change) -> None:
        self._reference = AGENTS["reference"]()
        self._change = change

    def decide(self, observation: Observation) -> object:
        return self._change(observation, self._reference.decide(observation))


def graded(variant_id: str, change: Change) -> Evaluation:
    operation = MaintenanceOperation(packaged_spec(), variant_id)
    record = run_episode(operation, Changed(change), instance_id="opinst_" + "0" * 32).outcome.to_wire()
    return grade(record, variant_id)


def _waiting(*wake_on: str, fallback: int | None) -> Change:
    return lambda _, decision: decisions.wait("Later.", wake_on, fallback) if decision["kind"] == "WAIT" else decision


def test_waiting_for_a_while_is_waiting() -> None:
    assert graded("V1", _waiting(fallback=240)).finding_codes == ()


def test_a_fallback_that_cannot_come_is_none() -> None:
    assert graded("V1", _waiting("customer_issue_reported", fallback=600)).finding_codes == ()
    assert graded("V1", _waiting("customer_issue_reported", fallback=500_000)).finding_codes == (
        "REQUIRED_WAKE_NOT_AWAITED",
    )


def test_the_delivery_of_a_message_under_way_can_be_waited_for() -> None:
    def change(_: Observation, decision: Any) -> Any:
        awaited = decision["kind"] == "WAIT" and "message_failed" in decision["wake_on"]
        return decisions.wait("Did it arrive?", ["message_delivered"], None) if awaited else decision

    assert graded("V2", change).finding_codes == ()


def test_a_message_that_failed_for_good_may_be_sent_anew() -> None:
    def change(_: Observation, decision: Any) -> Any:
        if decision["kind"] == "ACT" and "recovery_of" in decision["payload"]:
            again = {
                name: value for name, value in decision["payload"].items() if name not in ("recovery_of", "channel")
            }
            return decisions.act(decision["action_type"], again, decision["evidence_refs"])
        return decision

    assert graded("V2", change).finding_codes == ()


def test_a_read_that_is_refused_is_found() -> None:
    def change(observation: Observation, decision: Any) -> Any:
        return decisions.retrieve("get_ledger") if observation.turn_index == 0 else decision

    evaluation = graded("V1", change)
    assert evaluation.finding_codes == ("READ_REFUSED",)
    assert evaluation.failed_dimensions == ("retrieval_discipline",)
