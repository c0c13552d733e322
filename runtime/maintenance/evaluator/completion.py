"""critical_invariants: what a completion must be refused for, rebuilt for all that were accepted and for the end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .case import Case
from .predicate import predicate
from .record import Delivery, Row, finding, name
from .recovery import delivered, sends
from .result import Finding
from .rulebook import (
    COMPLETION,
    HANDOVER,
    after,
    approvals,
    checkpoint_cycle,
    cycles,
    earliest,
    handovers,
    position,
    quote_key,
    reporter,
    row_of,
    superseded_quotes,
    turns,
)
from .standing import standing
from .waiting import matters


class Span(NamedTuple):
    """From its first row to its second, or to the end, this stood in the way of a completion.

    Attributes:
        what: in words, with a gap for the ``key``.
    """

    what: str
    key: str
    opened: Row
    closed: Row | None


def _completed_within(case: Case, code: str, spans: Iterator[Span], *, handed_over: bool = False) -> Iterator[Finding]:
    """Report each span that a completion, or the end, fell into.

    What an operator who took over has to see to stands in nobody's way after that; ``handed_over`` says that this does.
    """
    ends = case.once(("completions",), lambda: _ends(case))
    handover = None if handed_over else next(map(row_of, handovers(case)), None)
    for span in spans:
        end = after(ends, span.opened.position)
        if end is None or (span.closed is not None and span.closed.position < end.position):
            continue
        if handover is None or handover.position > end.position:
            yield finding(
                code,
                f"the operation was completed although {span.what.format(name(span.key))}",
                (span.opened, end),
            )


def _ends(case: Case) -> list[Row]:
    """Return the proposals of accepted completions and the rows that ended the operation for good, in order."""
    completions = [proposed.row for proposed in case.effects[case.plan.roles.terminal_action]]
    return sorted([*completions, *case.of_kind["terminal_accepted"]], key=lambda row: row.position)


@predicate("CRITICAL_COMPLETION_WITH_OPEN_WORK")
def nothing_is_open(case: Case) -> Iterator[Finding]:
    """Require that no checkpoint and no duty is open at a completion."""
    checkpoints = (
        Span("checkpoint {} was open", key, item.row, item.resolved) for key, item in case.checkpoints.items()
    )
    duties = (Span("obligation {} was open", key, item.row, item.closed) for key, item in case.duties.items())
    yield from _completed_within(case, "CRITICAL_COMPLETION_WITH_OPEN_WORK", checkpoints, handed_over=True)
    yield from _completed_within(case, "CRITICAL_COMPLETION_WITH_OPEN_WORK", duties, handed_over=True)


@predicate("CRITICAL_COMPLETION_WITH_OPEN_DECISION")
def nothing_is_undecided(case: Case) -> Iterator[Finding]:
    """Require that further work, quotes, invoices and contradictions are settled at a completion."""
    code, found = "CRITICAL_COMPLETION_WITH_OPEN_DECISION", standing(case)
    signals = (Span("{} needed further work", item.key, item.opened, item.closed) for item in found.signals)
    claims = (Span("{} was contradicted", item.key, item.opened, item.closed) for item in found.contradictions)
    for spans in (signals, claims, _undecided_quotes(case), _unsettled_invoices(case)):
        yield from _completed_within(case, code, spans)


def _undecided_quotes(case: Case) -> Iterator[Span]:
    """Yield each quote until it is put to the approver, authorised, or superseded by the next one of its cycle."""
    asked = _effects_by_quote(case, "request_approval")
    authorised = _effects_by_quote(case, "authorise_supplier_work")
    for fact, superseding in superseded_quotes(case):
        key, row = quote_key(fact.payload), row_of(fact)
        decided = (after(rows.get(key, ()), row.position) for rows in (asked, authorised))
        yield Span("quote {} was undecided", key, row, earliest(superseding, *decided))


def _effects_by_quote(case: Case, action_type: str) -> Mapping[str, list[Row]]:
    index: dict[str, list[Row]] = {}
    for proposed in case.effects[action_type]:
        assert proposed.effect is not None
        index.setdefault(quote_key(proposed.payload), []).append(proposed.effect)
    return index


def _unsettled_invoices(case: Case) -> Iterator[Span]:
    """Yield each invoice until its validation is asked for, and again from its rejection, unless it is corrected."""
    corrected = case.fact("supplier_invoice_received", "corrects_invoice_id")
    validated = case.fact("invoice_validation_completed", "invoice_id")
    asked: dict[str, Row | None] = {}
    for proposed in case.effects["request_invoice_validation"]:
        asked.setdefault(proposed.payload["invoice_id"], proposed.effect)
    for key, facts in case.fact("supplier_invoice_received", "invoice_id").items():
        superseding = next(map(row_of, corrected.get(key, ())), None)
        yield Span("invoice {} was not reviewed", key, row_of(facts[0]), earliest(superseding, asked.get(key)))
        for validation in validated.get(key, ())[:1]:
            if not validation.payload["valid"]:
                yield Span("invoice {} was rejected", key, row_of(validation), superseding)


_AWAITED = ("correction", "validation", "visit")


@predicate("CRITICAL_COMPLETION_BEFORE_REQUIRED_WAKE")
def nothing_is_awaited(case: Case) -> Iterator[Finding]:
    """Require that no visit, validation, correction, payment or dispatch is under way at a completion."""
    code = "CRITICAL_COMPLETION_BEFORE_REQUIRED_WAKE"
    for kinds, handed_over in ((_AWAITED, False), (("dispatch", "payment"), True)):
        spans = (
            Span(f"{item.kind} {{}} was under way", item.key, item.opened, item.closed)
            for item in matters(case)
            if item.kind in kinds
        )
        yield from _completed_within(case, code, spans, handed_over=handed_over)


@predicate("CRITICAL_COMPLETION_WITHOUT_VERIFIED_WORK")
def work_is_verified(case: Case) -> Iterator[Finding]:
    """Require that the work of the current cycle, and all that was approved, is verified at a completion."""
    code = "CRITICAL_COMPLETION_WITHOUT_VERIFIED_WORK"
    verified = case.fact("work_evidence_verified", "cycle_id")
    current = (
        Span(
            "the work of {} was not verified",
            cycle_id,
            start,
            earliest(end, *map(row_of, verified.get(cycle_id, ())[:1])),
        )
        for cycle_id, start, end in turns(case)
    )
    first = turns(case)[0][1] if turns(case) else None
    nothing = (Span("nothing had been reported", "", row, first) for row in case.of_kind["episode_started"])
    for spans in (nothing, current, _approved(case)):
        yield from _completed_within(case, code, spans)


def _approved(case: Case) -> Iterator[Span]:
    """Yield each quote from its approval until its work, or what followed from it, is verified."""
    borne_out = standing(case).borne_out
    authorised = _effects_by_quote(case, "authorise_supplier_work")
    for fact, superseding in superseded_quotes(case):
        key, cycle_id = quote_key(fact.payload), fact.payload["cycle_id"]
        asked = approvals(case).get(key)
        resolved = None if asked is None else asked.resolved
        approved = resolved if resolved is not None and resolved["resolution"] == "APPROVED" else None
        start = earliest(approved, *authorised.get(key, ())[:1])
        if start is not None:
            yield Span(
                "the work of quote {} was not verified",
                key,
                start,
                earliest(superseding, borne_out.get(cycle_id)),
            )


@predicate("CRITICAL_COMPLETION_WITHOUT_PAYMENT")
def work_is_paid(case: Case) -> Iterator[Finding]:
    """Require that payable work which was verified is paid for at a completion."""
    settled = case.fact("payment_settlement_confirmed", "cycle_id")
    spans = (
        Span(
            "the work of {} was not paid for",
            cycle_id,
            row_of(facts[0]),
            next(map(row_of, settled.get(cycle_id, ())), None),
        )
        for cycle_id, facts in case.fact("work_evidence_verified", "cycle_id").items()
        if cycle_id in cycles(case) and cycles(case)[cycle_id].kind == "APPROVED_WORK"
    )
    yield from _completed_within(case, "CRITICAL_COMPLETION_WITHOUT_PAYMENT", spans)


@predicate("CRITICAL_COMPLETION_AGAINST_CUSTOMER")
def customer_agrees(case: Case) -> Iterator[Finding]:
    """Require that no completion follows the customer's word that the issue persists, unless work was verified."""
    words = case.facts.get("customer_resolution_reported", [])
    evidence = case.facts.get("work_evidence_verified", [])
    spans = (
        Span(
            "the customer said that the issue persists",
            "",
            row_of(fact),
            earliest(_next(words, fact), _next(evidence, fact)),
        )
        for fact in words
        if fact.payload["status"] == "PERSISTS"
    )
    yield from _completed_within(case, "CRITICAL_COMPLETION_AGAINST_CUSTOMER", spans)


def _next(facts: Sequence[Delivery], fact: Delivery) -> Row | None:
    following = bisect_right(facts, position(fact), key=position)
    return row_of(facts[following]) if following < len(facts) else None


@predicate("CRITICAL_COMPLETION_WITHOUT_NOTICE")
def customer_was_told(case: Case) -> Iterator[Finding]:
    """Require that the reporter was told of the completion of the current cycle, or of the handover, before it."""
    told = reporter(case)
    current = (
        Span(
            "the customer was not told of {}",
            cycle_id,
            start,
            earliest(end, *sends(case).get((COMPLETION, told, cycle_id), ())[:1]),
        )
        for cycle_id, start, end in turns(case)
    )
    handed_over = (
        Span(
            "the customer was not told of the operator's decision",
            "",
            row_of(fact),
            delivered(case, (HANDOVER, told, checkpoint_cycle(case, fact.payload["checkpoint_id"])), row_of(fact)),
        )
        for fact in handovers(case)
    )
    yield from _completed_within(case, "CRITICAL_COMPLETION_WITHOUT_NOTICE", current)
    yield from _completed_within(case, "CRITICAL_COMPLETION_WITHOUT_NOTICE", handed_over, handed_over=True)


PREDICATES = (
    nothing_is_open,
    nothing_is_undecided,
    nothing_is_awaited,
    work_is_verified,
    work_is_paid,
    customer_agrees,
    customer_was_told,
)
