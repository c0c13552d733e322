"""A case passes only for the exact value or for a refusal of the right class; everything else fails with a reason."""

from typing import Any

import pytest

from operatebench.conformance.judging import Outcome, difference, judge
from operatebench.conformance.model import Case
from operatebench.errors import DocumentError, IdentityValidationError


def case(**expect: Any) -> Case:
    return Case.model_validate({"id": "c", "note": "", "kind": "k", "input": {"x": 1}, "expect": expect})


def raising(error: Exception) -> Any:
    def operation(_: dict[str, Any]) -> Any:
        raise error

    return operation


def refusal() -> IdentityValidationError:
    return IdentityValidationError("name", path="/n", expected="a", actual="b")


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, ""),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ""),
        (1, True, "the result: expected 1, got true"),
        (1, 1.0, "the result: expected 1, got 1.0"),
        ([1, 2], [2, 1], "/0: expected 1, got 2"),
        ([1], [1, 1], "the result: expected an array of 1 items, got an array of 2 items"),
        ([1], (1,), "the result: expected an array of 1 items, got a Python object of type tuple"),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, '/a/b: expected "x", got "y"'),
        ({"a": None}, {}, "the result: expected an object with the members a, got an object with the members "),
        ({"x/y": [None]}, {"x/y": [False]}, "/x~1y/0: expected null, got false"),
    ],
)
def test_the_first_strict_difference_is_described(expected: Any, actual: Any, found: str) -> None:
    assert difference(expected, actual) == found


def test_an_equal_value_passes_and_an_unequal_one_fails() -> None:
    equal = judge(case(ok={"x": 1}), lambda given: given, IdentityValidationError)
    unequal = judge(case(ok={"x": True}), lambda given: given, IdentityValidationError)

    assert equal == Outcome("c")
    assert unequal == Outcome("c", "/x: expected true, got 1")


def test_an_expected_refusal_passes_whatever_its_label() -> None:
    outcome = judge(case(refused="leaf_closure"), raising(refusal()), IdentityValidationError)

    assert outcome == Outcome("c", label="leaf_closure", code="name")


def test_a_refusal_of_an_acceptable_input_fails() -> None:
    outcome = judge(case(ok=1), raising(refusal()), IdentityValidationError)

    assert outcome.failure == "refused with name at /n: expected a, got b"


def test_an_acceptance_of_a_refusable_input_fails() -> None:
    outcome = judge(case(refused="name"), lambda given: given["x"], IdentityValidationError)

    assert outcome.failure == "accepted with 1, expected the refusal name"


@pytest.mark.parametrize("expect", [{"ok": 1}, {"refused": "name"}])
@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (KeyError("x"), "raised KeyError: 'x'"),
        (RecursionError("deep"), "raised RecursionError: deep"),
        (DocumentError("vector_case", expected="a", actual="b"), "cannot be run: vector_case: expected a, got b"),
    ],
)
def test_any_other_error_fails_whatever_is_expected(expect: dict[str, Any], error: Exception, failure: str) -> None:
    assert judge(case(**expect), raising(error), IdentityValidationError).failure == failure


def test_recipes_are_expanded_before_the_operation_sees_them() -> None:
    recipe = {"$gen": "repeat", "text": "x", "count": 3}
    made = Case.model_validate({"id": "c", "note": "", "kind": "k", "input": {"v": recipe}, "expect": {"ok": "xxx"}})

    assert judge(made, lambda given: given["v"], IdentityValidationError) == Outcome("c")


def test_an_unknown_recipe_fails_the_case_even_if_a_refusal_is_expected() -> None:
    made = Case.model_validate(
        {"id": "c", "note": "", "kind": "k", "input": {"v": {"$gen": "new"}}, "expect": {"refused": "name"}}
    )

    outcome = judge(made, raising(refusal()), IdentityValidationError)

    assert outcome.failure == 'cannot be run: vector_case: expected a known recipe, got "new"'
