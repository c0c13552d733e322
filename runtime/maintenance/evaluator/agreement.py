"""environment_integrity: the final state is what events and effects made of it, record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .case import Case
from .predicate import predicate
from .record import Checkpoint, Row, finding, name
from .result import Finding
from .rulebook import (
    APPROVAL,
    EXCEPTION,
    approvals,
    needs_approval,
    purpose,
    quote_key,
    request_of,
    row_of,
    same,
)
from .standing import standing

Expected = Mapping[Any, tuple[Mapping[str, Any], tuple[Row, ...]]]
"""Key -> the fields a state record must have, and the rows that say so."""


def compare(case: Case, code: str, root: str, key: str, expected: Expected) -> Iterator[Finding]:
    """Compare a list root of the final state with the records it must hold, by key."""
    found = case.entry(root, key)
    if len(found) != len(case.state[root]):
        yield finding(code, f"two records of {root} have one {key}")
    for item, (fields, rows) in expected.items():
        record = found.get(item)
        if record is None:
            yield finding(code, f"{root} lacks {name(item)}", rows)
        else:
            wrong = sorted(field for field, value in fields.items() if record[field] != value)
            if wrong:
                yield finding(code, f"{name(item)} in {root} has another {' and '.join(wrong)}", rows)
    for item in found:
        if item not in expected:
            yield finding(code, f"{root} holds {name(item)}, which nothing brought about")


_FACTS: Mapping[str, tuple[str, str, str, Callable[[str], str]]] = {
    "visit_attendance_verified": ("visit_attendance", "visit_id", "visit_id", "attendance:{}".format),
    "work_evidence_verified": ("work_evidence", "evidence_id", "visit_id", str),
    "invoice_validation_completed": ("invoice_validation", "validation_id", "invoice_id", str),
    "payment_settlement_confirmed": ("payment_settlement", "settlement_id", "payment_request_id", str),
}
"""Event type -> kind of the authoritative record it establishes, its id's field, its subject's field, and its id."""


def _established(case: Case) -> Expected:
    def build() -> Expected:
        expected: dict[str, tuple[Mapping[str, Any], tuple[Row, ...]]] = {}
        for event_type, (kind, key, subject, id_of) in _FACTS.items():
            for fact in case.facts.get(event_type, ()):
                payload = fact.payload
                fields = {"kind": kind, "subject_id": payload[subject], "at": row_of(fact)["at"]}
                stated = {field: payload[field] for field in ("cycle_id",) if field in payload}
                own = {field: value for field, value in payload.items() if field not in {key, subject, "cycle_id"}}
                expected[id_of(payload[key])] = ({**fields, **stated, "facts": own}, (row_of(fact),))
        return expected

    return case.once(("established",), build)


@predicate("CRITICAL_FACT_WITHOUT_AUTHORITY")
def facts_have_authority(case: Case) -> Iterator[Finding]:
    """Require that each authoritative record was established by an event of somebody entitled to."""
    established = _established(case)
    for record in case.state["authoritative_records"]:
        if record["record_id"] not in established:
            detail = f"nobody entitled to established {name(record['record_id'])}"
            yield finding("CRITICAL_FACT_WITHOUT_AUTHORITY", detail)


@predicate("STATE_FACTS_DISAGREE", "STATE_CLAIMS_DISAGREE")
def facts_agree(case: Case) -> Iterator[Finding]:
    """Compare authoritative records and noted claims with the events that established or made them."""
    yield from compare(case, "STATE_CLAIMS_DISAGREE", "assertions", "assertion_id", _claims(case))
    yield from compare(case, "STATE_CLAIMS_DISAGREE", "contradictions", "contradiction_id", _contradictions(case))
    found = case.entry("authoritative_records", "record_id")
    if len(found) != len(case.state["authoritative_records"]):
        yield finding("STATE_FACTS_DISAGREE", "two authoritative records have one id")
    known = {record_id: item for record_id, item in _established(case).items() if record_id in found}
    for record_id, (_, rows) in _established(case).items():
        if record_id not in found:
            yield finding("STATE_FACTS_DISAGREE", f"authoritative_records lacks {name(record_id)}", rows)
    for record_id, (fields, rows) in known.items():
        wrong = sorted(field for field, value in fields.items() if not same(found[record_id][field], value))
        if wrong:
            detail = f"{name(record_id)} in authoritative_records has another {' and '.join(wrong)}"
            yield finding("STATE_FACTS_DISAGREE", detail, rows)


@predicate("STATE_CHECKPOINTS_DISAGREE")
def checkpoints_agree(case: Case) -> Iterator[Finding]:
    """Compare approvals and exceptions with their rows and requests."""
    code = "STATE_CHECKPOINTS_DISAGREE"
    yield from compare(case, code, "approvals", "checkpoint_id", _checkpoints(case, APPROVAL, _approval))
    yield from compare(case, code, "exceptions", "checkpoint_id", _checkpoints(case, EXCEPTION, _exception))


def _checkpoints(case: Case, checkpoint_type: str, fields: Callable[[Case, Checkpoint], dict[str, Any]]) -> Expected:
    expected = {}
    for checkpoint_id, checkpoint in case.checkpoints.items():
        row, end = checkpoint.row, checkpoint.resolved
        if row["checkpoint_type"] == checkpoint_type:
            common = {
                "assignee_actor_id": row["assignee_actor_id"],
                "cycle_id": row["cycle_id"],
                "opened_at": row["at"],
                "deadline_at": row["deadline_at"],
                "resolved_at": None if end is None else end["at"],
            }
            expected[checkpoint_id] = ({**common, **fields(case, checkpoint)}, (row, *checkpoint.resolutions))
    return expected


def _approval(case: Case, checkpoint: Checkpoint) -> dict[str, Any]:
    request, end = request_of(case, checkpoint), checkpoint.resolved
    terms = ("quote_id", "quote_version", "amount_minor", "currency", "plus_vat", "scope")
    asked = {} if request is None else {term: request.payload[term] for term in terms}
    key = {} if request is None else {"quote_key": quote_key(request.payload)}
    fired = checkpoint.row["checkpoint_id"] in case.fact("approval_reminder_due", "checkpoint_id")
    return {**asked, **key, "status": "OPEN" if end is None else end["resolution"], "reminder_fired": fired}


def _exception(case: Case, checkpoint: Checkpoint) -> dict[str, Any]:
    request, end = request_of(case, checkpoint), checkpoint.resolved
    word = None if end is None else end["resolution"]
    asked = {} if request is None else {"subject_id": request.payload["subject_id"]}
    return {
        **asked,
        "exception_type": checkpoint.row["exception_type"],
        "evidence_refs": checkpoint.row["evidence_refs"],
        "status": "OPEN" if word is None else "EXPIRED" if word == "EXPIRED" else "RESOLVED",
        "resolution": None if word == "EXPIRED" else word,
    }


@predicate("STATE_OBLIGATIONS_DISAGREE")
def obligations_agree(case: Case) -> Iterator[Finding]:
    """Compare obligations with their rows."""
    expected = {}
    for obligation_id, duty in case.duties.items():
        closed = duty.closed
        fields = {term: duty.row[term] for term in ("kind", "cycle_id", "due_at")}
        status = "OPEN" if closed is None else closed.kind.removeprefix("obligation_").upper()
        closing = {"status": status, "closed_at": None if closed is None else closed["at"]}
        expected[obligation_id] = ({**fields, **closing}, (duty.row, *duty.closings))
    yield from compare(case, "STATE_OBLIGATIONS_DISAGREE", "obligations", "obligation_id", expected)


_DISPATCH = {"work_completed": "DELIVERED", "work_failed": "FAILED"}


@predicate("STATE_COMMUNICATIONS_DISAGREE")
def communications_agree(case: Case) -> Iterator[Finding]:
    """Compare communications with scheduled work and its attempts."""
    expected = {}
    for work_id, work in case.works.items():
        end = next((row for row in work.ends if row.kind in _DISPATCH), None)
        fields = {
            "channel": work.row["channel"],
            "sent_at": work.row["at"],
            "attempts": len(work.attempts),
            "dispatch_status": "PENDING" if end is None else _DISPATCH[end.kind],
            "ended_at": None if end is None else end["at"],
        }
        for row in work.attempts[:1]:
            terms = ("recipient_actor_id", "message_fixture_id", "correlation_id", "recovery_of")
            fields |= {term: row[term] for term in terms} | {"purpose": purpose(case, row["message_fixture_id"])}
        expected[work_id] = (fields, (work.row, *work.attempts, *work.ends))
    yield from compare(case, "STATE_COMMUNICATIONS_DISAGREE", "communications", "work_id", expected)


@predicate("STATE_QUOTES_DISAGREE")
def quotes_agree(case: Case) -> Iterator[Finding]:
    """Compare quotes with the events that brought them, and their status with what the approver decided."""
    code = "STATE_QUOTES_DISAGREE"
    expected = {}
    terms = ("quote_id", "quote_version", "cycle_id", "amount_minor", "currency", "plus_vat", "scope")
    for fact in case.facts.get("supplier_quote_received", ()):
        fields = {term: fact.payload[term] for term in terms} | {"received_at": row_of(fact)["at"]}
        expected[quote_key(fact.payload)] = (fields, (row_of(fact),))
    yield from compare(case, code, "quotes", "quote_key", expected)
    for quote in case.state["quotes"]:
        label = name(quote["quote_key"])
        if case.minute(quote["valid_until"]) != (
            case.minute(quote["received_at"]) + case.spec.policy.approval_validity_minutes
        ):
            yield finding(code, f"quote {label} is valid for another time than the policy says")
        checkpoint = approvals(case).get(quote["quote_key"])
        end = None if checkpoint is None else checkpoint.resolved
        word = None if end is None else end["resolution"]
        if (
            quote["status"] in {"APPROVED", "REJECTED", "EXPIRED"}
            and quote["status"] != word
            and needs_approval(case, quote)
        ):
            yield finding(code, f"quote {label} is {quote['status']}, and nobody decided so")
        elif word is not None and quote["status"] not in {word, "SUPERSEDED"}:
            rows = () if end is None else (end,)
            yield finding(code, f"quote {label} does not stand as it was decided", rows)


@predicate("STATE_BILLING_DISAGREES")
def billing_agrees(case: Case) -> Iterator[Finding]:
    """Compare invoices and payments with the events and effects that made them what they are."""
    code = "STATE_BILLING_DISAGREES"
    yield from compare(case, code, "invoices", "invoice_id", _invoices(case))
    yield from compare(case, code, "payments", "payment_request_id", _payments(case))
    terms = ("subject_kind", "subject_id", "cycle_id")
    asked = [
        (*(proposed.payload[term] for term in terms), proposed.effect["at"])
        for proposed in case.effects["request_supplier_correction"]
        if proposed.effect is not None
    ]
    if [tuple(item[term] for term in (*terms, "requested_at")) for item in case.state["corrections"]] != asked:
        yield finding(code, "the corrections of the final state are not those that were asked for")


def _invoices(case: Case) -> Expected:
    expected = {}
    corrected = case.fact("supplier_invoice_received", "corrects_invoice_id")
    validated = case.fact("invoice_validation_completed", "invoice_id")
    asked = {proposed.payload["invoice_id"] for proposed in case.effects["request_invoice_validation"]}
    terms = ("invoice_id", "cycle_id", "quote_id", "quote_version", "amount_minor", "currency", "plus_vat")
    for fact in case.facts.get("supplier_invoice_received", ()):
        invoice_id = fact.payload["invoice_id"]
        validation = validated.get(invoice_id, [None])[0]
        if invoice_id in corrected:
            status = "SUPERSEDED"
        elif validation is not None:
            status = "VALIDATED" if validation.payload["valid"] else "REJECTED"
        else:
            status = "VALIDATION_REQUESTED" if invoice_id in asked else "RECEIVED"
        fields = {term: fact.payload[term] for term in terms} | {
            "corrects_invoice_id": fact.payload.get("corrects_invoice_id"),
            "status": status,
            "validation_id": None if validation is None else validation.payload["validation_id"],
        }
        expected[invoice_id] = (fields, (row_of(fact), *(() if validation is None else (row_of(validation),))))
    return expected


def _payments(case: Case) -> Expected:
    expected = {}
    settled = case.fact("payment_settlement_confirmed", "payment_request_id")
    for proposed in case.effects["request_payment"]:
        assert proposed.effect is not None
        payment_id = proposed.effect["bindings"].get("payment_request_id")
        settlement = settled.get(payment_id, [None])[0]
        fields = {
            **{term: proposed.payload[term] for term in ("invoice_id", "amount_minor", "currency")},
            "cycle_id": proposed.effect["cycle_id"],
            "status": "REQUESTED" if settlement is None else "SETTLED",
            "settlement_id": None if settlement is None else settlement.payload["settlement_id"],
        }
        expected[payment_id] = (fields, proposed.rows())
    return expected


def _contradictions(case: Case) -> Expected:
    """Return the contradictions there must be: claims of completed work that nothing bore out when they were made."""
    expected = {}
    for claim in standing(case).contradictions:
        resolved = None if claim.closed is None else case.by_event_id[claim.closed["event_id"]]
        fields = {
            "cycle_id": claim.cycle_id,
            "status": "OPEN" if resolved is None else "RESOLVED",
            "resolved_by": None if resolved is None else resolved.payload["evidence_id"],
        }
        expected[claim.key] = (fields, (claim.opened, *(() if claim.closed is None else (claim.closed,))))
    return expected


def _claims(case: Case) -> Expected:
    expected = {}
    for fact in case.facts.get("supplier_assertion_received", ()):
        fields = {
            "actor_id": fact.actor_id,
            "assertion": fact.payload["assertion"],
            "cycle_id": fact.payload.get("cycle_id"),
            "at": row_of(fact)["at"],
        }
        expected[fact.payload["assertion_id"]] = (fields, (row_of(fact),))
    return expected


PREDICATES = (
    facts_have_authority,
    facts_agree,
    checkpoints_agree,
    obligations_agree,
    communications_agree,
    quotes_agree,
    billing_agrees,
)
