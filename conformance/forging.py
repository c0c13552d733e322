"""Forged records: what a caller of the Python API can hand over although no function of the package made it."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

from ..errors import DocumentError, describe
from ..identity import ComponentIdentityV1, CompositeIdentityV1, RequirementV1, ValidatedIdentityManifest
from ..identity.records import freeze

_Kind = type[ComponentIdentityV1] | type[CompositeIdentityV1]
_MANIFEST_FIELDS = frozenset(field.name for field in dataclasses.fields(ValidatedIdentityManifest))


def with_fields(record: ComponentIdentityV1, fields: dict[str, Any]) -> ComponentIdentityV1:
    """Return a copy of ``record`` with some fields written over and nothing recomputed.

    Args:
        record: a genuine record.
        fields: field name -> value in wire form.

    Raises:
        DocumentError: ``vector_case`` for a name that is no field.
    """
    try:
        return dataclasses.replace(record, **{name: _field(name, value) for name, value in fields.items()})
    except TypeError:
        expected = "fields of a component identity"
        raise DocumentError("vector_case", path="/forge", expected=expected, actual=describe(list(fields))) from None


def manifest_record(wire: Any) -> Any:
    """Return the record that stands for a forged validated manifest.

    Args:
        wire: the manifest in wire form, edited; the order of its members is kept. A component record's ``name`` is the
            map key unless the edit gave it a member ``name``.

    Returns:
        A record. Where the edited form no longer has exactly the fields of a record, no record can hold it and its
        frozen value stands there instead; a root like that is returned as it is.
    """
    if type(wire) is not dict or wire.keys() != _MANIFEST_FIELDS:
        return wire
    return ValidatedIdentityManifest(
        schema=wire["schema"],
        schema_version=wire["schema_version"],
        components=_records(wire["components"], ComponentIdentityV1),
        composites=_records(wire["composites"], CompositeIdentityV1),
        compatibility_contract=_frozen(wire["compatibility_contract"]),
        manifest_digest_sha256=wire["manifest_digest_sha256"],
    )


def _records(wire: Any, kind: _Kind) -> Any:
    if type(wire) is not dict:
        return _frozen(wire)
    return MappingProxyType({name: _record(name, value, kind) for name, value in wire.items()})


def _record(name: Any, wire: Any, kind: _Kind) -> Any:
    if type(wire) is not dict:
        return _frozen(wire)
    fields = {"name": name, **wire}
    if fields.keys() != {field.name for field in dataclasses.fields(kind)}:
        return _frozen(wire)
    return kind(**{field: _field(field, value) for field, value in fields.items()})


def _frozen(value: Any) -> Any:
    """Freeze a value as records do; one that is cyclic, or too deep for that, stays as it is."""
    try:
        return freeze(value)
    except RecursionError:
        return value


def _field(name: str, value: Any) -> Any:
    """Freeze a field's value; rows of ``requires`` become requirement records where they have exactly their members."""
    if name == "requires" and type(value) is list:
        return tuple(map(_requirement, value))
    return _frozen(value)


def _requirement(row: Any) -> Any:
    if type(row) is dict and row.keys() == {"component", "compatible"}:
        return RequirementV1(row["component"], _frozen(row["compatible"]))
    return _frozen(row)
