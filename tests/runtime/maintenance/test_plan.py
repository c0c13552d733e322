"""The plan of a variant: what the engine gets, what an agent is told, and that nothing more can be told from it."""

import json

import pytest

from operatebench.runtime.core.plain import thaw
from operatebench.runtime.core.protocol import Limits, Plan
from operatebench.runtime.maintenance.plan import ROW_TYPES, plan_of
from operatebench.runtime.maintenance.spec import packaged_spec

SPEC = packaged_spec()
PLANS = {variant_id: plan_of(SPEC, variant_id) for variant_id in SPEC.variants}


@pytest.fixture(params=sorted(PLANS))
def plan(request: pytest.FixtureRequest) -> Plan:
    return PLANS[request.param]


def test_an_unknown_variant_is_a_wrong_call() -> None:
    with pytest.raises(KeyError, match="V9"):
        plan_of(SPEC, "V9")


def test_the_limits_are_the_policy_and_the_budget_of_the_variant() -> None:
    assert PLANS["V1"].limits == Limits(43_200, 8, 200, 6, 8, 1)
    assert PLANS["V2"].limits == Limits(43_200, 8, 200, 6, 8, 2)


def test_the_policy_shows_rules_and_budget_but_no_execution_limit(plan: Plan) -> None:
    assert set(plan.policy) == {
        "approval_deadline_after_minutes",
        "approval_reminder_after_minutes",
        "approval_threshold_minor",
        "approval_validity_minutes",
        "channels",
        "completion_notice_within_minutes",
        "currency",
        "exception_deadline_after_minutes",
        "handover_notice_within_minutes",
        "human_checkpoint_budget",
        "human_checkpoint_guidance",
        "issue_classification",
        "provisional_close_minutes",
        "reminder_within_minutes",
        "vat_percent",
        "visit_followup_after_minutes",
    }
    assert plan.policy["human_checkpoint_budget"] == plan.limits.human_checkpoint_budget
    assert plan.policy["channels"] == ("primary", "secondary")


def test_every_role_of_the_engine_is_played_by_something_declared(plan: Plan) -> None:
    roles = plan.roles
    assert {roles.communication_action, roles.exception_action, roles.terminal_action} <= set(SPEC.actions)
    events = {roles.exception_resolved_event, roles.work_completed_event, roles.work_failed_event, roles.retry_event}
    assert events <= set(SPEC.events)
    assert plan.actors[roles.scheduler_actor_id] == "system_scheduler"


def test_all_events_but_those_that_never_wake_can_be_waited_for(plan: Plan) -> None:
    assert list(plan.wake_event_types) == sorted(set(SPEC.events) - {"dispatch_retry_due"})


def test_faults_row_types_and_terminals() -> None:
    assert PLANS["V1"].faults == PLANS["V3"].faults == {}
    assert PLANS["V2"].faults == {("msg_handover_notice", "primary"): 2}
    assert PLANS["V2"].row_types == ROW_TYPES
    assert PLANS["V2"].terminals == SPEC.terminals


def test_every_action_is_published_with_fields_reads_and_guidance(plan: Plan) -> None:
    assert set(plan.action_schemas) == set(SPEC.actions) == set(plan.reads)
    for name, schema in plan.action_schemas.items():
        assert set(schema) == {"required", "optional", "reads", "evidence_refs", "field_guidance"}
        assert set(schema["reads"]) == set(plan.reads[name].tools)
        assert set(schema["evidence_refs"]) == {selector.name for selector in plan.reads[name].evidence}
        assert set(schema["field_guidance"]) <= {*schema["required"], *schema["optional"], name}


def test_completing_has_a_payload_for_nobody_to_send(plan: Plan) -> None:
    assert SPEC.actions["complete"].optional == {"cycle_id": "text"}
    schema = plan.action_schemas["complete"]
    assert (schema["required"], schema["optional"], list(schema["field_guidance"])) == ({}, {}, ["complete"])


def test_the_published_exception_request() -> None:
    when = "only when payload.exception_type is APPROVAL_EXPIRED or APPROVAL_REJECTED"
    schema = thaw(PLANS["V2"].action_schemas["request_exception_resolution"])
    assert schema["required"] == {
        "deadline_after_minutes": "integer",
        "exception_type": ["APPROVAL_EXPIRED", "APPROVAL_REJECTED", "INVOICE_REJECTED"],
        "subject_id": "text",
    }
    assert schema["reads"] == {
        "get_case_record": "required",
        "list_billing": "required",
        "list_checkpoints": "required",
        "list_quotes": "required",
    }
    assert schema["evidence_refs"] == {
        "approval_checkpoint": {
            "from": "list_checkpoints.approvals",
            "select": f"cite checkpoint_id of the record whose checkpoint_id is payload.subject_id; {when}",
        },
        "quote": {
            "from": "list_checkpoints.approvals",
            "select": "cite <quote_id>:v<quote_version> of the record whose checkpoint_id is payload.subject_id; "
            + when,
        },
        "invoice": {
            "from": "list_billing.invoices",
            "select": "cite invoice_id of the record whose invoice_id is payload.subject_id; "
            "only when payload.exception_type is INVOICE_REJECTED",
        },
    }


def test_the_published_evidence_of_a_validation() -> None:
    schema = thaw(PLANS["V1"].action_schemas["request_invoice_validation"])
    assert schema["evidence_refs"] == {
        "work_evidence": {
            "from": "list_authoritative_records.authoritative_records",
            "select": "start from payload.invoice_id; "
            "in list_billing.invoices the record whose invoice_id is that, take its cycle_id; "
            "then in get_case_record.cycles the record whose cycle_id is that, take its work_evidence_id; "
            "then in list_authoritative_records.authoritative_records the record whose record_id is that, "
            "take its record_id; cite the last",
        }
    }


def test_messages_are_published_by_purpose(plan: Plan) -> None:
    fixtures = thaw(plan.action_schemas["send_message"])["field_guidance"]["message_fixture_id"]
    assert fixtures["msg_handover_notice"] == {"purpose": "handover_notice", "recipient_role": "customer"}
    assert set(fixtures) == set(SPEC.message_fixtures)


def test_texts_of_other_variants_are_no_part_of_a_plan() -> None:
    for variant_id, plan in PLANS.items():
        shown = {event.surface_fixture_id for event in plan.events} - {None}
        assert set(plan.surfaces) == shown, variant_id
    assert "in_decision_2" not in PLANS["V1"].surfaces


def test_what_is_observable_is_the_same_in_variants_of_one_budget() -> None:
    v2, v3 = PLANS["V2"], PLANS["V3"]
    for member in ("operation_id", "starts_at", "actors", "policy", "action_schemas", "wake_event_types", "catalogue"):
        assert getattr(v2, member) == getattr(v3, member)


def test_nothing_published_names_variant_ending_or_hidden_state(plan: Plan) -> None:
    published = json.dumps(thaw([plan.operation_id, plan.policy, plan.action_schemas, list(plan.wake_event_types)]))
    withheld = [SPEC.semantic_scenario_id, *SPEC.terminals, *SPEC.content["state"]["hidden"]]
    for variant in SPEC.variants.values():
        withheld += [variant.label, *(event.event_id for event in variant.events)]
    assert [text for text in withheld if text in published] == []
