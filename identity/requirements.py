"""Requirement rows: their shape, their canonical form, and whether one is met (identity contract, 3, 8.1 and 12)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from ..errors import IdentityValidationError, describe
from .canonical import Canonical, encode
from .grammar import is_digest, is_name, is_predicate
from .profile import IDENTITY_PROFILE, MAX_IDENTITY_STRING_BYTES, MAX_INTEROPERABLE_INTEGER
from .records import RequirementV1
from .refusal import refusal
from .registry import COMPONENTS, IDENTITY_SCHEMA_VERSION, REQUIREMENT_KINDS, ComponentSpec

UNKNOWN_PREDICATE: Final = "unknown_named_requirement_predicate"
MISSING_COMPONENT: Final = "missing_component"
DIGEST_MISMATCH: Final = "content_digest_mismatch"
VERSION_OUT_OF_RANGE: Final = "schema_version_out_of_range"

REQUIREMENT_EVALUATION_REASON_ORDER: Final = (
    UNKNOWN_PREDICATE,
    MISSING_COMPONENT,
    DIGEST_MISMATCH,
    VERSION_OUT_OF_RANGE,
)
"""Every reason of the evaluator, in the order in which it gives them."""

_ROW_KEYS = ("component", "compatible")


def registered_requirements(spec: ComponentSpec, rows: list[Any], at: str) -> tuple[RequirementV1, ...]:
    """Read the rows of one component: their number first, then each row, then that they name its dependencies in order.

    Raises:
        IdentityValidationError: ``requirement_shape``; ``resource_limits`` for a predicate over 1 MiB.
    """
    if len(rows) != len(spec.requires):
        raise _shape(at, f"{len(spec.requires)} rows, the dependencies of {spec.name}", f"{len(rows)} rows")
    requirements = tuple(read_requirement(row, f"{at}/{index}") for index, row in enumerate(rows))
    for index, (requirement, wanted) in enumerate(zip(requirements, spec.requires, strict=True)):
        if requirement.component != wanted:
            raise _shape(f"{at}/{index}/component", describe(wanted), describe(requirement.component))
    return requirements


def read_requirement(row: object, at: str, *, registered: bool = False) -> RequirementV1:
    """Read one ``{component, compatible}`` row.

    Args:
        row: the wire row.
        at: its place.
        registered: whether the component must be a registered one; that is checked before ``compatible`` is looked at.

    Raises:
        IdentityValidationError: ``requirement_shape``, ``requirement_component``; ``resource_limits`` for a predicate
            over 1 MiB.
    """
    members = _exact_members(row, _ROW_KEYS, at)
    component = members["component"]
    if not is_name(component):
        raise _shape(f"{at}/component", "a namespaced name", describe(component))
    if registered and component not in COMPONENTS:
        raise refusal("requirement_component", f"{at}/component", "a component name", component)
    compatible = members["compatible"]
    place = f"{at}/compatible"
    # Names are checked before "kind" is looked up: a look-up may compare it with a foreign name.
    if not has_text_names(compatible) or "kind" not in compatible:
        raise _shape(place, "an object with a kind", describe(compatible))
    kind = compatible["kind"]
    if type(kind) is not str or kind not in REQUIREMENT_KINDS:
        raise _shape(f"{place}/kind", " or ".join(REQUIREMENT_KINDS), describe(kind))
    fields = _exact_members(compatible, ("kind", *REQUIREMENT_KINDS[kind]), place)
    return RequirementV1(component, MappingProxyType(_READERS[kind](fields, place)))


def requirements_canonical(requirements: tuple[RequirementV1, ...]) -> Canonical:
    """Return the canonical array of wire rows."""
    data = encode([requirement_wire(requirement) for requirement in requirements], IDENTITY_PROFILE)
    # A row is two objects, the name of the component, and the members of its compatible object.
    nodes = 1 + sum(3 + len(requirement.compatible) for requirement in requirements)
    return Canonical((data,), len(data), nodes, 3 if requirements else 1)


def requirement_wire(requirement: RequirementV1) -> dict[str, Any]:
    """Return the wire row as fresh plain dicts."""
    return {"component": requirement.component, "compatible": dict(requirement.compatible)}


def unmet(requirement: RequirementV1, target_digest: str | None) -> tuple[str, ...]:
    """Return why a component does not meet a well-formed requirement; nothing if it does.

    Args:
        requirement: the row.
        target_digest: content digest of the component it names, or None if that is not there. No schema version is
            asked for: every component of version 1 has version 1.

    Returns:
        Reasons in the order of :data:`REQUIREMENT_EVALUATION_REASON_ORDER`.
    """
    compatible = requirement.compatible
    named = compatible["kind"] == "named_predicate"
    if target_digest is None:
        return (UNKNOWN_PREDICATE, MISSING_COMPONENT) if named else (MISSING_COMPONENT,)
    if named:  # version 1 knows no predicate at all
        return (UNKNOWN_PREDICATE,)
    if compatible["kind"] == "exact_digest":
        return () if compatible["content_digest_sha256"] == target_digest else (DIGEST_MISMATCH,)
    inside = compatible["minimum_schema_version"] <= IDENTITY_SCHEMA_VERSION <= compatible["maximum_schema_version"]
    return () if inside else (VERSION_OUT_OF_RANGE,)


def has_text_names(value: object) -> bool:
    """Tell whether ``value`` is an exact dict whose names are all exact text, without running a hook of any of them."""
    return type(value) is dict and all(type(name) is str for name in value)


def _exact_members(value: object, keys: tuple[str, ...], at: str) -> dict[str, Any]:
    if (
        type(value) is not dict
        or len(value) != len(keys)
        or not has_text_names(value)
        or any(key not in value for key in keys)
    ):
        raise _shape(at, f"an object of exactly {', '.join(keys)}", _member_names(value))
    return value


def _member_names(value: object) -> str:
    """Describe an object by its member names when there are few of them and all are text."""
    if type(value) is dict and 0 < len(value) <= 8 and has_text_names(value):
        return "an object of " + ", ".join(describe(name[:40]) for name in value)
    return describe(value)


def _read_exact_digest(fields: dict[str, Any], at: str) -> dict[str, Any]:
    digest = fields["content_digest_sha256"]
    if not is_digest(digest):
        raise _shape(f"{at}/content_digest_sha256", "64 lowercase hexadecimal characters", describe(digest))
    return {"kind": "exact_digest", "content_digest_sha256": digest}


def _read_range(fields: dict[str, Any], at: str) -> dict[str, Any]:
    lowest = _read_version(fields["minimum_schema_version"], f"{at}/minimum_schema_version")
    highest = _read_version(fields["maximum_schema_version"], f"{at}/maximum_schema_version")
    if lowest > highest:
        raise _shape(f"{at}/maximum_schema_version", f"at least the minimum, {lowest}", str(highest))
    return {"kind": "closed_schema_version_range", "minimum_schema_version": lowest, "maximum_schema_version": highest}


def _read_named(fields: dict[str, Any], at: str) -> dict[str, Any]:
    predicate = fields["predicate"]
    if type(predicate) is str and len(predicate) > MAX_IDENTITY_STRING_BYTES:
        expected = f"text of at most {MAX_IDENTITY_STRING_BYTES} UTF-8 bytes"
        raise refusal("resource_limits", f"{at}/predicate", expected, predicate)
    if not is_predicate(predicate):
        raise _shape(f"{at}/predicate", "a namespaced name with a dot", describe(predicate))
    version = _read_version(fields["predicate_version"], f"{at}/predicate_version")
    return {"kind": "named_predicate", "predicate": predicate, "predicate_version": version}


_READERS = {
    "exact_digest": _read_exact_digest,
    "closed_schema_version_range": _read_range,
    "named_predicate": _read_named,
}


def _read_version(value: object, at: str) -> int:
    """Return a version from 1 to 2**53 - 1, an integral float as the integer it equals."""
    if type(value) is float and value.is_integer() and 1 <= value <= MAX_INTEROPERABLE_INTEGER:
        return int(value)
    if type(value) is int and 1 <= value <= MAX_INTEROPERABLE_INTEGER:
        return value
    raise _shape(at, f"an integer from 1 to {MAX_INTEROPERABLE_INTEGER}", describe(value))


def _shape(at: str, expected: str, actual: str) -> IdentityValidationError:
    return IdentityValidationError("requirement_shape", path=at, expected=expected, actual=actual)
