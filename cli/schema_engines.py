"""Asks one or two JSON Schema engines about a document, offline, without repeating its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import jsonschema
import jsonschema_rs
import referencing

from ..errors import escape, pointer
from ..identity import load_identity_manifest_projection_census_schema, load_identity_schema

_LOADERS: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {"manifest": load_identity_schema, "census": load_identity_manifest_projection_census_schema}
)
_MASK = "the value"


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a document breaks its schema.

    Attributes:
        path: JSON Pointer of the place.
        keyword: the schema keyword it breaks.
        message: what the engine says, without the value.
    """

    path: str
    keyword: str
    message: str

    def line(self) -> str:
        """Return the fault in one line."""
        return f"{self.path or 'the whole document'}: {self.keyword}: {self.message}"

    def to_json(self) -> dict[str, str]:
        """Return the fault as a fresh plain object."""
        return {"path": self.path, "keyword": self.keyword, "message": self.message}


@dataclass(frozen=True, slots=True)
class SchemaResult:
    """What the engines say.

    Attributes:
        schema: name of the schema.
        faults: all faults the compiled engine found, sorted by place.
        second_opinion: whether the second engine accepts the document; None if it was not asked.
    """

    schema: str
    faults: tuple[Fault, ...]
    second_opinion: bool | None

    @property
    def agreed(self) -> bool:
        """Whether no two engines disagree."""
        return self.second_opinion in (None, not self.faults)

    def verdict(self, file: str) -> list[str]:
        """Return the verdict in lines for people."""
        lines = [
            f"FAULTS: {file} breaks the {self.schema} schema; {len(self.faults)} found"
            if self.faults
            else f"OK: {file} keeps the {self.schema} schema; the schema is not the whole rule"
        ]
        if self.second_opinion is not None:
            words = {True: "accepts", False: "refuses"}
            said = f"jsonschema-rs {words[not self.faults]} and jsonschema {words[self.second_opinion]} the document"
            lines.append("second opinion: the same, from jsonschema" if self.agreed else f"DISAGREEMENT: {said}")
        return lines


def check_document(document: Any, schema: str, *, second_opinion: bool) -> SchemaResult:
    """Check an admitted document.

    Args:
        document: its value.
        schema: ``manifest`` or ``census``.
        second_opinion: whether to ask the second engine too.
    """
    rules = _LOADERS[schema]()
    compiled = jsonschema_rs.Draft202012Validator(rules, offline=True, mask=_MASK)
    found = sorted(compiled.iter_errors(document), key=_order)
    faults = tuple(_fault(each) for each in found)
    second = None
    if second_opinion:
        second = bool(jsonschema.Draft202012Validator(rules, registry=referencing.Registry()).is_valid(document))
    return SchemaResult(schema, faults, second)


def _order(error: jsonschema_rs.ValidationError) -> tuple[Any, ...]:
    # Array indices sort as numbers and before names; the schema's place settles which of several faults comes first.
    return (
        [(0, token, "") if isinstance(token, int) else (1, 0, token) for token in error.instance_path],
        [str(token) for token in error.schema_path],
        error.message,
    )


def _fault(error: jsonschema_rs.ValidationError) -> Fault:
    keyword = next((token for token in reversed(error.schema_path) if isinstance(token, str)), "")
    return Fault(pointer(*error.instance_path), keyword, escape(error.message))
