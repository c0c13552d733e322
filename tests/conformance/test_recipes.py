"""Every recipe gives exactly the value FORMAT.md says, and a recipe nobody can expand is refused, never skipped."""

import math
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.conformance import recipes
from operatebench.conformance.recipes import expand
from operatebench.errors import DocumentError


def gen(name: str, **members: Any) -> dict[str, Any]:
    return {"$gen": name, **members}


@pytest.mark.parametrize(
    ("recipe", "value"),
    [
        (gen("utf16", units=["61", "d800"]), "a\ud800"),
        (gen("utf16", units=["d83d", "de00"]), "\U0001f600"),
        (gen("repeat", text="ab", count=3), "ababab"),
        (gen("repeat", text="ab", count=0), ""),
        (gen("concat", parts=["/", gen("repeat", text="x", count=2)]), "/xx"),
        (gen("fill", value={"a": []}, count=2), [{"a": []}, {"a": []}]),
        (gen("nest", container="array", levels=3, leaf=0), [[[0]]]),
        (gen("nest", container="object", levels=2, leaf=None), {"k": {"k": None}}),
        (gen("nest", container="array", levels=0, leaf="x"), "x"),
        (gen("members", prefix="k", count=2, width=3, value=1), {"k000": 1, "k001": 1}),
        (gen("object", pairs=[[gen("utf16", units=["dc00"]), 1]]), {"\udc00": 1}),
        (gen("object", pairs=[["b", gen("concat", parts=[])]]), {"b": ""}),
        ({"a": [gen("repeat", text="x", count=1), True]}, {"a": ["x", True]}),
    ],
)
def test_a_recipe_gives_its_value(recipe: Any, value: Any) -> None:
    expanded = expand(recipe)

    assert expanded == value
    assert type(expanded) is type(value)


@pytest.mark.parametrize(
    ("text", "value"), [("1.0", 1.0), ("-2.50e2", -250.0), ("1e300", 1e300), ("-inf", -math.inf), ("1.5", 1.5)]
)
def test_a_float_stays_a_float(text: str, value: float) -> None:
    expanded = expand(gen("float", text=text))

    assert type(expanded) is float
    assert expanded == value


def test_minus_zero_and_nan_keep_their_bits() -> None:
    assert math.copysign(1, expand(gen("float", text="-0.0"))) == -1
    assert math.isnan(expand(gen("float", text="nan")))


def test_copies_share_no_container() -> None:
    first, second = expand(gen("fill", value=[], count=2))
    members = expand(gen("members", prefix="", count=2, width=1, value={}))

    assert first is not second
    assert members["0"] is not members["1"]


@pytest.mark.parametrize(
    ("recipe", "kind", "value"),
    [
        (gen("py", kind="tuple", items=[1, gen("float", text="2")]), tuple, (1, 2.0)),
        (gen("py", kind="set", items=[1, 1]), set, {1}),
        (gen("py", kind="bytes", value="é"), bytes, "é".encode()),
        (gen("py", kind="bytes", items=[0, 255]), bytes, b"\x00\xff"),
        (gen("py", kind="bytes"), bytes, b""),
        (gen("py", kind="decimal", text="1.50"), Decimal, Decimal("1.50")),
        (gen("py", kind="decimal", value=2), Decimal, Decimal(2)),
        (gen("py", kind="int_key"), dict, {1: 1}),
        (gen("py", kind="dict_subclass", value={"a": 1}), recipes.DictSubclass, {"a": 1}),
        (gen("py", kind="list_subclass", items=[1]), recipes.ListSubclass, [1]),
        (gen("py", kind="list_subclass"), recipes.ListSubclass, []),
        (gen("py", kind="str_subclass", value="x"), recipes.StrSubclass, "x"),
        (gen("py", kind="int_subclass", value=7), recipes.IntSubclass, 7),
        (gen("py", kind="float_subclass", value=gen("float", text="0.5")), recipes.FloatSubclass, 0.5),
        (gen("py", kind="mapping_proxy", value={"a": [1]}), MappingProxyType, {"a": [1]}),
        (gen("py", kind="object"), object, None),
    ],
)
def test_a_python_object_has_its_exact_class(recipe: Any, kind: type, value: Any) -> None:
    made = expand(recipe)

    assert type(made) is kind
    assert value is None or made == value


@pytest.mark.parametrize("kind", ["cycle", "list_cycle", "cycle_list", "cyclic_list", "cycle_array"])
def test_a_list_cycle_holds_itself(kind: str) -> None:
    made = expand(gen("py", kind=kind))

    assert type(made) is list
    assert made[0] is made


@pytest.mark.parametrize(
    "recipe", [gen("py", kind="dict_cycle"), gen("py", kind="cycle_dict"), gen("py", kind="cycle", container="object")]
)
def test_an_object_cycle_holds_itself(recipe: Any) -> None:
    made = expand(recipe)

    assert type(made) is dict
    assert made["k"] is made


@pytest.mark.parametrize(
    ("recipe", "expected", "actual"),
    [
        (gen("explode", count=1), "a known recipe", '"explode"'),
        ({"$gen": ["float"]}, "a known recipe", "an array of 1 items"),
        (gen("repeat", text="x"), "the members of a repeat recipe", "an object with 2 members"),
        (gen("repeat", text="x", count=1, more=1), "the members of a repeat recipe", "an object with 4 members"),
        (gen("repeat", text=1, count=1), "a text", "1"),
        (gen("repeat", text="x", count=True), f"a count from 0 to {recipes.MAX_CHARACTERS}", "true"),
        (gen("fill", value=0, count=-1), f"a count from 0 to {recipes.MAX_VALUES}", "-1"),
        (gen("float", text="one"), "the text of a number", '"one"'),
        (gen("utf16", units=["10000"]), "hexadecimal UTF-16 code units", "an array of 1 items"),
        (gen("utf16", units=["zz"]), "hexadecimal UTF-16 code units", "an array of 1 items"),
        (gen("concat", parts="ab"), "an array", '"ab"'),
        (gen("nest", container="set", levels=1, leaf=0), '"array" or "object"', '"set"'),
        (gen("nest", container="array", levels=10**9, leaf=0), f"a count from 0 to {recipes.MAX_LEVELS}", str(10**9)),
        (gen("members", prefix="", count=1, width=10**9, value=0), "a count from 0 to 100", str(10**9)),
        (gen("object", pairs=[["a"]]), "a pair of name and value", "an array of 1 items"),
        (gen("object", pairs=[[1, 1]]), "a text", "1"),
        (gen("py", kind="socket"), "a known kind of Python object", '"socket"'),
        (gen("py", kind="set", items=[[]]), "content for set", "an array of 1 items"),
        (gen("py", kind="bytes", value=10**12), "content for bytes", "an array of 1 items"),
        (gen("py", kind="tuple", items=[], value=[]), "one member beside kind", "an array of 2 items"),
    ],
)
def test_a_malformed_recipe_is_refused(recipe: Any, expected: str, actual: str) -> None:
    with pytest.raises(DocumentError) as refused:
        expand({"value": [recipe]})

    assert (refused.value.code, refused.value.expected, refused.value.actual) == ("vector_case", expected, actual)


@pytest.mark.parametrize(
    "recipe",
    [
        gen("fill", value=gen("fill", value=0, count=100_000), count=100_000),
        gen("fill", value=gen("repeat", text="x", count=1_000_000), count=100),
        gen("repeat", text="ab", count=recipes.MAX_CHARACTERS),
        gen("members", prefix="x" * 1000, count=100_000, width=1, value=0),
    ],
)
def test_an_input_that_grows_without_bound_is_refused_before_it_is_made(recipe: Any) -> None:
    with pytest.raises(DocumentError) as refused:
        expand(recipe)

    limits = f"an input of at most {recipes.MAX_VALUES} values and {recipes.MAX_CHARACTERS} characters"
    assert (refused.value.code, refused.value.expected) == ("vector_case", limits)
