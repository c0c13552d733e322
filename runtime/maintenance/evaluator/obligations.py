"""obligations: every duty is opened when it arises, and discharged in time by what it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .case import Case
from .predicate import predicate
from .record import Duty, Row, finding, name
from .recovery import delivered
from .result import Finding
from .rulebook import (
    COMPLETION,
    HANDOVER,
    REMINDER,
    VISIT,
    checkpoint_cycle,
    current_cycle,
    handovers,
    position,
    reporter,
    row_of,
)


@dataclass(frozen=True, slots=True)
class _Expected:
    """A duty that arose: its id, its cycle, and the row that gave rise to it."""

    obligation_id: str
    cycle_id: str | None
    cause: Row


@predicate("SLA_BREACH")
def none_is_breached(case: Case) -> Iterator[Finding]:
    """Report every duty that fell due undone."""
    for row in case.of_kind["obligation_breached"]:
        yield finding("SLA_BREACH", f"obligation {name(row['obligation_id'])} was breached", (row,))


@predicate("OBLIGATION_OVERDUE")
def due_times_are_kept(case: Case) -> Iterator[Finding]:
    """Report every duty that was closed after it was due, or was due and not closed, whatever the rows call it."""
    for obligation_id, duty in case.duties.items():
        due, closed = case.minute(duty.row["due_at"]), duty.closed
        if (case.ended_at if closed is None else closed.at) > due:
            rows = (duty.row, *duty.closings)
            yield finding("OBLIGATION_OVERDUE", f"obligation {name(obligation_id)} stood open after it was due", rows)


@predicate("OBLIGATION_OPEN_AT_TERMINAL")
def none_is_open_at_terminal(case: Case) -> Iterator[Finding]:
    """Require that an operation which came to its terminal leaves no duty open."""
    if case.is_final:
        for obligation_id, duty in case.duties.items():
            if duty.closed is None:
                detail = f"obligation {name(obligation_id)} is open although the operation ended"
                yield finding("OBLIGATION_OPEN_AT_TERMINAL", detail, (duty.row,))


@predicate("OBLIGATION_LIFECYCLE_BROKEN")
def lifecycles_hold(case: Case) -> Iterator[Finding]:
    """Require that a duty is opened once, then closed at most once, as what it is."""
    code = "OBLIGATION_LIFECYCLE_BROKEN"
    for row in case.orphans["obligation"]:
        yield finding(code, f"no obligation, or a second one, is called {name(row['obligation_id'])}", (row,))
    for obligation_id, duty in case.duties.items():
        same = all(row[term] == duty.row[term] for row in duty.closings for term in ("kind", "cycle_id"))
        if len(duty.closings) > 1 or not same:
            rows = (duty.row, *duty.closings)
            yield finding(code, f"obligation {name(obligation_id)} was not closed once, as what it is", rows)


@predicate("OBLIGATION_OPENING_MISMATCH")
def openings_are_founded(case: Case) -> Iterator[Finding]:
    """Require that each duty is opened at the instant it arises, with its due time, and no other is."""
    code = "OBLIGATION_OPENING_MISMATCH"
    expected = {item.obligation_id: item for item in _expected(case)}
    for obligation_id, item in expected.items():
        duty = case.duties.get(obligation_id)
        if duty is None or duty.row.at != item.cause.at:
            rows = (item.cause,) if duty is None else (item.cause, duty.row)
            yield finding(code, f"obligation {name(obligation_id)} was not opened when it arose", rows)
    for obligation_id, duty in case.duties.items():
        declared = case.spec.obligations.get(duty.row["kind"])
        within = None if declared is None else getattr(case.spec.policy, declared.due_policy_field)
        if within is None or case.minute(duty.row["due_at"]) != duty.row.at + within:
            yield finding(code, f"obligation {name(obligation_id)} has another due time than the policy", (duty.row,))
        elif obligation_id not in expected or obligation_id.partition(":")[0] != duty.row["kind"]:
            yield finding(code, f"nothing gave rise to obligation {name(obligation_id)}", (duty.row,))
        elif duty.row["cycle_id"] != expected[obligation_id].cycle_id:
            rows = (expected[obligation_id].cause, duty.row)
            yield finding(code, f"obligation {name(obligation_id)} is of another cycle than its cause", rows)


def _expected(case: Case) -> Iterator[_Expected]:
    """Yield the duties that arose. A completion is announced for the current cycle only."""
    for action_type in ("request_supplier_visit", "authorise_supplier_work"):
        for proposed in case.effects[action_type]:
            assert proposed.effect is not None
            visit_id, cycle_id = proposed.effect["bindings"].get("visit_id"), proposed.effect["cycle_id"]
            yield _Expected(f"{VISIT}:{visit_id}", cycle_id, proposed.effect)
    of_checkpoints = [(REMINDER, fact) for fact in case.facts.get("approval_reminder_due", ())]
    of_checkpoints += [(HANDOVER, fact) for fact in handovers(case)]
    for kind, fact in of_checkpoints:
        checkpoint_id = fact.payload["checkpoint_id"]
        yield _Expected(f"{kind}:{checkpoint_id}", checkpoint_cycle(case, checkpoint_id), row_of(fact))
    payable = case.fact("supplier_quote_received", "cycle_id")
    for fact in case.facts.get("payment_settlement_confirmed", ()):
        payment = case.entry("payments", "payment_request_id").get(fact.payload["payment_request_id"])
        if payment is not None and current_cycle(case, position(fact)) == payment["cycle_id"]:
            yield _Expected(f"{COMPLETION}:{payment['cycle_id']}", payment["cycle_id"], row_of(fact))
    for fact in case.facts.get("work_evidence_verified", ()):
        cycle_id = fact.payload["cycle_id"]
        if cycle_id not in payable and current_cycle(case, position(fact)) == cycle_id:
            yield _Expected(f"{COMPLETION}:{cycle_id}", cycle_id, row_of(fact))


@predicate("OBLIGATION_CLOSING_UNFOUNDED")
def closings_are_founded(case: Case) -> Iterator[Finding]:
    """Require that a visit's duty, and every cancellation and breach, was closed by what the record shows just then."""
    for obligation_id, duty in case.duties.items():
        closed = duty.closed
        if closed is not None and not _is_founded(case, duty, closed):
            detail = f"nothing closed obligation {name(obligation_id)} as {closed.kind.removeprefix('obligation_')}"
            yield finding("OBLIGATION_CLOSING_UNFOUNDED", detail, (duty.row, closed))


def _is_founded(case: Case, duty: Duty, closed: Row) -> bool:
    kind, _, key = duty.row["obligation_id"].partition(":")
    if closed.kind == "obligation_breached":
        facts = case.fact("obligation_due", "obligation_id").get(duty.row["obligation_id"], [])
        return any(fact.at == closed.at for fact in facts[:1])
    if kind == VISIT:
        attended = case.fact("visit_attendance_verified", "visit_id").get(key, [])
        answered = case.fact("supplier_visit_response", "visit_id").get(key, [])
        if closed.kind == "obligation_discharged":
            return any(fact.at == closed.at and fact.payload["attended"] for fact in attended[:1])
        missed = any(fact.at == closed.at and not fact.payload["attended"] for fact in attended[:1])
        return missed or any(fact.at == closed.at and fact.payload["response"] == "DECLINED" for fact in answered[:1])
    if closed.kind == "obligation_discharged":
        return True  # by a message: the next predicate
    if kind == REMINDER:
        checkpoint = case.checkpoints.get(key)
        return checkpoint is not None and checkpoint.resolved is not None and checkpoint.resolved.at == closed.at
    reopened = case.once(
        ("reopened",), lambda: {(row["reopened_cycle_id"], row.at) for row in case.of_kind["operation_reopened"]}
    )
    return kind == COMPLETION and (key, closed.at) in reopened


@predicate("CUSTOMER_NOTICE_NOT_ESTABLISHED", "OBLIGATION_MESSAGE_NOT_ESTABLISHED")
def messages_are_established(case: Case) -> Iterator[Finding]:
    """Require for each duty that a message discharged: it reached its person, about its matter, just then."""
    told = reporter(case)
    for obligation_id, duty in case.duties.items():
        kind, _, key = obligation_id.partition(":")
        person, matter, code = told, key, "OBLIGATION_MESSAGE_NOT_ESTABLISHED"
        if kind == COMPLETION:
            code = "CUSTOMER_NOTICE_NOT_ESTABLISHED"
        elif kind == HANDOVER:
            matter = str(checkpoint_cycle(case, key))
        elif kind == REMINDER:
            checkpoint = case.checkpoints.get(key)
            person = None if checkpoint is None else checkpoint.row["assignee_actor_id"]
        else:
            continue
        if not _is_established(case, duty, person, matter):
            detail = f"{name(obligation_id)} is discharged, and no message reached its person"
            yield finding(code, detail, (duty.row, *duty.closings))


def _is_established(case: Case, duty: Duty, person: str | None, matter: str) -> bool:
    """Tell whether a discharged duty has its delivery: the attempt stands right before the row that discharges it."""
    closed = duty.closed
    if closed is None or closed.kind != "obligation_discharged":
        return True
    attempt = delivered(case, (duty.row["kind"], person, matter), duty.row)
    if attempt is None or attempt.position > closed.position or attempt.at != closed.at:
        return False
    message = case.entry("communications", "work_id").get(attempt["work_id"])
    return message is not None and message["dispatch_status"] == "DELIVERED"


def counts(case: Case) -> dict[str, int]:
    """Return duties by what became of them."""
    closed = [duty.closed.kind if duty.closed is not None else "" for duty in case.duties.values()]
    return {
        "created": len(closed),
        "discharged": closed.count("obligation_discharged"),
        "cancelled": closed.count("obligation_cancelled"),
        "breached": closed.count("obligation_breached"),
        "open_at_end": closed.count(""),
    }


PREDICATES = (
    none_is_breached,
    due_times_are_kept,
    none_is_open_at_terminal,
    lifecycles_hold,
    openings_are_founded,
    closings_are_founded,
    messages_are_established,
)
