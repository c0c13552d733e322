"""A stand-in for the engine around one operation: clock, timers, dispatches, rows; and a course through a case.

Whatever is refused must have changed and recorded nothing, and judging must never change anything: the simulator
asserts both each time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from operatebench.runtime.core.clock import Clock
from operatebench.runtime.core.protocol import Dispatch, Effect, Event, Judgement, Proposal, Verdict
from operatebench.runtime.core.rows import ROW_TYPES
from operatebench.runtime.core.vocabulary import Provenance
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import OperationSpec
from operatebench.runtime.maintenance.state.state import State
from tests.runtime.maintenance.operation.usual import ACTIONS, EVENTS, POLICY, SPEC, changed


class Simulator:
    """The environment of one operation, and the operation.

    Attributes:
        rows: what was recorded, each with its ``record_type``.
        faults: (fixture, channel) -> how many attempts are still to fail.
        effect: of the last granted proposal.
    """

    def __init__(self, spec: OperationSpec = SPEC) -> None:
        self.operation = MaintenanceOperation(spec, "V1")
        self.state: State = self.operation.initial_state()
        self.rows: list[dict[str, Any]] = []
        self.faults: dict[tuple[str, str], int] = {}
        self.effect = Effect()
        self.now = 0
        self._spec = spec
        self._clock = Clock(self.operation.plan.starts_at)
        self._timers: list[tuple[int, int, str]] = []
        self._pending: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._used: set[str] = set()
        self._started: list[tuple[Dispatch, int]] = []
        self._failed: dict[str, tuple[Dispatch, int]] = {}

    # The environment, as the engine lends it.

    def instant(self, minutes: int) -> str:
        return self._clock.instant(minutes)

    def record(self, record_type: str, **payload: Any) -> None:
        assert tuple(payload) == self.operation.plan.row_types[record_type]
        self._row(record_type, **payload)

    def set_timer(self, event_id: str, event_type: str, after_minutes: int, payload: Mapping[str, Any]) -> None:
        assert event_id not in self._used
        self._used.add(event_id)
        self._pending[event_id] = (event_type, dict(payload))
        heapq.heappush(self._timers, (self.now + after_minutes, len(self._used), event_id))
        self._row("timer_scheduled", event_id=event_id)

    def cancel_timer(self, event_id: str) -> bool:
        pending = self._pending.pop(event_id, None) is not None
        if pending:
            self._row("timer_cancelled", event_id=event_id)
        return pending

    def start_dispatch(self, dispatch: Dispatch) -> None:
        assert dispatch.work_id not in self._used
        self._used.add(dispatch.work_id)
        self._started.append((dispatch, 1))

    def open_checkpoint(
        self,
        checkpoint_id: str,
        checkpoint_type: str,
        *,
        assignee_actor_id: str,
        cycle_id: str | None,
        deadline_after_minutes: int,
        evidence_refs: Iterable[str],
        exception_type: str | None = None,
    ) -> None:
        self._row(
            "checkpoint_opened",
            checkpoint_id=checkpoint_id,
            checkpoint_type=checkpoint_type,
            assignee_actor_id=assignee_actor_id,
            cycle_id=cycle_id,
            deadline_at=self.instant(self.now + deadline_after_minutes),
            exception_type=exception_type,
            evidence_refs=list(evidence_refs),
        )

    def resolve_checkpoint(self, checkpoint_id: str, checkpoint_type: str, resolution: str, resolved_by: str) -> None:
        self._row(
            "checkpoint_resolved",
            checkpoint_id=checkpoint_id,
            checkpoint_type=checkpoint_type,
            resolution=resolution,
            resolved_by=resolved_by,
        )

    def open_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, due_after_minutes: int) -> None:
        due_at = self.instant(self.now + due_after_minutes)
        self._row("obligation_created", obligation_id=obligation_id, kind=kind, cycle_id=cycle_id, due_at=due_at)

    def close_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, how: str) -> None:
        assert f"obligation_{how}" in ROW_TYPES
        self._row(f"obligation_{how}", obligation_id=obligation_id, kind=kind, cycle_id=cycle_id)

    def accept_terminal(self, outcome: str, cycle_id: str | None, actor_id: str | None) -> None:
        assert outcome in self.operation.plan.terminals
        self._row("terminal_accepted", outcome=outcome, cycle_id=cycle_id, actor_id=actor_id)

    def _row(self, record_type: str, **payload: Any) -> None:
        self.rows.append({"record_type": record_type, **payload})

    # What a test does.

    def canonical(self) -> dict[str, Any]:
        return self.operation.canonical_state(self.state)

    def recorded(self, record_type: str) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["record_type"] == record_type]

    def deliver(self, event_type: str, /, *, actor_id: Any = None, **changes: Any) -> Verdict:
        """Deliver the usual event of a type with some fields changed, from whoever may emit it."""
        return self.reduce(
            event_type, actor_id or self.emitter(event_type), changed(EVENTS.get(event_type, {}), changes)
        )

    def reduce(self, event_type: str, actor_id: str, payload: Mapping[str, Any]) -> Verdict:
        before, rows = self.canonical(), len(self.rows)
        event = Event("any", event_type, actor_id, self.now, 0, payload, True, Provenance.AUTHORED, None)
        verdict = self.operation.reduce_event(self.state, event, self)
        if not verdict.accepted:
            assert (self.canonical(), len(self.rows)) == (before, rows)
        return verdict

    def propose(self, action_type: str, /, *, evidence: Any = None, **changes: Any) -> Judgement:
        """Propose the usual action of a type with some fields changed; commit it if it is granted."""
        payload, refs = ACTIONS.get(action_type, ({}, ()))
        return self.judge(action_type, changed(payload, changes), refs if evidence is None else evidence)

    def judge(self, action_type: str, payload: Mapping[str, Any], evidence: tuple[str, ...]) -> Judgement:
        before, rows = self.canonical(), len(self.rows)
        proposal = Proposal("any", action_type, payload, evidence, self.now)
        judgement = self.operation.judge(self.state, proposal)
        assert (self.canonical(), len(self.rows)) == (before, rows)
        if judgement.accepted:
            self.effect = self.operation.commit(self.state, proposal, self)
            self._attempt()
        return judgement

    def advance(self, minutes: int) -> list[Verdict]:
        """Let time pass, and return what became of the timers that fell due, in order."""
        until, verdicts = self.now + minutes, []
        while self._timers and self._timers[0][0] <= until:
            self.now, _, event_id = heapq.heappop(self._timers)
            event_type, payload = self._pending.pop(event_id, ("", {}))
            if event_type:
                verdicts.append(self.reduce(event_type, SPEC.actor_of_role("system_scheduler"), payload))
        self.now = until
        return verdicts

    def retry(self, work_id: str) -> None:
        """Deliver the retry of a dispatch whose last attempt failed, and make the attempt."""
        assert self.deliver("dispatch_retry_due", work_id=work_id).accepted
        self._started.append(self._failed.pop(work_id))
        self._attempt()

    def to(self, stage: str) -> Simulator:
        """Go on along the usual course until a stage is reached."""
        for name, step in COURSE.items():
            if name not in self._used:
                self._used.add(name)
                outcome = step(self)
                assert outcome.accepted, (name, outcome)
            if name == stage:
                return self
        raise AssertionError(stage)

    def _attempt(self) -> None:
        due, self._started = self._started, []
        for dispatch, attempt in due:
            key = (dispatch.message_fixture_id, dispatch.channel)
            fails = self.faults.get(key, 0) > 0
            self.faults[key] = self.faults.get(key, 0) - 1
            if fails and attempt < self._spec.channels[dispatch.channel].max_attempts:
                self.operation.attempt_failed(self.state, dispatch, attempt)
                self._failed[dispatch.work_id] = (dispatch, attempt + 1)
            else:
                self.operation.dispatch_ended(self.state, dispatch, delivered=not fails, environment=self)

    def emitter(self, event_type: str) -> str:
        authority = self._spec.events[event_type].authority
        return next(
            actor_id for actor_id, role in self._spec.actors.items() if authority in self._spec.roles[role].authorities
        )


COURSE: Mapping[str, Callable[[Simulator], Verdict | Judgement]] = {
    "reported": lambda it: it.deliver("customer_issue_reported"),
    "visit_requested": lambda it: it.propose("request_supplier_visit"),
    "visit_accepted": lambda it: it.deliver("supplier_visit_response"),
    "attended": lambda it: it.deliver("visit_attendance_verified"),
    "further_work": lambda it: it.deliver("supplier_work_reported"),
    "quoted": lambda it: it.deliver("supplier_quote_received"),
    "approval_requested": lambda it: it.propose("request_approval"),
    "approved": lambda it: it.deliver("approver_decision_received"),
    "authorised": lambda it: it.propose("authorise_supplier_work"),
    "came": lambda it: it.deliver("visit_attendance_verified", visit_id="visit_2", cycle_id="work_cycle_2"),
    "verified": lambda it: it.deliver("work_evidence_verified"),
    "invoiced": lambda it: it.deliver("supplier_invoice_received"),
    "validation_requested": lambda it: it.propose("request_invoice_validation"),
    "validated": lambda it: it.deliver("invoice_validation_completed"),
    "payment_requested": lambda it: it.propose("request_payment"),
    "settled": lambda it: it.deliver("payment_settlement_confirmed"),
    "told": lambda it: it.propose("send_message"),
    "closed": lambda it: it.propose("complete"),
    "finalized": lambda it: it.advance(POLICY.provisional_close_minutes)[0],
}
"""Stage -> the step that leads to it, in order: a case that goes well."""
