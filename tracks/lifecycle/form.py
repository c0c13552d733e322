"""The form that the record of an episode must have before it can be told: rows, and what a grade says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ...errors import EpisodeError, pointer
from ...runtime.core.rows import ROW_TYPES

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)


def is_instant(value: Any) -> bool:
    """Tell whether a value is the text ``YYYY-MM-DDTHH:MM:SSZ`` of a day and time that exist."""
    if type(value) is not str or _INSTANT.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def require_form(outcome: Mapping[str, Any], evaluation: Mapping[str, Any]) -> None:
    """Refuse what cannot be told. Evidence leaves open what a row is, and a grade counts what its evaluator counts.

    Args:
        outcome: a sound ``operatebench.episode_outcome.v2``.
        evaluation: a sound ``operatebench.evaluation.v1``.

    Raises:
        EpisodeError: ``episode_shape``; the path is a JSON Pointer.
    """
    rows = outcome["trajectory"]
    for index, row in enumerate(rows):
        _require_row(row, index)
    for name in ("decisions", "decisions_with_human"):
        count = evaluation["load"].get(name)
        _require(type(count) is int and count >= 0, ("evaluation", "load", name), "an integer from 0", count)
    for part in ("findings", "human_touches", "opportunities"):
        for index, item in enumerate(evaluation[part]):
            if any(cited >= len(rows) for cited in item["rows"]):
                place = pointer("evaluation", part, index, "rows")
                raise EpisodeError("episode_shape", path=place, expected=f"rows below {len(rows)}", actual="one beyond")


def _require_row(row: Any, index: int) -> None:
    """Let a row pass that stands where it says, and has the fields of its type if the engine declares it."""
    place = ("outcome", "trajectory", index)
    _require(type(row) is dict, place, "an object", row)
    kind, said, at = row.get("record_type"), row.get("index"), row.get("at")
    _require(type(kind) is str, (*place, "record_type"), "text", kind)
    _require(type(said) is int and said == index, (*place, "index"), str(index), said)
    _require(is_instant(at), (*place, "at"), "an instant YYYY-MM-DDTHH:MM:SSZ", at)
    declared = kind not in ROW_TYPES or row.keys() == {"index", "at", "record_type", *ROW_TYPES[kind]}
    _require(declared, place, f"the fields of {kind}", row)


def _require(holds: bool, place: tuple[str | int, ...], expected: str, value: object) -> None:
    if not holds:
        raise EpisodeError.found("episode_shape", pointer(*place), expected, value)
