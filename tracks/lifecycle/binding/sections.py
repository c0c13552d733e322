"""Which component each part of the spec belongs to, as a table; and the flat pointers that project it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ....errors import pointer
from ....runtime.core.plain import thaw
from .names import text_digest
from .variant_card import surfaces_of

SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "/schema": "operation_core_content",
        "/operation": "operation_core_content",
        "/operation/semantic_scenario_id": "semantic_scenario_content",
        "/privacy": "operation_core_content",
        "/provenance": "operation_core_content",
        "/clock": "operation_core_content",
        "/topology": "operation_core_content",
        "/roles": "operation_core_content",
        "/actors": "variant_content",
        "/policy": "operation_core_content",
        "/human_budget": "operation_core_content",
        "/human_budget/guidance": "scaffold_content",
        "/channels": "operation_core_content",
        "/message_fixtures": "variant_content",
        "/surface_fixtures": "variant_content",
        "/documents": "operation_core_content",
        "/schedules": "operation_core_content",
        "/state": "operation_core_content",
        "/retrieval": "operation_core_content",
        "/events": "operation_core_content",
        "/actions": "operation_core_content",
        "/actions/*/guidance": "scaffold_content",
        "/checkpoints": "operation_core_content",
        "/obligations": "operation_core_content",
        "/invariants": "operation_core_content",
        "/terminals": "operation_core_content",
        "/critical_failures": "operation_core_content",
        "/evaluator": "evaluator_bundle_content",
        "/semantic_scenario": "semantic_scenario_content",
        "/opening": "variant_content",
        "/variants": "variant_content",
    }
)
"""Part of the spec -> component (replay contract, section 4). A ``*`` stands for any one name. An entry below another
takes its part out of it. A new section of the spec must get an entry."""

WHOLE_ON_A_CARD = frozenset({"/semantic_scenario"})
"""What a card holds letter for letter, and so is projected through it alone. Of every other section a card leaves
something out: cards write names in lower case, and an agent sees them as they are."""

_Steps = tuple[str, ...]
_TABLE: Mapping[_Steps, str] = {tuple(entry[1:].split("/")): owner for entry, owner in SECTIONS.items()}


def owner_of_section(steps: tuple[str | int, ...]) -> str:
    """Return the component that owns a value of a spec.

    Args:
        steps: the keys and indexes that lead to it.

    Raises:
        KeyError: no entry covers it.
    """
    for length in range(len(steps), 0, -1):
        for entry, owner in _TABLE.items():
            if len(entry) == length and all(name in ("*", step) for name, step in zip(entry, steps, strict=False)):
                return owner
    raise KeyError(steps)


def spec_pointers(content: Mapping[str, Any], variant_id: str) -> dict[str, dict[str, Any]]:
    """Return what the spec itself says, by component: ``/spec/<section>`` -> its value but for what has its own entry.

    Of ``variants`` only one counts, and of the texts of events only those that it shows; texts of fixtures are
    represented by their digests.

    Args:
        content: the parsed content.
        variant_id: one of its variants.

    Raises:
        KeyError: there is no such variant, or the table does not know a section.
    """
    read = {**thaw(content), "surface_fixtures": surfaces_of(content, variant_id)}
    read["variants"] = {variant_id: read["variants"][variant_id]}
    for fixture in read["message_fixtures"].values():
        fixture["text"] = text_digest(fixture["text"])
    pointers: dict[str, dict[str, Any]] = {}
    for steps, owner in _most_specific_first():
        for place, value in list(_taken(read, steps)):
            at = pointer(*place)
            if at not in WHOLE_ON_A_CARD:
                pointers.setdefault(owner, {})[f"/spec{at}"] = value
    if read:
        raise KeyError(*read)
    return pointers


def _most_specific_first() -> Iterator[tuple[_Steps, str]]:
    yield from sorted(_TABLE.items(), key=lambda item: -len(item[0]))


def _taken(holder: dict[str, Any], steps: _Steps, place: _Steps = ()) -> Iterator[tuple[_Steps, Any]]:
    """Take out the values that an entry leads to, with their places."""
    for name in list(holder) if steps[0] == "*" else [steps[0]]:
        if len(steps) > 1:
            yield from _taken(holder[name], steps[1:], (*place, name))
        else:
            yield (*place, name), holder.pop(name)
