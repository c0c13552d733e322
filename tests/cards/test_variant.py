"""Every rule of a variant refuses with its code and place, in the order of the contract, and nothing else does."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.cards.operation import OperationFacts, check_operation
from operatebench.cards.variant import check_variant
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, each, facts, fault_of, in_order, put, sample, validated

Content = dict[str, Any]
Edit = Callable[[Content], object]
Facts = tuple[str, str, str, str]
EVENTS = "card#/content/events"


def operation_facts() -> OperationFacts:
    return check_operation(sample("operation")["content"], "")


def refused(edit: Edit) -> Facts:
    """Edit a variant's content, put its sets in order again, and return the refusal."""

    def edit_and_sort(card: Any) -> None:
        content = card["content"]
        edit(content)
        for name in ("actors", "message_fixtures", "dispatch_failures"):
            content[name] = in_order(content[name])

    return facts(fault_of("variant", chain(variant=edit_and_sort)))


def put_in(path: str, value: Any) -> Edit:
    return lambda content: put(path, value)({"content": content})


def in_turn(*edits: Edit) -> Edit:
    def edit(content: Content) -> None:
        for one in edits:
            one(content)

    return edit


def extra(name: str, row: Any) -> Edit:
    return lambda content: content[name].append(row)


def swap_events(left: int, right: int) -> Edit:
    def edit(content: Content) -> None:
        events = content["events"]
        events[left], events[right] = events[right], events[left]

    return edit


def drop(path: str, name: str) -> Edit:
    def edit(content: Content) -> None:
        holder: Any = content
        for token in path.split("/")[1:]:
            holder = holder[int(token) if token.isdigit() else token]
        del holder[name]

    return edit


def conditional(
    event_id: str, sequence: int, correlation: dict[str, Any], kind: str = "event", name: str = "damp.reported"
) -> dict[str, Any]:
    return {
        "event_id": event_id,
        "event_type": "review.due",
        "actor_id": "act.clock",
        "authored_sequence": sequence,
        "at": None,
        "trigger": {"kind": kind, "type_name": name, "correlation": correlation},
        "delay_minutes": 0,
        "triggers_agent": False,
        "payload": {},
    }


NOT_REAL = "2023-02-29T00:00:00.000000Z"
RULES: list[tuple[str, Edit, Facts]] = [
    (
        "V1 start",
        put_in("/starts_at", NOT_REAL),
        ("semantic.not_a_calendar_instant", "/starts_at", "an instant that exists", f'"{NOT_REAL}"'),
    ),
    (
        "V2",
        extra("message_fixtures", {"fixture_id": "fx.reminder", "surface_content_digest_sha256": "0" * 64}),
        (
            "semantic.fixture_collision",
            "/message_fixtures/2/fixture_id",
            "a value no earlier row has",
            '"fx.reminder"',
        ),
    ),
    (
        "V3",
        put_in("/dispatch_failures", ["fx.none"]),
        ("semantic.fixture_unresolved", "/dispatch_failures/0", "a listed fixture", '"fx.none"'),
    ),
    (
        "V4",
        extra("actors", {"actor_id": "act.clock", "role_id": "tenant"}),
        ("semantic.actor_collision", "/actors/1/actor_id", "a value no earlier row has", '"act.clock"'),
    ),
    (
        "V5 id",
        put_in("/events/1/event_id", "ev.report"),
        (
            "semantic.event_id_or_sequence_collision",
            "/events/1/event_id",
            "a value no earlier event has",
            '"ev.report"',
        ),
    ),
    (
        "V5 sequence",
        put_in("/events/1/authored_sequence", 1),
        (
            "semantic.event_id_or_sequence_collision",
            "/events/1/authored_sequence",
            "a value no earlier event has",
            "1",
        ),
    ),
    (
        "V6",
        put_in("/events/2/actor_id", "act.none"),
        ("semantic.actor_unresolved", "/events/2/actor_id", "a listed actor", '"act.none"'),
    ),
    (
        "V1 event",
        put_in("/events/2/at", "2024-02-30T00:00:00.000000Z"),
        (
            "semantic.not_a_calendar_instant",
            "/events/2/at",
            "an instant that exists",
            '"2024-02-30T00:00:00.000000Z"',
        ),
    ),
    (
        "V7",
        put_in("/events/5/at", "2024-02-29T08:04:59.999999Z"),
        (
            "semantic.absolute_event_order",
            "/events/5/at",
            "not before 2024-02-29T08:05:00.000000Z",
            '"2024-02-29T08:04:59.999999Z"',
        ),
    ),
    (
        "V8",
        put_in("/events/4/authored_sequence", 0),
        ("semantic.conditional_event_order", "/events/4/authored_sequence", "more than 4", "0"),
    ),
    (
        "V9 unknown",
        put_in("/expected_event_rejections/1/event_id", "ev.none"),
        (
            "semantic.rejection_unresolved",
            "/expected_event_rejections/1/event_id",
            "an event of this card",
            '"ev.none"',
        ),
    ),
    (
        "V9 double",
        put_in("/expected_event_rejections/1/event_id", "ev.withdraw"),
        (
            "semantic.rejection_duplicate",
            "/expected_event_rejections/1/event_id",
            "an event that no earlier row names",
            '"ev.withdraw"',
        ),
    ),
    (
        "V10",
        put_in("/hidden_initial_values/severity", 6),
        (
            "semantic.hidden_state_mismatch",
            "/hidden_initial_values/severity",
            "an integer from 1 to 5",
            "6",
        ),
    ),
    (
        "V11",
        put_in("/expected_terminal", "closed.otherwise"),
        (
            "semantic.terminal_not_declared",
            "/expected_terminal",
            "a terminal kind of the operation",
            '"closed.otherwise"',
        ),
    ),
    (
        "V12",
        put_in("/actors/4/role_id", "stranger"),
        ("semantic.role_not_declared", "/actors/4/role_id", "a role of the operation", '"stranger"'),
    ),
    (
        "V13",
        put_in("/events/0/event_type", "case.close"),
        ("semantic.event_type_not_declared", "/events/0/event_type", "a declared event type", '"case.close"'),
    ),
    (
        "V14",
        put_in("/events/0/actor_id", "act.clock"),
        (
            "semantic.actor_lacks_authority",
            "/events/0/actor_id",
            "an actor whose role has report.damp",
            '"act.clock"',
        ),
    ),
    (
        "V15 missing",
        drop("/events/0/payload", "room"),
        ("semantic.payload_fields", "/events/0/payload", "the field room", "an object with 3 members"),
    ),
    (
        "V15 undeclared",
        put_in("/events/0/payload/colour", "red"),
        ("semantic.payload_fields", "/events/0/payload/colour", "no undeclared field", '"red"'),
    ),
    (
        "V16",
        put_in("/events/0/payload/severity", 0),
        ("semantic.payload_value", "/events/0/payload/severity", "an integer from 1 to 5", "0"),
    ),
    (
        "V17 event",
        put_in("/events/3/trigger/type_name", "contractor.instruct"),
        (
            "semantic.trigger_type_not_declared",
            "/events/3/trigger/type_name",
            "a declared event type",
            '"contractor.instruct"',
        ),
    ),
    (
        "V18 field",
        put_in("/events/3/trigger/correlation/colour", "red"),
        (
            "semantic.correlation_field",
            "/events/3/trigger/correlation/colour",
            "a field of the contract",
            '"red"',
        ),
    ),
    (
        "V18 value",
        put_in("/events/3/trigger/correlation/cause", "rain"),
        (
            "semantic.correlation_value",
            "/events/3/trigger/correlation/cause",
            "one of condensation, leak, penetration",
            '"rain"',
        ),
    ),
]
"""Rule, what breaks it, and the refusal; in the order in which the rules are checked."""


@pytest.mark.parametrize(("edit", "fault"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_each_rule_refuses_at_its_place(edit: Edit, fault: Facts) -> None:
    code, path, expected, actual = fault

    assert refused(edit) == (code, f"card#/content{path}", expected, actual)


@pytest.mark.parametrize("index", range(len(RULES) - 1))
def test_of_two_broken_rules_the_earlier_one_refuses(index: int) -> None:
    name, first, (code, *_) = RULES[index]

    for other, later, _ in RULES[index + 1 :]:
        if name == "V18 field" and other == "V18 value":
            continue  # one rule, checked field by field
        content = sample("variant")["content"]
        later(content)
        first(content)
        with pytest.raises(CardValidationError) as refused_:
            check_variant(content, operation_facts(), "")
        assert refused_.value.code == code, other


def test_events_are_checked_one_after_the_other() -> None:
    first_order = in_turn(
        put_in("/events/2/at", "2024-02-29T08:00:00.000000Z"), put_in("/events/3/event_id", "ev.report")
    )
    first_value = in_turn(put_in("/events/0/payload/severity", 0), put_in("/events/1/event_type", "unknown"))

    assert refused(first_order)[:2] == ("semantic.absolute_event_order", f"{EVENTS}/2/at")
    assert refused(first_value)[:2] == ("semantic.payload_value", f"{EVENTS}/0/payload/severity")


@pytest.mark.parametrize(
    ("instant", "real"),
    [
        ("0001-01-01T00:00:00.000000Z", True),
        ("9999-12-31T23:59:59.999999Z", True),
        ("2000-02-29T00:00:00.000000Z", True),
        ("0000-01-01T00:00:00.000000Z", False),
        ("1900-02-29T00:00:00.000000Z", False),
        ("2024-04-31T00:00:00.000000Z", False),
        ("2024-02-30T00:00:00.000000Z", False),
    ],
)
def test_only_instants_of_the_calendar_exist(instant: str, real: bool) -> None:
    made = chain(variant=put("/starts_at", instant))

    if real:
        assert validated("variant", made)["content"]["starts_at"] == instant
    else:
        assert fault_of("variant", made).code == "semantic.not_a_calendar_instant"


def test_timed_events_may_tie_in_time_but_not_against_their_sequence() -> None:
    code, path, expected, actual = refused(
        in_turn(put_in("/events/0/authored_sequence", 2), put_in("/events/2/authored_sequence", 1))
    )

    instant = "2024-02-29T08:05:00.000000Z"
    assert (code, path) == ("semantic.absolute_event_order", f"{EVENTS}/2/at")
    assert (expected, actual) == (f"not before {instant}", f'"{instant}"')


def test_conditional_events_between_timed_ones_do_not_count_for_their_order() -> None:
    made = chain(variant=lambda card: swap_events(0, 1)(card["content"]))

    found = [
        (event["authored_sequence"], event["at"] is None) for event in validated("variant", made)["content"]["events"]
    ]
    assert found[:3] == [(4, True), (1, False), (2, False)]


def test_conditional_order_counts_within_one_causal_owner_only() -> None:
    interleaved = [
        conditional("ev.a", 30, {"severity": 1}),
        conditional("ev.b", 20, {"severity": 2}),
        conditional("ev.c", 31, {"severity": 1}),
        conditional("ev.d", 21, {"severity": 2}),
        conditional("ev.e", 10, {}),
        conditional("ev.f", 9, {}, kind="action", name="case.close"),
    ]
    made = chain(variant=lambda card: card["content"]["events"].extend(interleaved))
    assert len(validated("variant", made)["content"]["events"]) == 12

    code, path, expected, actual = refused(
        lambda content: content["events"].extend([*interleaved, conditional("ev.g", 22, {"severity": 1})])
    )
    assert (code, path) == ("semantic.conditional_event_order", f"{EVENTS}/12/authored_sequence")
    assert (expected, actual) == ("more than 31", "22")


def test_a_causal_owner_is_its_canonical_form_whatever_the_member_order() -> None:
    first = conditional("ev.a", 30, {"severity": 1, "room": "hall"})
    second = conditional("ev.b", 20, {"room": "hall", "severity": 1})

    assert refused(lambda content: content["events"].extend([first, second]))[0] == "semantic.conditional_event_order"


def test_rejections_are_checked_row_by_row() -> None:
    rows = [
        {"event_id": "ev.report", "code": "a"},
        {"event_id": "ev.report", "code": "b"},
        {"event_id": "ev.none", "code": "c"},
    ]

    assert refused(put_in("/expected_event_rejections", rows))[:2] == (
        "semantic.rejection_duplicate",
        "card#/content/expected_event_rejections/1/event_id",
    )


def test_rejections_keep_their_authored_order() -> None:
    made = chain(variant=lambda card: card["content"]["expected_event_rejections"].reverse())

    rows = validated("variant", made)["content"]["expected_event_rejections"]
    assert [row["event_id"] for row in rows] == ["ev.report", "ev.withdraw"]


def test_an_unused_actor_still_needs_a_role_of_the_operation() -> None:
    row = {"actor_id": "act.zz", "role_id": "stranger"}

    assert refused(extra("actors", row))[:2] == ("semantic.role_not_declared", "card#/content/actors/5/role_id")


def test_a_field_in_both_maps_is_mandatory_and_has_the_optional_shape() -> None:
    both = put("/event_contracts/1/optional", {"superseded_by": {"required": False, "shape": {"kind": "boolean"}}})
    as_boolean = put("/events/5/payload/superseded_by", True)

    assert validated("variant", chain(operation=both, variant=as_boolean))["id"]
    assert facts(fault_of("variant", chain(operation=both))) == (
        "semantic.payload_value",
        f"{EVENTS}/5/payload/superseded_by",
        "a boolean",
        "null",
    )
    missing = chain(operation=both, variant=put("/events/5/payload", {}))
    assert facts(fault_of("variant", missing))[::2] == ("semantic.payload_fields", "the field superseded_by")


def test_the_map_and_not_the_flag_decides_at_the_top_of_a_contract() -> None:
    flip = each(
        put("/event_contracts/4/optional/note/required", True),
        put("/event_contracts/4/required/cause/required", False),
    )

    without = lambda card: card["content"]["events"][1]["payload"].pop("note")  # noqa: E731
    assert validated("variant", chain(operation=flip, variant=without))["id"]
    fault = fault_of(
        "variant", chain(operation=flip, variant=lambda card: card["content"]["events"][1]["payload"].pop("cause"))
    )
    assert (fault.code, fault.expected) == ("semantic.payload_fields", "the field cause")


def test_correlations_may_name_fields_of_actions_and_need_not_name_all() -> None:
    edit = put(
        "/events/3/trigger", {"kind": "action", "type_name": "case.close", "correlation": {"outcome": "remedied"}}
    )
    assert validated("variant", chain(variant=edit))["id"]

    wrong = put_in(
        "/events/3/trigger", {"kind": "action", "type_name": "case.close", "correlation": {"outcome": "other"}}
    )
    code, path, _, actual = refused(wrong)
    assert (code, path, actual) == (
        "semantic.correlation_value",
        f"{EVENTS}/3/trigger/correlation/outcome",
        '"other"',
    )


@pytest.mark.parametrize(
    "edit",
    [
        put("/starts_at", "2030-01-01T00:00:00.000000Z"),
        put("/events/0/delay_minutes", 2**63 - 1),
        put("/required_checkpoint_types", ["anything"]),
        put("/human_checkpoint_budget", 0),
        put("/expected_event_rejections/0/code", "anything"),
        put("/message_fixtures/0/surface_content_digest_sha256", "0" * 64),
        put("/dispatch_failures", []),
        put("/expected_event_rejections", []),
        put("/variant_label", "anything"),
        put("/events/4/trigger", {"kind": "event", "type_name": "review.due", "correlation": {}}),
        put("/hidden_initial_values/phase", "works"),
    ],
)
def test_what_the_contract_does_not_check_is_accepted(edit: Any) -> None:
    made = chain(variant=edit)

    assert validated("variant", made)["content_digest_sha256"] == made["variant"]["content_digest_sha256"]


def test_a_variant_need_not_stay_within_the_allowed_dimensions() -> None:
    assert validated("variant", chain(scenario=put("/allowed_variant_dimensions", [])))["id"]
