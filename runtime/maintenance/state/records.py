"""The records a state is made of; the slots of each, in order, are its canonical form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

CycleKind = Literal["DIAGNOSTIC", "APPROVED_WORK", "WARRANTY_REVISIT"]
VisitStatus = Literal[
    "NONE", "REQUESTED", "SCHEDULED", "DECLINED", "MISSED", "ATTENDED", "WORK_REPORTED", "WORK_VERIFIED"
]
ApprovalStatus = Literal["OPEN", "APPROVED", "REJECTED", "EXPIRED"]
QuoteStatus = Literal["RECEIVED", "APPROVAL_REQUESTED", "APPROVED", "REJECTED", "EXPIRED", "SUPERSEDED"]
ExceptionStatus = Literal["OPEN", "RESOLVED", "EXPIRED"]
InvoiceStatus = Literal["RECEIVED", "VALIDATION_REQUESTED", "VALIDATED", "REJECTED", "SUPERSEDED"]
PaymentStatus = Literal["REQUESTED", "SETTLED"]
ObligationStatus = Literal["OPEN", "DISCHARGED", "CANCELLED", "BREACHED"]
ContradictionStatus = Literal["OPEN", "RESOLVED"]
CorrectionStatus = Literal["OPEN", "RECEIVED"]
DispatchStatus = Literal["PENDING", "DELIVERED", "FAILED"]
CustomerResolution = Literal["UNCONFIRMED", "RESOLVED", "PERSISTS"]

UNBOOKED: tuple[VisitStatus, ...] = ("NONE", "DECLINED", "MISSED")
"""A cycle of these has no visit that stands: one can be requested, or its work authorised (again)."""

UNDER_WAY: tuple[VisitStatus, ...] = ("REQUESTED", "SCHEDULED", "ATTENDED")
"""Somebody outside will tell how the visit of a cycle of these went on."""


class Record:
    """What all records share: instants are canonical texts, money is in minor units."""

    __slots__: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Return the record as a fresh plain object."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Issue(Record):
    """What was reported, and by whom."""

    issue_id: str
    reporter_actor_id: str
    classification: str
    reported_at: str


@dataclass(slots=True)
class Cycle(Record):
    """One round of work: one scope, at most one visit that stands."""

    cycle_id: str
    kind: CycleKind
    parent_cycle_id: str | None
    scope: str | None
    payable: bool
    visit_id: str | None = None
    visit_status: VisitStatus = "NONE"
    reported_outcome: str | None = None
    further_work_open: bool = False
    work_evidence_id: str | None = None


@dataclass(slots=True)
class Quote(Record):
    """One version of a price for the work of one cycle."""

    quote_key: str
    quote_id: str
    quote_version: int
    cycle_id: str
    amount_minor: int
    currency: str
    plus_vat: bool
    scope: str
    status: QuoteStatus
    received_at: str
    valid_until: str


@dataclass(slots=True)
class Approval(Record):
    """A checkpoint of the approver, with the terms of the quote as they were put to them."""

    checkpoint_id: str
    quote_key: str
    quote_id: str
    quote_version: int
    cycle_id: str
    amount_minor: int
    currency: str
    plus_vat: bool
    scope: str
    assignee_actor_id: str
    opened_at: str
    deadline_at: str
    status: ApprovalStatus = "OPEN"
    resolved_at: str | None = None
    reminder_fired: bool = False


@dataclass(slots=True)
class ExceptionCheckpoint(Record):
    """A checkpoint of the operator about one approval or invoice the agent cannot go on with."""

    checkpoint_id: str
    exception_type: str
    subject_id: str
    cycle_id: str
    assignee_actor_id: str
    evidence_refs: tuple[str, ...]
    opened_at: str
    deadline_at: str
    status: ExceptionStatus = "OPEN"
    resolution: str | None = None
    resolved_at: str | None = None

    def plain(self) -> dict[str, Any]:
        """Return the record as a fresh plain object."""
        return {name: getattr(self, name) for name in self.__slots__} | {"evidence_refs": list(self.evidence_refs)}


@dataclass(slots=True)
class Invoice(Record):
    """A bill as it was received; only validation makes it one that can be paid."""

    invoice_id: str
    cycle_id: str
    quote_id: str
    quote_version: int
    amount_minor: int
    currency: str
    plus_vat: bool
    status: InvoiceStatus = "RECEIVED"
    validation_id: str | None = None
    corrects_invoice_id: str | None = None


@dataclass(slots=True)
class Payment(Record):
    """Money asked for; settled when the payment system says so."""

    payment_request_id: str
    invoice_id: str
    cycle_id: str
    amount_minor: int
    currency: str
    status: PaymentStatus = "REQUESTED"
    settlement_id: str | None = None


@dataclass(slots=True)
class Obligation(Record):
    """A duty of the agent with the instant it is due."""

    obligation_id: str
    kind: str
    cycle_id: str | None
    due_at: str
    status: ObligationStatus = "OPEN"
    closed_at: str | None = None


@dataclass(slots=True)
class Assertion(Record):
    """A claim somebody made; it is noted and proves nothing."""

    assertion_id: str
    actor_id: str
    assertion: str
    cycle_id: str | None
    at: str


@dataclass(slots=True)
class Contradiction(Record):
    """A claim of completed work that no authoritative record bears out yet."""

    contradiction_id: str
    cycle_id: str
    status: ContradictionStatus = "OPEN"
    resolved_by: str | None = None


@dataclass(slots=True)
class Correction(Record):
    """The supplier was asked to replace an invoice, or a quote by a newer version."""

    subject_kind: str
    subject_id: str
    cycle_id: str
    requested_at: str
    status: CorrectionStatus = "OPEN"


@dataclass(slots=True)
class AuthoritativeRecord(Record):
    """What an authoritative system has established."""

    record_id: str
    kind: str
    cycle_id: str
    subject_id: str
    at: str
    facts: dict[str, str | int | bool]

    def plain(self) -> dict[str, Any]:
        """Return the record as a fresh plain object."""
        return {name: getattr(self, name) for name in self.__slots__} | {"facts": dict(self.facts)}


@dataclass(slots=True)
class Communication(Record):
    """One message on one channel, with how its dispatch stands."""

    work_id: str
    recipient_actor_id: str
    message_fixture_id: str
    purpose: str
    correlation_id: str | None
    channel: str
    recovery_of: str | None
    sent_at: str
    attempts: int = 0
    dispatch_status: DispatchStatus = "PENDING"
    ended_at: str | None = None


@dataclass(slots=True)
class Handover(Record):
    """The operator took the operation over, or cancelled it."""

    actor_id: str
    checkpoint_id: str
    cycle_id: str
    at: str


@dataclass(slots=True)
class ProvisionalClose(Record):
    """The operation is complete unless the customer reports otherwise until ``reopen_until``."""

    cycle_id: str
    accepted_at: str
    reopen_until: str
    timer_event_id: str


@dataclass(slots=True)
class Terminal(Record):
    """How the operation ended for good."""

    outcome: str
    at: str
    cycle_id: str | None
