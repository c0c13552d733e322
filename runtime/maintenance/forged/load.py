"""Reads the files of forged records: strict YAML, closed mappings, a closed set of edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ..spec.forms import Form, Place, anything, listing, matching, record, require_unique, tagged, text, word
from ..spec.yaml import read_yaml

_CODE = matching(r"[A-Z][A-Z0-9_]*", "a code of capitals, digits and underscores")
_NAME = matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_POINTER = matching(r"(?:/[^/]+)+", "a JSON Pointer below the root")


def _fields(place: Place) -> None:
    """Fields and their values."""
    if type(place.value) is not dict:
        raise place.refuse("wrong_type", "a mapping")


_EDITS: Mapping[str, Mapping[str, Form]] = MappingProxyType(
    {
        "append_state": {"pointer": _POINTER, "value": anything},
        "copy_row": {"row": _fields, "after": _fields},
        "drop_event": {"event": _fields},
        "drop_row": {"row": _fields},
        "drop_state": {"pointer": _POINTER},
        "insert_row": {"after": _fields, "record_type": _NAME, "payload": _fields},
        "move_row": {"row": _fields, "after": _fields},
        "replace_row": {"row": _fields, "value": anything},
        "set_event": {"event": _fields, "pointer": _POINTER, "value": anything},
        "set_outcome": {"pointer": _POINTER, "value": anything},
        "set_row": {"row": _fields, "pointer": _POINTER, "value": anything},
        "set_state": {"pointer": _POINTER, "value": anything},
    }
)
_EDIT = tagged("edit", {name: record({"edit": word(name), **members}) for name, members in _EDITS.items()})
_FORGERY = record(
    {
        "forgery_id": _NAME,
        "variant_id": text,
        "agent_id": _NAME,
        "lie": text,
        "edits": listing(_EDIT),
        "expected_failed_dimensions": listing(_NAME, at_least=1, unique=True),
        "required_finding_codes": listing(_CODE, at_least=1, unique=True),
    },
    {"renumbered": word("no"), "reproduction": word("missing", "differs")},
)
_FORGERIES = record(
    {
        "schema": word("operatebench.forged_records.v1"),
        "provenance": text,
        "forgeries": listing(_FORGERY, at_least=1),
    }
)


@dataclass(frozen=True, slots=True)
class Forgery:
    """An edited record, and what must be found in it.

    Attributes:
        forgery_id: what it is called.
        variant_id: the variant of the honest run.
        agent_id: the agent of the honest run.
        lie: what the forger wants believed, for people.
        edits: applied in order. ``row``, ``event`` and ``after`` say which one by fields and their values; ``nth``,
            from 0 or from the end, picks among several.
        renumbered: whether the forger numbers the rows anew.
        reproduction: ``agrees``, ``differs`` or ``missing``.
        expected_failed_dimensions: exactly those that fail, in the order of the vector.
        required_finding_codes: exactly those found, sorted.
    """

    forgery_id: str
    variant_id: str
    agent_id: str
    lie: str
    edits: tuple[Mapping[str, Any], ...]
    renumbered: bool
    reproduction: str
    expected_failed_dimensions: tuple[str, ...]
    required_finding_codes: tuple[str, ...]


def read_forgeries(data: bytes, name: str) -> tuple[Forgery, ...]:
    """Read a file of forged records.

    Args:
        data: the file's bytes.
        name: what refusals call the file.

    Raises:
        SpecError: the file breaks a rule; the path is file, line and field.
    """
    document = read_yaml(data, name)
    root = Place(document, (), document.value)
    _FORGERIES(root)
    places = list(root["forgeries"])
    require_unique(root["forgeries"], [place["forgery_id"] for place in places])
    return tuple(_forgery(place.value) for place in places)


@cache
def load_forgeries() -> tuple[Forgery, ...]:
    """Return the forged records that come with the pack: a file for each dimension that is attacked, by name.

    Raises:
        SpecError: a packaged file is damaged.
    """
    packaged = (file for file in files(__package__).iterdir() if file.name.endswith(".yaml"))
    return tuple(
        forgery
        for file in sorted(packaged, key=lambda file: file.name)
        for forgery in read_forgeries(file.read_bytes(), file.name)
    )


def _forgery(value: Mapping[str, Any]) -> Forgery:
    return Forgery(
        forgery_id=value["forgery_id"],
        variant_id=value["variant_id"],
        agent_id=value["agent_id"],
        lie=value["lie"],
        edits=tuple(MappingProxyType(edit) for edit in value["edits"]),
        renumbered="renumbered" not in value,
        reproduction=value.get("reproduction", "agrees"),
        expected_failed_dimensions=tuple(value["expected_failed_dimensions"]),
        required_finding_codes=tuple(sorted(value["required_finding_codes"])),
    )
