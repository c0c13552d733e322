"""The canonical form: its exact fields, fresh plain values, and what the tools serve of it."""

from dataclasses import fields

import pytest

from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.runtime.maintenance.spec import packaged_spec
from operatebench.runtime.maintenance.state import records
from operatebench.runtime.maintenance.state.state import ROOTS, State
from tests.runtime.maintenance.operation.situations import at, excepted, handed_over

FIELDS = {
    "issue": "issue_id reporter_actor_id classification reported_at",
    "terminal": "outcome at cycle_id",
    "ownership": "actor_id checkpoint_id cycle_id at",
    "provisional_close": "cycle_id accepted_at reopen_until timer_event_id",
    "cycles": "cycle_id kind parent_cycle_id scope payable visit_id visit_status reported_outcome further_work_open "
    "work_evidence_id",
    "quotes": "quote_key quote_id quote_version cycle_id amount_minor currency plus_vat scope status received_at "
    "valid_until",
    "approvals": "checkpoint_id quote_key quote_id quote_version cycle_id amount_minor currency plus_vat scope "
    "assignee_actor_id opened_at deadline_at status resolved_at reminder_fired",
    "exceptions": "checkpoint_id exception_type subject_id cycle_id assignee_actor_id evidence_refs opened_at "
    "deadline_at status resolution resolved_at",
    "invoices": "invoice_id cycle_id quote_id quote_version amount_minor currency plus_vat status validation_id "
    "corrects_invoice_id",
    "payments": "payment_request_id invoice_id cycle_id amount_minor currency status settlement_id",
    "obligations": "obligation_id kind cycle_id due_at status closed_at",
    "authoritative_records": "record_id kind cycle_id subject_id at facts",
    "communications": "work_id recipient_actor_id message_fixture_id purpose correlation_id channel recovery_of "
    "sent_at attempts dispatch_status ended_at",
}


@pytest.mark.parametrize("root", sorted(FIELDS))
def test_records_have_exactly_their_fields(root: str) -> None:
    case = {"terminal": lambda: at("finalized"), "ownership": handed_over, "exceptions": excepted}.get(
        root, lambda: at("closed")
    )()
    value = case.canonical()[root]
    record = value[0] if isinstance(value, list) else value
    assert list(record) == FIELDS[root].split()


def test_a_fresh_state() -> None:
    operation = MaintenanceOperation(packaged_spec(), "V2")
    canonical = operation.canonical_state(operation.initial_state())
    assert canonical.pop("hidden") == dict(packaged_spec().variants["V2"].hidden_initial_values)
    assert {name: value for name, value in canonical.items() if value not in ([], None, False, 0)} == {
        "phase": "NEW",
        "customer_resolution": "UNCONFIRMED",
    }
    with pytest.raises(KeyError):
        MaintenanceOperation(packaged_spec(), "V9")


def test_the_canonical_form_is_fresh_and_shares_nothing_with_the_state() -> None:
    for case in (at("closed"), excepted()):
        before = case.canonical()
        spoilt = case.canonical()
        for value in spoilt.values():
            for record in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
                for inner in record.values():
                    if isinstance(inner, dict | list):
                        inner.clear()
                record.clear()
        assert case.canonical() == before
        assert case.operation.initial_state() is not case.operation.initial_state()


def test_tools_serve_every_root_once_but_what_is_hidden() -> None:
    case = excepted()
    served = [root for tool in case.operation.plan.catalogue for root in case.operation.serve(case.state, tool)]
    assert sorted(served) == sorted(set(ROOTS) - {"hidden"})
    canonical = case.canonical()
    for tool in case.operation.plan.catalogue:
        assert case.operation.serve(case.state, tool).items() <= canonical.items()


def test_every_member_is_in_the_canonical_form() -> None:
    assert {member.name for member in fields(State)} | {"phase", "replay_final"} == set(ROOTS)


def test_ids_the_environment_allocates_avoid_those_that_authors_took() -> None:
    state = State()
    state.cycles["work_cycle_3"] = records.Cycle("work_cycle_3", "DIAGNOSTIC", None, None, payable=False)
    state.cycles["a"] = records.Cycle("a", "APPROVED_WORK", "work_cycle_3", "x", payable=True)
    state.invoices["checkpoint_1"] = records.Invoice("checkpoint_1", "a", "q", 1, 1, "GBP", plus_vat=False)
    assert state.next_cycle_id() == "work_cycle_4"
    assert state.next_checkpoint_id() == "checkpoint_2"
    assert (state.next_visit_id(), state.next_payment_id(), state.next_work_id()) == (
        "visit_1",
        "payment_1",
        "message_1",
    )
