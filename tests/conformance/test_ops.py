"""Every op does exactly what FORMAT.md says, in place, and an op that does not fit is refused."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from operatebench.conformance.ops import Op, apply
from operatebench.errors import DocumentError

OPS = TypeAdapter(list[Op])


def edited(document: Any, **op: Any) -> Any:
    documents = {"manifest": document}
    apply(OPS.validate_python([{"root": "manifest", **op}]), documents)
    return documents["manifest"]


@pytest.mark.parametrize(
    ("document", "op", "result"),
    [
        ({"a": 1}, {"op": "set", "path": ["b"], "value": 2}, {"a": 1, "b": 2}),
        ({"a": [1, 2]}, {"op": "set", "path": ["a", 1], "value": None}, {"a": [1, None]}),
        ({"/x/y": {"~": 1}}, {"op": "set", "path": ["/x/y", "~"], "value": 2}, {"/x/y": {"~": 2}}),
        ({"a": 1, "b": 2}, {"op": "delete", "path": ["a"]}, {"b": 2}),
        ({"a": [1, 2]}, {"op": "delete", "path": ["a", 0]}, {"a": [2]}),
        ({"a": [1, 2]}, {"op": "insert", "path": ["a", 1], "value": 9}, {"a": [1, 9, 2]}),
        ({"a": [1]}, {"op": "append", "path": ["a"], "value": 9}, {"a": [1, 9]}),
        ({"a": [1, 2, 3]}, {"op": "reverse", "path": ["a"]}, {"a": [3, 2, 1]}),
        ({"a": [1, 2, 3]}, {"op": "swap", "path": ["a"], "i": 0, "j": 2}, {"a": [3, 2, 1]}),
        ({"a": 1, "b": 2}, {"op": "swap", "path": [], "i": "a", "j": "b"}, {"a": 2, "b": 1}),
        ({"a": 1}, {"op": "replace_root", "value": []}, []),
    ],
)
def test_an_op_edits_the_document(document: Any, op: dict[str, Any], result: Any) -> None:
    assert edited(document, **op) == result


def test_reverse_turns_the_member_order_of_an_object() -> None:
    assert list(edited({"x": {"a": 1, "b": 2, "c": 3}}, op="reverse", path=["x"])["x"]) == ["c", "b", "a"]


@pytest.mark.parametrize("spelling", ["to", "name", "key", "value"])
def test_rename_keeps_value_and_place(spelling: str) -> None:
    renamed = edited({"x": {"a": 1, "b": 2, "c": 3}}, op="rename", path=["x", "b"], **{spelling: "z"})

    assert list(renamed["x"].items()) == [("a", 1), ("z", 2), ("c", 3)]


def test_ops_run_in_order_and_only_on_their_root() -> None:
    documents = {"manifest": {"a": 1}, "census": {"a": 1}}
    ops = [
        {"op": "set", "root": "manifest", "path": ["a"], "value": []},
        {"op": "append", "root": "manifest", "path": ["a"], "value": 5},
    ]

    apply(OPS.validate_python(ops), documents)

    assert documents == {"manifest": {"a": [5]}, "census": {"a": 1}}


@pytest.mark.parametrize(
    ("op", "actual"),
    [
        ({"op": "delete", "path": ["missing"]}, "delete: KeyError 'missing'"),
        ({"op": "set", "path": ["list", 9], "value": 1}, "set: IndexError list assignment index out of range"),
        (
            {"op": "set", "path": [], "value": 1},
            "set: ValueError not enough values to unpack (expected at least 1, got 0)",
        ),
        ({"op": "set", "path": ["text", 0], "value": 1}, 'set: TypeError "t" has no parts'),
        ({"op": "append", "path": [], "value": 1}, "append: AttributeError 'dict' object has no attribute 'append'"),
        ({"op": "rename", "path": ["text"], "to": "list"}, "rename: KeyError 'text'"),
        ({"op": "reverse", "path": ["text"]}, 'reverse: TypeError "t" has no parts'),
        ({"op": "delete", "root": "record", "path": ["text"]}, "delete: KeyError 'record'"),
    ],
)
def test_an_op_that_does_not_fit_is_refused(op: dict[str, Any], actual: str) -> None:
    with pytest.raises(DocumentError) as refused:
        edited({"list": [], "text": "t"}, **op)

    assert (refused.value.code, refused.value.path) == ("vector_case", "op 0")
    assert refused.value.expected == "an op that fits what stands at its path"
    assert refused.value.actual == actual
