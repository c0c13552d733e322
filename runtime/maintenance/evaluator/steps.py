"""What the operation's state called for from the agent, step by step: derived from facts and rows, not from choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .case import Case
from .record import Checkpoint, Row
from .rulebook import (
    APPROVAL,
    EXCEPTION,
    after,
    approvals,
    earliest,
    handovers,
    needs_approval,
    quote_key,
    quotes,
    request_of,
    row_of,
    visit_fell_through,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that had become the agent's to do.

    Attributes:
        kind: what it is; ``key`` is what it is about.
        opened: the row that made it the agent's turn.
        met: the accepted effect that did it, or null.
        withdrawn: the row after which it was no longer called for, or null.
    """

    kind: str
    key: str
    opened: Row
    met: Row | None
    withdrawn: Row | None = None

    @property
    def is_owed(self) -> bool:
        """Whether it was neither done nor withdrawn."""
        return self.met is None and self.withdrawn is None


def steps(case: Case) -> list[Step]:
    """Return every step the record called for, by the row that opened it."""
    parts = (_visits, _approvals, _authorisations, _escalations, _validations, _payments, _completions)
    return case.once(
        ("steps",),
        lambda: sorted((step for part in parts for step in part(case)), key=lambda step: step.opened.position),
    )


def _effects(case: Case, action_type: str, field: str) -> Mapping[Any, list[Row]]:
    """Return payload value -> accepted effects of one action, in order."""

    def build() -> Mapping[Any, list[Row]]:
        index: dict[Any, list[Row]] = {}
        for proposed in case.effects.get(action_type, ()):
            assert proposed.effect is not None
            index.setdefault(proposed.payload.get(field), []).append(proposed.effect)
        for rows in index.values():
            rows.sort(key=lambda row: row.position)
        return index

    return case.once(("effects", action_type, field), build)


def _handed_over(case: Case) -> Row | None:
    """Return the row by which an operator took the operation over or cancelled it, or null."""
    return case.once(("handed over",), lambda: next(map(row_of, handovers(case)), None))


def _visits(case: Case) -> Iterator[Step]:
    """Yield a visit for each cycle that is opened without one, and again each time one falls through."""
    openings: dict[str, Row] = {}
    for fact in case.facts.get("customer_issue_reported", ()):
        openings.setdefault(fact.payload["cycle_id"], row_of(fact))
    for row in case.of_kind["operation_reopened"]:
        openings.setdefault(row["warranty_cycle_id"], row)
    for cycle_id, opened in openings.items():
        again = [case.at_position[place] for place in visit_fell_through(case, cycle_id)]
        requests = _effects(case, "request_supplier_visit", "cycle_id").get(cycle_id, [])
        for start in (opened, *again):
            yield Step("visit_due", cycle_id, start, after(requests, start.position), _handed_over(case))


def _approvals(case: Case) -> Iterator[Step]:
    """Yield an approval for each quote above the threshold; a newer version or a handover withdraws it."""
    latest: dict[str, Row] = {}
    for fact in reversed(case.facts.get("supplier_quote_received", [])):
        key, row = quote_key(fact.payload), row_of(fact)
        if needs_approval(case, fact.payload):
            newer = latest.get(fact.payload["quote_id"])
            asked = approvals(case).get(key)
            met = None if asked is None else asked.row
            yield Step("approval_due", key, row, met, newer or _handed_over(case))
        latest[fact.payload["quote_id"]] = row


def _of_type(case: Case, checkpoint_type: str) -> Iterator[Checkpoint]:
    return (item for item in case.checkpoints.values() if item.row["checkpoint_type"] == checkpoint_type)


def _authorisations(case: Case) -> Iterator[Step]:
    """Yield an authorisation for each quote that was approved or needs no approval."""
    effects = _effects(case, "authorise_supplier_work", "quote_id")
    grants = case.fact("approver_decision_received", "decision").get("APPROVED", [])
    approved = {quote_key(fact.payload): fact for fact in grants}
    for key, facts in quotes(case).items():
        grant = approved.get(key) if needs_approval(case, facts[0].payload) else facts[0]
        if grant is not None:
            opened = row_of(grant)
            met = after(effects.get(facts[0].payload["quote_id"], []), opened.position)
            yield Step("irreversible_authorisation_offered", key, opened, met, _handed_over(case))


def _escalations(case: Case) -> Iterator[Step]:
    """Yield an escalation for each approval that was rejected or expired, and for each invoice found invalid."""
    raised = _effects(case, "request_exception_resolution", "subject_id")
    corrected = _effects(case, "request_supplier_correction", "subject_id")
    for checkpoint in _of_type(case, APPROVAL):
        end = checkpoint.resolved
        if end is not None and end["resolution"] in {"REJECTED", "EXPIRED"}:
            key = checkpoint.row["checkpoint_id"]
            yield Step("escalation_due", key, end, after(raised.get(key, []), end.position), None)
    for checkpoint in _of_type(case, EXCEPTION):
        end, request = checkpoint.resolved, request_of(case, checkpoint)
        if end is not None and end["resolution"] == "EXPIRED" and request is not None:
            key = request.payload["subject_id"]
            yield Step("escalation_due", key, end, after(raised.get(key, []), end.position), None)
    for fact in case.fact("invoice_validation_completed", "valid").get(False, []):
        key, opened = fact.payload["invoice_id"], row_of(fact)
        met = earliest(after(raised.get(key, []), opened.position), after(corrected.get(key, []), opened.position))
        yield Step("escalation_due", key, opened, met, _handed_over(case))


def _validations(case: Case) -> Iterator[Step]:
    """Yield a validation for each invoice, once it is there and its work verified; a correction also meets it."""
    asked = _effects(case, "request_invoice_validation", "invoice_id")
    corrected = _effects(case, "request_supplier_correction", "subject_id")
    evidence = case.fact("work_evidence_verified", "cycle_id")
    for fact in case.facts.get("supplier_invoice_received", ()):
        verified = evidence.get(fact.payload["cycle_id"])
        if verified:
            key = fact.payload["invoice_id"]
            opened = max(row_of(fact), row_of(verified[0]), key=lambda row: row.position)
            met = earliest(after(asked.get(key, []), opened.position), after(corrected.get(key, []), opened.position))
            yield Step("validation_due", key, opened, met, _handed_over(case))


def _payments(case: Case) -> Iterator[Step]:
    """Yield a payment for each invoice found valid."""
    paid = _effects(case, "request_payment", "invoice_id")
    for fact in case.fact("invoice_validation_completed", "valid").get(True, []):
        key, opened = fact.payload["invoice_id"], row_of(fact)
        yield Step(
            "irreversible_payment_offered", key, opened, after(paid.get(key, []), opened.position), _handed_over(case)
        )


def _completions(case: Case) -> Iterator[Step]:
    """Yield a completion for each cycle that is settled or costs nothing, and for each handover."""
    done = [proposed.effect for proposed in case.effects[case.plan.roles.terminal_action]]
    effects = [row for row in done if row is not None]
    for key, opened in _ends(case):
        yield Step("completion_due", key, opened, after(effects, opened.position))


def _ends(case: Case) -> Iterator[tuple[str, Row]]:
    warranty = {row["warranty_cycle_id"] for row in case.of_kind["operation_reopened"]}
    for fact in case.facts.get("payment_settlement_confirmed", ()):
        yield fact.payload["payment_request_id"], row_of(fact)
    for fact in case.facts.get("work_evidence_verified", ()):
        if fact.payload["cycle_id"] in warranty:
            yield fact.payload["cycle_id"], row_of(fact)
    handed_over = _handed_over(case)
    if handed_over is not None:
        yield "handover", handed_over
