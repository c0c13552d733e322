"""The shipped spec, taken apart: its leaves and containers, and what the loader says of it after one edit."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from operatebench.errors import SpecError, pointer
from operatebench.runtime.maintenance.spec.forms import Place
from operatebench.runtime.maintenance.spec.load import PACKAGED, check_document
from operatebench.runtime.maintenance.spec.scenario import check_semantic_scenario
from operatebench.runtime.maintenance.spec.yaml import Document, read_yaml

Steps = tuple[str | int, ...]
MISSING = object()

SHIPPED = files("operatebench.runtime.maintenance.spec").joinpath(PACKAGED).read_bytes()


def shipped() -> Document:
    """Return the shipped file as a fresh document."""
    return read_yaml(SHIPPED, PACKAGED)


def values(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every value of a document with the steps that lead to it, the root first."""
    yield steps, value
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from values(value[step], (*steps, step))


def is_leaf(value: Any) -> bool:
    """Tell whether a value holds no other: scalars and empty containers."""
    return not isinstance(value, dict | list) or not value


def edited(document: Document, steps: Steps, value: Any) -> SpecError | None:
    """Return the refusal of a document in which one value is another, or missing; the document is put back."""
    holder = document.value
    for step in steps[:-1]:
        holder = holder[step]
    kept = dict(holder) if isinstance(holder, dict) else list(holder)
    lines = document.lines
    if value is MISSING:
        del holder[steps[-1]]
        lines = dict(lines)
        lines.pop(pointer(*steps), None)
    else:
        holder[steps[-1]] = value
    try:
        _check(Document(document.name, document.value, lines), steps)
    except SpecError as refusal:
        return refusal
    else:
        return None
    finally:
        holder.clear()
        holder.update(kept) if isinstance(holder, dict) else holder.extend(kept)


def _check(document: Document, steps: Steps) -> None:
    """Check all of a document, or only its scenario where nothing else can have changed: that is much faster."""
    if len(steps) > 1 and steps[0] == "semantic_scenario":
        check_semantic_scenario(Place(document, (), document.value))
    else:
        check_document(document)


def place(document: Document, *steps: str | int) -> str:
    """Return file, line and field of a value."""
    return f"{document.name}:{document.lines[pointer(*steps)]} {pointer(*steps)}"
