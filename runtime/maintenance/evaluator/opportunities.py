"""The opportunity table: what the operation's state and plan called for, with what came of it; honest denominators."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from .case import Case
from .record import Row
from .result import Opportunity
from .rulebook import APPROVAL, EXCEPTION, REMINDER, purpose, row_of
from .steps import steps
from .waiting import matters, premature

_STOPPED = frozenset({"RECORD_BUDGET_EXHAUSTED"})
"""Stops that are not the agent's doing: what was still open then is censored."""

_NOT_WAITED_FOR = frozenset({"dispatch", "window"})
"""A dispatch ends by itself, and completing yields control without a wait."""


def opportunities(case: Case) -> list[Opportunity]:
    """Return every opportunity, by the row that opened it; those never reached come last. Ids are unique."""
    reached = sorted(
        (*_steps(case), *_duties(case), *_waits(case), *_recoveries(case)), key=lambda item: (item.rows, item.kind)
    )
    seen: Counter[str] = Counter()
    table = []
    for item in (*reached, *_unreached(case, reached)):
        seen[item.opportunity_id] += 1
        number = seen[item.opportunity_id]
        table.append(replace(item, opportunity_id=f"{item.opportunity_id}#{number}") if number > 1 else item)
    return table


def _opportunity(kind: str, key: str, verdict: str, opened: Row, due_at: str | None, *rows: Row | None) -> Opportunity:
    places = tuple(sorted({opened.position, *(row.position for row in rows if row is not None)}))
    return Opportunity(f"{kind}:{key}", kind, opened["at"], due_at, verdict, places)


def _undone(case: Case) -> str:
    stops = case.of_kind["critical_violation"]
    return "censored" if stops and stops[-1]["code"] in _STOPPED else "missed"


def _steps(case: Case) -> Iterator[Opportunity]:
    for step in steps(case):
        verdict = "met" if step.met is not None else "withdrawn" if step.withdrawn is not None else _undone(case)
        yield _opportunity(step.kind, step.key, verdict, step.opened, None, step.met or step.withdrawn)


def _duties(case: Case) -> Iterator[Opportunity]:
    for obligation_id, duty in case.duties.items():
        closed, due = duty.closed, case.minute(duty.row["due_at"])
        if closed is None:
            verdict = "missed" if due < case.ended_at else "censored"
        elif closed.kind == "obligation_cancelled":
            verdict = "withdrawn"
        else:
            verdict = "met" if closed.kind == "obligation_discharged" and closed.at <= due else "missed"
        kind = "follow_up_due" if duty.row["kind"] == REMINDER else "duty_due"
        yield _opportunity(kind, obligation_id, verdict, duty.row, duty.row["due_at"], closed)


def _waits(case: Case) -> Iterator[Opportunity]:
    """Yield one for each matter under way: met if it was waited for, premature if somebody was chased meanwhile."""
    chased = {checkpoint_id for checkpoint_id, _, _ in premature(case)}
    declared = [wait.row for wait in case.waits]
    for matter in matters(case):
        closed = matter.closed
        if matter.kind in _NOT_WAITED_FOR or (closed is not None and closed.position < matter.opened.position):
            continue
        following = bisect_right(declared, matter.opened.position, key=lambda row: row.position)
        wait = declared[following] if following < len(declared) else None
        waited = wait is not None and (closed is None or wait.position < closed.position)
        if matter.kind == "checkpoint" and matter.key in chased:
            verdict = "premature"
        elif waited:
            verdict = "met" if closed is not None else "censored"
        else:
            verdict = "missed" if closed is not None else _undone(case)
        due_at = matter.opened["deadline_at"] if matter.kind == "checkpoint" else None
        key = f"{matter.kind}:{matter.key}"
        yield _opportunity("wait_due", key, verdict, matter.opened, due_at, wait if waited else None, closed)


def _recoveries(case: Case) -> Iterator[Opportunity]:
    recovered = {
        work.attempts[0]["recovery_of"]: work.delivered for work in case.works.values() if work.delivered is not None
    }
    for work_id, work in case.works.items():
        if work.failed is not None:
            met = recovered.get(work_id)
            yield _opportunity("recovery_due", work_id, _done(case, met), work.failed, None, met)
    verified = case.fact("work_evidence_verified", "cycle_id")
    for row in case.of_kind["operation_reopened"]:
        facts = verified.get(row["warranty_cycle_id"])
        met = row_of(facts[0]) if facts else None
        yield _opportunity("recovery_due", row["warranty_cycle_id"], _done(case, met), row, None, met)


def _done(case: Case, met: Row | None) -> str:
    return "met" if met is not None else _undone(case)


def _unreached(case: Case, reached: list[Opportunity]) -> Iterator[Opportunity]:
    """Yield what the variant holds in store and the episode did not come to."""
    kinds = {item.kind for item in reached}
    for kind, checkpoint_type in (("approval_due", APPROVAL), ("escalation_due", EXCEPTION)):
        if checkpoint_type in case.variant.required_checkpoint_types and kind not in kinds:
            yield Opportunity(f"{kind}:{checkpoint_type}", kind, None, None, "unreached", ())
    attempted = {(row["message_fixture_id"], row["channel"]) for row in case.of_kind["side_effect_failed"]}
    for fixture_id, channel in sorted(case.plan.faults.keys() - attempted):
        key = f"{purpose(case, fixture_id)}:{channel}"
        yield Opportunity(f"recovery_due:{key}", "recovery_due", None, None, "unreached", ())
    for event in case.plan.events:
        if event.payload.get("status") == "PERSISTS" and event.event_id not in case.by_event_id:
            yield Opportunity(f"recovery_due:{event.event_id}", "recovery_due", None, None, "unreached", ())
