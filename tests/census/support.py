"""A census to break, and one way to assert a refusal."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.census import CardValidationError, load_field_census, validate_field_census

CARD = "card_schema_content"
OPERATION = "operation_core_content"
SCENARIO = "semantic_scenario_content"
VARIANT = "variant_content"

AT = "/variant_card/content/events/at"
"""A leaf somewhere in the middle."""


def refusal(call: Callable[..., Any], *arguments: Any, **named: Any) -> CardValidationError:
    """Call and return the refusal; anything else fails the test."""
    with pytest.raises(CardValidationError) as caught:
        call(*arguments, **named)
    return caught.value


def judge(census: Any, **named: Any) -> tuple[str, str]:
    """Return code and place of the refusal of a census."""
    error = refusal(validate_field_census, census, **named)
    return error.code, error.path


def index_of(path: str) -> int:
    """Return where the packaged census has its entry for a leaf."""
    return [entry["field_path_pattern"] for entry in load_field_census()["entries"]].index(path)


def edited(path: str = AT, **members: Any) -> dict[str, Any]:
    """Return the packaged census with members of one entry replaced."""
    census = load_field_census()
    census["entries"][index_of(path)] |= members
    return census


def without(path: str, member: str) -> dict[str, Any]:
    """Return the packaged census with a member of one entry removed."""
    census = load_field_census()
    del census["entries"][index_of(path)][member]
    return census
