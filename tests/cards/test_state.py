"""Hidden initial values keep the state schema: as JSON Schema says, and a set in it is sorted too."""

from itertools import pairwise
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.cards.state import require_state
from operatebench.errors import CardValidationError
from tests.cards.chain import canonical_key, chain, facts, fault_of, put, validated

CODE = "semantic.hidden_state_mismatch"


def string(low: int = 0, high: int = 10, pattern: str | None = None, listed: list[str] | None = None) -> dict[str, Any]:
    return {"type": "string", "minLength": low, "maxLength": high, "pattern": pattern, "enum": listed}


def integer(low: int = -5, high: int = 5) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


def array(items: Any, low: int = 0, high: int = 3, *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": low, "maxItems": high, "uniqueItems": unique}


def record(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


NULL = {"type": "null"}
BOOLEAN = {"type": "boolean"}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (None, NULL),
        (True, BOOLEAN),
        (5, integer()),
        ("💧", string(1, 1)),
        ("anything", string(pattern=None)),
        ("ab", string(pattern="^[a-b]*$")),
        ("anything", string(listed=None)),
        ([3, 1, 3], array(integer())),
        ([1, 3], array(integer(), unique=True)),
        (["a b", "a"], array(string(), unique=True)),
        ([["a"], []], array(array(string()), unique=True)),
        ({}, record([], a=NULL)),
        ({"a": None}, record(["a"], a=NULL)),
    ],
)
def test_values_of_the_schema_are_accepted(value: Any, schema: Any) -> None:
    require_state(value, schema, "v")


@pytest.mark.parametrize(
    ("value", "schema", "path", "expected", "actual"),
    [
        (0, NULL, "v", "null", "0"),
        (0, BOOLEAN, "v", "a boolean", "0"),
        (True, integer(), "v", "an integer from -5 to 5", "true"),
        (-6, integer(), "v", "an integer from -5 to 5", "-6"),
        (1, string(), "v", "text of 0 to 10 characters", "1"),
        ("💧💧", string(0, 1), "v", "text of 0 to 1 characters", '"💧💧"'),
        ("abc", string(pattern="[ab]+"), "v", "text matching [ab]+", '"abc"'),
        ("c", string(listed=["a", "b"]), "v", "one of a, b", '"c"'),
        ({}, array(NULL), "v", "an array of 0 to 3 items", "an object with 0 members"),
        ([], array(NULL, 1), "v", "an array of 1 to 3 items", "an array of 0 items"),
        ([1, 6], array(integer()), "v/1", "an integer from -5 to 5", "6"),
        (
            [3, 1],
            array(integer(), unique=True),
            "v",
            "items without repetition, sorted by canonical bytes",
            "an array of 2 items",
        ),
        (
            [1, 1],
            array(integer(), unique=True),
            "v",
            "items without repetition, sorted by canonical bytes",
            "an array of 2 items",
        ),
        ([], record([]), "v", "an object", "an array of 0 items"),
        ({}, record(["a"], a=NULL), "v", "an object with a", "an object with 0 members"),
        ({"a": None}, record(["gone"], a=NULL), "v", "an object with gone", "an object with 1 members"),
        ({"b~": 1}, record([], a=NULL), "v/b~0", "no undeclared property", "1"),
        ({"a": [{"b": 1}]}, record([], a=array(record([], b=NULL))), "v/a/0/b", "null", "1"),
    ],
)
def test_other_values_are_refused_at_their_place(
    value: Any, schema: Any, path: str, expected: str, actual: str
) -> None:
    with pytest.raises(CardValidationError) as refused:
        require_state(value, schema, "v")

    assert facts(refused.value) == (CODE, path, expected, actual)


def test_a_text_too_long_to_match_has_its_own_code_and_none_without_a_pattern() -> None:
    require_state("a" * 4_096, string(0, 9_999, "a*"), "v")
    require_state("a" * 4_097, string(0, 9_999), "v")

    with pytest.raises(CardValidationError) as refused:
        require_state("a" * 4_097, string(0, 9_999, "a*"), "v")

    assert (refused.value.code, refused.value.actual) == ("semantic.pattern_subject_too_long", "4097 characters")


def test_a_null_pattern_in_a_card_restricts_nothing() -> None:
    made = chain(
        operation=put("/state_contract/initial_state_schema/properties/boiler/properties/model/pattern", None),
        variant=put("/hidden_initial_values/boiler/model", "Ünrestricted ✓"),
    )

    assert validated("variant", made)["content"]["hidden_initial_values"]["boiler"]["model"] == "Ünrestricted ✓"


def test_a_set_in_hidden_state_is_sorted_but_one_in_a_payload_need_not_be() -> None:
    photos = validated("variant", chain())["content"]["events"][0]["payload"]["photo_refs"]
    fault = fault_of("variant", chain(variant=put("/hidden_initial_values/rooms", ["hall", "bedroom-two"])))

    assert photos == ("p2", "p1")
    assert (fault.code, fault.path) == (CODE, "card#/content/hidden_initial_values/rooms")


SCHEMAS = st.recursive(
    st.sampled_from([NULL, BOOLEAN, integer(), integer(0, 1), string(), string(1, 2), string(listed=["", "a"])]),
    lambda inner: st.one_of(
        st.builds(array, inner, st.integers(0, 1), st.integers(1, 3)),
        st.builds(lambda item: record(["a"], a=item), inner),
        st.builds(lambda item, other: record([], a=item, b=other), inner, inner),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -6, "", "a", "abc"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)),
    max_leaves=6,
)


def standard(schema: Any) -> Any:
    """Return a schema of the subset as the JSON Schema it stands for: a null restriction left out."""
    if isinstance(schema, dict):
        return {name: standard(item) for name, item in schema.items() if item is not None}
    return schema


@given(schema=SCHEMAS, value=VALUES)
def test_without_patterns_and_sets_it_decides_as_json_schema_does(schema: Any, value: Any) -> None:
    expected = jsonschema.Draft202012Validator(standard(schema)).is_valid(value)

    try:
        require_state(value, schema, "v")
    except CardValidationError:
        assert not expected
    else:
        assert expected


@given(items=st.lists(st.sampled_from(["", "a", "a b", "ab", '"', "\\", "\t", "é", "💧"]), max_size=4))
def test_a_set_is_accepted_exactly_in_strict_order_of_canonical_bytes(items: list[str]) -> None:
    keys = [canonical_key(item) for item in items]
    wanted = all(left < right for left, right in pairwise(keys))

    try:
        require_state(items, array(string(), 0, 4, unique=True), "v")
    except CardValidationError:
        assert not wanted
    else:
        assert wanted
