"""A card has exactly the shape of its schema; the first fault in it is named with its own code, place and rule."""

from typing import Any

import pytest

from operatebench.cards import shape
from operatebench.cards.shape import require_shape_of
from operatebench.errors import CardValidationError
from tests.cards.chain import chain, facts, fault_of, in_order, put, sample, sealed, validated

SHAPE = "/event_contracts/0/required/room/shape"
STATE = "/state_contract/initial_state_schema"
Facts = tuple[str, str, str, str]


def refused(name: Any, path: str, value: Any) -> Facts:
    return facts(fault_of(name, chain(**{name: put(path, value)})))


@pytest.mark.parametrize(
    ("name", "path", "value", "fault"),
    [
        ("operation", "/extra", 1, ("shape.unknown_key", "/extra", "no undeclared member", "1")),
        (
            "operation",
            "/policy_contract/a~b",
            None,
            ("shape.unknown_key", "/policy_contract/a~0b", "no undeclared member", "null"),
        ),
        (
            "operation",
            "/operation_type",
            "x",
            ("shape.closed_value", "/operation_type", '"lettings.maintenance.synthetic"', '"x"'),
        ),
        (
            "operation",
            "/policy_contract/horizon_minutes",
            0,
            ("shape.number_bounds", "/policy_contract/horizon_minutes", "at least 1", "0"),
        ),
        (
            "operation",
            "/policy_contract/horizon_minutes",
            True,
            ("shape.wrong_type", "/policy_contract/horizon_minutes", "integer", "true"),
        ),
        (
            "operation",
            "/policy_contract/horizon_minutes",
            None,
            ("shape.wrong_type", "/policy_contract/horizon_minutes", "integer", "null"),
        ),
        (
            "operation",
            "/event_contracts",
            [],
            ("shape.too_few_items", "/event_contracts", "at least 1 items", "an array of 0 items"),
        ),
        (
            "operation",
            "/event_contracts",
            {},
            ("shape.wrong_type", "/event_contracts", "array", "an object with 0 members"),
        ),
        ("operation", "/event_contracts/0/required", {"Bad": {}}, None),
        (
            "operation",
            "/action_contracts/0/evidence_refs",
            "maybe",
            (
                "shape.closed_value",
                "/action_contracts/0/evidence_refs",
                '"required" or "optional" or "forbidden"',
                '"maybe"',
            ),
        ),
        ("operation", "/state_contract/schema_id", "", None),
        (
            "operation",
            "/state_contract/schema_id",
            "a" * 256,
            ("shape.string_length", "/state_contract/schema_id", "at most 255 characters", None),
        ),
        ("operation", SHAPE, "text", ("shape.wrong_type", SHAPE, "object", '"text"')),
        ("operation", SHAPE, {}, ("shape.missing_key", SHAPE, "the member kind", "an object with 0 members")),
        (
            "operation",
            SHAPE,
            {"kind": "number"},
            ("shape.unknown_tag", f"{SHAPE}/kind", "one of the union's kinds", '"number"'),
        ),
        (
            "operation",
            SHAPE,
            {"kind": ["string"]},
            ("shape.unknown_tag", f"{SHAPE}/kind", "one of the union's kinds", "an array of 1 items"),
        ),
        (
            "operation",
            SHAPE,
            {"kind": "null", "x": 1},
            ("shape.unknown_key", f"{SHAPE}/x", "no undeclared member", "1"),
        ),
        (
            "operation",
            SHAPE,
            {"kind": "integer", "minimum": 1},
            ("shape.missing_key", SHAPE, "the member maximum", "an object with 2 members"),
        ),
        ("operation", f"{SHAPE}/min_length", -1, ("shape.number_bounds", f"{SHAPE}/min_length", "at least 0", "-1")),
        (
            "operation",
            f"{SHAPE}/enum",
            [],
            ("shape.too_few_items", f"{SHAPE}/enum", "at least 1 items", "an array of 0 items"),
        ),
        ("operation", f"{SHAPE}/pattern", 5, ("shape.wrong_type", f"{SHAPE}/pattern", "null or string", "5")),
        (
            "operation",
            f"{SHAPE}/pattern",
            "(a)",
            (
                "shape.pattern_not_authorable",
                f"{SHAPE}/pattern",
                "a pattern of the safe-regex grammar, of at most 256 characters",
                '"(a)"',
            ),
        ),
        ("operation", STATE, True, ("shape.wrong_type", STATE, "object", "true")),
        (
            "operation",
            STATE,
            {"kind": "null"},
            ("shape.missing_key", STATE, "the member type", "an object with 1 members"),
        ),
        (
            "operation",
            STATE,
            {"type": "number"},
            ("shape.unknown_tag", f"{STATE}/type", "one of the union's kinds", '"number"'),
        ),
        (
            "operation",
            f"{STATE}/properties/phase/format",
            "date",
            ("shape.unknown_key", f"{STATE}/properties/phase/format", "no undeclared member", '"date"'),
        ),
        (
            "operation",
            f"{STATE}/properties/phase/pattern",
            "a|b",
            (
                "shape.pattern_not_authorable",
                f"{STATE}/properties/phase/pattern",
                "a pattern of the safe-regex grammar, of at most 256 characters",
                '"a|b"',
            ),
        ),
        (
            "operation",
            f"{STATE}/additionalProperties",
            True,
            ("shape.closed_value", f"{STATE}/additionalProperties", "false", "true"),
        ),
        (
            "operation",
            f"{STATE}/additionalProperties",
            0,
            ("shape.closed_value", f"{STATE}/additionalProperties", "false", "0"),
        ),
        (
            "scenario",
            "/decision_points/0/reach_predicate",
            [],
            ("shape.wrong_type", "/decision_points/0/reach_predicate", "object", "an array of 0 items"),
        ),
        (
            "scenario",
            "/decision_points/0/reach_predicate/kind",
            "xor",
            ("shape.unknown_tag", "/decision_points/0/reach_predicate/kind", "one of the union's kinds", '"xor"'),
        ),
        (
            "scenario",
            "/decision_points/0/reach_predicate/operands",
            [],
            (
                "shape.too_few_items",
                "/decision_points/0/reach_predicate/operands",
                "at least 2 items",
                "an array of 0 items",
            ),
        ),
        (
            "scenario",
            "/decision_points/0/reach_predicate/operands/1/operand/left",
            {"kind": "literal", "value": []},
            None,
        ),
        (
            "scenario",
            "/allowed_variant_dimensions/0/changes_semantics",
            True,
            ("shape.closed_value", "/allowed_variant_dimensions/0/changes_semantics", "false", "true"),
        ),
        (
            "scenario",
            "/operation_core/schema",
            "operatebench.variant_card.v1",
            (
                "shape.closed_value",
                "/operation_core/schema",
                '"operatebench.operation_card.v1"',
                '"operatebench.variant_card.v1"',
            ),
        ),
        (
            "variant",
            "/events/0/trigger",
            {"kind": "event", "type_name": "a", "correlation": {}},
            (
                "shape.at_xor_trigger",
                "/events/0/trigger",
                "null: exactly one of at and trigger is not null",
                "an object with 3 members",
            ),
        ),
        (
            "variant",
            "/events/1/trigger",
            None,
            ("shape.at_xor_trigger", "/events/1/trigger", "object: exactly one of at and trigger is not null", "null"),
        ),
        ("variant", "/events/1/trigger", "text", ("shape.wrong_type", "/events/1/trigger", "null or object", '"text"')),
        ("variant", "/events/1/at", 5, ("shape.wrong_type", "/events/1/at", "null or string", "5")),
        (
            "variant",
            "/events/1/trigger/kind",
            "timer",
            ("shape.closed_value", "/events/1/trigger/kind", '"action" or "event"', '"timer"'),
        ),
        (
            "variant",
            "/events/1/trigger/correlation",
            {"urgent": []},
            ("shape.wrong_type", "/events/1/trigger/correlation/urgent", None, "an array of 0 items"),
        ),
        (
            "variant",
            "/hidden_initial_values",
            {"Bad": 1},
            (
                "shape.lexical",
                "/hidden_initial_values",
                "member names of the field's grammar",
                "an object with 1 members",
            ),
        ),
        (
            "variant",
            "/events/0/payload/room",
            {"a\nb": 1},
            (
                "shape.lexical",
                "/events/0/payload/room",
                "member names of the field's grammar",
                "an object with 1 members",
            ),
        ),
        (
            "variant",
            "/message_fixtures",
            [],
            ("shape.too_few_items", "/message_fixtures", "at least 1 items", "an array of 0 items"),
        ),
    ],
)
def test_each_kind_of_fault_has_its_code_place_and_rule(name: Any, path: str, value: Any, fault: Any) -> None:
    code, place, expected, actual = refused(name, path, value)

    assert place.startswith(f"card#/content{path.rpartition('/')[0]}")
    if fault is None:
        assert code.startswith("shape.")
    else:
        assert (code, place) == (fault[0], f"card#/content{fault[1]}")
        assert fault[2] in (None, expected)
        assert fault[3] in (None, actual)


@pytest.mark.parametrize("name", ["operation", "scenario", "variant"])
@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("id", "Upper", "shape.lexical"),
        ("id", "a@1.2", "shape.lexical"),
        ("id", None, "shape.wrong_type"),
        ("content", [], "shape.wrong_type"),
        ("content_digest_sha256", "0" * 63, "shape.lexical"),
        ("content_digest_sha256", "A" * 64, "shape.lexical"),
        ("note", "x", "shape.unknown_key"),
    ],
)
def test_the_envelope_is_part_of_the_shape(name: Any, member: str, value: Any, code: str) -> None:
    card = sample(name)
    card[member] = value

    with pytest.raises(CardValidationError) as refused_:
        require_shape_of(card["schema"], card, "cards/7#")

    assert (refused_.value.code, refused_.value.path) == (code, f"cards/7#/{member}")


@pytest.mark.parametrize("member", ["id", "content", "content_digest_sha256"])
def test_every_member_of_the_envelope_is_required(member: str) -> None:
    card = sample("variant")
    del card[member]

    with pytest.raises(CardValidationError) as refused_:
        require_shape_of(card["schema"], card, "card#")

    assert facts(refused_.value) == ("shape.missing_key", "card#", f"the member {member}", "an object with 4 members")


def test_the_fault_that_stands_first_is_named() -> None:
    card = sample("variant")
    card["content"]["events"][5]["delay_minutes"] = -1
    card["content"]["events"][4]["at"] = 5
    card["content"]["actors"] = []
    card["content"]["zz"] = 1

    paths = []
    for fix in ("zz", "actors", "at", "delay"):
        with pytest.raises(CardValidationError) as refused_:
            require_shape_of(card["schema"], card, "card#")
        paths.append((refused_.value.code, refused_.value.path))
        match fix:
            case "zz":
                del card["content"]["zz"]
            case "actors":
                card["content"]["actors"] = sample("variant")["content"]["actors"]
            case "at":
                card["content"]["events"][4]["at"] = None

    assert paths == [
        ("shape.unknown_key", "card#/content/zz"),
        ("shape.too_few_items", "card#/content/actors"),
        ("shape.wrong_type", "card#/content/events/4/at"),
        ("shape.number_bounds", "card#/content/events/5/delay_minutes"),
    ]


def test_an_index_of_two_digits_stands_behind_one_of_one_digit() -> None:
    card = sample("variant")
    event = card["content"]["events"][1]
    card["content"]["events"] += [dict(event, event_id=f"ev.{index}") for index in range(6)]
    card["content"]["events"][2]["delay_minutes"] = card["content"]["events"][10]["delay_minutes"] = -1

    with pytest.raises(CardValidationError) as refused_:
        require_shape_of(card["schema"], card, "card#")

    assert refused_.value.path == "card#/content/events/2/delay_minutes"


def test_an_inner_fault_of_nested_unions_is_found_through_their_tags() -> None:
    scalar = {"kind": "scalar", "operator": "EQ", "left": {"kind": "literal", "value": 1}, "right": {"kind": "pointer"}}
    predicate: dict[str, Any] = scalar
    for _ in range(20):
        predicate = {"kind": "not", "operand": predicate}

    code, path, expected, _ = refused("scenario", "/decision_points/0/reach_predicate", predicate)

    place = "card#/content/decision_points/0/reach_predicate" + "/operand" * 20 + "/right"
    assert (code, path, expected) == ("shape.missing_key", place, "the member pointer")


@pytest.mark.parametrize(
    ("path", "fine", "wrong"),
    [
        (
            "/state_contract/schema_id",
            ["a", "a1", "a.b_c-d", "a" * 255, "a.1"],
            ["A", "1a", "a.", ".a", "a..b", "a b", "a\n", "a.b\n", "é", "a@1.2.3", "a/b"],
        ),
        (
            "/state_contract/terminal_pointer",
            ["", "/", "/a", "/a~1b", "/~0~1", "/é 💧", "/" + "a" * 1023, "/a\nb"],
            ["a", "/a/b", "/a/", "//", "/~", "/~2", "#/a", "/" + "a" * 1024],
        ),
        (
            "/operation_version",
            ["0.0.0", "1.2.3-a.1+b.01", "1.0.0-0a", "1.0.0--", "1.0.0+-", "10.20.30-rc.1", "1.0.0-" + "a." * 200 + "b"],
            [
                "1.2",
                "01.2.3",
                "1.2.3-",
                "1.2.3-01",
                "1.2.3+",
                "1.2.3-a..b",
                "v1.2.3",
                "1.2.3\n",
                "1.2.3-é",
                "1.2.3+a+b",
            ],
        ),
        ("/policy_contract/currency", ["EUR"], ["eur", "EU", "EURO", "EUR\n", "ÉUR"]),
    ],
)
def test_the_lexical_languages_match_whole_texts(path: str, fine: list[str], wrong: list[str]) -> None:
    for text in fine:
        assert validated("operation", chain(operation=put(path, text)))["id"]
    for text in wrong:
        code, place, *_ = refused("operation", path, text)
        assert (code in ("shape.lexical", "shape.string_length"), place) == (True, f"card#/content{path}"), text


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("2024-02-29T08:00:00.000000Z", True),
        ("2024-02-29T23:59:59.999999Z", True),
        *(
            (text, False)
            for text in (
                "2024-02-29T08:00:60.000000Z",
                "2024-02-29T24:00:00.000000Z",
                "2024-13-01T08:00:00.000000Z",
                "2024-00-01T08:00:00.000000Z",
                "2024-01-32T08:00:00.000000Z",
                "2024-02-29T08:00:00.000Z",
                "2024-02-29T08:00:00Z",
                "2024-02-29T08:00:00.000000+00:00",
                "2024-02-29 08:00:00.000000Z",
                "2024-02-29T08:00:00.000000z",
                "2024-02-29T08:00:00.000000Z\n",
                "٢٠٢٤-02-29T08:00:00.000000Z",
            )
        ),
    ],
)
def test_timestamps_have_one_spelling(text: str, fits: bool) -> None:
    made = chain(variant=put("/starts_at", text))

    if fits:
        assert validated("variant", made)["id"]
    else:
        assert fault_of("variant", made).code in ("shape.lexical", "shape.string_length")


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_integers_of_64_bits_are_accepted_wherever_the_schema_says_no_more(value: int) -> None:
    shape = {"kind": "integer", "minimum": value, "maximum": value}

    made = chain(operation=put("/event_contracts/0/optional/occupants/shape/fields/count/shape", shape))
    assert validated("operation", made)["id"]


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**64 - 1, 2**64, 10**30])
@pytest.mark.parametrize("name", ["operation", "scenario", "variant"])
def test_integers_beyond_64_bits_are_refused_everywhere(name: Any, value: int) -> None:
    path = {
        "operation": "/event_contracts/0/required/severity/shape/maximum",
        "scenario": "/decision_points/0/reach_predicate/operands/0/right/value",
        "variant": "/hidden_initial_values/severity",
    }[name]
    code, place, expected, actual = refused(name, path, value)

    assert (code, place, actual) == ("projection.integer_range", f"card#/content{path}", str(value))
    assert expected == f"an integer from {-(2**63)} to {2**63 - 1}"


def test_a_set_of_records_is_ordered_by_its_first_member_and_not_by_its_id() -> None:
    rows = in_order(sample("operation")["content"]["authority_contract"]["roles"])

    assert [row["role_id"] for row in rows] != sorted(row["role_id"] for row in rows)
    by_id = sorted(rows, key=lambda row: str(row["role_id"]))
    assert refused("operation", "/authority_contract/roles", by_id)[0] == "shape.set_order"


def test_duplicates_that_differ_in_member_order_are_duplicates() -> None:
    first, *others = sample("variant")["content"]["actors"]
    turned = dict(reversed(first.items()))

    assert refused("variant", "/actors", [first, turned, *others])[0] == "shape.set_duplicate"


def test_a_sound_card_passes_without_a_look_at_its_digest() -> None:
    card = sample("operation")
    card["content_digest_sha256"] = "0" * 64

    require_shape_of(card["schema"], card, "card#")
    assert sealed(card)["content_digest_sha256"] != "0" * 64


def test_explaining_names_each_fault_once_however_deep_it_stands() -> None:
    leaf = {"kind": "scalar", "operator": "EQ", "left": {"kind": "literal", "value": []}}
    predicate: Any = {"kind": "all", "operands": [leaf] * 500}
    for _ in range(50):
        predicate = {"kind": "not", "operand": predicate}
    card = sample("scenario")
    card["content"]["decision_points"][0]["reach_predicate"] = predicate
    faults = list(shape._explaining_engine(card["schema"]).iter_errors(card))
    assert len(faults) == 2 * 500  # each leaf lacks its right side and has a literal that is none
    assert not any(hasattr(fault.kind, "context") for fault in faults)
