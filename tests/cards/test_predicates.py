"""Predicates read only declared pointers, and only bindings of quantifiers around them."""

from typing import Any

import pytest

from operatebench.cards.predicates import check_predicate
from operatebench.errors import CardValidationError
from tests.cards.chain import facts

POINTERS = frozenset({"", "/phase", "/rows"})
LITERAL = {"kind": "literal", "value": 1}


def scalar(left: Any, right: Any = LITERAL) -> dict[str, Any]:
    return {"kind": "scalar", "operator": "EQ", "left": left, "right": right}


def pointer(path: str) -> dict[str, Any]:
    return {"kind": "pointer", "pointer": path}


def bound(name: str, path: str = "") -> dict[str, Any]:
    return {"kind": "binding", "binding": name, "pointer": path}


def quantified(binding: str, predicate: Any, collection: str = "/rows") -> dict[str, Any]:
    return {
        "kind": "quantified",
        "quantifier": "ANY",
        "collection": collection,
        "binding": binding,
        "predicate": predicate,
    }


def both(*operands: Any, kind: str = "all") -> dict[str, Any]:
    return {"kind": kind, "operands": list(operands)}


def negated(operand: Any) -> dict[str, Any]:
    return {"kind": "not", "operand": operand}


FINE = scalar(pointer("/phase"))


@pytest.mark.parametrize(
    "predicate",
    [
        FINE,
        scalar(pointer(""), pointer("/rows")),
        both(FINE, negated(FINE), kind="any"),
        quantified("row", scalar(bound("row", "/undeclared"), bound("row"))),
        quantified("row", quantified("other", scalar(bound("row"), bound("other")))),
        both(quantified("row", scalar(bound("row"))), quantified("row", scalar(bound("row")))),
        quantified("row", both(quantified("a", FINE), quantified("a", scalar(bound("a"), bound("row"))))),
    ],
)
def test_declared_pointers_and_bindings_in_scope_are_accepted(predicate: Any) -> None:
    check_predicate(predicate, POINTERS, "p")


@pytest.mark.parametrize(
    ("predicate", "code", "path", "actual"),
    [
        (scalar(pointer("/other")), "semantic.pointer_not_declared", "p/left/pointer", '"/other"'),
        (scalar(LITERAL, pointer("/phas")), "semantic.pointer_not_declared", "p/right/pointer", '"/phas"'),
        (quantified("row", FINE, "/other"), "semantic.pointer_not_declared", "p/collection", '"/other"'),
        (
            both(FINE, negated(scalar(pointer("/x")))),
            "semantic.pointer_not_declared",
            "p/operands/1/operand/left/pointer",
            '"/x"',
        ),
        (scalar(bound("row")), "semantic.binding_unresolved", "p/left/binding", '"row"'),
        (
            quantified("row", scalar(LITERAL, bound("Row"))),
            "semantic.binding_unresolved",
            "p/predicate/right/binding",
            '"Row"',
        ),
        (
            both(quantified("row", FINE), scalar(bound("row"))),
            "semantic.binding_unresolved",
            "p/operands/1/left/binding",
            '"row"',
        ),
        (quantified("row", quantified("row", FINE)), "semantic.binding_redeclared", "p/predicate/binding", '"row"'),
        (
            quantified("row", negated(both(FINE, quantified("row", FINE)))),
            "semantic.binding_redeclared",
            "p/predicate/operand/operands/1/binding",
            '"row"',
        ),
    ],
)
def test_each_rule_refuses_at_its_place(predicate: Any, code: str, path: str, actual: str) -> None:
    with pytest.raises(CardValidationError) as refused:
        check_predicate(predicate, POINTERS, "p")

    expected = {
        "semantic.pointer_not_declared": "a pointer the operation declares",
        "semantic.binding_unresolved": "a binding of a quantifier around it",
        "semantic.binding_redeclared": "a name no quantifier around it uses",
    }[code]
    assert facts(refused.value) == (code, path, expected, actual)


def test_pointers_are_compared_as_texts() -> None:
    with pytest.raises(CardValidationError) as refused:
        check_predicate(scalar(pointer("/a~1b")), frozenset({"/a/b"}), "p")

    assert refused.value.code == "semantic.pointer_not_declared"
