"""Runs one episode: simulated time goes from event to event, and the agent is woken when it must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .actors import Outside
from .caller import Caller
from .endings import (
    INVARIANT_DETAIL,
    INVOCATION_LIMIT,
    OPERATION_DEADLOCK,
    VIOLATION_DETAILS,
    Halted,
)
from .environment import Desk
from .episode import Episode, EpisodeOutcome
from .invocation import Invocation, Parts, Wait
from .observer import NO_EVENT, Observer, Wake, wake_by
from .plain import Piece, canonical, thaw
from .proposals import Proposals
from .protocol import Agent, ConversationalAgent, Event, Operation
from .record import RecordBudget
from .retrieval import Catalogue
from .run import Run
from .vocabulary import DEADLOCK, HORIZON_EXHAUSTED, Disposition, Provenance
from .work import Work

AFTER_REPLAY_FINAL = "AFTER_REPLAY_FINAL"
UNDECLARED_WAKE = "UNDECLARED_WAKE_EVENT"


RowSink = Callable[[Sequence[Mapping[str, Any]]], object]
"""Is given the rows of each step of the engine as soon as the step is done; what it raises ends the episode."""


def run_episode(
    operation: Operation,
    agent: Agent | ConversationalAgent,
    *,
    instance_id: str,
    budget: RecordBudget | None = None,
    on_rows: RowSink | None = None,
) -> Episode:
    """Run one operation with one agent, to one of the seven endings.

    Same arguments, same bytes. Whatever the agent returns or raises becomes part of the record; only
    ``KeyboardInterrupt`` passes. Faults of the operation raise.

    Args:
        operation: the domain and its plan.
        agent: what is measured; one with ``converse`` gets a session.
        instance_id: the ``operation_instance_id`` the agent is shown.
        budget: limits of the record; null for none.
        on_rows: is given the rows while they are made, so that they are kept whatever happens later.

    Returns:
        The outcome and the decision tape.
    """
    return _Engine(operation, agent, instance_id, budget, on_rows).episode()


class _Engine:
    """One episode."""

    __slots__ = ("_desk", "_invocations", "_on_rows", "_outside", "_parts", "_reported", "_run", "_wait", "_work")

    def __init__(
        self,
        operation: Operation,
        agent: Agent | ConversationalAgent,
        instance_id: str,
        budget: RecordBudget | None,
        on_rows: RowSink | None,
    ) -> None:
        run = Run(operation, budget)
        self._run = run
        self._work = Work(run)
        self._desk = Desk(run, self._work)
        self._outside = Outside(run)
        catalogue = Catalogue(run)
        proposals = Proposals(run, self._desk, self._work, self._outside, catalogue)
        self._parts = Parts(run, Caller(agent), Observer(run, instance_id), catalogue, proposals)
        self._wait: Wait | None = None
        self._invocations = 0
        self._on_rows = on_rows
        self._reported = 0

    def episode(self) -> Episode:
        """Run it from the first row to the last."""
        run = self._run
        horizon = run.plan.limits.horizon_minutes
        run.row("episode_started", starts_at=run.plan.starts_at, horizon_at=run.clock.instant(horizon))
        try:
            halt = self._advance(horizon)
        except Halted as halted:
            detail = VIOLATION_DETAILS.get(halted.code, INVARIANT_DETAIL)
            run.row("critical_violation", code=halted.code, detail=detail)
            halt = DEADLOCK
        terminal = self._desk.terminal if halt is None else None
        status = halt or terminal
        if status is None:
            raise TypeError("the operation is replay-final without an accepted terminal")
        run.row("episode_ended", status=status, terminal_outcome=terminal, invocations=self._invocations)
        self._report()
        state = Piece.decode(canonical(run.operation.canonical_state(run.state)))
        outcome = EpisodeOutcome(
            status=status,
            terminal_outcome=terminal,
            replay_final=run.final,
            started_at=run.plan.starts_at,
            ended_at=run.clock.text,
            simulated_minutes=run.clock.now,
            invocations=self._invocations,
            final_state=state.value,
            final_state_digest_sha256=state.sha256(),
            trajectory=tuple(run.record.rows.items),
            trajectory_digest_sha256=run.record.rows.sha256(),
            events=tuple(run.record.events.items),
        )
        return Episode(outcome, tuple(run.record.decisions.items))

    def _advance(self, horizon: int) -> str | None:
        """Go from event to event; return the halt word, or null when the operation is final and all is delivered.

        Raises:
            Halted: the episode must stop for another reason than the horizon.
        """
        queue = self._run.queue
        while True:
            event_at = queue.next_at()
            fallback_at = None if self._wait is None else self._wait.fallback_at
            if event_at is None and fallback_at is None:
                if self._run.final:
                    return None
                if self._wait is None:
                    raise Halted(OPERATION_DEADLOCK)
                return self._exhaust(horizon)
            # At one instant the event comes before the fallback.
            if fallback_at is not None and (event_at is None or fallback_at < event_at):
                due_at, fires = fallback_at, True
            else:
                assert event_at is not None
                due_at, fires = event_at, False
            if due_at > horizon:
                return None if self._run.final else self._exhaust(horizon)
            self._run.record.require_room()
            self._run.clock.advance(due_at)
            if fires:
                self._fall_back()
            else:
                self._deliver(queue.pop())
            if self._run.final:
                self._wait = None
            self._report()

    def _report(self) -> None:
        """Hand on the rows since the last time."""
        if self._on_rows is not None:
            rows = self._run.record.rows.items
            self._on_rows(rows[self._reported :])
            self._reported = len(rows)

    def _exhaust(self, horizon: int) -> str:
        """Let the time run out, and say so if the agent waits."""
        self._run.clock.advance(horizon)
        wait = self._wait
        if wait is not None:
            self._run.row(
                "wait_unresolved_at_horizon",
                reason=wait.reason,
                wake_on=list(wait.wake_on),
                horizon_at=self._run.clock.text,
            )
        return HORIZON_EXHAUSTED

    def _fall_back(self) -> None:
        wait = self._wait
        assert wait is not None
        self._run.row(
            "wait_fallback_fired", reason=wait.reason, wake_on=list(wait.wake_on), fallback_at=self._run.clock.text
        )
        self._invoke(NO_EVENT)

    def _deliver(self, event: Event) -> None:
        run = self._run
        if run.final:
            self._note(event, Disposition.POST_TERMINAL, AFTER_REPLAY_FINAL, mutating=False)
            self._retry(event)
            return
        verdict = run.operation.reduce_event(run.state, event, self._desk)
        if not verdict.accepted:
            self._note(event, Disposition.REJECTED, verdict.code, detail=verdict.detail)
            return
        run.revision += 1
        accepted = Disposition.ACCEPTED if event.triggers_agent else Disposition.AUDIT
        self._note(event, accepted, verdict.code, observational=verdict.observational)
        self._retry(event)
        self._outside.react("event", event.event_type, event.payload, verdict.bindings, verdict.cycle_id)
        run.watch()
        if event.triggers_agent and not run.final:
            self._interrupt(event)
            self._invoke(wake_by(run, event))

    def _note(self, event: Event, disposition: Disposition, code: str, **more: bool | str) -> None:
        """Record a delivery, as a row and as one of the delivered events."""
        run = self._run
        run.row(
            _ROW_OF[disposition],
            event_id=event.event_id,
            event_type=event.event_type,
            actor_id=event.actor_id,
            authority=run.authority_of(event.actor_id),
            provenance=event.provenance,
            caused_by=event.caused_by,
            code=code,
            **more,
        )
        run.record.events.append(
            {
                "event_id": event.event_id,
                "event_type": event.event_type,
                "actor_id": event.actor_id,
                "at": run.clock.text,
                "sequence": event.sequence,
                "payload": thaw(event.payload),
                "triggers_agent": event.triggers_agent,
                "caused_by": event.caused_by,
                "disposition": disposition,
                "verdict_code": code,
            }
        )

    def _retry(self, event: Event) -> None:
        """Make the attempts that are due: a retry whose event this is, and work the delivery started."""
        if event.provenance is Provenance.RETRY:
            self._work.retry(event.payload["work_id"])
        self._work.attempt_due(self._desk)

    def _interrupt(self, event: Event) -> None:
        wait = self._wait
        if wait is not None and wait.wake_on and event.event_type not in wait.wake_on:
            self._run.row(
                "wait_interrupted",
                event_id=event.event_id,
                event_type=event.event_type,
                code=UNDECLARED_WAKE,
                wake_on=list(wait.wake_on),
            )

    def _invoke(self, wake: Wake) -> None:
        self._wait = None
        if self._invocations == self._run.plan.limits.max_invocations:
            raise Halted(INVOCATION_LIMIT)
        self._invocations += 1
        self._wait = Invocation(self._parts, self._invocations, wake).carry_out()


_ROW_OF = {
    Disposition.ACCEPTED: "event_observed",
    Disposition.AUDIT: "event_audit_only",
    Disposition.REJECTED: "event_rejected",
    Disposition.POST_TERMINAL: "event_after_terminal",
}
