"""Patches change what they name, generators stand for what FORMAT.md says, and what does not fit is no refusal."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from operatebench.conformance import patching
from operatebench.conformance.patching import PatchOp, generated, patched
from operatebench.errors import DocumentError

OPS: TypeAdapter[list[PatchOp]] = TypeAdapter(list[PatchOp])


def applied(document: Any, *ops: dict[str, Any]) -> Any:
    return patched(document, OPS.validate_python(list(ops)))


def fault_of(document: Any, *ops: dict[str, Any]) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        applied(document, *ops)
    return refused.value


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ({"op": "add", "path": "/new", "value": 1}, {"list": [1, 2, 3], "a/b": {"~": 0}, "new": 1}),
        ({"op": "add", "path": "/list", "value": 1}, {"list": 1, "a/b": {"~": 0}}),
        ({"op": "add", "path": "/list/0", "value": 9}, {"list": [9, 1, 2, 3], "a/b": {"~": 0}}),
        ({"op": "add", "path": "/list/3", "value": 9}, {"list": [1, 2, 3, 9], "a/b": {"~": 0}}),
        ({"op": "add", "path": "/list/-", "value": 9}, {"list": [1, 2, 3, 9], "a/b": {"~": 0}}),
        ({"op": "add", "path": "", "value": 9}, 9),
        ({"op": "replace", "path": "", "value": []}, []),
        ({"op": "replace", "path": "/a~1b/~0", "value": None}, {"list": [1, 2, 3], "a/b": {"~": None}}),
        ({"op": "replace", "path": "/list/2", "value": [4]}, {"list": [1, 2, [4]], "a/b": {"~": 0}}),
        ({"op": "remove", "path": "/list/1"}, {"list": [1, 3], "a/b": {"~": 0}}),
        ({"op": "remove", "path": "/a~1b"}, {"list": [1, 2, 3]}),
        ({"op": "reverse", "path": "/list"}, {"list": [3, 2, 1], "a/b": {"~": 0}}),
        ({"op": "duplicate", "path": "/list/1"}, {"list": [1, 2, 2, 3], "a/b": {"~": 0}}),
        ({"op": "swap", "path": "/list/0"}, {"list": [2, 1, 3], "a/b": {"~": 0}}),
    ],
)
def test_each_op_changes_what_it_names(op: dict[str, Any], expected: Any) -> None:
    document = {"list": [1, 2, 3], "a/b": {"~": 0}}

    assert applied(document, op) == expected
    assert document == {"list": [1, 2, 3], "a/b": {"~": 0}}


def test_ops_apply_in_order_each_to_the_result_of_the_one_before() -> None:
    ops = ({"op": "remove", "path": "/0"}, {"op": "reverse", "path": ""}, {"op": "replace", "path": "/0", "value": "x"})

    assert applied([1, 2, 3], *ops) == ["x", 2]


def test_a_duplicate_shares_nothing_with_the_item_it_repeats() -> None:
    made = applied([{"a": 1}], {"op": "duplicate", "path": "/0"}, {"op": "replace", "path": "/1/a", "value": 2})

    assert made == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("op", "actual"),
    [
        ({"op": "remove", "path": "/x"}, "remove /x: KeyError 'x'"),
        ({"op": "replace", "path": "/x", "value": 1}, "replace /x: KeyError 'x'"),
        ({"op": "remove", "path": "/list/3"}, "remove /list/3: IndexError list index out of range"),
        ({"op": "add", "path": "/list/4", "value": 1}, "add /list/4: IndexError 4"),
        ({"op": "remove", "path": "/list/-"}, 'remove /list/-: ValueError "-" is no index'),
        ({"op": "remove", "path": "/list/01"}, 'remove /list/01: ValueError "01" is no index'),
        ({"op": "remove", "path": "/list/-1"}, 'remove /list/-1: ValueError "-1" is no index'),
        ({"op": "remove", "path": "list"}, "remove list: ValueError no JSON Pointer"),
        ({"op": "swap", "path": "/list/2"}, "swap /list/2: IndexError list index out of range"),
        ({"op": "swap", "path": "/text"}, "swap /text: TypeError an object with 2 members is no array"),
        ({"op": "duplicate", "path": "/text"}, "duplicate /text: TypeError an object with 2 members is no array"),
        ({"op": "reverse", "path": "/text"}, 'reverse /text: TypeError "abc" is no array'),
        ({"op": "remove", "path": "/text/0"}, 'remove /text/0: TypeError "abc" is no object'),
    ],
)
def test_an_op_that_does_not_fit_is_a_fault_of_the_case(op: dict[str, Any], actual: str) -> None:
    fault = fault_of({"list": [1, 2, 3], "text": "abc"}, {"op": "add", "path": "/list", "value": [1, 2, 3]}, op)

    assert (fault.code, fault.path, fault.actual) == ("vector_case", "op 1", actual)
    assert fault.expected == "an op that fits what stands at its path"


@pytest.mark.parametrize(
    ("generator", "expected"),
    [
        ({"$repeat": ["ab", 3]}, "ababab"),
        ({"$repeat": ["ab", 0]}, ""),
        ({"$repeat": [{"$repeat": ["a", 2]}, 2]}, "aaaa"),
        ({"$fill": [None, 3]}, [None, None, None]),
        ({"$fill": [{"$fill": [0, 2]}, 2]}, [[0, 0], [0, 0]]),
        ({"$keys": 3}, {"k0": None, "k1": None, "k2": None}),
        ({"$chain": [{"a": 1}, "k", 2, {"$keys": 1}]}, {"a": 1, "k": {"a": 1, "k": {"k0": None}}}),
        ({"$chain": [{}, "k", 0, 7]}, 7),
        ([{"x": {"$keys": 0}}], [{"x": {}}]),
        ({"$keys": 3, "other": 1}, {"$keys": 3, "other": 1}),
        ({"$other": 3}, {"$other": 3}),
    ],
)
def test_each_generator_stands_for_its_value(generator: Any, expected: Any) -> None:
    assert generated(generator) == expected
    assert applied({}, {"op": "add", "path": "/x", "value": generator}) == {"x": expected}


def test_generated_containers_are_all_different_ones() -> None:
    first, second = generated({"$fill": [[1], 2]})
    chain = generated({"$chain": [{"a": []}, "k", 2, 0]})

    assert first is not second
    assert chain["a"] is not chain["k"]["a"]


@pytest.mark.parametrize(
    ("generator", "expected", "actual"),
    [
        ({"$repeat": ["a"]}, "the 2 parts of $repeat", "an array of 1 items"),
        ({"$fill": 3}, "the 2 parts of $fill", "3"),
        ({"$chain": [{}, "k", 1]}, "the 4 parts of $chain", "an array of 3 items"),
        ({"$repeat": [1, 3]}, "a text to repeat", "1"),
        ({"$keys": True}, "a count from 0 to 67108864", "true"),
        ({"$fill": [0, -1]}, "a count from 0 to 67108864", "-1"),
        ({"$chain": [[], "k", 1, 0]}, "an object and the name of its last member", "an array of 2 items"),
        ({"$repeat": ["a", 67_108_865]}, "a count from 0 to 67108864", "67108865"),
        ({"$repeat": ["ab", 67_108_864]}, "a patch of at most 1000000 values and 67108864 characters", "a longer one"),
        ({"$keys": 1_000_001}, "a patch of at most 1000000 values and 67108864 characters", "a longer one"),
        (
            {"$fill": [{"$fill": [0, 1_001]}, 1_000]},
            "a patch of at most 1000000 values and 67108864 characters",
            "a longer one",
        ),
    ],
)
def test_a_malformed_or_boundless_generator_is_a_fault_of_the_case(generator: Any, expected: str, actual: str) -> None:
    with pytest.raises(DocumentError) as refused:
        generated(generator)

    assert (refused.value.code, refused.value.expected, refused.value.actual) == ("vector_case", expected, actual)


def test_a_fault_of_a_generator_inside_a_patch_is_not_hidden() -> None:
    fault = fault_of({}, {"op": "add", "path": "/x", "value": {"$keys": "many"}})

    assert (fault.expected, fault.actual) == (f"a count from 0 to {patching.MAX_CHARACTERS}", '"many"')
