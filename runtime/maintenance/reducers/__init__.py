"""What each event does: one module for each group of events, all of them here by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...core.protocol import Environment, Event, Verdict
from ..rules import Rules
from ..state.state import State
from . import billing, claims, customer, exceptions, messages, quotes, timers, visits

Reducer = Callable[[State, Event, Rules, Environment], Verdict]
"""Checks a well-formed event of an actor with the authority for it, then applies it. It refuses by raising
:class:`..refusals.RefusalError`, before it has written anything."""

REDUCERS: Mapping[str, Reducer] = MappingProxyType(
    {
        "approval_deadline_due": quotes.approval_deadline_due,
        "approval_reminder_due": quotes.reminder_due,
        "approver_decision_received": quotes.approver_decided,
        "customer_issue_reported": customer.issue_reported,
        "customer_resolution_reported": customer.resolution_reported,
        "dispatch_retry_due": messages.retry_due,
        "exception_deadline_due": exceptions.exception_deadline_due,
        "invoice_validation_completed": billing.validation_completed,
        "message_delivered": messages.message_delivered,
        "message_failed": messages.message_failed,
        "obligation_due": timers.obligation_due,
        "operator_exception_resolved": exceptions.operator_decided,
        "payment_settlement_confirmed": billing.settlement_confirmed,
        "provisional_close_expired": timers.window_expired,
        "supplier_assertion_received": claims.assertion_received,
        "supplier_invoice_received": billing.invoice_received,
        "supplier_quote_received": quotes.quote_received,
        "supplier_visit_response": visits.visit_response,
        "supplier_work_reported": visits.work_reported,
        "visit_attendance_verified": visits.attendance_verified,
        "work_evidence_verified": visits.work_verified,
    }
)
