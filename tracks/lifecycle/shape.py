"""Rules for the form of a parsed document: each refuses a value, with its place, or lets it pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ...errors import EpisodeError, pointer

Place = tuple[str | int, ...]
Rule = Callable[[Any, Place], None]

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)


def refused(place: Place, expected: str, value: object) -> EpisodeError:
    """Return the refusal of the form of a value."""
    return EpisodeError.found("episode_shape", pointer(*place), expected, value)


def of_type(kind: type, expected: str) -> Rule:
    """Return the rule for values of exactly one type."""

    def rule(value: Any, place: Place) -> None:
        if type(value) is not kind:
            raise refused(place, expected, value)

    return rule


def equal_to(wanted: str | int) -> Rule:
    """Return the rule for one value."""

    def rule(value: Any, place: Place) -> None:
        if type(value) is not type(wanted) or value != wanted:
            raise refused(place, str(wanted), value)

    return rule


def integer_from(lowest: int) -> Rule:
    """Return the rule for integers that are not less than ``lowest``."""

    def rule(value: Any, place: Place) -> None:
        if type(value) is not int or value < lowest:
            raise refused(place, f"an integer from {lowest}", value)

    return rule


def _is_instant(value: Any, place: Place) -> None:
    try:
        if type(value) is str and _INSTANT.fullmatch(value):
            datetime.fromisoformat(value)
            return
    except ValueError:  # there is no such day or hour
        pass
    raise refused(place, "an instant YYYY-MM-DDTHH:MM:SSZ", value)


TEXT = of_type(str, "text")
OBJECT = of_type(dict, "an object")
COUNT = integer_from(0)
INSTANT: Rule = _is_instant
