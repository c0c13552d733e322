"""Every leaf of the shipped spec and what it is changed to; run as a program, it writes the table of what is loaded."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from operatebench.errors import SpecError, pointer
from operatebench.runtime.maintenance.spec.forms import Place
from operatebench.runtime.maintenance.spec.scenario import check_semantic_scenario
from operatebench.runtime.maintenance.spec.yaml import Document
from operatebench.tracks.lifecycle import OperationSpec
from tests.runtime.maintenance.spec.edits import Steps, is_leaf, shipped, values
from tests.tracks.lifecycle.binding.bound import reloaded

TABLE = Path(__file__).with_name("loaded_leaves.txt")
"""Pointers of the leaves whose change the loader lets pass, one a line; it refuses the change of any other."""

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def leaves(document: Document) -> Iterator[tuple[Steps, Any]]:
    """Yield the leaves of a spec."""
    return ((steps, value) for steps, value in values(document.value) if is_leaf(value))


def others(steps: Steps, value: Any) -> Iterator[Any]:
    """Yield what a leaf is changed to, until something is loaded: another value, and such as stand in its field."""
    yield _another(value)
    if isinstance(value, str):
        yield from (each for each in _of_field()[_field(steps)] if each != value)


def _another(value: Any) -> Any:
    """Return a value of the same type, and of the same kind as far as a leaf can tell."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return ["another"]
    if isinstance(value, dict):
        return {"another": "text"}
    if value is None:
        return "another"
    if _VERSION.fullmatch(value):
        return f"{value}1"
    if _INSTANT.fullmatch(value):
        return value.replace("T08:", "T07:")
    # Of a name, the case alone: cards write it in lower case, and the change must show nevertheless.
    other_case: str = value.swapcase()
    return f"{value} indeed" if " " in value or other_case == value else other_case


@cache
def _of_field() -> dict[tuple[object, ...], list[str]]:
    """Return the first two words that stand in each field anywhere in the spec."""
    found: dict[tuple[object, ...], list[str]] = {}
    for steps, value in leaves(shipped()):
        if isinstance(value, str):
            words = found.setdefault(_field(steps), [])
            words += [value] if len(words) < 2 and value not in words and " " not in value else []
    return found


def _field(steps: Steps) -> tuple[object, ...]:
    """Return the section of a leaf and the member it is, or is an item of."""
    return (steps[0], next(step for step in reversed(steps) if isinstance(step, str)))


def loaded(document: Document, steps: Steps, value: Any) -> OperationSpec | None:
    """Return the spec in which one leaf is another, or null if the loader refuses whatever it is changed to."""
    holder = document.value
    for step in steps[:-1]:
        holder = holder[step]
    try:
        for other in others(steps, value):
            holder[steps[-1]] = other
            with suppress(SpecError):
                if steps[0] == "semantic_scenario":  # only this can refuse it, and is much faster
                    check_semantic_scenario(Place(document, (), document.value))
                return reloaded(document)
        return None
    finally:
        holder[steps[-1]] = value


if __name__ == "__main__":
    spec = shipped()
    passed = [pointer(*steps) for steps, value in leaves(spec) if loaded(spec, steps, value)]
    TABLE.write_text("".join(f"{each}\n" for each in passed), encoding="utf-8")
