"""What claims and reports leave open: contradictions and signals of further work, replayed from the facts in order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

from .case import Case
from .record import Delivery, Row
from .rulebook import cycles, lineage, position, row_of


@dataclass(slots=True)
class Open:
    """Something that stood open from one row to another, or to the end.

    Attributes:
        key: what it is about.
    """

    key: str
    cycle_id: str
    opened: Row
    closed: Row | None = None


class Standing:
    """What was ever open.

    Attributes:
        contradictions: claims of completed work that nothing bore out when they were made; evidence of the cycle, or of
            one that followed from it, closes them.
        signals: reports that a cycle needs further work; a quote or evidence that follows from the cycle closes them.
        borne_out: cycle -> the row of the first evidence of it, or of one that followed from it.
    """

    def __init__(self, case: Case) -> None:
        self.contradictions: list[Open] = []
        self.signals: list[Open] = []
        self.borne_out: dict[str, Row] = {}
        self._case = case
        self._claims: dict[str, list[Open]] = defaultdict(list)
        self._signalled: dict[str, Open] = {}
        # Cycle -> how many signals there had been when it was last answered: since then there is nothing to answer.
        self._answered: dict[str, int] = {}
        handlers = {
            "supplier_assertion_received": self._claimed,
            "supplier_quote_received": self._answer,
            "supplier_work_reported": self._reported,
            "work_evidence_verified": self._verified,
        }
        facts = [fact for event_type in handlers for fact in case.facts.get(event_type, ())]
        for fact in sorted(facts, key=position):
            handlers[fact.event_type](fact)

    def _claimed(self, fact: Delivery) -> None:
        cycle_id, row = fact.payload.get("cycle_id", ""), row_of(fact)
        known = cycles(self._case).get(cycle_id)
        if (
            fact.payload["assertion"] == "WORK_COMPLETE"
            and known is not None
            and known.row.position < row.position
            and cycle_id not in self.borne_out
            and not is_closed(self._case, row.position)
        ):
            claim = Open(fact.payload["assertion_id"], cycle_id, row)
            self.contradictions.append(claim)
            self._claims[cycle_id].append(claim)

    def _reported(self, fact: Delivery) -> None:
        cycle_id = fact.payload["cycle_id"]
        if fact.payload["outcome"] == "FURTHER_WORK_NEEDED" and cycle_id not in self._signalled:
            self._signalled[cycle_id] = Open(cycle_id, cycle_id, row_of(fact))
            self.signals.append(self._signalled[cycle_id])

    def _answer(self, fact: Delivery) -> None:
        raised = len(self.signals)
        for cycle_id in lineage(self._case, fact.payload["cycle_id"]):
            if self._answered.get(cycle_id) == raised:
                break
            self._answered[cycle_id] = raised
            if (signal := self._signalled.pop(cycle_id, None)) is not None:
                signal.closed = row_of(fact)

    def _verified(self, fact: Delivery) -> None:
        self._answer(fact)
        for cycle_id in lineage(self._case, fact.payload["cycle_id"]):
            if cycle_id in self.borne_out:
                break  # and so are those it follows from
            self.borne_out[cycle_id] = row_of(fact)
            for claim in self._claims.pop(cycle_id, ()):
                claim.closed = row_of(fact)


def standing(case: Case) -> Standing:
    """Return what claims and reports left open, and for how long."""
    return case.once(("standing",), lambda: Standing(case))


def is_closed(case: Case, place: int) -> bool:
    """Tell whether a provisional close stood at a place of the trajectory."""
    closes = case.of_kind["provisional_close_entered"]
    before = bisect_left(closes, place, key=lambda row: row.position)
    if before == 0:
        return False
    reopenings = case.of_kind["operation_reopened"]
    reopened = bisect_left(reopenings, place, key=lambda row: row.position)
    return reopened == 0 or reopenings[reopened - 1].position < closes[before - 1].position
