"""What the spec says, in the form several checks ask for it: money, messages, people, visits and duties renewed."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .case import Case
from .record import Checkpoint, Delivery, Proposed, Row

APPROVAL = "repair_quote_approval"
EXCEPTION = "maintenance_exception_resolution"
COMPLETION = "completion_notice"
HANDOVER = "handover_notice"
REMINDER = "approval_reminder"
VISIT = "visit_progress"


def gross(case: Case, terms: Mapping[str, Any]) -> int:
    """Return what a quote or an invoice comes to with tax, rounded half up, in minor units."""
    amount: int = terms["amount_minor"]
    return amount + ((amount * case.spec.policy.vat_percent + 50) // 100 if terms["plus_vat"] else 0)


def needs_approval(case: Case, quote: Mapping[str, Any]) -> bool:
    """Tell whether a human must approve a quote: only strictly above the threshold."""
    return gross(case, quote) > case.spec.policy.approval_threshold_minor


def quote_key(terms: Mapping[str, Any]) -> str:
    """Return ``<id>:v<version>``."""
    return f"{terms['quote_id']}:v{terms['quote_version']}"


def purpose(case: Case, fixture_id: object) -> str | None:
    """Return what a message is for, or null for an unknown one."""
    fixture = case.spec.message_fixtures.get(fixture_id) if type(fixture_id) is str else None
    return None if fixture is None else fixture.purpose


def reporter(case: Case) -> str | None:
    """Return who reported the issue, or null."""
    facts = case.facts.get("customer_issue_reported")
    return facts[0].actor_id if facts else None


def position(delivery: Delivery) -> int:
    """Return where a fact stands in the trajectory."""
    return row_of(delivery).position


def before(facts: list[Delivery] | None, place: int) -> Delivery | None:
    """Return the first of ``facts`` that was delivered before a place of the trajectory, or null."""
    return facts[0] if facts and position(facts[0]) < place else None


def after(rows: Sequence[Row], place: int) -> Row | None:
    """Return the first of ``rows``, which ascend, after a place of the trajectory, or null."""
    following = bisect_right(rows, place, key=lambda row: row.position)
    return rows[following] if following < len(rows) else None


def row_of(fact: Delivery) -> Row:
    """Return the row of a fact."""
    assert fact.row is not None
    return fact.row


def quotes(case: Case) -> Mapping[str, list[Delivery]]:
    """Return quote key -> the quotes received under it."""

    def build() -> Mapping[str, list[Delivery]]:
        index: dict[str, list[Delivery]] = defaultdict(list)
        for fact in case.facts.get("supplier_quote_received", ()):
            index[quote_key(fact.payload)].append(fact)
        return index

    return case.once(("quotes by key",), build)


def quote_of(case: Case, terms: Mapping[str, Any], place: int) -> Delivery | None:
    """Return the quote that ``terms`` name by id and version, if it was received before a place of the trajectory."""
    return before(quotes(case).get(quote_key(terms)), place)


def superseded_quotes(case: Case) -> Iterator[tuple[Delivery, Row | None]]:
    """Yield each quote with the row of the next one of its cycle, which supersedes it, or null."""
    for facts in case.fact("supplier_quote_received", "cycle_id").values():
        for place, fact in enumerate(facts, 1):
            yield fact, row_of(facts[place]) if place < len(facts) else None


def evidence_of(case: Case, cycle_id: object, place: int) -> Delivery | None:
    """Return the verified work evidence of a cycle, if it was delivered before a place of the trajectory."""
    return before(case.fact("work_evidence_verified", "cycle_id").get(cycle_id), place)


def checkpoint_of(case: Case, checkpoint_id: object, checkpoint_type: str) -> Checkpoint | None:
    """Return the checkpoint of an id, if it is of that type."""
    checkpoint = case.checkpoints.get(checkpoint_id) if type(checkpoint_id) is str else None
    return checkpoint if checkpoint is not None and checkpoint.row["checkpoint_type"] == checkpoint_type else None


def earliest(*rows: Row | None) -> Row | None:
    """Return the first of some rows in the trajectory, those that are not there apart, or null."""
    return min((row for row in rows if row is not None), key=lambda row: row.position, default=None)


def bookings(case: Case) -> list[Row]:
    """Return the effects that gave a cycle a visit, in order."""

    def build() -> list[Row]:
        booked = (*case.effects["request_supplier_visit"], *case.effects["authorise_supplier_work"])
        effects = (proposed.effect for proposed in booked)
        return sorted((row for row in effects if row is not None), key=lambda row: row.position)

    return case.once(("bookings",), build)


def request_of(case: Case, checkpoint: Checkpoint) -> Proposed | None:
    """Return the request a checkpoint came from, or null if that was none: another action, or of another form."""
    declared, proposed = case.spec.checkpoints.get(checkpoint.row["checkpoint_type"]), checkpoint.proposed
    if declared is None or proposed is None or not proposed.usable or proposed.action_type != declared.opened_by:
        return None
    return proposed


def approvals(case: Case) -> Mapping[str, Checkpoint]:
    """Return quote key -> the approval that was asked for it."""

    def build() -> Mapping[str, Checkpoint]:
        index = {}
        for checkpoint in case.checkpoints.values():
            request = request_of(case, checkpoint)
            if request is not None and checkpoint.row["checkpoint_type"] == APPROVAL:
                index[quote_key(request.payload)] = checkpoint
        return index

    return case.once(("approvals",), build)


def visit_fell_through(case: Case, cycle_id: object) -> list[int]:
    """Return, ascending, the places of the facts that left a cycle without a visit: it was declined or missed."""
    answers = case.fact("supplier_visit_response", "cycle_id").get(cycle_id, [])
    attendances = case.fact("visit_attendance_verified", "cycle_id").get(cycle_id, [])
    declined = [position(fact) for fact in answers if fact.payload["response"] == "DECLINED"]
    missed = [position(fact) for fact in attendances if not fact.payload["attended"]]
    return sorted(declined + missed)


def is_renewed(case: Case, earlier: Proposed, later: Proposed) -> bool:
    """Tell whether something happened between two equal proposals that calls for the action a second time."""
    assert earlier.effect is not None
    places = _renewals(case, earlier)
    following = bisect_right(places, earlier.effect.position)
    return following < len(places) and places[following] < later.row.position


def _renewals(case: Case, earlier: Proposed) -> list[int]:
    """Return, ascending, the places at which the reason for an accepted action arose anew."""
    payload = earlier.payload
    if earlier.action_type == "send_message":
        duty = case.duties.get(f"{purpose(case, payload['message_fixture_id'])}:{payload.get('correlation_id')}")
        works = [case.works[row["work_id"]] for row in earlier.brought if row.kind == "work_created"]
        rows = (None if duty is None else duty.row, *(work.failed for work in works))
        return sorted(row.position for row in rows if row is not None)
    if earlier.action_type in {"request_supplier_visit", "authorise_supplier_work"}:
        cycle_id = payload["cycle_id"]
        places = case.once(("fell through", cycle_id), lambda: visit_fell_through(case, cycle_id))
        # A visit that is overdue may be asked for again; work that is under way is not authorised again for that.
        late = _overdue(case).get(cycle_id, []) if earlier.action_type == "request_supplier_visit" else []
        return sorted(places + late)
    if earlier.action_type == "request_exception_resolution":
        opened = opened_by(case, earlier)
        end = None if opened is None else opened.resolved
        return [end.position] if end is not None and end["resolution"] == "EXPIRED" else []
    if earlier.action_type == "request_supplier_correction":
        return case.once(("alternatives",), lambda: _alternatives(case))
    return []


def _overdue(case: Case) -> Mapping[str | None, list[int]]:
    """Return cycle -> the places at which a visit of it was overdue, after which another may be asked for."""

    def build() -> Mapping[str | None, list[int]]:
        index: dict[str | None, list[int]] = defaultdict(list)
        for row in case.of_kind["obligation_breached"]:
            if row["kind"] == VISIT:
                index[row["cycle_id"]].append(row.position)
        return index

    return case.once(("overdue",), build)


def _alternatives(case: Case) -> list[int]:
    allowed = case.fact("operator_exception_resolved", "decision").get("AUTHORISE_ALTERNATIVE", [])
    return [position(fact) for fact in allowed]


def opened_by(case: Case, proposed: Proposed) -> Checkpoint | None:
    """Return the checkpoint that an accepted request opened, or null."""
    rows = (row for row in proposed.brought if row.kind == "checkpoint_opened")
    return next((case.checkpoints[row["checkpoint_id"]] for row in rows), None)


def handovers(case: Case) -> list[Delivery]:
    """Return the decisions by which an operator took the operation over or cancelled it."""
    decisions = case.fact("operator_exception_resolved", "decision")
    found = [fact for decision in ("TAKE_OWNERSHIP", "CANCEL_OPERATION") for fact in decisions.get(decision, [])]
    return sorted(found, key=position)


def checkpoint_cycle(case: Case, checkpoint_id: str) -> str | None:
    """Return the cycle an exception belongs to, or null."""
    checkpoint = case.checkpoints.get(checkpoint_id)
    cycle_id: str | None = None if checkpoint is None else checkpoint.row["cycle_id"]
    return cycle_id


def is_resolved(checkpoint: Checkpoint, place: int, resolution: str | None = None) -> bool:
    """Tell whether a checkpoint had been resolved, as ``resolution`` if given, before a place of the trajectory."""
    row = checkpoint.resolved
    return row is not None and row.position < place and resolution in {None, row["resolution"]}


_NAMED = (
    ("customer_issue_reported", "cycle_id", "{}"),
    ("invoice_validation_completed", "validation_id", "{}"),
    ("payment_settlement_confirmed", "settlement_id", "{}"),
    ("supplier_assertion_received", "assertion_id", "{}"),
    ("supplier_invoice_received", "invoice_id", "{}"),
    ("supplier_quote_received", "cycle_id", "{}"),
    ("visit_attendance_verified", "visit_id", "attendance:{}"),
    ("work_evidence_verified", "evidence_id", "{}"),
)
"""Event type, the field that names what such an event brings into being, and how that is cited."""


def citable(case: Case) -> Mapping[str, int]:
    """Return id of each fact, claim, checkpoint, invoice, quote and cycle -> the first place at which there was one."""
    return case.once(("citable",), lambda: _citable(case))


def _citable(case: Case) -> Mapping[str, int]:
    rows = [(checkpoint_id, checkpoint.row) for checkpoint_id, checkpoint in case.checkpoints.items()]
    rows += [(key, row_of(facts[0])) for key, facts in quotes(case).items()]
    rows += [(row["warranty_cycle_id"], row) for row in case.of_kind["operation_reopened"]]
    for event_type, field, cited_as in _NAMED:
        rows += [(cited_as.format(key), row_of(facts[0])) for key, facts in case.fact(event_type, field).items()]
    born: dict[str, int] = {}
    for key, row in rows:
        born[key] = min(row.position, born.get(key, row.position))
    return born


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle as it was opened: its kind, the cycle it follows from, and the row that opened it."""

    kind: str
    parent_id: str | None
    row: Row


def cycles(case: Case) -> Mapping[str | None, Cycle]:
    """Return cycle -> how it was opened."""
    return case.once(("cycles",), lambda: _cycles(case))


def _cycles(case: Case) -> Mapping[str | None, Cycle]:
    opened: dict[str | None, Cycle] = {}
    for cycle_id, facts in case.fact("customer_issue_reported", "cycle_id").items():
        opened[cycle_id] = Cycle("DIAGNOSTIC", None, row_of(facts[0]))
    for cycle_id, facts in case.fact("supplier_quote_received", "cycle_id").items():
        row = row_of(facts[0])
        parent = facts[0].payload.get("parent_cycle_id") or current_cycle(case, row.position - 1)
        opened.setdefault(cycle_id, Cycle("APPROVED_WORK", parent, row))
    for row in case.of_kind["operation_reopened"]:
        opened.setdefault(row["warranty_cycle_id"], Cycle("WARRANTY_REVISIT", row["reopened_cycle_id"], row))
    return opened


def lineage(case: Case, cycle_id: str | None) -> Iterator[str]:
    """Yield a cycle, then those it follows from, nearest first; each was opened before the one that follows from it."""
    known, place = cycles(case), len(case.outcome.get("trajectory", ()))
    while cycle_id is not None and cycle_id in known and known[cycle_id].row.position < place:
        yield cycle_id
        place, cycle_id = known[cycle_id].row.position, known[cycle_id].parent_id


def turns(case: Case) -> list[tuple[str, Row, Row | None]]:
    """Return each cycle that became current, the row since which it was, and the row since which another was, or null.

    Current is the cycle that was last reported, quoted, authorised or reopened.
    """

    def build() -> list[tuple[str, Row, Row | None]]:
        found = sorted(_turns(case), key=lambda turn: turn[1].position)
        ends = [*(row for _, row in found[1:]), None]
        return [(cycle_id, row, end) for (cycle_id, row), end in zip(found, ends, strict=False)]

    return case.once(("turns",), build)


def _turns(case: Case) -> Iterator[tuple[str, Row]]:
    for row in case.of_kind["operation_reopened"]:
        yield row["warranty_cycle_id"], row
    for event_type in ("customer_issue_reported", "supplier_quote_received"):
        for fact in case.facts.get(event_type, ()):
            yield fact.payload["cycle_id"], row_of(fact)
    for proposed in case.effects["authorise_supplier_work"]:
        assert proposed.effect is not None
        yield proposed.payload["cycle_id"], proposed.effect


def current_cycle(case: Case, place: int) -> str | None:
    """Return the cycle current at a place of the trajectory."""
    found = turns(case)
    following = bisect_right(found, place, key=lambda turn: turn[1].position)
    return found[following - 1][0] if following > 0 else None


def same(found: Any, value: Any) -> bool:
    """Compare a value of the record with one of declared form: a scalar, or a flat object of scalars."""
    if type(found) is not type(value):
        return False
    if type(value) is not dict:
        return bool(found == value)
    if found.keys() != value.keys():
        return False
    for field, item in value.items():  # noqa: SIM110 - a loop, because every event is compared
        if type(found[field]) is not type(item) or found[field] != item:
            return False
    return True
