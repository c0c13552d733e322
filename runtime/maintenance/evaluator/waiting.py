"""temporal_correctness: does the agent wait for what is to come, and follow up neither too early nor never?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...core.vocabulary import HORIZON_EXHAUSTED
from .case import Case
from .predicate import predicate
from .record import Delivery, Proposed, Row, finding, name
from .result import Finding
from .rulebook import APPROVAL, REMINDER, after, bookings, earliest, is_resolved, position, purpose, row_of
from .standing import standing
from .steps import steps


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that somebody else must bring about.

    Attributes:
        kind: what it is; ``key`` is what it is about.
        opened: the row since which it is under way.
        closed: the row that brought it, or null.
        wakes: the types of the events that can.
    """

    kind: str
    key: str
    opened: Row
    closed: Row | None
    wakes: tuple[str, ...]


_APPROVAL_WAKES = ("approver_decision_received", "approval_deadline_due", "approval_reminder_due")
_EXCEPTION_WAKES = ("operator_exception_resolved", "exception_deadline_due")
_VISIT_WAKES = ("supplier_visit_response", "supplier_work_reported", "work_evidence_verified", "obligation_due")
_CLOSE_WAKES = ("customer_resolution_reported", "provisional_close_expired")


def matters(case: Case) -> list[Matter]:
    """Return everything that was under way outside, by the row that began it."""
    parts = (_checkpoints, _visits, _quotes, _billing, _corrections, _customer, _dispatches)
    return case.once(
        ("matters",),
        lambda: sorted((item for part in parts for item in part(case)), key=lambda item: item.opened.position),
    )


def _checkpoints(case: Case) -> Iterator[Matter]:
    for key, checkpoint in case.checkpoints.items():
        wakes = _APPROVAL_WAKES if checkpoint.row["checkpoint_type"] == APPROVAL else _EXCEPTION_WAKES
        yield Matter("checkpoint", key, checkpoint.row, checkpoint.resolved, wakes)


def _visits(case: Case) -> Iterator[Matter]:
    ends = _visit_ends(case)
    replaced: dict[str | None, Row] = {}
    for effect in reversed(bookings(case)):
        visit_id, cycle_id = effect["bindings"].get("visit_id", ""), effect["cycle_id"]
        closed = earliest(ends.get(visit_id), replaced.get(cycle_id))
        yield Matter("visit", visit_id, effect, closed, _VISIT_WAKES)
        replaced[cycle_id] = effect


def _visit_ends(case: Case) -> Mapping[str, Row]:
    """Return visit id -> the first row after which nothing more is to come of the visit."""
    ends: list[Delivery] = []
    for event_type in ("supplier_work_reported", "work_evidence_verified"):
        ends += case.facts.get(event_type, ())
    ends += case.fact("supplier_visit_response", "response").get("DECLINED", [])
    ends += case.fact("visit_attendance_verified", "attended").get(False, [])
    first: dict[str, Row] = {}
    for fact in sorted(ends, key=position):
        first.setdefault(fact.payload["visit_id"], row_of(fact))
    return first


def _first(facts: Sequence[Delivery], place: int = -1) -> Row | None:
    """Return the row of the first of ``facts``, which ascend, after a place of the trajectory, or null."""
    following = bisect_right(facts, place, key=position)
    return row_of(facts[following]) if following < len(facts) else None


def _quotes(case: Case) -> Iterator[Matter]:
    for signal in standing(case).signals:
        yield Matter("quote", signal.key, signal.opened, signal.closed, ("supplier_quote_received",))


def _billing(case: Case) -> Iterator[Matter]:
    quoted = case.fact("supplier_quote_received", "cycle_id")
    invoiced = case.fact("supplier_invoice_received", "cycle_id")
    for fact in case.facts.get("work_evidence_verified", ()):
        key = fact.payload["cycle_id"]
        if key in quoted:
            yield Matter("invoice", key, row_of(fact), _first(invoiced.get(key, [])), ("supplier_invoice_received",))
    validated = case.fact("invoice_validation_completed", "invoice_id")
    for proposed in case.effects["request_invoice_validation"]:
        assert proposed.effect is not None
        key = proposed.payload["invoice_id"]
        closed = _first(validated.get(key, []))
        yield Matter("validation", key, proposed.effect, closed, ("invoice_validation_completed",))
    settled = case.fact("payment_settlement_confirmed", "payment_request_id")
    for proposed in case.effects["request_payment"]:
        assert proposed.effect is not None
        key = proposed.effect["bindings"].get("payment_request_id", "")
        yield Matter("payment", key, proposed.effect, _first(settled.get(key, [])), ("payment_settlement_confirmed",))


def _corrections(case: Case) -> Iterator[Matter]:
    invoices = case.fact("supplier_invoice_received", "corrects_invoice_id")
    quotes = case.fact("supplier_quote_received", "cycle_id")
    for proposed in case.effects["request_supplier_correction"]:
        assert proposed.effect is not None
        payload, place = proposed.payload, proposed.effect.position
        if payload["subject_kind"] == "INVOICE":
            facts, wakes = invoices.get(payload["subject_id"], []), ("supplier_invoice_received",)
        else:
            facts, wakes = quotes.get(payload["cycle_id"], []), ("supplier_quote_received",)
        closed = _first(facts, place)
        yield Matter("correction", payload["subject_id"], proposed.effect, closed, wakes)


def _customer(case: Case) -> Iterator[Matter]:
    """Yield the customer's word on each revisit that was verified, and on each provisional close."""
    words = case.facts.get("customer_resolution_reported", [])
    evidence = case.fact("work_evidence_verified", "cycle_id")
    for row in case.of_kind["operation_reopened"]:
        for fact in evidence.get(row["warranty_cycle_id"], [])[:1]:
            closed = _first(words, position(fact))
            yield Matter("customer", row["warranty_cycle_id"], row_of(fact), closed, ("customer_resolution_reported",))
    ends = [*case.of_kind["operation_reopened"], *case.of_kind["terminal_accepted"]]
    ends.sort(key=lambda row: row.position)
    for row in case.of_kind["provisional_close_entered"]:
        yield Matter("window", row["cycle_id"], row, after(ends, row.position), _CLOSE_WAKES)


def _dispatches(case: Case) -> Iterator[Matter]:
    for work_id, work in case.works.items():
        end = next(iter(work.ends), None)
        yield Matter("dispatch", work_id, work.row, end, ("message_delivered", "message_failed"))


@predicate("REQUIRED_WAKE_NOT_AWAITED", "SETTLED_MATTER_AWAITED")
def waits_for_what_is_to_come(case: Case) -> Iterator[Finding]:
    """Require that a wait without fallback names an event that something under way can bring.

    A fallback that cannot come, because the time is over before, is none.
    While something is under way, naming none of its events is a required wake that is not awaited. While nothing is,
    naming the events of something that is over is a stale one.
    """
    for wait, under_way, over in _at_waits(case):
        wake_on = wait["wake_on"]
        if _falls_back(case, wait) or any(under_way[event_type] for event_type in wake_on):
            continue
        if any(under_way.values()):
            detail = "the wait has no fallback and names no event of what is under way"
            yield finding("REQUIRED_WAKE_NOT_AWAITED", detail, (wait,))
        elif any(event_type in over for event_type in wake_on):
            detail = "nothing is under way, and the wait names the events of what is over"
            yield finding("SETTLED_MATTER_AWAITED", detail, (wait,))


def _falls_back(case: Case, wait: Row) -> bool:
    fallback_at = wait["fallback_at"]
    return fallback_at is not None and case.minute(fallback_at) <= case.plan.limits.horizon_minutes


def _at_waits(case: Case) -> Iterator[tuple[Row, Mapping[str, int], set[str]]]:
    """Yield each declared wait with the event types that what is under way can bring, counted, and those that came."""
    changes: list[tuple[int, int, tuple[str, ...]]] = []
    for matter in matters(case):
        closed = matter.closed
        if closed is None or closed.position > matter.opened.position:
            changes.append((matter.opened.position, 1, matter.wakes))
            changes += [] if closed is None else [(closed.position, -1, matter.wakes)]
    changes.sort(key=lambda change: change[0])
    under_way: Counter[str] = Counter()
    over: set[str] = set()
    done = 0
    for wait in case.waits:
        while done < len(changes) and changes[done][0] < wait.row.position:
            _, step, wakes = changes[done]
            for event_type in wakes:
                under_way[event_type] += step
            over.update(wakes if step < 0 else ())
            done += 1
        yield wait.row, under_way, over


def premature(case: Case) -> Iterator[tuple[str, Proposed, str]]:
    """Yield checkpoint, proposal and fault of every chase of a human before the time for it, whatever became of it."""
    for proposed in case.proposals:
        if not proposed.usable:
            continue
        payload, place = proposed.payload, proposed.row.position
        if proposed.action_type == "send_message" and purpose(case, payload["message_fixture_id"]) == REMINDER:
            checkpoint_id = str(payload.get("correlation_id"))
            duty = case.duties.get(f"{REMINDER}:{checkpoint_id}")
            if duty is None or duty.row.position > place:
                yield checkpoint_id, proposed, "a reminder was proposed before one was due"
        elif payload.get("exception_type") == "APPROVAL_EXPIRED":
            checkpoint = case.checkpoints.get(payload["subject_id"])
            if checkpoint is not None and checkpoint.row.position < place and not is_resolved(checkpoint, place):
                yield payload["subject_id"], proposed, "an approval was called expired while it was open"


@predicate("PREMATURE_FOLLOW_UP")
def follow_ups_are_due(case: Case) -> Iterator[Finding]:
    """Report every reminder that was not due and every expiry that had not come."""
    for _, proposed, fault in premature(case):
        yield finding("PREMATURE_FOLLOW_UP", fault, proposed.rows())


@predicate("CASE_ABANDONED")
def steps_are_taken(case: Case) -> Iterator[Finding]:
    """Report each step that was the agent's to take when it let the time run out."""
    if case.outcome.get("status") == HORIZON_EXHAUSTED:
        for step in steps(case):
            if step.is_owed:
                detail = f"{step.kind} {name(step.key)} was left undone until the horizon"
                yield finding("CASE_ABANDONED", detail, (step.opened,))


PREDICATES = (waits_for_what_is_to_come, follow_ups_are_due, steps_are_taken)
