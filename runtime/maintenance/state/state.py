"""The state itself: registries in order of creation, what follows from them, and their canonical form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from .records import (
    UNDER_WAY,
    Approval,
    Assertion,
    AuthoritativeRecord,
    Communication,
    Contradiction,
    Correction,
    CustomerResolution,
    Cycle,
    ExceptionCheckpoint,
    Handover,
    Invoice,
    Issue,
    Obligation,
    Payment,
    ProvisionalClose,
    Quote,
    Record,
    Terminal,
)

PHASE_OF_TERMINAL = {
    "completed_successfully": "FINALIZED",
    "transferred_to_human_ownership": "TRANSFERRED",
    "cancelled_by_operator": "CANCELLED",
}

ROOTS = (
    "phase",
    "terminal",
    "replay_final",
    "issue",
    "customer_resolution",
    "current_cycle_id",
    "reopen_count",
    "cycles",
    "quotes",
    "approvals",
    "exceptions",
    "invoices",
    "payments",
    "obligations",
    "assertions",
    "contradictions",
    "corrections",
    "authoritative_records",
    "communications",
    "ownership",
    "cancellation",
    "provisional_close",
    "hidden",
)
"""The members of the canonical form. Every one but ``hidden`` may be served."""


@dataclass(slots=True)
class State:
    """Everything that changes while an operation runs. What follows from it (phase, finality, next ids) is derived."""

    hidden: dict[str, Any] = field(default_factory=dict)
    issue: Issue | None = None
    customer_resolution: CustomerResolution = "UNCONFIRMED"
    current_cycle_id: str | None = None
    reopen_count: int = 0
    cycles: dict[str, Cycle] = field(default_factory=dict)
    quotes: dict[str, Quote] = field(default_factory=dict)
    approvals: dict[str, Approval] = field(default_factory=dict)
    exceptions: dict[str, ExceptionCheckpoint] = field(default_factory=dict)
    invoices: dict[str, Invoice] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    obligations: dict[str, Obligation] = field(default_factory=dict)
    assertions: dict[str, Assertion] = field(default_factory=dict)
    contradictions: dict[str, Contradiction] = field(default_factory=dict)
    corrections: list[Correction] = field(default_factory=list)
    authoritative_records: dict[str, AuthoritativeRecord] = field(default_factory=dict)
    communications: dict[str, Communication] = field(default_factory=dict)
    ownership: Handover | None = None
    cancellation: Handover | None = None
    provisional_close: ProvisionalClose | None = None
    terminal: Terminal | None = None

    @property
    def replay_final(self) -> bool:
        """Nothing can change any more."""
        return self.terminal is not None

    @property
    def handover(self) -> Handover | None:
        """The operator's decision that took the operation out of the agent's hands, or null."""
        return self.ownership or self.cancellation

    @property
    def phase(self) -> str:
        """One coarse word: the end, else the human or the visit that is waited for."""
        if self.terminal is not None:
            return PHASE_OF_TERMINAL[self.terminal.outcome]
        if self.issue is None:
            return "NEW"
        if self.provisional_close is not None:
            return "PROVISIONALLY_CLOSED"
        if any(item.status == "OPEN" for item in self.exceptions.values()):
            return "WAITING_EXCEPTION"
        if any(item.status == "OPEN" for item in self.approvals.values()):
            return "WAITING_APPROVAL"
        if any(cycle.visit_status in UNDER_WAY for cycle in self.cycles.values()):
            return "WAITING_VISIT"
        return "ACTIVE"

    def root(self, name: str) -> Any:
        """Return one of :data:`ROOTS` as fresh plain JSON; registries become lists."""
        value = getattr(self, name)
        if name == "hidden":
            return thawed(value)
        if isinstance(value, dict):
            return [record.plain() for record in value.values()]
        if isinstance(value, list):
            return [record.plain() for record in value]
        return value.plain() if isinstance(value, Record) else value

    def canonical(self) -> dict[str, Any]:
        """Return the whole state as fresh plain JSON."""
        return {name: self.root(name) for name in ROOTS}

    def is_citable(self, ref: str) -> bool:
        """Tell whether a proposal may cite ``ref``: a fact, a checkpoint, a bill, a quote or a cycle; never a claim."""
        return (
            ref in self.authoritative_records
            or ref in self.approvals
            or ref in self.exceptions
            or ref in self.invoices
            or ref in self.quotes
            or ref in self.cycles
        )

    def is_taken(self, ref: str) -> bool:
        """Tell whether a new record may not have this id: a claim must never be mistaken for a fact."""
        return ref in self.assertions or self.is_citable(ref)

    def lineage(self, cycle: Cycle) -> Iterator[Cycle]:
        """Yield a cycle, then the cycles it follows from, nearest first; a parent is always older than its child."""
        at: Cycle | None = cycle
        while at is not None:
            yield at
            at = self.cycles.get(at.parent_cycle_id) if at.parent_cycle_id is not None else None

    def is_borne_out(self, cycle: Cycle) -> bool:
        """Tell whether the work of a cycle, or of one that followed from it, is verified."""
        return any(
            later.visit_status == "WORK_VERIFIED" and cycle in self.lineage(later) for later in self.cycles.values()
        )

    def next_visit_id(self) -> str:
        """Return the id of the next visit; every visit so far has left an obligation."""
        return f"visit_{1 + sum(item.kind == 'visit_progress' for item in self.obligations.values())}"

    def next_checkpoint_id(self) -> str:
        """Return the id of the next checkpoint; approvals and exceptions share one series."""
        return self._next("checkpoint", len(self.approvals) + len(self.exceptions))

    def next_payment_id(self) -> str:
        """Return the id of the next payment request."""
        return f"payment_{len(self.payments) + 1}"

    def next_work_id(self) -> str:
        """Return the id of the next message."""
        return f"message_{len(self.communications) + 1}"

    def next_cycle_id(self) -> str:
        """Return the id of the next cycle the environment makes."""
        return self._next("work_cycle", len(self.cycles))

    def _next(self, series: str, used: int) -> str:
        # Authors choose ids too, so the first number after the used ones may be theirs.
        return next(name for number in count(used + 1) if not self.is_taken(name := f"{series}_{number}"))


def thawed(value: Any) -> Any:
    """Return a read-only JSON value as fresh plain JSON."""
    if isinstance(value, (list, tuple)):
        return [thawed(item) for item in value]
    if hasattr(value, "items"):
        return {key: thawed(item) for key, item in value.items()}
    return value
