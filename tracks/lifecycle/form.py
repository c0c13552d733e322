"""The form that the record of an episode must have before it can be told: rows, and what a grade says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import EpisodeError, pointer
from ...runtime.core.rows import ROW_TYPES
from . import shape


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
        _require_row(row, ("outcome", "trajectory", index))
    for name in ("decisions", "decisions_with_human"):
        shape.COUNT(evaluation["load"].get(name), ("evaluation", "load", name))
    for part in ("findings", "human_touches", "opportunities"):
        for index, item in enumerate(evaluation[part]):
            if any(cited >= len(rows) for cited in item["rows"]):
                place = pointer("evaluation", part, index, "rows")
                raise EpisodeError("episode_shape", path=place, expected=f"rows below {len(rows)}", actual="one beyond")


def _require_row(value: Any, place: shape.Place) -> None:
    """Let a row pass that stands where it says, and has the fields of its type if the engine declares it."""
    shape.OBJECT(value, place)
    kind = value.get("record_type")
    shape.TEXT(kind, (*place, "record_type"))
    shape.equal_to(place[-1])(value.get("index"), (*place, "index"))
    shape.INSTANT(value.get("at"), (*place, "at"))
    if kind in ROW_TYPES and value.keys() != {"index", "at", "record_type", *ROW_TYPES[kind]}:
        raise shape.refused(place, f"the fields of {kind}", value)
