"""action_validity: every message that was sent had its occasion, rebuilt from facts and rows."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping

from .case import Case
from .predicate import predicate
from .record import Proposed, Row, finding, name
from .result import Finding
from .rulebook import (
    APPROVAL,
    COMPLETION,
    HANDOVER,
    REMINDER,
    checkpoint_cycle,
    current_cycle,
    cycles,
    handovers,
    is_resolved,
    position,
    purpose,
    quote_key,
    request_of,
    row_of,
    superseded_quotes,
)


@predicate("MESSAGE_WITHOUT_OCCASION")
def messages_have_occasions(case: Case) -> Iterator[Finding]:
    """Require that what an accepted message says was so when it was sent, of what it is about."""
    for proposed in case.effects["send_message"]:
        if not _has_occasion(case, proposed):
            detail = f"nothing called for {name(proposed.payload['message_fixture_id'])}"
            yield finding("MESSAGE_WITHOUT_OCCASION", detail, proposed.rows())


def _has_occasion(case: Case, proposed: Proposed) -> bool:
    kind, place = purpose(case, proposed.payload["message_fixture_id"]), proposed.row.position
    about = proposed.payload.get("correlation_id")
    handover = next(iter(handovers(case)), None)
    handed_over = handover if handover is not None and position(handover) < place else None
    if kind == HANDOVER:
        return handed_over is not None and about == checkpoint_cycle(case, handed_over.payload["checkpoint_id"])
    if kind in {COMPLETION, REMINDER}:
        duty, checkpoint = case.duties.get(f"{kind}:{about}"), case.checkpoints.get(about or "")
        if duty is None or duty.row.position > place or (checkpoint is not None and is_resolved(checkpoint, place)):
            return False
        closed = duty.closed
        return closed is None or closed.kind != "obligation_cancelled" or closed.position > place
    cycle = cycles(case).get(about)
    if cycle is None or cycle.row.position > place or handed_over is not None:
        return False
    if kind == "cannot_proceed":
        spans = case.once(("turned down",), lambda: _turned_down(case)).get(about, ())
        last = bisect_right(spans, place, key=lambda span: span[0]) - 1
        return last >= 0 and place < spans[last][1]
    if kind == "revisit_notice":
        return cycle.kind == "WARRANTY_REVISIT" and current_cycle(case, place) == about
    attended = case.fact("visit_attendance_verified", "cycle_id").get(about, ())
    came = any(fact.payload["attended"] and position(fact) < place for fact in attended)
    return kind == "access_question" and not came and current_cycle(case, place) == about


def _turned_down(case: Case) -> Mapping[str | None, list[tuple[int, int]]]:
    """Return cycle -> from where to where an approval or invoice of it was turned down, apart and in order."""
    end = len(case.outcome.get("trajectory", ()))
    index: dict[str | None, list[tuple[int, int]]] = defaultdict(list)
    for cycle_id, opened, closed in sorted((*_approvals(case), *_invoices(case)), key=lambda item: item[1].position):
        spans, until = index[cycle_id], end if closed is None else closed.position
        if spans and opened.position <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(until, spans[-1][1])
        else:
            spans.append((opened.position, until))
    return index


def _approvals(case: Case) -> Iterator[tuple[str | None, Row, Row | None]]:
    superseding = {quote_key(fact.payload): row for fact, row in superseded_quotes(case)}
    for checkpoint in case.checkpoints.values():
        end, request = checkpoint.resolved, request_of(case, checkpoint)
        if checkpoint.row["checkpoint_type"] == APPROVAL and end is not None and end["resolution"] != "APPROVED":
            closed = None if request is None else superseding.get(quote_key(request.payload))
            yield checkpoint.row["cycle_id"], end, closed


def _invoices(case: Case) -> Iterator[tuple[str | None, Row, Row | None]]:
    corrected = case.fact("supplier_invoice_received", "corrects_invoice_id")
    received = case.fact("supplier_invoice_received", "invoice_id")
    for fact in case.fact("invoice_validation_completed", "valid").get(False, ()):
        key = fact.payload["invoice_id"]
        for invoice in received.get(key, ())[:1]:
            yield invoice.payload["cycle_id"], row_of(fact), next(map(row_of, corrected.get(key, ())), None)


PREDICATES = (messages_have_occasions,)
