"""Every rule inside an operation refuses with its code and place, in the contract's order, and nothing else does."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.cards.operation import check_operation
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, each, facts, fault_of, in_order, put, sample, validated

AUTHORITY = "/authority_contract"
RETRIEVAL = "/retrieval_contract"
Content = dict[str, Any]


def refused(edit: Callable[[Content], object]) -> tuple[str, str, str, str]:
    def edit_and_sort(card: Any) -> None:
        edit(card["content"])
        for path in (
            ("authority_contract", "roles"),
            ("authority_contract", "event_authority"),
            ("authority_contract", "action_authority"),
            ("retrieval_contract", "catalogue"),
            ("retrieval_contract", "evidence_requirements"),
        ):
            card["content"][path[0]][path[1]] = in_order(card["content"][path[0]][path[1]])
        for name in ("event_contracts", "action_contracts"):
            card["content"][name] = in_order(card["content"][name])

    return facts(fault_of("operation", chain(operation=edit_and_sort)))


def in_turn(*edits: Callable[[Content], object]) -> Callable[[Content], object]:
    def edit(content: Content) -> None:
        for one in edits:
            one(content)

    return edit


def double_role(content: Content) -> None:
    content["authority_contract"]["roles"].append({"role_id": "tenant", "authorities": ["zz"]})


def double_event(content: Content) -> None:
    content["event_contracts"].append(
        {**content["event_contracts"][2], "optional": content["event_contracts"][1]["required"]}
    )


def double_action(content: Content) -> None:
    content["action_contracts"].append({**content["action_contracts"][0], "evidence_refs": "optional"})


def missing_event_row(content: Content) -> None:
    content["authority_contract"]["event_authority"].pop(0)


def extra_event_row(content: Content) -> None:
    row = {"event_type": "zz.unknown", "required_authority": "report.damp"}
    content["authority_contract"]["event_authority"].append(row)


def double_event_row(content: Content) -> None:
    row = {"event_type": "review.due", "required_authority": "report.damp"}
    content["authority_contract"]["event_authority"].append(row)


def missing_action_row(content: Content) -> None:
    content["authority_contract"]["action_authority"].pop()


def double_action_row(content: Content) -> None:
    row = {"action_type": "case.close", "required_authority": "report.damp"}
    content["authority_contract"]["action_authority"].append(row)


def ungranted_event(content: Content) -> None:
    content["authority_contract"]["event_authority"][2]["required_authority"] = "nobody.may"


def ungranted_action(content: Content) -> None:
    content["authority_contract"]["action_authority"][1]["required_authority"] = "nobody.may"


def double_tool(content: Content) -> None:
    content["retrieval_contract"]["catalogue"].append({**content["retrieval_contract"]["catalogue"][1], "source": "zz"})


def double_selector(content: Content) -> None:
    row = {**content["retrieval_contract"]["evidence_requirements"][0], "outcome_type": "zz"}
    content["retrieval_contract"]["evidence_requirements"].append(row)


def unknown_tool(content: Content) -> None:
    content["retrieval_contract"]["evidence_requirements"][1]["required_tools"] = ["case.read", "zz.read"]


RULES: list[tuple[str, Callable[[Content], object], tuple[str, str, str, str]]] = [
    (
        "O2",
        double_role,
        ("semantic.role_id_collision", f"{AUTHORITY}/roles/6/role_id", "a value no earlier row has", '"tenant"'),
    ),
    (
        "O3 event",
        double_event,
        ("semantic.contract_collision", "/event_contracts/3/event_type", "a value no earlier row has", '"review.due"'),
    ),
    (
        "O3 action",
        double_action,
        (
            "semantic.contract_collision",
            "/action_contracts/1/action_type",
            "a value no earlier row has",
            '"case.close"',
        ),
    ),
    (
        "O4",
        missing_event_row,
        ("semantic.authority_contract_mismatch", f"{AUTHORITY}/event_authority", "1 rows for damp.reported", "0"),
    ),
    (
        "O5",
        missing_action_row,
        ("semantic.authority_contract_mismatch", f"{AUTHORITY}/action_authority", "1 rows for tenant.message", "0"),
    ),
    (
        "O6 event",
        ungranted_event,
        (
            "semantic.authority_not_granted",
            f"{AUTHORITY}/event_authority/2/required_authority",
            "an authority that a role grants",
            '"nobody.may"',
        ),
    ),
    (
        "O6 action",
        ungranted_action,
        (
            "semantic.authority_not_granted",
            f"{AUTHORITY}/action_authority/1/required_authority",
            "an authority that a role grants",
            '"nobody.may"',
        ),
    ),
    (
        "O7",
        double_tool,
        ("semantic.tool_id_collision", f"{RETRIEVAL}/catalogue/2/tool_id", "a value no earlier row has", '"case.read"'),
    ),
    (
        "O8",
        double_selector,
        (
            "semantic.selector_id_collision",
            f"{RETRIEVAL}/evidence_requirements/3/selector_id",
            "a value no earlier row has",
            '"closure.evidence"',
        ),
    ),
    (
        "O9",
        unknown_tool,
        (
            "semantic.unknown_tool",
            f"{RETRIEVAL}/evidence_requirements/1/required_tools/1",
            "a tool of the catalogue",
            '"zz.read"',
        ),
    ),
]
"""Rule, what breaks it, and the refusal; in the order of the contract."""


@pytest.mark.parametrize(("edit", "fault"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_each_rule_refuses_at_its_place(edit: Callable[[Content], object], fault: tuple[str, str, str, str]) -> None:
    code, path, expected, actual = fault

    assert refused(edit) == (code, f"card#/content{path}", expected, actual)


@pytest.mark.parametrize("index", range(len(RULES) - 1))
def test_of_two_broken_rules_the_earlier_one_refuses(index: int) -> None:
    first, later = RULES[index], RULES[index + 1 :]

    for _, edit, _ in later:
        assert refused(in_turn(edit, first[1]))[0] == first[2][0]


@pytest.mark.parametrize(
    ("edit", "kind", "expected", "actual"),
    [
        (extra_event_row, "event", "0 rows for zz.unknown", "1"),
        (double_event_row, "event", "1 rows for review.due", "2"),
        (double_action_row, "action", "1 rows for case.close", "2"),
    ],
)
def test_authority_rows_are_exactly_one_per_contract(edit: Any, kind: str, expected: str, actual: str) -> None:
    place = f"card#/content/authority_contract/{kind}_authority"

    assert refused(edit) == ("semantic.authority_contract_mismatch", place, expected, actual)


def test_an_event_row_does_not_stand_for_an_action_of_the_same_name() -> None:
    def rename(content: Content) -> None:
        content["authority_contract"]["action_authority"][0]["action_type"] = "damp.reported"

    assert refused(rename)[2:] == ("1 rows for case.close", "0")


@pytest.mark.parametrize(
    "edit",
    [
        put("/state_contract/replay_final_pointer", "/nowhere"),
        put("/state_contract/terminal_pointer", "/nowhere"),
        put("/state_contract/canonical_state_projection", ["/nowhere"]),
        put("/state_contract/schema_id", "any.schema"),
        put("/retrieval_contract/catalogue/0/authority", "nobody.may"),
        put("/retrieval_contract/catalogue/0/source", "any.source"),
        put("/retrieval_contract/catalogue/0/schema_id", "any.schema"),
        put("/retrieval_contract/evidence_requirements/0/outcome_type", "any.outcome"),
        put("/retrieval_contract/record_identity_algorithm", "any.algorithm"),
        put("/transition_contract/reducer_ids", ["any.reducer"]),
        put("/transition_contract/obligation_types", ["any.obligation"]),
        put("/event_contracts/0/required/severity/shape", {"kind": "integer", "minimum": 5, "maximum": 1}),
        put("/event_contracts/0/required/room/shape/min_length", 21),
        put("/event_contracts/0/optional/photo_refs/shape/min_items", 6),
        put("/event_contracts/4/required/cause/shape/enum", ["Out of pattern"]),
        put("/state_contract/initial_state_schema/properties/severity/minimum", 6),
        put("/state_contract/initial_state_schema/properties/phase/minLength", 25),
        put("/state_contract/initial_state_schema/properties/rooms/minItems", 7),
        put("/state_contract/initial_state_schema/required", ["undeclared"]),
        put("/state_contract/initial_state_schema/properties/phase/pattern", None),
        put("/policy_contract/approval_reminder_after_minutes", 1_000_000),
        put("/event_contracts/1/optional", {"superseded_by": {"required": True, "shape": {"kind": "boolean"}}}),
    ],
)
def test_what_the_contract_does_not_check_is_accepted(edit: Any) -> None:
    made = chain(operation=edit)

    assert validated("operation", made)["content_digest_sha256"] == made["operation"]["content_digest_sha256"]


def test_authorities_are_granted_by_any_role() -> None:
    edit = each(
        put("/authority_contract/roles", [{"authorities": ["only.one"], "role_id": "boss"}]),
        *(
            put(f"/authority_contract/{kind}_authority/{index}/required_authority", "only.one")
            for kind, count in (("event", 5), ("action", 3))
            for index in range(count)
        ),
    )

    assert validated("operation", chain(operation=edit))["id"] == "damp-mould.core@1.4.0"


def test_the_facts_are_what_scenarios_and_variants_need() -> None:
    content = sample("operation")["content"]
    content["event_contracts"][1]["optional"] = {"superseded_by": {"required": False, "shape": {"kind": "boolean"}}}

    known = check_operation(content, "card#/content")

    assert set(known.contracts) == {"event", "action"}
    assert known.contracts["event"]["damp.reported"].mandatory == {"room", "severity"}
    assert set(known.contracts["event"]["damp.reported"].shapes) == {"room", "severity", "photo_refs", "occupants"}
    both = known.contracts["event"]["report.withdrawn"]
    assert both.mandatory == {"superseded_by"}
    assert both.shapes == {"superseded_by": {"kind": "boolean"}}
    assert known.contracts["action"]["contractor.instruct"].mandatory == {"contractor_ref"}
    assert known.event_authority["review.due"] == "tick.review"
    assert known.roles["tenant"] == {"report.damp", "withdraw.report"}
    assert known.pointers == {"", "/phase", "/rooms", "/severity", "/surveys", "/case~1flags", "/quotes"}
    assert known.terminals == {"closed.remedied", "closed.withdrawn", "escalated"}
    assert known.state_schema is content["state_contract"]["initial_state_schema"]


def test_the_place_of_the_content_starts_every_path() -> None:
    content = sample("operation")["content"]
    double_role(content)

    with pytest.raises(CardValidationError) as refused_:
        check_operation(content, "cards/3#/content")

    assert refused_.value.path == "cards/3#/content/authority_contract/roles/6/role_id"
