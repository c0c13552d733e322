"""Scheduled work: created, attempted under a retry policy and authored faults, then completed, failed or cancelled."""

from __future__ import annotations

from collections import Counter, deque

from .plain import frozen_copy
from .protocol import Dispatch, Environment, Event
from .run import Run
from .vocabulary import Provenance


class Work:
    """All scheduled work of an episode. A failed attempt takes back nothing of what was committed."""

    __slots__ = ("_attempts", "_created", "_due", "_run", "_sends", "_used")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._created: dict[str, Dispatch] = {}
        self._used: set[str] = set()
        self._attempts: Counter[str] = Counter()
        self._sends: Counter[tuple[str, str]] = Counter()
        self._due: deque[str] = deque()

    def create(self, dispatch: Dispatch) -> None:
        """Create work whose first attempt is due at once.

        Raises:
            ValueError: the work id was used before.
            KeyError: the channel is not declared.
        """
        policy = self._run.plan.channels[dispatch.channel]
        if dispatch.work_id in self._used:
            raise ValueError(f"work id {dispatch.work_id!r} is used twice")
        self._used.add(dispatch.work_id)
        self._created[dispatch.work_id] = dispatch
        self._due.append(dispatch.work_id)
        self._run.row(
            "work_created",
            work_id=dispatch.work_id,
            channel=dispatch.channel,
            max_attempts=policy.max_attempts,
            backoff_minutes=policy.backoff_minutes,
        )

    def retry(self, work_id: str) -> None:
        """Make work due again: its retry event was delivered."""
        self._due.append(work_id)

    def attempt_due(self, environment: Environment) -> None:
        """Make every attempt that is due; cancel the work instead if the operation is final."""
        while self._due:
            dispatch = self._created[self._due.popleft()]
            if self._run.final:
                del self._created[dispatch.work_id]
                self._run.row("work_cancelled", work_id=dispatch.work_id)
            else:
                self._attempt(dispatch, environment)
                self._run.revision += 1

    def _attempt(self, dispatch: Dispatch, environment: Environment) -> None:
        run, roles = self._run, self._run.plan.roles
        work_id, policy = dispatch.work_id, run.plan.channels[dispatch.channel]
        self._attempts[work_id] += 1
        attempt = self._attempts[work_id]
        key = (dispatch.message_fixture_id, dispatch.channel)
        self._sends[key] += 1
        delivered = self._sends[key] > run.plan.faults.get(key, 0)
        again = not delivered and attempt < policy.max_attempts
        facts = {
            "work_id": work_id,
            "attempt": attempt,
            "channel": dispatch.channel,
            "recipient_actor_id": dispatch.recipient_actor_id,
            "message_fixture_id": dispatch.message_fixture_id,
            "correlation_id": dispatch.correlation_id,
            "recovery_of": dispatch.recovery_of,
        }
        retry_at = run.clock.now + policy.backoff_minutes
        if delivered:
            run.row("side_effect", **facts, status="delivered")
        else:
            due_at = run.clock.instant(retry_at) if again else None
            run.row("side_effect_failed", **facts, retry_at=due_at, committed_decision_preserved=True)
        if again:
            run.operation.attempt_failed(run.state, dispatch, attempt)
            self._emit(roles.retry_event, f"{work_id}:{attempt}", work_id, retry_at, Provenance.RETRY, wakes=False)
            return
        del self._created[work_id]
        run.operation.dispatch_ended(run.state, dispatch, delivered=delivered, environment=environment)
        run.row("work_completed" if delivered else "work_failed", work_id=work_id, attempts=attempt)
        ended = roles.work_completed_event if delivered else roles.work_failed_event
        # What is delivered at once is in the record when the agent looks again; only a retry is worth waiting for.
        news = not delivered or attempt > 1
        self._emit(ended, work_id, work_id, run.clock.now, Provenance.TIMER, wakes=news)

    def _emit(
        self, event_type: str, suffix: str, work_id: str, at: int, provenance: Provenance, *, wakes: bool
    ) -> None:
        queue = self._run.queue
        queue.schedule(
            Event(
                event_id=f"{event_type}:{suffix}",
                event_type=event_type,
                actor_id=self._run.plan.roles.scheduler_actor_id,
                at=at,
                sequence=queue.next_sequence(),
                payload=frozen_copy({"work_id": work_id}),
                triggers_agent=wakes,
                provenance=provenance,
                caused_by=provenance.value,
            )
        )
