"""environment_integrity: each duty, checkpoint and provisional close has its timers, and there are no others."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .case import Case
from .predicate import predicate
from .record import Row, finding, name
from .result import Finding
from .rulebook import APPROVAL, after


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A timer that must have been armed.

    Attributes:
        event_id: of the timer and of its event, whose type is ``event_type``.
        cause: the row that calls for it, at whose instant it is armed.
        due: the minute at which it fires.
        called_off: whether what it stands for was over before.
        payload: of its event.
    """

    event_id: str
    event_type: str
    cause: Row
    due: int
    called_off: bool
    payload: Mapping[str, str | None]


@predicate("TIMER_LIFECYCLE_BROKEN")
def timers_hold(case: Case) -> Iterator[Finding]:
    """Require that everything with a due time armed its timer once, and called it off if it was over before then."""
    code = "TIMER_LIFECYCLE_BROKEN"
    for row in case.orphans["timer"]:
        yield finding(code, f"no timer, or a second one, is called {name(row['event_id'])}", (row,))
    wanted = timers_wanted(case)
    for event_id, (item, *again) in wanted.items():
        for other in again:
            yield finding(code, f"two rows call for timer {name(event_id)}", (item.cause, other.cause))
        timer = case.timers.get(event_id)
        if timer is None:
            yield finding(code, f"timer {name(event_id)} was never armed", (item.cause,))
            continue
        fault = None
        stated = timer.row["event_type"], timer.row.at, case.minute(timer.row["due_at"])
        if stated != (item.event_type, item.cause.at, item.due):
            fault = "was armed otherwise than it was called for"
        elif len(timer.cancellations) != item.called_off or any(row.at > item.due for row in timer.cancellations):
            fault = "was cancelled, or not, against what it stands for"
        if fault:
            yield finding(code, f"timer {name(event_id)} {fault}", (item.cause, timer.row, *timer.cancellations))
    for event_id, timer in case.timers.items():
        if event_id not in wanted:
            yield finding(code, f"timer {name(event_id)} stands for nothing", (timer.row,))


def timers_wanted(case: Case) -> Mapping[str, list[_Wanted]]:
    """Return event id -> what calls for a timer of this id: one thing, in a sound record."""

    def build() -> Mapping[str, list[_Wanted]]:
        wanted: dict[str, list[_Wanted]] = defaultdict(list)
        for item in _wanted(case):
            wanted[item.event_id].append(item)
        return wanted

    return case.once(("timers wanted",), build)


def _wanted(case: Case) -> Iterator[_Wanted]:
    for obligation_id, duty in case.duties.items():
        over = duty.closed is not None and duty.closed.kind != "obligation_breached"
        event_id, due = f"timer_obligation:{obligation_id}", case.minute(duty.row["due_at"])
        yield _Wanted(event_id, "obligation_due", duty.row, due, over, {"obligation_id": obligation_id})
    yield from _of_checkpoints(case)
    yield from _of_closes(case)


def _of_checkpoints(case: Case) -> Iterator[_Wanted]:
    for checkpoint_id, checkpoint in case.checkpoints.items():
        row, end = checkpoint.row, checkpoint.resolved
        decided = end is not None and end["resolution"] != "EXPIRED"
        payload = {"checkpoint_id": checkpoint_id, "cycle_id": row["cycle_id"]}
        kind = "exception"
        if row["checkpoint_type"] == APPROVAL:
            kind = "approval"
            due = row.at + case.spec.policy.approval_reminder_after_minutes
            # A decision comes before the timers of its instant, an expiry is one of them.
            over = end is not None and (end.at < due or (end.at == due and decided))
            event_id = f"timer_approval_reminder:{checkpoint_id}"
            yield _Wanted(event_id, "approval_reminder_due", row, due, over, payload)
        due, event_id = case.minute(row["deadline_at"]), f"timer_{kind}_deadline:{checkpoint_id}"
        yield _Wanted(event_id, f"{kind}_deadline_due", row, due, decided, payload)


def _of_closes(case: Case) -> Iterator[_Wanted]:
    """Yield the timer of each provisional close, numbered by the reopenings before it."""
    reopenings = case.of_kind["operation_reopened"]
    for row in case.of_kind["provisional_close_entered"]:
        number = bisect_left(reopenings, row.position, key=lambda reopening: reopening.position) + 1
        over = after(reopenings, row.position) is not None
        due = row.at + case.spec.policy.provisional_close_minutes
        event_id, payload = f"timer_provisional_close:{number}", {"cycle_id": row["cycle_id"]}
        yield _Wanted(event_id, "provisional_close_expired", row, due, over, payload)


PREDICATES = (timers_hold,)
