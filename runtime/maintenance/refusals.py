"""Why events and actions are refused: every code with its one fixed sentence, and the ways to refuse."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

_R = TypeVar("_R")

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        # Who, what, and in which form.
        "AFTER_REPLAY_FINAL": "The operation is replay-final; nothing that happens later changes it.",
        "UNKNOWN_ACTOR": "The operation declares no actor with this id.",
        "UNKNOWN_EVENT_TYPE": "The operation declares no event of this type.",
        "EVENT_ACTOR_LACKS_AUTHORITY": "The role of this actor does not hold the authority the event needs.",
        "MALFORMED_EVENT_PAYLOAD": "The payload must have exactly the declared fields, each of its declared kind.",
        "OPERATION_IS_REPLAY_FINAL": "The operation is replay-final; propose nothing more.",
        "ACTION_OUTSIDE_AGENT_AUTHORITY": "The agent's role holds no such authority; use the published actions only.",
        "UNKNOWN_ACTION_TYPE": "The agent's role holds this authority, but no action has this name.",
        "MALFORMED_ACTION_PAYLOAD": "Send exactly the published fields of the action, each of its published kind.",
        "NON_AUTHORITATIVE_EVIDENCE": "A claim is no evidence; cite facts, checkpoints, invoices or quotes.",
        "UNRESOLVED_EVIDENCE": "A cited reference names no record of this operation; cite ids that reads have served.",
        "MISSING_AUTHORITY_EVIDENCE": "Cite the records this action rests on, as published for it.",
        "ALREADY_PROVISIONALLY_CLOSED": "The operation is provisionally closed; wait for the customer or the window.",
        "OPERATION_PROVISIONALLY_CLOSED": "The operation is provisionally closed; only the customer can reopen it.",
        "OPERATION_HANDED_OVER": "The operator took over or cancelled; send the handover notice, then complete.",
        # Issue and customer.
        "DUPLICATE_ISSUE": "This operation already has its issue.",
        "UNSUPPORTED_CLASSIFICATION": "This operation handles another classification of issue.",
        "ISSUE_NOT_REPORTED": "Nothing has been reported yet that this could belong to.",
        "UNKNOWN_ISSUE": "No issue with this id has been reported.",
        "REOPEN_WINDOW_CLOSED": "The window in which the customer can reopen the operation has passed.",
        # Cycles and visits.
        "UNKNOWN_WORK_CYCLE": "No work cycle with this id exists.",
        "STALE_WORK_CYCLE": "This is not the current work cycle; act on the current one.",
        "WORK_CYCLE_MISMATCH": "The record belongs to another work cycle.",
        "UNKNOWN_VISIT": "The work cycle has no visit with this id.",
        "VISIT_NOT_AWAITING_RESPONSE": "The supplier has already answered about this visit.",
        "VISIT_NOT_SCHEDULED": "Only a visit that is scheduled can be attended or missed.",
        "VISIT_NOT_ATTENDED": "Work can be reported or verified only after the visit was attended.",
        "DUPLICATE_VISIT_REQUEST": "The work cycle already has a visit; wait for it until it is overdue.",
        "WORK_REQUIRES_AUTHORISATION": "A visit for quoted work comes with authorising that work.",
        "VISIT_TYPE_MISMATCH": "The type of the visit must be the kind of the work cycle.",
        "UNKNOWN_SUPPLIER": "No supplier with this id takes part in the operation.",
        "WORK_SCOPE_MISMATCH": "The verified scope is not the scope that was approved for the work cycle.",
        "WARRANTY_SCOPE_MISMATCH": "A warranty revisit must repeat the scope of the work it makes good.",
        # Claims and facts.
        "DUPLICATE_ASSERTION": "The id of the claim is already in use.",
        "DUPLICATE_AUTHORITATIVE_RECORD": "The id of the record is already in use.",
        # Quotes.
        "UNKNOWN_QUOTE": "No quote with this id and version has been received.",
        "DUPLICATE_QUOTE": "This version of the quote has already been received.",
        "INVALID_QUOTE_AMOUNT": "The amount of a quote must be positive.",
        "QUOTE_CURRENCY_MISMATCH": "The operation is run in another currency.",
        "STALE_QUOTE_VERSION": "The version of the quote must be newer than every one received before.",
        "QUOTE_CYCLE_MISMATCH": "The quote does not fit the work cycle it names.",
        "WORK_ALREADY_AUTHORISED": "The work of this cycle is already authorised; it cannot be quoted again.",
        "QUOTE_NOT_OPEN": "The quote has already been decided on or superseded.",
        "QUOTE_EXPIRED": "The quote is no longer valid; ask the supplier for a new version.",
        "QUOTE_BINDING_MISMATCH": "The terms named are not those of the recorded quote; repeat them exactly.",
        "QUOTE_NOT_APPROVED": "This version of the quote is not one that may be acted upon.",
        # Checkpoints.
        "UNKNOWN_CHECKPOINT": "No checkpoint with this id has been opened.",
        "CHECKPOINT_NOT_OPEN": "The checkpoint is no longer open.",
        "CHECKPOINT_DEADLINE_PASSED": "The deadline of the checkpoint has passed.",
        "DUPLICATE_CHECKPOINT": "An approval of this quote version is already open; wait for its decision.",
        "APPROVAL_NOT_REQUIRED": "The quote is not above the threshold; authorise the work without calling on a human.",
        "DEADLINE_OUTSIDE_POLICY": "The deadline must be the one the policy gives.",
        "REMINDER_ALREADY_FIRED": "The reminder of this approval has already fallen due.",
        "WORK_NOT_APPROVED": "Work above the threshold needs an approved checkpoint of its quote.",
        "STALE_APPROVAL": "The approval was given for another quote or version.",
        "DUPLICATE_WORK_AUTHORISATION": "The work of this cycle has already been authorised.",
        "UNKNOWN_EXCEPTION_CHECKPOINT": "No exception with this id has been opened.",
        "EXCEPTION_ALREADY_OPEN": "An exception is already open; wait for its resolution.",
        "EXCEPTION_NOT_ELIGIBLE": "Nothing about this subject calls for an exception of this type now.",
        "INCOMPLETE_CHECKPOINT_CONTEXT": "Cite what the human must look at: the subject, and the quote of an approval.",
        # Bills and money.
        "UNKNOWN_INVOICE": "No invoice with this id has been received.",
        "DUPLICATE_INVOICE": "An invoice with this id has already been received.",
        "INVALID_INVOICE_AMOUNT": "The amount of an invoice must be positive.",
        "INVOICE_CORRECTION_MISMATCH": "The invoice it is to correct is not one of this cycle that can be corrected.",
        "INVOICE_NOT_PENDING": "The invoice has already been sent to validation, or needs none any more.",
        "WORK_NOT_VERIFIED": "The work has no authoritative evidence yet.",
        "INVOICE_QUOTE_NOT_APPROVED": "The invoice names no approved version of a quote.",
        "INVOICE_QUOTE_MISMATCH": "The invoice does not repeat cycle, amount, currency and tax of its quote.",
        "INVOICE_NOT_AWAITING_VALIDATION": "No validation of this invoice has been asked for.",
        "DUPLICATE_PAYMENT_REQUEST": "A payment for this work cycle has already been requested.",
        "PAYMENT_NOT_REQUIRED": "The work cycle is not payable.",
        "INVOICE_NOT_VALIDATED": "The work cycle has no invoice that was found valid, or still has one that was not.",
        "PAYMENT_AMOUNT_MISMATCH": "Amount and currency must be exactly what the validated invoice comes to.",
        "NO_PAYMENT_REQUESTED": "No payment has been requested.",
        "PAYMENT_REQUEST_MISMATCH": "No payment request has this id.",
        "SETTLEMENT_BINDING_MISMATCH": "Invoice, cycle, amount and currency must be exactly those requested.",
        "PAYMENT_ALREADY_SETTLED": "The payment has already been settled.",
        # Corrections.
        "CORRECTION_NOT_ELIGIBLE": "The subject is in no need of a correction, or one must be authorised first.",
        "DUPLICATE_CORRECTION_REQUEST": "A correction of this subject has been asked for; wait for it.",
        # Messages.
        "UNKNOWN_RECIPIENT": "The operation declares no actor with the id of the recipient.",
        "UNKNOWN_MESSAGE_FIXTURE": "No message with this id can be sent.",
        "UNKNOWN_CHANNEL": "No channel has this name.",
        "COMPLETION_NOTICE_WRONG_RECIPIENT": "A completion notice goes to whoever reported the issue.",
        "NO_COMPLETION_TO_ANNOUNCE": "The work cycle named as correlation has nothing to announce yet.",
        "NO_HANDOVER_TO_ANNOUNCE": "The operator has neither taken the operation over nor cancelled it.",
        "OBLIGATION_MESSAGE_BINDING_MISMATCH": "Recipient and correlation do not match the duty this message is for.",
        "RECIPIENT_ROLE_MISMATCH": "The message is written for another role.",
        "CHANNEL_NOT_FOR_PRIMARY_SEND": "Another channel than the first is for recovering a failed message only.",
        "NO_OCCASION_FOR_MESSAGE": "Nothing about this work cycle calls for such a message now.",
        "DUPLICATE_MESSAGE": "This message about this matter was sent already, and has not failed for good.",
        "RECOVERY_BINDING_MISMATCH": "A recovery repeats recipient, message and correlation on another channel.",
        "RECOVERY_NOT_NEEDED": "The message to recover has not failed.",
        "RECOVERY_ALREADY_ATTEMPTED": "The message has already been recovered once.",
        "UNKNOWN_MESSAGE": "No message with this id has been sent.",
        "MESSAGE_STATUS_MISMATCH": "The dispatch of this message stands otherwise.",
        # Timers.
        "TIMER_NOT_DUE": "The instant this timer stands for has not come.",
        "UNKNOWN_OBLIGATION": "No obligation with this id has been opened.",
        "OBLIGATION_NOT_OPEN": "The obligation is already closed.",
        "NOT_PROVISIONALLY_CLOSED": "The work cycle is not provisionally closed.",
        # Completion.
        "OPEN_CHECKPOINT": "A human has still to decide; wait for it.",
        "OPEN_OBLIGATION": "A duty is still open; discharge it first.",
        "REQUIRED_WAKE_PENDING": "Something that was asked for is still to come; wait for it.",
        "HANDOVER_NOTICE_NOT_SENT": "The customer has not been told of the operator's decision.",
        "PAYMENT_MUTATED_BEFORE_HANDOVER": "A payment is under way; hand over when it is settled.",
        "OPEN_FURTHER_WORK": "The supplier reported further work that nobody has quoted yet.",
        "OPEN_QUOTE_DECISION": "A quote still waits for a decision.",
        "OPEN_INVOICE_REVIEW": "An invoice has not been reviewed.",
        "OPEN_CONTRADICTION": "Work was claimed complete without authoritative evidence; wait for the evidence.",
        "NO_CURRENT_CYCLE": "There is no work to complete.",
        "INVOICE_MISSING": "The work is payable and no invoice stands for it.",
        "PAYMENT_NOT_SETTLED": "The work has not been paid.",
        "COMPLETION_NOTICE_NOT_SENT": "The customer has not been told that the work is complete.",
    }
)
"""Code -> detail. No detail repeats anything an agent or an author wrote."""


class RefusalError(Exception):
    """An event or a proposal is refused; nothing has been written. It never leaves the operation."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = REFUSALS[code]


def require(holds: bool, code: str) -> None:
    """Refuse with ``code`` unless ``holds``.

    Raises:
        RefusalError: it does not hold.
    """
    if not holds:
        raise RefusalError(code)


def refuse_if(code: str | None) -> None:
    """Refuse with ``code`` if there is one.

    Raises:
        RefusalError: there is one.
    """
    if code is not None:
        raise RefusalError(code)


def found(record: _R | None, code: str) -> _R:
    """Return the record, or refuse with ``code`` where there is none.

    Raises:
        RefusalError: there is none.
    """
    if record is None:
        raise RefusalError(code)
    return record
