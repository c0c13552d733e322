"""Set-class arrays stand in strict canonical order, every one of them, and lists keep the order they have."""

import copy
import json
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.cards import VARIANT_CARD_SCHEMA, card_to_json
from operatebench.cards.sets import is_member, require_canonical_order, require_canonical_sets
from operatebench.conformance.linking import FILES, CardFile
from operatebench.errors import CardValidationError
from tests.cards.chain import Chain, canonical_key, chain, facts, fault_of, in_order, sample, sealed, validated

SCHEMAS = files("operatebench.schemas")
NAMES: dict[CardFile, str] = {
    "operation": "operation-card-v1.schema.json",
    "scenario": "semantic-scenario-card-v1.schema.json",
    "variant": "variant-card-v1.schema.json",
}
TAGGED = {"fieldShape": "kind", "stateSchema": "type"}


def document(name: str) -> Any:
    return json.loads(SCHEMAS.joinpath(name).read_bytes())


DEFINITIONS = document("card-defs-v1.schema.json")["$defs"]


def sets_of(schema: Any, value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the place of every array in ``value`` that the schemas call a set, found by reading the schemas alone."""
    if "$ref" in schema:
        return sets_of(DEFINITIONS[schema["$ref"].rpartition("/")[2]], value, at)
    if "oneOf" in schema:
        tag = "type" if "type" in value else "kind"
        (branch,) = [
            branch
            for branch in schema["oneOf"]
            if value[tag]
            in branch["properties"].get(tag, {}).get("enum", [branch["properties"].get(tag, {}).get("const")])
        ]
        return sets_of(branch, value, at)
    found: list[tuple[Any, ...]] = []
    if isinstance(value, list):
        found += [at] if schema.get("uniqueItems") else []
        for index, item in enumerate(value):
            found += sets_of(schema["items"], item, (*at, index))
    elif isinstance(value, dict):
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            found += sets_of(inner, item, (*at, name))
    return found


def rich_chain() -> Chain:
    """Return the sample chain with a set in every place that can hold one."""

    def operation(card: Any) -> None:
        deep = {
            "kind": "array",
            "items": {
                "kind": "object",
                "fields": {
                    "x": {
                        "required": True,
                        "shape": {
                            "kind": "string",
                            "min_length": 0,
                            "max_length": 9,
                            "pattern": None,
                            "enum": ["a", "b"],
                        },
                    }
                },
            },
            "min_items": 0,
            "max_items": 1,
            "unique_items": False,
        }
        entry = {"required": False, "shape": deep}
        content = card["content"]
        for rows in (content["event_contracts"], content["action_contracts"]):
            rows[0]["required"] = {**rows[0]["required"]}
            rows[0]["optional"] = {**rows[0]["optional"], "deep": entry}
        content["event_contracts"][4]["required"]["cause"]["shape"]["enum"].append("rain")
        content["retrieval_contract"]["catalogue"][0]["arguments"]["deep"] = entry
        string = {"type": "string", "minLength": 0, "maxLength": 9, "pattern": None, "enum": ["a", "b"]}
        nested: Any = {
            "type": "object",
            "properties": {
                "s": string,
                "a": {**content["state_contract"]["initial_state_schema"]["properties"]["rooms"]},
            },
            "required": ["a", "s"],
            "additionalProperties": False,
        }
        nested["properties"]["a"]["items"] = string
        content["state_contract"]["initial_state_schema"]["properties"]["nested"] = nested
        for name in ("event_contracts", "action_contracts"):
            content[name] = in_order(content[name])
        content["retrieval_contract"]["catalogue"] = in_order(content["retrieval_contract"]["catalogue"])

    def variant(card: Any) -> None:
        card["content"]["dispatch_failures"] = ["fx.notice", "fx.reminder"]

    made = chain(operation=operation, variant=variant)
    return {name: json.loads(json.dumps(card)) for name, card in made.items()}  # nothing stands in two places


RICH = rich_chain()
PLACES = [
    (name, place)
    for name in FILES
    for place in sets_of(document(NAMES[name])["properties"]["content"], RICH[name]["content"])
]


def holder_of(card: Any, place: tuple[Any, ...]) -> tuple[Any, Any]:
    holder = card["content"]
    for token in place[:-1]:
        holder = holder[token]
    return holder, place[-1]


def pointer(place: tuple[Any, ...]) -> str:
    return "card#/content" + "".join(f"/{token}" for token in place)


def test_the_chain_with_a_set_everywhere_is_accepted() -> None:
    for name in FILES:
        assert validated(name, RICH)["id"] == RICH[name]["id"]
    assert len(PLACES) == 48


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[f"{name}{pointer(place)[13:]}" for name, place in PLACES])
def test_every_set_of_the_schemas_must_be_sorted_and_without_repetition(name: CardFile, place: tuple[Any, ...]) -> None:
    holder, last = holder_of(RICH[name], place)
    items = holder[last]
    if len(items) > 1:
        code, path = verdict(name, place, items[::-1])
        assert (code, path) == ("shape.set_order", f"{pointer(alone(place))}/1")
    if items:
        code, path = verdict(name, place, [*items, items[-1]])
        assert (code, path) == ("shape.set_duplicate", pointer(alone(place)))


def alone(place: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(0 if isinstance(token, int) else token for token in place)


def verdict(name: CardFile, place: tuple[Any, ...], items: list[Any]) -> tuple[str, str]:
    """Return code and path of the refusal with other items in one set, which is alone in every array around it."""
    cards: Chain = {**RICH, name: copy.deepcopy(RICH[name])}
    holder = cards[name]["content"]
    for token in place[:-1]:
        if isinstance(holder, list):
            holder[:] = [holder[token]]
            holder = holder[0]
        else:
            holder = holder[token]
    holder[place[-1]] = items
    sealed(cards[name])
    fault = fault_of(name, cards)
    return fault.code, fault.path


@pytest.mark.parametrize("place", ["decision_points", "operands"])
def test_lists_keep_their_order(place: str) -> None:
    def reverse(card: Any) -> None:
        points = card["content"]["decision_points"]
        if place == "operands":
            points[0]["reach_predicate"]["operands"].reverse()
        else:
            for point in points:
                point["required_prior_point_ids"] = []
            points.reverse()

    made = chain(scenario=reverse)
    found = card_points(card_to_json(validated("scenario", made)))

    assert found == card_points(made["scenario"])
    assert found != card_points(sample("scenario"))


def card_points(card: Any) -> list[Any]:
    points = card["content"]["decision_points"]
    return [(point["point_id"], point["reach_predicate"].get("operands")) for point in points]


@pytest.mark.parametrize(
    "items",
    [
        ["a", "b"],
        ["a b", "a"],
        ["a!", "a"],
        ["a", "a#"],
        ["", "a"],
        ["A", "a"],
        ["\t", "a"],
        ["\\", "\x7f"],
        ["\x7f", "é"],
        ["｢", "🔧"],
        ["e\u0301", "é"],
        ["\\", "a"],
        ['"', "a"],
        ["\n", "\x01"],
        [["a", "b"], ["a"]],
        [["a"], []],
        [{"a": 1}, {}],
        [{"a": 2, "z": 1}, {"b": 1}],
        [0, 1, 10, 2],
        [-1, 0],
        [False, None, True],
        [1],
        [],
    ],
)
def test_order_is_that_of_the_items_canonical_bytes(items: list[Any]) -> None:
    assert items == sorted(items, key=canonical_key)
    require_canonical_order(items, "v")

    if len(items) > 1:
        with pytest.raises(CardValidationError) as refused:
            require_canonical_order(items[::-1], "v")
        assert refused.value.code == "shape.set_order"
        assert refused.value.path == "v/1"
        assert refused.value.expected == "an item that sorts after the one before"


def test_equal_neighbours_are_a_repetition() -> None:
    with pytest.raises(CardValidationError) as refused:
        require_canonical_order(["a", "b", "b"], "v")

    assert facts(refused.value) == ("shape.set_duplicate", "v/2", "another item than the one before", '"b"')


@given(st.lists(st.text(max_size=3), max_size=5))
def test_texts_are_accepted_exactly_in_strict_order_of_their_quoted_bytes(items: list[str]) -> None:
    keys = [canonical_key(item) for item in items]
    wanted = all(left < right for left, right in pairwise(keys))

    try:
        require_canonical_order(items, "v")
    except CardValidationError:
        assert not wanted
    else:
        assert wanted


def test_only_the_sets_of_the_schema_are_looked_at() -> None:
    content = sample("variant")["content"]
    content["events"][0]["payload"]["photo_refs"] = ["b", "a", "b"]
    content["expected_event_rejections"].reverse()

    require_canonical_sets(VARIANT_CARD_SCHEMA, content, "card#/content")


def test_a_set_of_4096_items_is_answered() -> None:
    names = [f"n{index:04}" for index in range(4_096)]

    def wide(card: Any) -> None:
        card["content"]["transition_contract"]["reducer_ids"] = names

    assert len(validated("operation", chain(operation=wide))["content"]["transition_contract"]["reducer_ids"]) == 4_096

    def swapped(card: Any) -> None:
        card["content"]["transition_contract"]["reducer_ids"] = [*names[:-2], names[-1], names[-2]]

    fault = fault_of("operation", chain(operation=swapped))
    assert (fault.code, fault.path) == (
        "shape.set_order",
        "card#/content/transition_contract/reducer_ids/4095",
    )


@pytest.mark.parametrize("count", [1, 16, 17, 4_096])
def test_a_text_is_found_in_a_set_in_canonical_order_and_no_other_is(count: int) -> None:
    items = sorted((f'{index:04}"\n' for index in range(count)), key=canonical_key)
    assert all(is_member(item, items) for item in items)
    assert not any(is_member(item + "x", items) for item in ("", *items[:50], "\U0010ffff"))
