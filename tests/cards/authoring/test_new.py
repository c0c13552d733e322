"""Minimal new cards are valid, deterministic, and take every name they must use from what they refer to."""

from typing import Any

import pytest

from operatebench.cards import CARD_SCHEMAS, CardValidationError, validate_card
from operatebench.cards.authoring.new import is_card_id, new_card
from tests.cards.authoring.chains import refer, resealed, sample_card, sample_chain

OPERATION, SCENARIO, VARIANT = CARD_SCHEMAS


def test_the_three_kinds_build_on_each_other() -> None:
    operation = new_card(OPERATION, "a.core@1.0.0")
    scenario = new_card(SCENARIO, "a.case", [operation])
    variant = new_card(VARIANT, "a.case.one", [scenario, operation])

    for card in (operation, scenario, variant):
        assert validate_card(card, references=[scenario, operation])["id"] == card["id"]
    assert scenario["content"]["operation_core"] == {
        "schema": OPERATION,
        "id": "a.core@1.0.0",
        "content_digest_sha256": operation["content_digest_sha256"],
    }
    assert variant["content"]["semantic_scenario"]["content_digest_sha256"] == scenario["content_digest_sha256"]
    assert new_card(VARIANT, "a.case.one", [operation, scenario]) == variant


def test_names_and_values_come_from_the_operation() -> None:
    operation, scenario, _ = sample_chain()

    made = new_card(SCENARIO, "s", [operation])["content"]
    content = new_card(VARIANT, "v", [scenario, operation])["content"]

    assert made["decision_points"][0]["reach_predicate"]["left"] == {"kind": "pointer", "pointer": "/approved_minor"}
    assert content["expected_terminal"] == "closed.no-fault"
    assert content["actors"] == [{"actor_id": "clock", "role_id": "clock"}]
    assert (content["events"][0]["event_type"], content["events"][0]["payload"]) == ("followup.due", {})
    assert content["hidden_initial_values"] == {
        "affected": ["aa"],
        "indoor_celsius": 0,
        "phase": "approved",
        "resident_at_risk": False,
    }


def without_easy_event(operation: Any) -> Any:
    for kind in ("authority_contract", "event_contracts"):
        holder = operation["content"][kind]
        rows = holder["event_authority"] if kind == "authority_contract" else holder
        rows[:] = [row for row in rows if row["event_type"] != "followup.due"]
    return resealed(operation)


def test_an_event_that_needs_fields_gets_them() -> None:
    operation, scenario, _ = sample_chain()
    refer(scenario, "operation_core", without_easy_event(operation))

    (event,) = new_card(VARIANT, "v", [scenario, operation])["content"]["events"]

    assert (event["event_type"], event["actor_id"]) == ("outage.reported", "resident")
    assert event["payload"] == {"indoor_celsius": 0, "summary": "a"}


def test_an_event_nobody_can_fill_is_passed_over() -> None:
    operation, scenario, _ = sample_chain()
    contracts = without_easy_event(operation)["content"]["event_contracts"]
    contracts[0]["required"]["summary"]["shape"].update(min_length=9, max_length=3)
    refer(scenario, "operation_core", resealed(operation))

    (event,) = new_card(VARIANT, "v", [scenario, operation])["content"]["events"]

    assert event["event_type"] == "quote.received"
    assert event["payload"] == {"amount_minor": 0, "quote_ref": "HQ-0000"}


def test_without_any_possible_event_or_state_the_place_in_the_operation_is_named() -> None:
    operation, scenario, _ = sample_chain()
    for row in without_easy_event(operation)["content"]["event_contracts"]:
        row["required"]["never"] = {"required": True, "shape": {"kind": "integer", "minimum": 2, "maximum": 1}}
    refer(scenario, "operation_core", resealed(operation))
    with pytest.raises(CardValidationError) as refused:
        new_card(VARIANT, "v", [scenario, operation])
    assert refused.value.code == "semantic.payload_value"
    assert refused.value.path == "references/1#/content/event_contracts"

    state = operation["content"]["state_contract"]
    state["initial_state_schema"] = {"type": "null"}
    refer(scenario, "operation_core", resealed(operation))
    with pytest.raises(CardValidationError) as refused:
        new_card(VARIANT, "v", [scenario, operation])
    assert refused.value.code == "semantic.hidden_state_mismatch"
    assert refused.value.path == "references/1#/content/state_contract/initial_state_schema"


@pytest.mark.parametrize(
    ("schema", "given", "code", "path"),
    [
        (SCENARIO, [], "references.unresolved", ""),
        (SCENARIO, ["variant"], "references.unresolved", ""),
        (VARIANT, ["operation"], "references.unresolved", ""),
        (VARIANT, ["scenario"], "references.unresolved", "references/0#/content/operation_core"),
        (SCENARIO, ["operation", "operation"], "references.ambiguous", "references/1#/id"),
    ],
)
def test_what_is_missing_or_double_is_refused(schema: str, given: list[str], code: str, path: str) -> None:
    with pytest.raises(CardValidationError) as refused:
        new_card(schema, "x", [sample_card(name) for name in given])
    assert (refused.value.code, refused.value.path) == (code, path)


def test_two_operations_leave_open_which_one_is_meant() -> None:
    other = sample_card("operation")
    other["id"] = "other"
    with pytest.raises(CardValidationError) as refused:
        new_card(SCENARIO, "x", [sample_card("operation"), resealed(other)])
    assert (refused.value.code, refused.value.path) == ("references.ambiguous", "references/1#/schema")


def test_an_invalid_upstream_card_is_refused_at_its_place() -> None:
    operation = sample_card("operation")
    operation["content"]["policy_contract"]["currency"] = "eur"
    with pytest.raises(CardValidationError) as refused:
        new_card(SCENARIO, "x", [operation])
    assert refused.value.code == "shape.lexical"
    assert refused.value.path == "references/0#/content/policy_contract/currency"


@pytest.mark.parametrize("name", ["a", "a.b-c_d@1.2.3", "a" * 255, "new-operation"])
def test_card_ids(name: str) -> None:
    assert is_card_id(name)
    assert new_card(OPERATION, name)["id"] == name


@pytest.mark.parametrize("name", ["", "A", "a..b", "a@1.2", "a\n", "a" * 256, "1a", "é"])
def test_what_is_no_card_id(name: str) -> None:
    assert not is_card_id(name)
