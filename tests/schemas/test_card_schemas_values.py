"""Numbers, texts, widths, depths and sets at their limits, alike in all engines."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.schemas.card_support import (
    INTEGER_MAX,
    INTEGER_MIN,
    Path,
    at,
    card_accepts,
    changed,
    part_accepts,
    quick_card_accepts,
    sample,
)

POLICY = ("content", "policy_contract", "horizon_minutes")
COUNT = ("content", "transition_contract", "declared_max_domain_generated_audit_events")
ANY = ("content", "event_contracts", 0, "required", "severity", "shape", "minimum")
STATE = ("content", "state_contract", "initial_state_schema", "properties", "severity", "maximum")
FREE = ("content", "hidden_initial_values", "severity")
CORRELATION = ("content", "events", 1, "trigger", "correlation", "urgent")
LITERAL = ("content", "decision_points", 0, "reach_predicate", "operands", 0, "right", "value")
NUMBERS = [
    INTEGER_MIN - 1,
    INTEGER_MIN,
    -1,
    0,
    1,
    2**53 + 1,
    INTEGER_MAX,
    INTEGER_MAX + 1,
    2**64 - 1,
    2**64,
    -(2**64),
    10**30,
    -(10**30),
    10**400,
]


@pytest.mark.parametrize(
    ("kind", "path", "least"),
    [
        ("operation", POLICY, 1),
        ("operation", COUNT, 0),
        ("operation", ANY, INTEGER_MIN),
        ("operation", STATE, INTEGER_MIN),
        ("scenario", ("content", "decision_points", 0, "order"), 0),
        ("scenario", LITERAL, INTEGER_MIN),
        ("variant", ("content", "human_checkpoint_budget"), 0),
        ("variant", ("content", "events", 0, "delay_minutes"), 0),
        ("variant", FREE, INTEGER_MIN),
        ("variant", CORRELATION, INTEGER_MIN),
    ],
)
def test_integers_have_64_bits_everywhere(kind: str, path: Path, least: int) -> None:
    for number in NUMBERS:
        assert card_accepts(kind)(changed(sample(kind), path, number)) is (least <= number <= INTEGER_MAX), number


@pytest.mark.parametrize("number", [0.5, -1.5, 1e19, -1e19, 1e300, 2.0**63, -(2.0**64), float("inf"), float("nan")])
def test_fractions_and_floats_beyond_64_bits_are_refused(number: float) -> None:
    for path in (FREE, CORRELATION):
        assert not card_accepts("variant")(changed(sample("variant"), path, number))


@pytest.mark.parametrize("version", [True, 2, 0, "1", None, 1.5])
def test_the_version_is_one(version: Any) -> None:
    for kind in ("operation", "scenario", "variant"):
        assert not card_accepts(kind)(sample(kind) | {"schema_version": version})


@pytest.mark.parametrize("root", [None, True, 1, "x", [], {}, [{}]])
def test_a_root_that_is_no_card_is_refused(root: Any) -> None:
    for kind in ("operation", "scenario", "variant"):
        assert not card_accepts(kind)(root)


def test_no_kind_of_card_passes_for_another() -> None:
    for kind in ("operation", "scenario", "variant"):
        for other in {"operation", "scenario", "variant"} - {kind}:
            assert not card_accepts(kind)(sample(other))
            assert not card_accepts(kind)(sample(kind) | {"schema": sample(other)["schema"]})


def nested(levels: int, wrap: Callable[[Any], Any], inner: Any) -> Any:
    """`inner` inside `levels` wrappers."""
    for _ in range(levels):
        inner = wrap(inner)
    return inner


SCALAR = {
    "kind": "scalar",
    "operator": "EQ",
    "left": {"kind": "literal", "value": 1},
    "right": {"kind": "pointer", "pointer": ""},
}
QUANTIFIED = {"kind": "quantified", "quantifier": "ALL", "collection": "", "binding": "a"}
STATE_ARRAY = {"type": "array", "minItems": 0, "maxItems": 1, "uniqueItems": True}
SHAPE_ARRAY = {"kind": "array", "min_items": 0, "max_items": 1, "unique_items": False}
# The member that nests stands before the tag: a choice by trial would take its time here.
NESTS: dict[str, tuple[str, int, Callable[[Any], Any], Any]] = {
    "not": ("predicate", 60, lambda below: {"operand": below, "kind": "not"}, SCALAR),
    "all": ("predicate", 30, lambda below: {"operands": [SCALAR, below], "kind": "all"}, SCALAR),
    "any": ("predicate", 30, lambda below: {"operands": [below, SCALAR], "kind": "any"}, SCALAR),
    "quantified": ("predicate", 60, lambda below: {"predicate": below, **QUANTIFIED}, SCALAR),
    "shape array": ("fieldShape", 60, lambda below: {"items": below, **SHAPE_ARRAY}, {"kind": "null"}),
    "shape object": (
        "fieldShape",
        20,
        lambda below: {"fields": {"a": {"shape": below, "required": True}}, "kind": "object"},
        {"kind": "null"},
    ),
    "state array": ("stateSchema", 60, lambda below: {"items": below, **STATE_ARRAY}, {"type": "null"}),
    "state object": (
        "stateSchema",
        30,
        lambda below: {"properties": {"a": below}, "type": "object", "required": [], "additionalProperties": False},
        {"type": "null"},
    ),
    "json array": ("jsonValue", 60, lambda below: [below], 1),
    "json object": ("jsonValue", 60, lambda below: {"": below}, 1),
}


@pytest.mark.parametrize("nest", NESTS)
def test_nesting_to_the_depth_limit_is_judged(nest: str) -> None:
    definition, levels, wrap, inner = NESTS[nest]
    accepts = part_accepts(definition)
    assert accepts(nested(levels, wrap, inner))
    for broken in (nested(levels, wrap, {"kind": "none"} if definition != "jsonValue" else 0.5), [None, 0.5]):
        assert not accepts(broken)


def test_a_tree_with_members_of_all_branches_is_judged() -> None:
    def wrap(below: Any) -> Any:
        return {"operands": [below], "operand": below, "predicate": below, "kind": "xor"}

    assert not part_accepts("predicate")(nested(6, wrap, SCALAR))


@pytest.mark.parametrize("width", [4096, 4097])
def test_width_boundaries(width: int) -> None:
    expected = width == 4096
    names = [f"n{index}" for index in range(width)]
    variant = sample("variant")
    cases: list[tuple[Path, Any]] = [
        (("content", "required_checkpoint_types"), names),
        (("content", "hidden_initial_values"), dict.fromkeys(names, 0)),
        (("content", "events", 0, "payload", "x"), [0] * width),
        (("content", "events", 0, "payload", "x"), dict.fromkeys(names, 0)),
        (("content", "events", 1, "trigger", "correlation"), dict.fromkeys(names, 0)),
        (("content", "expected_event_rejections"), [{"event_id": "a", "code": "b"}] * width),
    ]
    for path, value in cases:
        assert card_accepts("variant")(changed(variant, path, value)) is expected, path
    operation = sample("operation")
    state = ("content", "state_contract", "initial_state_schema")
    cases = [
        (
            ("content", "event_contracts", 0, "required"),
            {name: {"required": True, "shape": {"kind": "null"}} for name in names},
        ),
        ((*state, "required"), names),
        ((*state, "properties"), {name: {"type": "null"} for name in names}),
        ((*state, "properties", "phase", "enum"), names),
    ]
    for path, value in cases:
        assert quick_card_accepts("operation")(changed(operation, path, value)) is expected, path


def test_wide_sets_of_records_are_judged_by_the_compiled_engines() -> None:
    roles = [{"role_id": f"r{index}", "authorities": ["a"]} for index in range(4096)]
    path = ("content", "authority_contract", "roles")
    assert quick_card_accepts("operation")(changed(sample("operation"), path, roles))
    assert not quick_card_accepts("operation")(changed(sample("operation"), path, [*roles[:-1], roles[0]]))


def test_duplicates_are_told_by_exact_value() -> None:
    enum = ("content", "event_contracts", 0, "required", "room", "shape", "enum")
    for texts, expected in (
        (["a", "a"], False),
        (["a", "A"], True),
        (["\u00e9", "e\u0301"], True),
        (["1", "1.0", "true"], True),
        (["", " "], True),
    ):
        assert card_accepts("operation")(changed(sample("operation"), enum, texts)) is expected, texts


def test_members_in_another_order_are_the_same_item() -> None:
    card = sample("operation")
    path = ("content", "authority_contract", "event_authority")
    turned = copy.deepcopy(card)
    first = at(card, path)[0]
    at(turned, path).insert(0, dict(reversed(list(first.items()))))
    assert not card_accepts("operation")(turned)


@pytest.mark.parametrize(
    "value", [None, True, 0, INTEGER_MIN, INTEGER_MAX, "", "\n", "x" * 1_048_576, [], {}, {"": []}]
)
def test_free_values_accepted(value: Any) -> None:
    for wrapped in (value, [value], {"any KEY\t": value}, [[{"": [value]}]]):
        assert card_accepts("variant")(changed(sample("variant"), FREE, wrapped))


@pytest.mark.parametrize(
    "value",
    ["\ud800", {"\udc00": 1}, {"a\n": 1}, {"\n": 1}, "x" * 1_048_577, {"x" * 1_048_577: 1}],
    ids=lambda value: ascii(value)[:20],
)
def test_free_values_refused(value: Any) -> None:
    for wrapped in (value, [value], {"k": value}, [[{"": [value]}]]):
        assert not card_accepts("variant")(changed(sample("variant"), FREE, wrapped))


def test_names_of_payload_and_hidden_state_are_names() -> None:
    for path in (("content", "events", 0, "payload"), ("content", "hidden_initial_values")):
        for name in ("Room", "", "a b", "a\n", "1a", "x" * 256):
            assert not card_accepts("variant")(changed(sample("variant"), (*path, name), 1)), name


def test_scalars_hold_no_containers() -> None:
    for kind, path in (("variant", CORRELATION), ("scenario", LITERAL)):
        for accepted in (None, True, False, 0, "", "a\n"):
            assert card_accepts(kind)(changed(sample(kind), path, accepted))
        others: list[Any] = [[], {}, [1], 0.5, "\ud800"]
        for refused in others:
            assert not card_accepts(kind)(changed(sample(kind), path, refused))
