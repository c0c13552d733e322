"""One forgery for each finding code about form, order, binding and environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.runtime.maintenance.evaluator.episodes import Forgery

Change = Callable[[Forgery], object]


def put(part: Callable[[Forgery], Any], **terms: Any) -> Change:
    """Change terms of a part of the record."""
    return lambda forgery: part(forgery).update(terms)


def row(record_type: str, nth: int = 0, **terms: Any) -> Callable[[Forgery], Any]:
    return lambda forgery: forgery.row(record_type, nth, **terms)


def entry(*path: str | int) -> Callable[[Forgery], Any]:
    return lambda forgery: forgery.deeper(*path)


def event(event_type: str, nth: int = 0) -> Callable[[Forgery], Any]:
    return lambda forgery: forgery.event(event_type, nth)


def drop(record_type: str, nth: int = 0) -> Change:
    return lambda forgery: forgery.drop(forgery.row(record_type, nth))


def twice(record_type: str, nth: int = 0, **changes: Any) -> Change:
    return lambda forgery: forgery.twice(forgery.row(record_type, nth), **changes)


def _swapped_batch(forgery: Forgery) -> None:
    first = forgery.row("retrieval_served", request_index=0, batch_index=0, invocation_index=4)
    second = forgery.next(first)
    first["tool"], second["tool"] = second["tool"], first["tool"]


def _altered_body(forgery: Forgery) -> None:
    forgery.row("retrieval_served")["records"]["reopen_count"] = 1


def _late_answer(forgery: Forgery) -> None:
    proposed = forgery.proposal("request_payment")
    forgery.move(proposed, forgery.effect("request_payment"))


def _unlisted(forgery: Forgery) -> None:
    forgery.events.remove(forgery.event("supplier_assertion_received"))


def _extra_effect(forgery: Forgery) -> None:
    terminal = forgery.row("terminal_accepted")
    effect = forgery.twice(forgery.effect("request_payment"))
    forgery.move(effect, forgery.row("event_after_terminal"))
    effect["at"] = forgery.row("episode_ended")["at"]
    assert effect["at"] > terminal["at"]


def _renamed(forgery: Forgery) -> None:
    for record in (
        forgery.event("supplier_visit_response"),
        forgery.row("event_observed", event_type="supplier_visit_response"),
    ):
        record["event_id"] = "ev_unheard_of"


def _later(forgery: Forgery) -> None:
    for record in (
        forgery.event("supplier_quote_received"),
        forgery.row("event_observed", event_type="supplier_quote_received"),
    ):
        record["at"] = "2032-04-07T07:16:00Z"


def _no_object(forgery: Forgery) -> None:
    rows: list[Any] = forgery.rows
    rows[5] = ["row"]


STRUCTURE: dict[str, Change] = {
    "RECORD_FIELDS_BROKEN": lambda forgery: forgery.record.pop("invocations"),
    "TRAJECTORY_ROW_NOT_A_RECORD": _no_object,
    "TRAJECTORY_INDICES_NOT_CONTIGUOUS": put(row("agent_outcome"), index=4),
    "TRAJECTORY_TIMESTAMP_NOT_CANONICAL": put(row("agent_outcome"), at="2032-04-05 08:30:00Z"),
    "TRAJECTORY_TIMESTAMPS_NOT_MONOTONIC": put(row("agent_outcome"), at="2032-04-05T08:31:00Z"),
    "TRAJECTORY_UNKNOWN_RECORD_TYPE": put(row("agent_outcome"), record_type="agent_dreamed"),
    "TRAJECTORY_ROW_FORM_BROKEN": put(row("agent_outcome"), turn_index="1"),
    "TRAJECTORY_FRAME_BROKEN": drop("episode_started"),
    "EVENT_FORM_BROKEN": put(event("supplier_visit_response"), sequence=None),
    "FINAL_STATE_FORM_BROKEN": lambda forgery: forgery.state.pop("quotes"),
    "RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE": drop("derived_context_invalidated", 1),
    "RETRIEVAL_INVALIDATION_CAUSE_UNKNOWN": put(row("derived_context_invalidated", 1), cause="mood"),
    "RETRIEVAL_INVOCATION_BINDING_BROKEN": put(row("retrieval_served"), invocation_index=7),
    "RETRIEVAL_TURN_BINDING_BROKEN": put(row("agent_outcome"), turn_index=6),
    "RETRIEVAL_BATCH_ORDER_BROKEN": put(row("retrieval_served"), batch_index=3),
    "RETRIEVAL_REQUEST_ORDER_BROKEN": put(row("retrieval_served"), request_index=3),
    "RETRIEVAL_BATCH_NOT_CANONICAL": _swapped_batch,
    "RETRIEVAL_AS_OF_NOT_ONE_INSTANT": put(row("retrieval_served"), as_of="2032-04-05T08:29:00Z"),
    "RETRIEVAL_RESULT_VOCABULARY_UNKNOWN": put(row("retrieval_served"), schema_id="maintenance.other.v1"),
    "RETRIEVAL_RECORD_IDENTITY_UNKNOWN": put(row("retrieval_served"), record_id="case_service:other"),
    "RETRIEVAL_RECORDS_NOT_THE_PUBLISHED_PROJECTION": lambda forgery: forgery.row("retrieval_served")["records"].pop(
        "phase"
    ),
    "RETRIEVAL_RECORD_VERSION_MISMATCH": _altered_body,
    "CRITICAL_EVENT_LEDGER_BINDING_MISMATCH": _unlisted,
    "CRITICAL_TRAJECTORY_NOT_VERIFIABLE": put(row("agent_outcome"), turn_index="1"),
    "ENVIRONMENT_RECORD_UNSOUND": put(row("agent_outcome"), turn_index="1"),
    "CRITICAL_PROPOSAL_BINDING_MISMATCH": _late_answer,
    "CRITICAL_EFFECT_WITHOUT_AUTHORITY_DECISION": drop("authority_decided"),
    "CRITICAL_EFFECT_BINDING_MISMATCH": put(row("effect_accepted"), cycle_id="work_cycle_2"),
    "CRITICAL_SIDE_EFFECT_NOT_BOUND": put(row("side_effect"), recipient_actor_id="plumber_1"),
    "CRITICAL_MUTATION_AFTER_TERMINAL": _extra_effect,
    "INVOCATION_CAUSE_INVALID": put(row("agent_invoked", 1), trigger_event_id="ev_1"),
    "EVENT_WOKE_NOBODY": drop("agent_invoked", 1),
    "EVENT_AUTHORITY_MISSTATED": put(row("event_observed"), authority="system_of_record"),
    "EVENT_NOT_IN_PLAN": _renamed,
    "EVENT_ALTERED": lambda forgery: forgery.event("supplier_quote_received")["payload"].update(scope="new_kitchen"),
    "EVENT_OUT_OF_TIME": _later,
    "EVENT_MISSING": lambda forgery: forgery.drop_event("supplier_assertion_received"),
    "TIMER_LIFECYCLE_BROKEN": drop("timer_cancelled"),
    "DISPATCH_NOT_AS_PLANNED": put(row("work_created"), max_attempts=5),
    "RECORD_CLOCK_INCONSISTENT": lambda forgery: forgery.record.update(simulated_minutes=1),
    "DECISION_NOT_CARRIED_OUT": lambda forgery: forgery.row("agent_outcome")["outcome"].update(
        action_type="send_message"
    ),
    "STATE_FACTS_DISAGREE": put(entry("authoritative_records", 0), subject_id="visit_9"),
    "STATE_CLAIMS_DISAGREE": put(entry("assertions", 0), assertion="WORK_BEGUN"),
    "STATE_CHECKPOINTS_DISAGREE": put(entry("approvals", 0), amount_minor=1),
    "STATE_OBLIGATIONS_DISAGREE": put(entry("obligations", 0), status="OPEN"),
    "STATE_COMMUNICATIONS_DISAGREE": put(entry("communications", 0), attempts=2),
    "STATE_QUOTES_DISAGREE": put(entry("quotes", 0), status="REJECTED"),
    "STATE_BILLING_DISAGREES": put(entry("invoices", 0), amount_minor=1),
    "STATE_CYCLES_DISAGREE": put(entry("cycles", 0), visit_status="REQUESTED"),
    "STATE_CASE_DISAGREES": put(entry(), reopen_count=2),
    "TERMINAL_NOT_REPLAY_FINAL": put(entry(), replay_final=False),
    "TERMINAL_RECORDS_DISAGREE": put(entry("terminal"), outcome="cancelled_by_operator"),
}
"""Finding code -> how the record of the reference on V1 is forged to show it."""
