"""Is the record whole? Structure, and the binding of events to their rows: what every other check builds on."""

from __future__ import annotations

from collections.abc import Iterator

from . import grammar
from .case import Case
from .predicate import Predicate, predicate
from .record import Row, finding, name
from .result import Finding

TRAJECTORY_CODES = (
    "RECORD_FIELDS_BROKEN",
    "TRAJECTORY_ROW_NOT_A_RECORD",
    "TRAJECTORY_INDICES_NOT_CONTIGUOUS",
    "TRAJECTORY_TIMESTAMP_NOT_CANONICAL",
    "TRAJECTORY_TIMESTAMPS_NOT_MONOTONIC",
    "TRAJECTORY_UNKNOWN_RECORD_TYPE",
    "TRAJECTORY_ROW_FORM_BROKEN",
    "TRAJECTORY_FRAME_BROKEN",
    "EVENT_FORM_BROKEN",
)
"""Damage that leaves the trajectory unverifiable."""

STRUCTURE_CODES = (*TRAJECTORY_CODES, "FINAL_STATE_FORM_BROKEN", *grammar.CODES)


def examine(case: Case) -> None:
    """Add to the damage of a case what the pass over single rows could not see."""
    case.damage.update(grammar.faults(case))
    case.damage["TRAJECTORY_FRAME_BROKEN"].extend(_frame(case))
    case.damage["CRITICAL_EVENT_LEDGER_BINDING_MISMATCH"].extend(_binding(case))


def is_sound(case: Case) -> bool:
    """Tell whether structure and binding hold."""
    return not any(case.damage.get(code) for code in (*STRUCTURE_CODES, "CRITICAL_EVENT_LEDGER_BINDING_MISMATCH"))


def _frame(case: Case) -> Iterator[Finding]:
    starts, ends = case.of_kind["episode_started"], case.of_kind["episode_ended"]
    if len(starts) != 1 or starts[0] is not case.rows[0]:
        yield finding("TRAJECTORY_FRAME_BROKEN", "the record does not begin with its one first row", starts)
    elif starts[0]["starts_at"] != case.plan.starts_at or starts[0].at != 0 or not _horizon(case, starts[0]):
        yield finding("TRAJECTORY_FRAME_BROKEN", "the first row states another start or horizon", starts)
    if len(ends) != 1 or ends[0] is not case.rows[-1]:
        yield finding("TRAJECTORY_FRAME_BROKEN", "the record does not end with its one last row", ends)
    elif ends[0]["invocations"] != len(case.invoked):
        yield finding("TRAJECTORY_FRAME_BROKEN", "the last row counts other invocations", ends)


def _horizon(case: Case, row: Row) -> bool:
    return case.minute(row["horizon_at"]) == case.plan.limits.horizon_minutes


_VERDICTS = {
    "supplier_assertion_received": ("OBSERVATIONAL_ONLY",),
    "obligation_due": ("OBLIGATION_BREACHED",),
    "provisional_close_expired": ("FINALIZED",),
    "customer_resolution_reported": ("ACCEPTED", "REOPENED"),
}
"""Event type -> the codes its acceptance can have; every other one is plainly accepted."""


def _binding(case: Case) -> Iterator[Finding]:
    code = "CRITICAL_EVENT_LEDGER_BINDING_MISMATCH"
    last = -1
    for delivery in case.deliveries:
        rows = case.delivery_rows.get(delivery.event_id, [])
        row = delivery.row
        if row is None:
            yield finding(code, f"event {name(delivery.event_id)} and its row are not one and the same", rows)
            continue
        if (delivery.verdict_code == "AFTER_REPLAY_FINAL") != (delivery.disposition == "post_terminal"):
            yield finding(code, f"event {name(delivery.event_id)} has a code of another disposition", rows)
        if row.kind in {"event_observed", "event_audit_only"} and delivery.triggers_agent != (
            row.kind == "event_observed"
        ):
            yield finding(
                code, f"event {name(delivery.event_id)} wakes the agent in one place and not in another", rows
            )
        if delivery.disposition in {"accepted", "audit"} and row["code"] not in _VERDICTS.get(
            delivery.event_type, ("ACCEPTED",)
        ):
            yield finding(code, f"event {name(delivery.event_id)} was accepted as something else", rows)
        if row.data.get("observational", False) != (row["code"] == "OBSERVATIONAL_ONLY"):
            yield finding(code, f"event {name(delivery.event_id)} is held for a claim, or not, without being one", rows)
        if row.position < last:
            yield finding(code, f"event {name(delivery.event_id)} is listed out of the order of delivery", rows)
        last = row.position
    for event_id, rows in case.delivery_rows.items():
        if event_id not in case.by_event_id:
            yield finding(code, f"a row records event {name(event_id)}, which was not delivered", rows)


def _damage(label: str, *codes: str) -> Predicate:
    """Return the predicate of damage that was found while the record was read."""
    return Predicate(f"integrity.{label}", codes, lambda case: _found(case, codes))


def _found(case: Case, codes: tuple[str, ...]) -> Iterator[Finding]:
    for code in codes:
        yield from case.damage.get(code, ())


@predicate("CRITICAL_TRAJECTORY_NOT_VERIFIABLE")
def not_verifiable(case: Case) -> Iterator[Finding]:
    """Report a record whose own damage leaves the invariants unproven."""
    damaged = [item for code in TRAJECTORY_CODES for item in case.damage.get(code, ())]
    if damaged:
        code = "CRITICAL_TRAJECTORY_NOT_VERIFIABLE"
        positions = {position for item in damaged for position in item.rows}
        yield finding(code, f"{len(damaged)} faults of structure leave the invariants unproven", positions=positions)


@predicate("ENVIRONMENT_RECORD_UNSOUND")
def unsound(case: Case) -> Iterator[Finding]:
    """Report a record that is not sound."""
    if not is_sound(case):
        yield finding("ENVIRONMENT_RECORD_UNSOUND", "the record is damaged: what the environment did is unproven")


PREDICATES = (
    _damage("fields", "RECORD_FIELDS_BROKEN"),
    _damage(
        "rows",
        "TRAJECTORY_ROW_NOT_A_RECORD",
        "TRAJECTORY_TIMESTAMP_NOT_CANONICAL",
        "TRAJECTORY_UNKNOWN_RECORD_TYPE",
        "TRAJECTORY_ROW_FORM_BROKEN",
    ),
    _damage("order", "TRAJECTORY_INDICES_NOT_CONTIGUOUS", "TRAJECTORY_TIMESTAMPS_NOT_MONOTONIC"),
    _damage("frame", "TRAJECTORY_FRAME_BROKEN"),
    _damage("events", "EVENT_FORM_BROKEN"),
    _damage("final_state", "FINAL_STATE_FORM_BROKEN"),
    _damage(
        "invalidations",
        "RETRIEVAL_INVALIDATION_NOT_BOUND_TO_ITS_CAUSE",
        "RETRIEVAL_INVALIDATION_CAUSE_UNKNOWN",
    ),
    _damage("calls", "RETRIEVAL_INVOCATION_BINDING_BROKEN", "RETRIEVAL_TURN_BINDING_BROKEN"),
    _damage(
        "batches",
        "RETRIEVAL_BATCH_ORDER_BROKEN",
        "RETRIEVAL_REQUEST_ORDER_BROKEN",
        "RETRIEVAL_BATCH_NOT_CANONICAL",
        "RETRIEVAL_AS_OF_NOT_ONE_INSTANT",
    ),
    _damage(
        "results",
        "RETRIEVAL_RESULT_VOCABULARY_UNKNOWN",
        "RETRIEVAL_RECORD_IDENTITY_UNKNOWN",
        "RETRIEVAL_RECORDS_NOT_THE_PUBLISHED_PROJECTION",
        "RETRIEVAL_RECORD_VERSION_MISMATCH",
    ),
    _damage("binding", "CRITICAL_EVENT_LEDGER_BINDING_MISMATCH"),
    not_verifiable,
    unsound,
)
