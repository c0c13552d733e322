"""What a domain may ask of the engine while it changes its state: rows, timers, work, checkpoints, duties, the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .plain import frozen_copy
from .protocol import Dispatch, Event, HumanCheckpoint
from .run import Run
from .vocabulary import Provenance
from .work import Work


@dataclass(frozen=True, slots=True)
class OpenCheckpoint:
    """A human was called upon and has not decided yet."""

    checkpoint_id: str
    checkpoint_type: str
    assignee_actor_id: str


class Desk:
    """The engine's :class:`.protocol.Environment`. Wrong calls are faults of the domain and raise.

    Attributes:
        checkpoints_opened: how often a human was called upon.
        terminal: the domain terminal, once it is accepted.
    """

    __slots__ = ("_checkpoints", "_run", "_used_checkpoints", "_work", "terminal")

    def __init__(self, run: Run, work: Work) -> None:
        self._run = run
        self._work = work
        self._checkpoints: dict[str, HumanCheckpoint] = {}
        self._used_checkpoints: set[str] = set()
        self.terminal: str | None = None

    @property
    def now(self) -> int:
        """Minutes from the start."""
        return self._run.clock.now

    @property
    def checkpoints_opened(self) -> int:
        """How often a human was called upon so far."""
        return len(self._used_checkpoints)

    def instant(self, minutes: int) -> str:
        """Return the canonical instant ``minutes`` after the start."""
        return self._run.clock.instant(minutes)

    def record(self, record_type: str, **payload: Any) -> None:
        """Append a row of one of the domain's own types.

        Raises:
            TypeError: the domain did not declare the type, or declared it with other fields.
        """
        if record_type not in self._run.plan.row_types:
            raise TypeError(f"{record_type!r} is no row type of the domain")
        self._run.row(record_type, **payload)

    def set_timer(self, event_id: str, event_type: str, after_minutes: int, payload: Mapping[str, Any]) -> None:
        """Let the scheduler emit an event that wakes the agent when accepted.

        Raises:
            ValueError: the event id was used before.
        """
        run = self._run
        at = run.clock.now + after_minutes
        run.queue.schedule(
            Event(
                event_id=event_id,
                event_type=event_type,
                actor_id=run.plan.roles.scheduler_actor_id,
                at=at,
                sequence=run.queue.next_sequence(),
                payload=frozen_copy(payload),
                triggers_agent=True,
                provenance=Provenance.TIMER,
                caused_by=Provenance.TIMER.value,
            )
        )
        run.row("timer_scheduled", event_id=event_id, event_type=event_type, due_at=run.clock.instant(at))

    def cancel_timer(self, event_id: str) -> bool:
        """Cancel a pending timer and tell whether it was pending. Its id stays used."""
        pending = self._run.queue.cancel(event_id)
        if pending:
            self._run.row("timer_cancelled", event_id=event_id)
        return pending

    def start_dispatch(self, dispatch: Dispatch) -> None:
        """Create scheduled work; its first attempt follows the change that is being made.

        Raises:
            ValueError: the work id was used before.
            KeyError: the channel is not declared.
        """
        self._work.create(dispatch)

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
        """Record that a human is called upon.

        Raises:
            ValueError: the checkpoint id was used before.
        """
        if checkpoint_id in self._used_checkpoints:
            raise ValueError(f"checkpoint id {checkpoint_id!r} is used twice")
        self._used_checkpoints.add(checkpoint_id)
        self._checkpoints[checkpoint_id] = OpenCheckpoint(checkpoint_id, checkpoint_type, assignee_actor_id)
        self._run.row(
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
        """Record that a human, or a deadline, resolved a checkpoint.

        Raises:
            ValueError: no checkpoint of this id and type is open.
        """
        checkpoint = self._checkpoints.pop(checkpoint_id, None)
        if checkpoint is None or checkpoint.checkpoint_type != checkpoint_type:
            raise ValueError(f"no checkpoint {checkpoint_id!r} of type {checkpoint_type!r} is open")
        self._run.row(
            "checkpoint_resolved",
            checkpoint_id=checkpoint_id,
            checkpoint_type=checkpoint_type,
            resolution=resolution,
            resolved_by=resolved_by,
        )

    def open_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, due_after_minutes: int) -> None:
        """Record a duty of the agent."""
        due_at = self.instant(self.now + due_after_minutes)
        self._run.row("obligation_created", obligation_id=obligation_id, kind=kind, cycle_id=cycle_id, due_at=due_at)

    def close_obligation(self, obligation_id: str, kind: str, cycle_id: str | None, how: str) -> None:
        """Record that a duty was ``discharged``, ``cancelled`` or ``breached``.

        Raises:
            TypeError: ``how`` is another word.
        """
        self._run.row(f"obligation_{how}", obligation_id=obligation_id, kind=kind, cycle_id=cycle_id)

    def accept_terminal(self, outcome: str, cycle_id: str | None, actor_id: str | None) -> None:
        """Record that the operation is replay-final.

        Raises:
            ValueError: ``outcome`` is no terminal of the plan, or there is one already.
        """
        if outcome not in self._run.plan.terminals or self.terminal is not None:
            raise ValueError(f"{outcome!r} is no terminal of the plan, or comes after another")
        self.terminal = outcome
        self._run.row("terminal_accepted", outcome=outcome, replay_final=True, cycle_id=cycle_id, actor_id=actor_id)
