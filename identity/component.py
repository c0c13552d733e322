"""Builds the identity of one component, and rebuilds component records that come from outside (section 8.1 and 8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from ..errors import IdentityValidationError, describe, pointer
from .admission import Admitted, admit, require_limits
from .boundary import public
from .canonical import Canonical, array, mapping, scalar
from .grammar import is_field_path, is_name
from .profile import IDENTITY_PROFILE, MAX_IDENTITY_STRING_BYTES
from .records import ComponentIdentityV1, RequirementV1, bounded_members, freeze, thaw
from .refusal import refusal
from .registry import (
    COMPONENT_IDENTITY_SCHEMA,
    COMPONENTS,
    IDENTITY_SCHEMA_VERSION,
    ComponentSpec,
)
from .requirements import (
    DIGEST_MISMATCH,
    UNKNOWN_PREDICATE,
    VERSION_OUT_OF_RANGE,
    registered_requirements,
    requirements_canonical,
    unmet,
)

MAX_COMPONENT_IDENTITY_NODES = 5_600
MAX_COMPONENT_IDENTITY_BYTES = 336 * 1024
MAX_OWNED_PROJECTION_FIELDS = 4_096

COMPONENT_KEYS = (
    "schema",
    "schema_version",
    "domain",
    "content_digest_sha256",
    "owned_fields",
    "owned_projection",
    "excludes",
    "requires",
)

VERSION = scalar(IDENTITY_SCHEMA_VERSION)
_COMPONENT_SCHEMA = scalar(COMPONENT_IDENTITY_SCHEMA)
_NOTHING_EXCLUDED = array(())


@dataclass(frozen=True, slots=True)
class BuiltComponent:
    """A component identity that this call has built itself and need not check again.

    Attributes:
        spec: its registry entry.
        digest: its content digest.
        projection: the normalized projection; it may share objects with the caller until :meth:`record` freezes it.
        requires: its requirements.
        members: wire member name -> canonical bytes.
        identity: the whole wire record, composed of the members.
    """

    spec: ComponentSpec
    digest: str
    projection: dict[str, Any]
    requires: tuple[RequirementV1, ...]
    members: Mapping[str, Canonical]
    identity: Canonical

    def record(self) -> ComponentIdentityV1:
        """Return the detached, recursively frozen record."""
        paths = sorted(self.projection)
        return ComponentIdentityV1(
            name=self.spec.name,
            domain=self.spec.domain,
            schema=COMPONENT_IDENTITY_SCHEMA,
            schema_version=IDENTITY_SCHEMA_VERSION,
            content_digest_sha256=self.digest,
            owned_fields=tuple(paths),
            owned_projection=freeze({path: self.projection[path] for path in paths}),
            excludes=(),
            requires=self.requires,
        )


def content_digest(domain: str, schema: Canonical, content: Canonical, at: str) -> str:
    """Return the SHA-256 over the three-member wrapper ``{domain, schema, content}`` (section 7).

    Raises:
        IdentityValidationError: ``resource_limits`` if the wrapper is over the document limits.
    """
    wrapper = mapping({"domain": scalar(domain), "schema": schema, "content": content})
    require_limits(wrapper, IDENTITY_PROFILE, at)
    return wrapper.sha256()


def projection_digest(name: str, owned_projection: object, at: str) -> str:
    """Return the content digest of a component with this projection, whatever it requires (section 7).

    Raises:
        IdentityValidationError: ``projection_shape``, ``strict_json``, ``field_path`` or ``resource_limits``.
    """
    projection = admit_projection(owned_projection, at)
    return content_digest(COMPONENTS[name].domain, _COMPONENT_SCHEMA, projection.canonical, at)


def require_field_paths(paths: Iterable[str], at: str) -> None:
    """Refuse a projection name that is no field path.

    Raises:
        IdentityValidationError: ``field_path``.
    """
    for path in paths:
        if not is_field_path(path):
            expected = "'/'-led tokens, none empty, '~' only as ~0 or ~1, no '*', at most 1,024 characters"
            raise refusal("field_path", at + pointer(path), expected, path)


def build_component(
    spec: ComponentSpec, projection: Admitted, requires: tuple[RequirementV1, ...], at: str
) -> BuiltComponent:
    """Build the identity of a component from an admitted projection whose names are field paths (8.1, steps 6 and 7).

    Raises:
        IdentityValidationError: ``resource_limits`` if the digest wrapper is over the document limits or the complete
            identity over 5,600 nodes or 344,064 bytes.
    """
    digest = content_digest(spec.domain, _COMPONENT_SCHEMA, projection.canonical, at)
    paths = orjson.dumps(sorted(projection.value))
    members = {
        "content_digest_sha256": scalar(digest),
        "domain": scalar(spec.domain),
        "excludes": _NOTHING_EXCLUDED,
        "owned_fields": Canonical((paths,), len(paths), 1 + len(projection.value), 1),
        "owned_projection": projection.canonical,
        "requires": requirements_canonical(requires),
        "schema": _COMPONENT_SCHEMA,
        "schema_version": VERSION,
    }
    identity = mapping(members)
    for measure, found, limit in (
        ("nodes", identity.nodes, MAX_COMPONENT_IDENTITY_NODES),
        ("bytes", identity.size, MAX_COMPONENT_IDENTITY_BYTES),
    ):
        if found > limit:
            expected = f"at most {limit} {measure} in the complete identity of {spec.name}"
            raise IdentityValidationError("resource_limits", path=at, expected=expected, actual=f"{found} {measure}")
    return BuiltComponent(spec, digest, projection.value, requires, members, identity)


@public
def recompute_component(name: str, owned_projection: dict[str, Any], requires: list[Any]) -> ComponentIdentityV1:
    """Compute the identity of one component (section 8.1).

    Rules, in the order in which they are checked:

    * ``name`` is a registered component;
    * ``requires`` has exactly the registered rows, in order, each well formed; whether they are satisfied is not asked;
    * ``owned_projection`` is a flat plain dict of at most 4,096 fields, strict JSON, each name a field path; empty is
      legal;
    * the complete identity is within 5,600 nodes and 344,064 bytes.

    Args:
        name: registered component name.
        owned_projection: field path -> JSON value.
        requires: wire rows ``{component, compatible}``.

    Returns:
        A detached, frozen record.

    Raises:
        IdentityValidationError: ``name``, ``requirement_shape``, ``projection_shape``, ``strict_json``, ``field_path``
            or ``resource_limits``.
    """
    spec = component_spec(name)
    if type(requires) is not list:
        raise refusal("requirement_shape", "requires#", "an array", requires)
    rows = registered_requirements(spec, requires, "requires#")
    return build_component(spec, admit_projection(owned_projection, "projection#"), rows, "projection#").record()


def require_satisfied(components: Mapping[str, BuiltComponent], at: str) -> None:
    """Refuse the first requirement, in registry order, that its target does not meet (section 11, step 13).

    Args:
        components: all eleven, freshly built.
        at: the place of the components map.

    Raises:
        IdentityValidationError: ``requirement_digest``, ``requirement_range`` or ``requirement_named``.
    """
    for name in COMPONENTS:
        for index, requirement in enumerate(components[name].requires):
            digest = components[requirement.component].digest
            for reason in unmet(requirement, digest):
                code, member, expected = {
                    DIGEST_MISMATCH: ("requirement_digest", "content_digest_sha256", describe(digest)),
                    VERSION_OUT_OF_RANGE: ("requirement_range", "minimum_schema_version", str(IDENTITY_SCHEMA_VERSION)),
                    UNKNOWN_PREDICATE: ("requirement_named", "predicate", "no named predicate"),
                }[reason]
                place = f"{at}/{name}/requires/{index}/compatible/{member}"
                raise refusal(code, place, expected, requirement.compatible[member])


def component_spec(name: object) -> ComponentSpec:
    """Return the registry entry of a component name.

    Raises:
        IdentityValidationError: ``name``; ``resource_limits`` over 1 MiB.
    """
    return COMPONENTS[require_registered(name, COMPONENTS)]


def admit_projection(projection: object, at: str) -> Admitted:
    """Admit a flat projection: plain dict of at most 4,096 fields, strict JSON, names field paths (8.1, steps 3 to 5).

    Raises:
        IdentityValidationError: ``projection_shape``, ``strict_json``, ``resource_limits`` or ``field_path``.
    """
    if type(projection) is not dict or len(projection) > MAX_OWNED_PROJECTION_FIELDS:
        expected = f"a plain object of at most {MAX_OWNED_PROJECTION_FIELDS} fields"
        raise refusal("projection_shape", at, expected, projection)
    for path in projection:
        if type(path) is not str:
            raise refusal("projection_shape", at, "names of exact text", path)
    admitted = admit(projection, at=at)
    require_field_paths(admitted.value, at)
    return admitted


def rebuild_component(record: object, name: str, code: str, at: str) -> BuiltComponent:
    """Rebuild a component record that comes from outside and must be the valid identity of ``name`` (section 8.2).

    Raises:
        IdentityValidationError: ``code``, at the member that is wrong.
    """
    try:
        return _rebuild(record, name, code, at)
    except IdentityValidationError as fault:
        if fault.code == code:
            raise
        raise IdentityValidationError(code, path=fault.path, expected=fault.expected, actual=fault.actual) from None


def _rebuild(record: object, name: str, code: str, at: str) -> BuiltComponent:
    fields = record_fields(record, ComponentIdentityV1, _COMPONENT_TYPES, code, at)
    spec = COMPONENTS[name]

    def require(member: str, fits: bool, expected: str) -> None:
        if not fits:
            raise refusal(code, f"{at}/{member}", expected, fields[member])

    require(
        "owned_fields",
        len(fields["owned_fields"]) <= MAX_OWNED_PROJECTION_FIELDS,
        f"at most {MAX_OWNED_PROJECTION_FIELDS} paths",
    )
    require("excludes", not fields["excludes"], "nothing")
    require("requires", len(fields["requires"]) == len(spec.requires), f"{len(spec.requires)} rows")
    require("name", fields["name"] == name, describe(name))
    require("domain", fields["domain"] == spec.domain, describe(spec.domain))
    require("schema", fields["schema"] == COMPONENT_IDENTITY_SCHEMA, describe(COMPONENT_IDENTITY_SCHEMA))
    require("schema_version", fields["schema_version"] == IDENTITY_SCHEMA_VERSION, str(IDENTITY_SCHEMA_VERSION))
    rows = [_thawed_row(row, code, f"{at}/requires/{index}") for index, row in enumerate(fields["requires"])]
    requires = registered_requirements(spec, rows, f"{at}/requires")
    projection = admit_projection(thaw(fields["owned_projection"], f"{at}/owned_projection"), f"{at}/owned_projection")
    built = build_component(spec, projection, requires, at)
    require("content_digest_sha256", fields["content_digest_sha256"] == built.digest, describe(built.digest))
    paths = sorted(projection.value)
    same = len(paths) == len(fields["owned_fields"]) and all(
        type(found) is str and found == path for found, path in zip(fields["owned_fields"], paths, strict=True)
    )
    require("owned_fields", same, "the paths of the projection, in code-point order")
    return built


_COMPONENT_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "name": (str,),
        "domain": (str,),
        "schema": (str,),
        "schema_version": (int,),
        "content_digest_sha256": (str,),
        "owned_fields": (tuple,),
        "owned_projection": (dict, MappingProxyType),
        "excludes": (tuple,),
        "requires": (tuple,),
    }
)
_ROW_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {"component": (str,), "compatible": (dict, MappingProxyType)}
)


def _thawed_row(row: object, code: str, at: str) -> dict[str, Any]:
    fields = record_fields(row, RequirementV1, _ROW_TYPES, code, at)
    return {
        "component": fields["component"],
        "compatible": bounded_members(fields["compatible"], 3, f"{at}/compatible"),
    }


def record_fields(
    record: object, kind: type, types: Mapping[str, tuple[type, ...]], code: str, at: str
) -> dict[str, Any]:
    """Return the fields of a record of exactly class ``kind`` whose fields are of exactly the given classes.

    Raises:
        IdentityValidationError: ``code``.
    """
    if type(record) is not kind:
        raise refusal(code, at, f"exactly a {kind.__name__}", record)
    fields: dict[str, Any] = {}
    for field, classes in types.items():
        value = getattr(record, field, None)
        if not any(type(value) is allowed for allowed in classes):
            expected = " or ".join(allowed.__name__ for allowed in classes)
            raise refusal(code, f"{at}/{field}", expected, value)
        fields[field] = value
    return fields


def require_registered(name: object, registry: Mapping[str, Any]) -> str:
    """Return ``name`` if it is a name of ``registry``.

    Raises:
        IdentityValidationError: ``name``; ``resource_limits`` over 1 MiB.
    """
    if type(name) is str and len(name) > MAX_IDENTITY_STRING_BYTES:
        expected = f"a name of at most {MAX_IDENTITY_STRING_BYTES} bytes"
        raise refusal("resource_limits", "name#", expected, name)
    if type(name) is not str or not is_name(name) or name not in registry:
        raise refusal("name", "name#", " or ".join(registry), name)
    return name
