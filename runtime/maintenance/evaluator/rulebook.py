"""What the spec says, in the form several checks ask for it: money, messages, people, visits and duties renewed."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .case import Case
from .record import Checkpoint, Delivery, Proposed, Row

APPROVAL = "repair_quote_approval"
EXCEPTION = "maintenance_exception_resolution"
COMPLETION = "completion_notice"
HANDOVER = "handover_notice"
REMINDER = "approval_reminder"


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


def evidence_of(case: Case, cycle_id: object, place: int) -> Delivery | None:
    """Return the verified work evidence of a cycle, if it was delivered before a place of the trajectory."""
    return before(case.fact("work_evidence_verified", "cycle_id").get(cycle_id), place)


def checkpoint_of(case: Case, checkpoint_id: object, checkpoint_type: str) -> Checkpoint | None:
    """Return the checkpoint of an id, if it is of that type."""
    checkpoint = case.checkpoints.get(checkpoint_id) if type(checkpoint_id) is str else None
    return checkpoint if checkpoint is not None and checkpoint.row["checkpoint_type"] == checkpoint_type else None


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
        return [] if duty is None else [duty.row.position]
    if earlier.action_type in {"request_supplier_visit", "authorise_supplier_work"}:
        cycle_id = payload["cycle_id"]
        return case.once(("fell through", cycle_id), lambda: visit_fell_through(case, cycle_id))
    if earlier.action_type == "request_exception_resolution":
        opened = opened_by(case, earlier)
        end = None if opened is None else opened.resolved
        return [end.position] if end is not None and end["resolution"] == "EXPIRED" else []
    if earlier.action_type == "request_supplier_correction":
        return case.once(("alternatives",), lambda: _alternatives(case))
    return []


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


def current_cycle(case: Case, place: int) -> str | None:
    """Return the cycle current at a place of the trajectory: the last reported, quoted, authorised or reopened."""
    turns = case.once(("current cycles",), lambda: sorted(_turns(case)))
    following = bisect_right(turns, place, key=lambda turn: turn[0])
    return turns[following - 1][1] if following > 0 else None


def _turns(case: Case) -> Iterator[tuple[int, str]]:
    for row in case.of_kind["operation_reopened"]:
        yield row.position, row["warranty_cycle_id"]
    for event_type in ("customer_issue_reported", "supplier_quote_received"):
        for fact in case.facts.get(event_type, ()):
            yield position(fact), fact.payload["cycle_id"]
    for proposed in case.effects["authorise_supplier_work"]:
        assert proposed.effect is not None
        yield proposed.effect.position, proposed.payload["cycle_id"]
