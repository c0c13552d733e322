"""environment_integrity: the outside world did what the plan says, when it says so, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.protocol import PlannedEvent
from ...core.vocabulary import DEADLOCK
from .case import Case
from .causes import cause_of
from .predicate import predicate
from .record import Delivery, Row, finding, name
from .result import Finding
from .rulebook import same
from .timers import timers_wanted

_TIMERS_FROM = 1_000_000
"""Timers and retries are numbered after it, in the order armed; authored events are numbered far below."""


@predicate("UNEXPECTED_EVENT_REJECTION")
def rejections_are_declared(case: Case) -> Iterator[Finding]:
    """Require that an event is refused, or comes after the end, only where the variant declares it, with that code.

    What the environment itself emits after the end is nobody's mistake.
    """
    declared = {item.event_id: item.code for item in case.variant.expected_event_rejections}
    for delivery in case.deliveries:
        if delivery.disposition not in {"rejected", "post_terminal"}:
            continue
        own = delivery.disposition == "post_terminal" and delivery.event_id not in _planned(case)
        if not own and declared.get(delivery.event_id) != delivery.verdict_code:
            rows = case.delivery_rows.get(delivery.event_id, ())
            detail = f"event {name(delivery.event_id)} was refused: {name(delivery.verdict_code)}"
            yield finding("UNEXPECTED_EVENT_REJECTION", detail, rows)


def _planned(case: Case) -> Mapping[str, PlannedEvent]:
    return case.once(("planned",), lambda: {event.event_id: event for event in case.plan.events})


@predicate("EVENT_NOT_IN_PLAN")
def events_are_planned(case: Case) -> Iterator[Finding]:
    """Require that each event is authored, or stems from a timer or from scheduled work."""
    for delivery in case.deliveries:
        row = delivery.row
        if row is not None and not _is_known(case, delivery, row):
            yield finding("EVENT_NOT_IN_PLAN", f"nothing brings event {name(delivery.event_id)} about", (row,))


def _is_known(case: Case, delivery: Delivery, row: Row) -> bool:
    provenance, caused_by = row["provenance"], row["caused_by"]
    planned = _planned(case).get(delivery.event_id)
    if planned is not None:
        trigger = planned.trigger
        wanted = ("authored", None) if trigger is None else ("conditional", f"{trigger.kind}:{trigger.type_name}")
        return (provenance, caused_by) == wanted
    own = delivery.actor_id == case.plan.roles.scheduler_actor_id and provenance == caused_by
    if delivery.event_type == case.plan.roles.retry_event:
        return own and provenance == "retry"
    tells_end = delivery.event_id in _ends(case) and delivery.event_id.startswith(f"{delivery.event_type}:")
    return own and provenance == "timer" and (delivery.event_id in case.timers or tells_end)


def _ends(case: Case) -> Mapping[str, Row]:
    """Return id of the event that tells the end of scheduled work -> the row that ended it."""

    def build() -> Mapping[str, Row]:
        roles = case.plan.roles
        tells = {"work_completed": roles.work_completed_event, "work_failed": roles.work_failed_event}
        ends = (row for work in case.works.values() for row in work.ends if row.kind in tells)
        return {f"{tells[row.kind]}:{row['work_id']}": row for row in ends}

    return case.once(("ends",), build)


@predicate("EVENT_ALTERED")
def events_are_unaltered(case: Case) -> Iterator[Finding]:
    """Require that an authored event has its author's type, actor and payload, save ids its cause allocated.

    What the environment emits itself names what it was armed for, and is numbered as it was armed.
    """
    authored = _planned(case)
    for delivery in case.deliveries:
        planned = authored.get(delivery.event_id)
        if planned is None:
            if not _is_own(case, delivery):
                rows = case.delivery_rows.get(delivery.event_id, ())
                yield finding("EVENT_ALTERED", f"event {name(delivery.event_id)} is not as it is emitted", rows)
            continue
        alike = (delivery.event_type, delivery.actor_id, delivery.triggers_agent, delivery.sequence) == (
            planned.event_type,
            planned.actor_id,
            planned.triggers_agent,
            planned.sequence,
        )
        if not alike or not _repeats(case, planned, delivery):
            rows = case.delivery_rows.get(delivery.event_id, ())
            yield finding("EVENT_ALTERED", f"event {name(delivery.event_id)} is not as it was authored", rows)


def _is_own(case: Case, delivery: Delivery) -> bool:
    """Tell whether an event of a timer or of scheduled work is as it was armed; one that was not is reported apart."""
    armed = _armed(case).get(delivery.event_id)
    if armed is None:
        return True
    sequence, payload = armed
    roles, wakes = case.plan.roles, delivery.event_type != case.plan.roles.retry_event
    if delivery.event_type == roles.work_completed_event:
        # Delivered at once is no news; delivered by a retry is.
        end = _ends(case).get(delivery.event_id)
        wakes = end is not None and end["attempts"] != 1
    stated = payload is None or same(delivery.payload, payload)
    return stated and delivery.triggers_agent == wakes and delivery.sequence == sequence


def _armed(case: Case) -> Mapping[str, tuple[int, Mapping[str, Any] | None]]:
    """Return event id -> number and payload of each event the environment armed itself, counted as they were armed.

    A timer that stands for nothing has no payload to compare.
    """

    def build() -> Mapping[str, tuple[int, Mapping[str, Any] | None]]:
        roles, wanted = case.plan.roles, timers_wanted(case)
        armed: dict[str, tuple[int, Mapping[str, Any] | None]] = {}
        payload: Mapping[str, Any] | None
        rows = [row for kind in ("timer_scheduled", "side_effect_failed") for row in case.of_kind[kind]]
        rows += [row for kind in ("work_completed", "work_failed") for row in case.of_kind[kind]]
        number = _TIMERS_FROM
        for row in sorted(rows, key=lambda row: row.position):
            if row.kind == "timer_scheduled":
                event_id, payload = row["event_id"], None
                if event_id in wanted:
                    payload = wanted[event_id][0].payload
            elif row.kind != "side_effect_failed":
                told = roles.work_completed_event if row.kind == "work_completed" else roles.work_failed_event
                event_id, payload = f"{told}:{row['work_id']}", {"work_id": row["work_id"]}
            elif row["retry_at"] is not None:
                event_id, payload = _retry_id(case, row), {"work_id": row["work_id"]}
            else:
                continue
            number += 1
            armed.setdefault(event_id, (number, payload))
        return armed

    return case.once(("armed",), build)


def _retry_id(case: Case, row: Row) -> str:
    return f"{case.plan.roles.retry_event}:{row['work_id']}:{row['attempt']}"


def _repeats(case: Case, planned: PlannedEvent, delivery: Delivery) -> bool:
    cause = cause_of(case, planned)
    bound = {} if cause is None else cause.bindings
    return same(delivery.payload, {field: bound.get(field, value) for field, value in planned.payload.items()})


@predicate("EVENT_OUT_OF_TIME", "EVENT_MISSING")
def events_are_in_time(case: Case) -> Iterator[Finding]:
    """Require that an event is delivered when its author, cause, timer or work says, and that none is missing."""
    for delivery in case.deliveries:
        row = delivery.row
        if row is not None and _is_known(case, delivery, row) and _due(case, delivery) != delivery.at:
            detail = f"event {name(delivery.event_id)} was not delivered when it was due"
            yield finding("EVENT_OUT_OF_TIME", detail, (row,))
    # Only a stop leaves what is due at its own instant; otherwise all is delivered that is due by the horizon.
    stopped = case.outcome.get("status") == DEADLOCK
    last = case.ended_at - 1 if stopped else case.plan.limits.horizon_minutes
    for event_id, due, rows in _dues(case):
        if due <= last and event_id not in case.by_event_id and event_id not in case.delivery_rows:
            yield finding("EVENT_MISSING", f"event {name(event_id)} was due and was not delivered", rows)


def _due(case: Case, delivery: Delivery) -> int | None:
    planned = _planned(case).get(delivery.event_id)
    if planned is not None:
        if planned.trigger is None:
            return planned.at
        cause = cause_of(case, planned)
        return None if cause is None else cause.row.at + planned.delay_minutes
    timer = case.timers.get(delivery.event_id)
    if timer is not None:
        due = None if timer.cancellations else case.minute(timer.row["due_at"])
        return due if timer.row["event_type"] == delivery.event_type else None
    if delivery.event_type == case.plan.roles.retry_event:
        return _retries(case).get(delivery.event_id)
    end = _ends(case).get(delivery.event_id)
    return None if end is None else end.at


def _retries(case: Case) -> Mapping[str, int]:
    """Return id of a retry's event -> the minute it is due."""

    def build() -> Mapping[str, int]:
        return {
            _retry_id(case, row): case.minute(row["retry_at"])
            for row in case.of_kind["side_effect_failed"]
            if row["retry_at"] is not None
        }

    return case.once(("retries",), build)


def _dues(case: Case) -> Iterator[tuple[str, int, tuple[Row, ...]]]:
    for event_id, planned in _planned(case).items():
        cause = cause_of(case, planned)
        if planned.at is not None:
            yield event_id, planned.at, ()
        elif cause is not None:
            yield event_id, cause.row.at + planned.delay_minutes, (cause.row,)
    for event_id, timer in case.timers.items():
        if not timer.cancellations:
            yield event_id, case.minute(timer.row["due_at"]), (timer.row,)
    for event_id, due in _retries(case).items():
        yield event_id, due, ()
    for event_id, row in _ends(case).items():
        yield event_id, row.at, (row,)


@predicate("DISPATCH_NOT_AS_PLANNED")
def dispatches_are_as_planned(case: Case) -> Iterator[Finding]:
    """Require that attempts fail where the plan says, are repeated as its channel says, and end the work they end."""
    sent: Counter[tuple[str, str]] = Counter()
    attempts = [*case.of_kind["side_effect"], *case.of_kind["side_effect_failed"]]
    for row in sorted(attempts, key=lambda row: row.position):
        key = row["message_fixture_id"], row["channel"]
        sent[key] += 1
        fails = sent[key] <= case.plan.faults.get(key, 0)
        if fails != (row.kind == "side_effect_failed") or row.data.get("status", "delivered") != "delivered":
            yield finding("DISPATCH_NOT_AS_PLANNED", "an attempt came out otherwise than planned", (row,))
    for work_id, work in case.works.items():
        policy = case.plan.channels.get(work.row["channel"])
        stated = work.row["max_attempts"], work.row["backoff_minutes"]
        if (
            policy is None
            or stated != (policy.max_attempts, policy.backoff_minutes)
            or not _is_played_out(case, work_id)
        ):
            rows = (work.row, *work.attempts, *work.ends)
            yield finding("DISPATCH_NOT_AS_PLANNED", f"work {name(work_id)} did not go as its channel says", rows)


def _is_played_out(case: Case, work_id: str) -> bool:
    """Tell whether attempts and end of one piece of work follow its retry policy; the episode may stop in between."""
    work = case.works[work_id]
    last: Row | None = None
    for ordinal, row in enumerate(work.attempts, 1):
        again = row.kind == "side_effect_failed" and ordinal < work.row["max_attempts"]
        retry_at = row.data.get("retry_at")
        on_time = retry_at is None or case.minute(retry_at) == row.at + work.row["backoff_minutes"]
        if row["attempt"] != ordinal or row["channel"] != work.row["channel"] or not on_time:
            return False
        if row.kind == "side_effect_failed" and again != (retry_at is not None):
            return False
        if last is not None and (last.data.get("retry_at") is None or case.minute(last["retry_at"]) != row.at):
            return False
        last = row
    ended = "work_cancelled"
    if last is not None and not (last.kind == "side_effect_failed" and last["retry_at"] is not None):
        ended = "work_completed" if last.kind == "side_effect" else "work_failed"
        if not work.ends:
            return False
    return len(work.ends) <= 1 and all(
        row.kind == ended and row.data.get("attempts", len(work.attempts)) == len(work.attempts) for row in work.ends
    )


@predicate("RECORD_CLOCK_INCONSISTENT")
def clock_is_consistent(case: Case) -> Iterator[Finding]:
    """Require that the record states start, end and duration as its rows do."""
    outcome, ends = case.outcome, case.of_kind["episode_ended"]
    if outcome.get("started_at") != case.plan.starts_at:
        yield finding("RECORD_CLOCK_INCONSISTENT", "the record starts at another instant than its variant")
    if outcome.get("ended_at") not in [row["at"] for row in ends]:
        yield finding("RECORD_CLOCK_INCONSISTENT", "the record ends at another instant than its last row", ends)
    if outcome.get("simulated_minutes") != case.ended_at:
        yield finding("RECORD_CLOCK_INCONSISTENT", "the record does not last as long as its rows", ends)
    for row in case.rows:
        if row.at > case.plan.limits.horizon_minutes:
            yield finding("RECORD_CLOCK_INCONSISTENT", "a row is after the horizon", (row,))


def counts(case: Case) -> dict[str, int]:
    """Return events refused and late, as declared and not."""
    declared = {item.event_id: item.code for item in case.variant.expected_event_rejections}
    refused = [item for item in case.deliveries if item.disposition == "rejected"]
    late = [item for item in case.deliveries if item.disposition == "post_terminal"]
    return {
        "events_delivered": len(case.deliveries),
        "expected_rejections": sum(declared.get(item.event_id) == item.verdict_code for item in (*refused, *late)),
        "unexpected_rejections": sum(declared.get(item.event_id) != item.verdict_code for item in refused),
        "unexpected_post_terminal": sum(item.event_id not in declared for item in late),
        "declared_rejections": len(declared),
    }


PREDICATES = (
    rejections_are_declared,
    events_are_planned,
    events_are_unaltered,
    events_are_in_time,
    dispatches_are_as_planned,
    clock_is_consistent,
)
