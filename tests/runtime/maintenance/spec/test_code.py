"""The vocabulary the loader compares with is what the code carries out: reducers, actions, state, rows, invariants."""

import dataclasses
from typing import Any

from operatebench.runtime.maintenance.actions import ACTIONS
from operatebench.runtime.maintenance.invariants import INVARIANTS
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.reducers import REDUCERS
from operatebench.runtime.maintenance.spec import packaged_spec, vocabulary
from operatebench.runtime.maintenance.state import records

RECORDS: dict[str, Any] = {
    "cycles": records.Cycle,
    "quotes": records.Quote,
    "approvals": records.Approval,
    "exceptions": records.ExceptionCheckpoint,
    "invoices": records.Invoice,
    "payments": records.Payment,
    "obligations": records.Obligation,
    "assertions": records.Assertion,
    "contradictions": records.Contradiction,
    "corrections": records.Correction,
    "authoritative_records": records.AuthoritativeRecord,
    "communications": records.Communication,
}


def test_every_event_has_a_reducer_and_every_action_a_handler() -> None:
    assert set(REDUCERS) == set(vocabulary.EVENTS)
    assert set(ACTIONS) == set(vocabulary.ACTIONS)


def test_the_state_starts_as_the_spec_says() -> None:
    for variant_id, variant in packaged_spec().variants.items():
        operation = MaintenanceOperation(packaged_spec(), variant_id)
        state = operation.canonical_state(operation.initial_state())
        assert state.pop("hidden") == dict(variant.hidden_initial_values)
        assert state == dict(vocabulary.STATE_ROOTS)


def test_records_have_the_fields_that_evidence_may_follow() -> None:
    names = {root: tuple(field.name for field in dataclasses.fields(record)) for root, record in RECORDS.items()}
    assert names == dict(vocabulary.RECORD_FIELDS)


def test_the_invariants_are_those_that_are_watched() -> None:
    assert set(INVARIANTS) == set(vocabulary.INVARIANTS)


def test_a_checkpoint_is_opened_by_an_action_that_may_open_one() -> None:
    opened = {action for _, action, _ in vocabulary.CHECKPOINTS.values()}
    assert {name for name, action in ACTIONS.items() if action.opens_checkpoint} == opened
