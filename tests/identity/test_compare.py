"""A difference is named at its first place, with both values short enough to read."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from operatebench.errors import IdentityValidationError
from operatebench.identity.canonical import encode
from operatebench.identity.compare import refuse_difference
from operatebench.identity.profile import IDENTITY_PROFILE
from tests.identity import oracle
from tests.identity.refusals import assert_well_formed
from tests.identity.strategies import clean_value

LONG = "x" * 1_000


@pytest.mark.parametrize(
    ("expected", "actual", "path", "wanted", "got"),
    [
        (1, 2, "", "1", "2"),
        (1, True, "", "1", "true"),
        (0, False, "", "0", "false"),
        (None, 0, "", "null", "0"),
        ("1", 1, "", '"1"', "1"),
        ({"a": 1}, [1], "", "an object with 1 members", "an array of 1 items"),
        ({"a": 1, "b": 2}, {"b": 2}, "/a", "1", "nothing there"),
        ({"b": 2}, {"a": 1, "b": 2}, "/a", "nothing there", "1"),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "/a", "1", "2"),
        ([1, 2, 3], [1, 3, 2], "/1", "2", "3"),
        ([1, 2], [1, 2, 3], "", "2 items", "3 items"),
        ([1, 2, 3], [1], "", "3 items", "1 items"),
        ([[1]], [[1, 2]], "/0", "1 items", "2 items"),
        ({"a/b": {"~": [0]}}, {"a/b": {"~": [1]}}, "/a~1b/~0/0", "0", "1"),
        (LONG + "a" + LONG, LONG + "b" + LONG, "", 'text with "axxx', 'text with "bxxx'),
        (LONG + "ab", LONG + "a", "", "text of 1002 characters", "text of 1001 characters"),
        ({"\U00010000": 1, "\ue000": 1}, {"\U00010000": 2, "\ue000": 2}, "/\\ue000", "1", "2"),
    ],
)
def test_names_the_first_difference(expected: Any, actual: Any, path: str, wanted: str, got: str) -> None:
    with pytest.raises(IdentityValidationError) as caught:
        refuse_difference("ownership_join", "here#", expected, actual)
    error = caught.value
    assert_well_formed(error)
    assert (error.code, error.path) == ("ownership_join", "here#" + path)
    assert error.expected.startswith(wanted)
    assert error.actual.startswith(got)


def test_equal_values_are_a_fault_of_ours() -> None:
    with pytest.raises(AssertionError):
        refuse_difference("ownership_join", "", {"a": [1]}, {"a": [1]})


@settings(max_examples=150)
@given(clean_value, clean_value)
def test_any_two_different_values_have_a_named_difference(left: Any, right: Any) -> None:
    one, two = oracle.normalize(left), oracle.normalize(right)
    if encode(one, IDENTITY_PROFILE) == encode(two, IDENTITY_PROFILE):
        two = [copy.deepcopy(two)]
    with pytest.raises(IdentityValidationError) as caught:
        refuse_difference("ownership_join", "", one, two)
    assert_well_formed(caught.value)
    assert caught.value.expected != caught.value.actual
