"""What parts of a spec demand of one another: each rule broken by one change, and refused where it is broken."""

import copy
from typing import Any, NamedTuple

import pytest

from operatebench.errors import SpecError, pointer
from operatebench.runtime.maintenance.spec.load import check_document
from operatebench.runtime.maintenance.spec.timeline import minutes_between
from operatebench.runtime.maintenance.spec.yaml import Document
from tests.runtime.maintenance.spec.bad_yaml import BAD_YAML
from tests.runtime.maintenance.spec.edits import Steps, place, shipped

V1, V2, V3 = (("variants", variant_id) for variant_id in ("V1", "V2", "V3"))


class Broken(NamedTuple):
    """Changes to the shipped spec, and the refusal: code, steps to the place, what is expected, what was found."""

    name: str
    changes: dict[Steps, Any]
    code: str
    at: Steps
    expected: str
    actual: str


def one(name: str, changed: Steps, value: Any, *refusal: str, at: Steps | None = None) -> Broken:
    """Return a rule that is broken by one value, and refused there unless ``at`` says where."""
    code, expected, actual = refusal
    return Broken(name, {changed: value}, code, at or changed, expected, actual)


_FAULT = {"message_fixture_id": "msg_handover_notice", "channel": "primary", "first_attempts": 1}
_LIMIT = ("operation", "declared_max_domain_generated_audit_events")
_SYNTHETIC = "SYNTHETIC_ONLY"

BROKEN = (
    one("privacy of another kind", ("privacy",), "ANONYMISED", "privacy", _SYNTHETIC, '"ANONYMISED"'),
    one("privacy in small letters", ("privacy",), "synthetic_only", "privacy", _SYNTHETIC, '"synthetic_only"'),
    one("privacy of no type", ("privacy",), None, "privacy", _SYNTHETIC, "null"),
    one("empty provenance", ("provenance",), "", "empty_text", "a text that says something", '""'),
    one("blank provenance", ("provenance",), " \n", "empty_text", "a text that says something", '" \\n"'),
    one(
        "other schema",
        ("schema",),
        "operatebench.operation_spec.v2",
        "closed_value",
        "operatebench.operation_spec.v1",
        '"operatebench.operation_spec.v2"',
    ),
    one("version of two numbers", ("operation", "operation_version"), "1.0", "lexical", "a version N.N.N", '"1.0"'),
    one(
        "version with leading zero",
        ("operation", "operation_version"),
        "1.00.0",
        "lexical",
        "a version N.N.N",
        '"1.00.0"',
    ),
    one(
        "policy number of nothing",
        ("policy", "horizon_minutes"),
        0,
        "out_of_bounds",
        "an integer from 1 to 1000000000",
        "0",
    ),
    one(
        "policy number beyond the clock",
        ("policy", "horizon_minutes"),
        10**9 + 1,
        "out_of_bounds",
        "an integer from 1 to 1000000000",
        "1000000001",
    ),
    one("policy number in words", ("policy", "horizon_minutes"), "long", "wrong_type", "an integer", '"long"'),
    one("tax above the whole", ("policy", "vat_percent"), 101, "out_of_bounds", "an integer from 0 to 100", "101"),
    one("currency in small letters", ("policy", "currency"), "gbp", "lexical", "three capital letters", '"gbp"'),
    one(
        "policy against the story",
        ("policy", "currency"),
        "EUR",
        "inconsistent",
        "EUR, as the policy says",
        '"GBP"',
        at=("opening", 4, "payload", "currency"),
    ),
    Broken(
        "stage without anything",
        {
            ("events", "supplier_quote_received", "stage"): "VISIT",
            ("actions", "request_supplier_correction", "stage"): "VISIT",
        },
        "inconsistent",
        ("topology", 3),
        "a stage that an event or action belongs to",
        '"QUOTING"',
    ),
    Broken(
        "topology of seven stages",
        {
            ("topology",): [
                "TRIAGE",
                "LANDLORD_APPROVAL",
                "PROVIDER_SELECTION",
                "QUOTING",
                "SCHEDULING",
                "VISIT",
                "RESULT",
            ]
        },
        "vocabulary",
        ("topology",),
        "8 items",
        "an array of 7 items",
    ),
    one(
        "authority twice in a role",
        ("roles", "customer", "authorities"),
        ["report_issue", "report_issue"],
        "duplicate",
        "a value that /roles/customer/authorities does not hold yet",
        '"report_issue"',
        at=("roles", "customer", "authorities", 1),
    ),
    one(
        "two agents",
        ("actors", "landlord_1"),
        "agent",
        "actor_count",
        "exactly one actor whose role is agent",
        "2",
        at=("actors",),
    ),
    one(
        "no supplier",
        ("actors", "plumber_1"),
        "customer",
        "actor_count",
        "at least one actor whose role is supplier",
        "0",
        at=("actors",),
    ),
    one(
        "authority nobody needs",
        ("roles", "customer", "authorities"),
        ["report_issue", "confirm_resolution", "knock"],
        "authority_unused",
        "an authority that an event or action needs",
        '"knock"',
        at=("roles", "customer", "authorities", 2),
    ),
    one(
        "action of another role",
        ("actions", "send_message", "authority"),
        "report_issue",
        "authority_missing",
        "an authority that the role agent holds",
        '"report_issue"',
    ),
    one(
        "channel twice",
        ("channels", 1, "channel"),
        "primary",
        "duplicate",
        "a value that /channels does not hold yet",
        '"primary"',
    ),
    one("no channel", ("channels",), [], "too_few", "at least 1 items", "0 items"),
    one(
        "fixture of another role",
        ("message_fixtures", "msg_handover_notice", "recipient_role"),
        "approver",
        "vocabulary",
        '"customer"',
        '"approver"',
    ),
    one(
        "purpose without fixture",
        ("message_fixtures", "msg_handover_notice", "purpose"),
        "completion_notice",
        "vocabulary",
        "the name handover_notice, which the code knows",
        "no such name",
        at=("message_fixtures",),
    ),
    one(
        "surface with an id of a message",
        ("surface_fixtures", "msg_handover_notice"),
        "text",
        "duplicate",
        "an id that no message fixture has",
        "msg_handover_notice",
    ),
    one(
        "surface that nothing shows",
        ("surface_fixtures", "in_other"),
        "text",
        "inconsistent",
        "a text that an event shows",
        "the unused in_other",
    ),
    one(
        "visible fact of a claim",
        ("state", "roots", "assertions", "visibility"),
        "authoritative",
        "inconsistent",
        "observable, as list_recent_events serves it",
        '"authoritative"',
    ),
    one(
        "tool without a root",
        ("state", "roots", "quotes", "tool"),
        "list_billing",
        "inconsistent",
        "a tool that serves a root of the state",
        "list_quotes",
        at=("retrieval", "catalogue", "list_quotes"),
    ),
    one(
        "state that starts elsewhere", ("state", "roots", "reopen_count", "initial"), False, "vocabulary", "0", "false"
    ),
    one(
        "field of another kind",
        ("events", "supplier_quote_received", "required", "amount_minor"),
        "text",
        "vocabulary",
        "integer",
        '"text"',
    ),
    one(
        "words that code does not know",
        ("actions", "request_supplier_visit", "required", "visit_type"),
        ["DIAGNOSTIC"],
        "vocabulary",
        "the words APPROVED_WORK, DIAGNOSTIC, WARRANTY_REVISIT",
        "an array of 1 items",
    ),
    one(
        "evidence of an optional read",
        ("actions", "authorise_supplier_work", "reads", "list_checkpoints"),
        "optional",
        "unknown_reference",
        "a tool whose read the action requires",
        '"list_checkpoints"',
        at=("actions", "authorise_supplier_work", "evidence", 0, "tool"),
    ),
    one(
        "evidence twice",
        ("actions", "request_payment", "evidence", 1, "name"),
        "invoice",
        "duplicate",
        "a value that /actions/request_payment/evidence does not hold yet",
        '"invoice"',
    ),
    one(
        "evidence in capitals",
        ("actions", "request_payment", "evidence", 1, "name"),
        "INVOICE",
        "name_collision",
        "a name that differs from invoice by more than its case",
        "INVOICE",
    ),
    one(
        "evidence of another tool's root",
        ("actions", "authorise_supplier_work", "evidence", 0, "root"),
        "quotes",
        "inconsistent",
        "a root that list_checkpoints serves",
        '"quotes"',
    ),
    one(
        "condition on a word that cannot be",
        ("actions", "request_exception_resolution", "evidence", 2, "when", "values", 0),
        "INVOICE_LOST",
        "unknown_reference",
        "a word of the condition's field",
        '"INVOICE_LOST"',
    ),
    one(
        "condition on free text",
        ("actions", "request_exception_resolution", "evidence", 2, "when", "field"),
        "subject_id",
        "unknown_reference",
        "a word of the condition's field",
        '"INVOICE_REJECTED"',
        at=("actions", "request_exception_resolution", "evidence", 2, "when", "values", 0),
    ),
    one(
        "invariant twice",
        ("invariants", 1, "invariant_id"),
        "no_payment_over_approval",
        "duplicate",
        "a value that /invariants does not hold yet",
        '"no_payment_over_approval"',
    ),
    # Names that a card could not tell apart.
    one(
        "actor in capitals",
        ("actors", "TENANT_1"),
        "customer",
        "name_collision",
        "a name that differs from tenant_1 by more than its case",
        "TENANT_1",
    ),
    one(
        "variant in small letters",
        ("variants", "v1"),
        shipped().value["variants"]["V2"],
        "name_collision",
        "a name that differs from V1 by more than its case",
        "v1",
    ),
    one(
        "hidden field in capitals",
        ("state", "hidden", "LEAK_SOURCE"),
        "text",
        "name_collision",
        "a name that differs from leak_source by more than its case",
        "LEAK_SOURCE",
    ),
    one(
        "authority in capitals",
        ("roles", "customer", "authorities"),
        ["report_issue", "REPORT_ISSUE"],
        "name_collision",
        "a name that differs from report_issue by more than its case",
        "REPORT_ISSUE",
        at=("roles", "customer", "authorities", 1),
    ),
    one(
        "channel in capitals",
        ("channels", 1, "channel"),
        "PRIMARY",
        "name_collision",
        "a name that differs from primary by more than its case",
        "PRIMARY",
    ),
    one(
        "surface in capitals",
        ("surface_fixtures", "MSG_HANDOVER_NOTICE"),
        "text",
        "name_collision",
        "a name that differs from msg_handover_notice by more than its case",
        "MSG_HANDOVER_NOTICE",
    ),
    one(
        "event in capitals",
        (*V2, "events", 0, "event_id"),
        "EV_1",
        "name_collision",
        "a name that differs from ev_1 by more than its case",
        "EV_1",
    ),
    one(
        "name of the wrong letters",
        ("operation", "operation_id"),
        "leaky home",
        "lexical",
        "letters and digits in groups joined by one of . _ -",
        '"leaky home"',
    ),
    one(
        "name that small letters make plain",
        ("operation", "operation_id"),
        "\u212aettle",
        "lexical",
        "letters and digits in groups joined by one of . _ -",
        '"\u212aettle"',
    ),
    one(
        "name too long",
        ("operation", "operation_id"),
        "a" * 256,
        "lexical",
        "letters and digits in groups joined by one of . _ -",
        f'text of 256 characters: "{"a" * 119}…"',
    ),
    # The story.
    one(
        "event twice",
        (*V2, "events", 0, "event_id"),
        "ev_1",
        "duplicate",
        "a value that /variants/V2 does not hold yet",
        '"ev_1"',
    ),
    one(
        "event of somebody else",
        ("opening", 0, "actor_id"),
        "plumber_1",
        "authority_missing",
        "an actor whose role holds report_issue",
        '"plumber_1"',
    ),
    Broken(
        "event with time and trigger",
        {("opening", 1, "at"): "2032-04-05T08:30:00Z"},
        "event_time",
        ("opening", 1),
        "at, or trigger and delay_minutes",
        "at, trigger, delay_minutes",
    ),
    Broken(
        "event with time and delay",
        {("opening", 0, "delay_minutes"): 5},
        "event_time",
        ("opening", 0),
        "at, or trigger and delay_minutes",
        "at, delay_minutes",
    ),
    one(
        "event before the start",
        ("opening", 0, "at"),
        "2032-04-05T08:29:00Z",
        "instant",
        "whole minutes after 2032-04-05T08:30:00Z",
        '"2032-04-05T08:29:00Z"',
    ),
    one(
        "event between two minutes",
        ("opening", 0, "at"),
        "2032-04-05T08:31:30Z",
        "instant",
        "whole minutes after 2032-04-05T08:30:00Z",
        '"2032-04-05T08:31:30Z"',
    ),
    one(
        "event on a day that is none",
        ("opening", 0, "at"),
        "2033-02-29T08:30:00Z",
        "instant",
        "whole minutes after 2032-04-05T08:30:00Z",
        '"2033-02-29T08:30:00Z"',
    ),
    one(
        "start on a day that is none",
        (*V1, "starts_at"),
        "2033-02-29T08:30:00Z",
        "instant",
        "an instant of the calendar",
        '"2033-02-29T08:30:00Z"',
    ),
    one(
        "instant of another form",
        (*V1, "starts_at"),
        "2032-04-05 08:30",
        "lexical",
        "an instant 2YYY-MM-DDTHH:MM:SSZ",
        '"2032-04-05 08:30"',
    ),
    one(
        "start after the first event",
        (*V3, "starts_at"),
        "2032-04-06T08:30:00Z",
        "instant",
        "whole minutes after 2032-04-06T08:30:00Z",
        '"2032-04-05T08:30:00Z"',
        at=("opening", 0, "at"),
    ),
    Broken(
        "events out of order",
        {
            ("opening", 0, "at"): "2032-04-05T08:32:00Z",
            ("opening", 1): {
                "event_id": "ev_other",
                "event_type": "supplier_assertion_received",
                "actor_id": "plumber_1",
                "at": "2032-04-05T08:31:00Z",
                "triggers_agent": True,
                "payload": {"assertion_id": "claim_0", "assertion": "ON_MY_WAY"},
            },
        },
        "order",
        ("opening", 1, "at"),
        "a time not before that of an earlier event",
        '"2032-04-05T08:31:00Z"',
    ),
    one(
        "payload without a field",
        ("opening", 0, "payload"),
        {"issue_id": "leak_1"},
        "missing_key",
        "the key classification",
        "a mapping without it",
        at=("opening", 0, "payload", "classification"),
    ),
    one(
        "payload with a word that is none",
        ("opening", 1, "payload", "response"),
        "PERHAPS",
        "closed_value",
        "ACCEPTED or DECLINED",
        '"PERHAPS"',
    ),
    one(
        "trigger of another contract",
        ("opening", 5, "trigger", "correlation"),
        {"visit_id": "visit_1"},
        "unknown_key",
        "one of quote_id, quote_version, amount_minor, currency, plus_vat, scope, cycle_id, deadline_after_minutes",
        '"visit_id"',
        at=("opening", 5, "trigger", "correlation", "visit_id"),
    ),
    one(
        "trigger that is an action only",
        ("opening", 1, "trigger", "kind"),
        "event",
        "unknown_reference",
        "a declared event",
        '"request_supplier_visit"',
        at=("opening", 1, "trigger", "type_name"),
    ),
    one(
        "more silent events than declared",
        _LIMIT,
        2,
        "audit_budget",
        "at most 2 events that wake nobody",
        "false",
        at=(*V1, "events", 7, "triggers_agent"),
    ),
    one(
        "rejection of no event",
        (*V2, "expected_event_rejections"),
        [{"event_id": "ev_none", "code": "UNKNOWN_VISIT", "reason": "None."}],
        "unknown_reference",
        "an event of the variant",
        '"ev_none"',
        at=(*V2, "expected_event_rejections", 0, "event_id"),
    ),
    one(
        "rejection by no code",
        (*V3, "expected_event_rejections", 0, "code"),
        "TOO_LATE",
        "unknown_reference",
        "a code by which events are refused",
        '"TOO_LATE"',
    ),
    Broken(
        "rejection twice",
        {
            (*V3, "expected_event_rejections"): [{"event_id": "ev_8", "code": "CHECKPOINT_NOT_OPEN", "reason": "Late."}]
            * 2
        },
        "duplicate",
        (*V3, "expected_event_rejections", 1, "event_id"),
        "a value that /variants/V3/expected_event_rejections does not hold yet",
        '"ev_8"',
    ),
    one(
        "budget below what is required",
        (*V2, "human_checkpoint_budget"),
        1,
        "inconsistent",
        "room for every required checkpoint type",
        "1",
    ),
    one(
        "hidden value of another kind",
        (*V1, "hidden_initial_values", "leak_source"),
        "RAIN",
        "closed_value",
        "CRACKED_TRAP or WORN_SEAL",
        '"RAIN"',
    ),
    one(
        "fault on no channel",
        (*V2, "dispatch_faults", 0, "channel"),
        "pigeon",
        "unknown_reference",
        "a declared channel",
        '"pigeon"',
    ),
    one(
        "fault twice",
        (*V2, "dispatch_faults"),
        [_FAULT, _FAULT],
        "duplicate",
        "one fault for each fixture and channel",
        "msg_handover_notice on primary",
        at=(*V2, "dispatch_faults", 1),
    ),
    # The semantic scenario: rules of the card, and ours.
    one(
        "reference to an operation",
        ("semantic_scenario", "operation_core"),
        {},
        "unknown_key",
        "no reference: the operation is this spec's own",
        "an object with 0 members",
        at=("semantic_scenario", "operation_core"),
    ),
    one(
        "effect that is no action",
        ("semantic_scenario", "decision_points", 1, "admissible_effect_classes"),
        ["shout"],
        "unknown_reference",
        "an action in lower case, or wait",
        '"shout"',
        at=("semantic_scenario", "decision_points", 1, "admissible_effect_classes", 0),
    ),
    one(
        "pointer that nothing serves",
        ("semantic_scenario", "decision_points", 1, "reach_predicate", "collection"),
        "/hidden",
        "scenario",
        "a pointer the operation declares",
        '"/hidden"',
    ),
    one(
        "set out of order",
        ("semantic_scenario", "decision_points", 3, "admissible_effect_classes"),
        ["wait", "send_message"],
        "scenario",
        "an item that sorts after the one before",
        '"send_message"',
        at=("semantic_scenario", "decision_points", 3, "admissible_effect_classes", 1),
    ),
    one(
        "graph with a cycle",
        ("semantic_scenario", "causal_graph", "edges", 0, "effect_node_id"),
        "act_on_the_answer",
        "scenario",
        "a graph without cycle",
        "a cycle at or before act_on_the_answer",
        at=("semantic_scenario", "causal_graph", "edges"),
    ),
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_a_broken_rule_is_refused_where_it_is_broken(broken: Broken) -> None:
    document = shipped()
    for steps, value in broken.changes.items():
        holder = document.value
        for step in steps[:-1]:
            holder = holder[step]
        holder[steps[-1]] = copy.deepcopy(value)
    with pytest.raises(SpecError) as refused:
        check_document(document)
    found = refused.value
    assert (found.code, found.expected, found.actual) == (broken.code, broken.expected, broken.actual)
    assert found.path == _place(document, broken.at)


def _place(document: Document, steps: Steps) -> str:
    """Return file, line and field; what is not in the file has the line of what should hold it."""
    holder = steps
    while pointer(*holder) not in document.lines:
        holder = holder[:-1]
    return f"{place(document, *holder).partition(' ')[0]} {pointer(*steps)}"


def test_more_than_one_actor_may_share_a_role_that_is_not_sole() -> None:
    document = shipped()
    document.value["actors"]["plumber_2"] = "supplier"
    check_document(document)


def test_text_may_be_narrowed_to_words() -> None:
    document = shipped()
    document.value["events"]["supplier_assertion_received"]["required"]["assertion"] = [
        "PAYMENT_RECEIVED",
        "WORK_COMPLETE",
    ]
    check_document(document)
    document.value["events"]["supplier_assertion_received"]["required"]["assertion"] = ["PAYMENT_RECEIVED"]
    with pytest.raises(SpecError) as refused:
        check_document(document)
    assert (refused.value.code, refused.value.path) == (
        "closed_value",
        place(document, "opening", 6, "payload", "assertion"),
    )


@pytest.mark.parametrize(
    ("instant", "minutes"),
    [
        ("2032-04-05T08:30:00Z", 0),
        ("2032-04-05T08:31:00Z", 1),
        ("2033-04-05T08:30:00Z", 525_600),
        ("2032-04-05T08:29:00Z", None),
        ("2032-04-05T08:30:59Z", None),
        ("2032-04-05T08:60:00Z", None),
        ("2032-04-05", None),
    ],
)
def test_minutes_are_whole_and_not_negative(instant: str, minutes: int | None) -> None:
    assert minutes_between("2032-04-05T08:30:00Z", instant) == minutes


def test_every_code_is_broken_somewhere() -> None:
    # Whether a component gets too large is seen where a spec is bound: tests/tracks/lifecycle/binding/test_live.py.
    elsewhere = {"component_too_large"}
    assert {broken.code for broken in BROKEN} | {bad.code for bad in BAD_YAML} | elsewhere == set(SpecError.codes)
