"""Situations a case can get into, and how to describe what is tried in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from operatebench.runtime.core.protocol import Judgement, Verdict
from operatebench.runtime.maintenance.spec import OperationSpec
from tests.runtime.maintenance.operation.simulator import Simulator
from tests.runtime.maintenance.operation.usual import (
    ABSENT,
    FIXTURES,
    HANDOVER_NOTICE,
    POLICY,
    PRIMARY,
    SECONDARY,
    SPEC,
)


def at(stage: str) -> Simulator:
    """Return a case that has gone well until a stage; the empty stage is the very start."""
    return Simulator().to(stage) if stage else Simulator()


def refused_approval() -> Simulator:
    """Return a case whose quote was rejected."""
    case = at("approval_requested")
    assert case.deliver("approver_decision_received", decision="REJECTED").accepted
    return case


def refused_invoice() -> Simulator:
    """Return a case whose invoice was found invalid."""
    case = at("validation_requested")
    assert case.deliver("invoice_validation_completed", valid=False).accepted
    return case


def excepted() -> Simulator:
    """Return a case with an open exception about its rejected quote."""
    case = refused_approval()
    assert case.propose("request_exception_resolution").accepted
    return case


def handed_over(decision: str = "TAKE_OWNERSHIP") -> Simulator:
    """Return a case that the operator has decided on; the customer does not know yet."""
    case = excepted()
    assert case.deliver("operator_exception_resolved", decision=decision).accepted
    return case


def ok(*outcomes: Verdict | Judgement) -> None:
    for outcome in outcomes:
        assert outcome.accepted, outcome


def duty(case: Simulator, obligation_id: str) -> str:
    return case.state.obligations[obligation_id].status


def phases_from_here_to_the_end(case: Simulator) -> list[str]:
    """Go on from verified work with an unpaid invoice, and return the phases passed through."""
    ok(case.propose("send_message"), case.propose("complete"))
    closed = case.state.phase
    ok(*case.advance(POLICY.provisional_close_minutes))
    return [closed, case.state.phase]


class Case(NamedTuple):
    """A situation, what is tried in it, and the code it is refused with."""

    code: str
    situation: str | Callable[[], Simulator]
    tried: str
    changes: Mapping[str, Any] = {}

    def simulator(self) -> Simulator:
        return at(self.situation) if isinstance(self.situation, str) else self.situation()


def after(situation: str | Callable[[], Simulator], *steps: Callable[[Simulator], Any]) -> Callable[[], Simulator]:
    """Return a situation with steps added, each of which must be accepted."""

    def build() -> Simulator:
        case = at(situation) if isinstance(situation, str) else situation()
        for step in steps:
            outcome = step(case)
            assert getattr(outcome, "accepted", True), outcome
        return case

    return build


def told(event_type: str, **changes: Any) -> Callable[[Simulator], Any]:
    return lambda case: case.deliver(event_type, **changes)


def done(action_type: str, **changes: Any) -> Callable[[Simulator], Any]:
    return lambda case: case.propose(action_type, **changes)


def later(minutes: int) -> Callable[[Simulator], Any]:
    return lambda case: case.advance(minutes)


def ends(minutes: int) -> Callable[[Simulator], Any]:
    """Move the clock alone: the timers of the passed time have not been delivered."""

    def move(case: Simulator) -> None:
        case.now += minutes

    return move


def failing(fixture: str, channel: str, attempts: int) -> Callable[[Simulator], Any]:
    return lambda case: case.faults.update({(FIXTURES[fixture], channel): attempts})


def cheap_quote(**changes: Any) -> Callable[[Simulator], Any]:
    """A quote exactly at the threshold, which needs no approval."""
    return told("supplier_quote_received", amount_minor=POLICY.approval_threshold_minor, plus_vat=False, **changes)


def entitled(*authorities: str) -> OperationSpec:
    """The spec with other authorities for the agent."""
    agent = replace(SPEC.roles["agent"], authorities=authorities)
    return replace(SPEC, roles={**SPEC.roles, "agent": agent})


VALIDITY = POLICY.approval_validity_minutes
DEADLINE = POLICY.approval_deadline_after_minutes
REMINDED = after("approval_requested", later(POLICY.approval_reminder_after_minutes))
SECOND_QUOTE = {"quote_id": "offer_1", "quote_version": 2, "amount_minor": 20_000}
FAILED_NOTICE = after(
    "settled",
    failing("completion_notice", PRIMARY, 2),
    done("send_message"),
    lambda case: case.retry("message_1"),
)
RECOVERY = {"recovery_of": "message_1", "channel": SECONDARY}
MINOR_WORK = after("further_work", cheap_quote())
CLAIMED = after("approval_requested", told("supplier_assertion_received"))
WARRANTY = after("closed", told("customer_resolution_reported", status="PERSISTS"))
VISIT_3 = {"visit_id": "visit_3", "cycle_id": "work_cycle_3"}
WARRANTY_CAME = after(
    WARRANTY,
    done("request_supplier_visit", visit_type="WARRANTY_REVISIT", cycle_id="work_cycle_3"),
    told("supplier_visit_response", **VISIT_3),
    told("visit_attendance_verified", **VISIT_3),
)
AGAIN = {"visit_type": "APPROVED_WORK", "cycle_id": "work_cycle_2"}
CORRECTED = {"invoice_id": "bill_2", "corrects_invoice_id": "bill_1"}
PAID_AND_HANDED_OVER = after(
    "payment_requested",
    told("supplier_quote_received", quote_id="offer_2", cycle_id="work_cycle_3", parent_cycle_id=ABSENT),
    done("request_approval", quote_id="offer_2", cycle_id="work_cycle_3"),
    told(
        "approver_decision_received",
        checkpoint_id="checkpoint_2",
        quote_id="offer_2",
        cycle_id="work_cycle_3",
        decision="REJECTED",
    ),
    done("request_exception_resolution", subject_id="checkpoint_2", evidence=("checkpoint_2", "offer_2:v1")),
    told("operator_exception_resolved", checkpoint_id="checkpoint_3", cycle_id="work_cycle_3"),
    done("send_message", **HANDOVER_NOTICE | {"correlation_id": "work_cycle_3"}),
)
