"""The wire form of records: always fresh plain dicts and lists (identity contract, section 9)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from ..errors import IdentityValidationError, describe
from .boundary import public
from .bundle import build_bundles, resolve_leaves
from .component import rebuild_component, record_fields
from .grammar import is_digest
from .records import ComponentIdentityV1, CompositeIdentityV1, thaw
from .refusal import refusal
from .registry import BUNDLES, COMPONENTS, COMPOSITE_IDENTITY_SCHEMA, IDENTITY_SCHEMA_VERSION
from .requirements import requirement_wire


def component_wire(record: ComponentIdentityV1) -> dict[str, Any]:
    """Return the eight-member wire object of a valid record as fresh plain dicts and lists."""
    return {
        "schema": record.schema,
        "schema_version": record.schema_version,
        "domain": record.domain,
        "content_digest_sha256": record.content_digest_sha256,
        "owned_fields": list(record.owned_fields),
        "owned_projection": thaw(record.owned_projection, ""),
        "excludes": [],
        "requires": [requirement_wire(requirement) for requirement in record.requires],
    }


def bundle_wire(record: CompositeIdentityV1) -> dict[str, Any]:
    """Return the five-member wire object of a valid record as a fresh plain dict."""
    return {
        "schema": record.schema,
        "schema_version": record.schema_version,
        "domain": record.domain,
        "members": list(record.members),
        "bundle_digest_sha256": record.bundle_digest_sha256,
    }


@public
def identity_to_json(
    identity: ComponentIdentityV1 | CompositeIdentityV1,
    *,
    resolved_member_identities: dict[str, ComponentIdentityV1]
    | MappingProxyType[str, ComponentIdentityV1]
    | None = None,
) -> dict[str, Any]:
    """Return the wire object of a component or composite record, after recomputing it.

    * A component record is rebuilt from its own fields; the resolver is ignored.
    * A composite record needs the exact resolver of its leaves; the bundle is recomputed from it and must be equal.
    * Nothing else has a wire form, a validated manifest included.

    Returns:
        New plain dicts and lists at every call.

    Raises:
        IdentityValidationError: ``record_type``, ``component_identity``, ``composite_identity``, ``leaf_closure`` or
            ``leaf_identity``.
    """
    if type(identity) is ComponentIdentityV1:
        name = record_fields(identity, ComponentIdentityV1, {"name": (str,)}, "component_identity", "record#")["name"]
        if name not in COMPONENTS:
            raise refusal("component_identity", "record#/name", "a registered component", name)
        return component_wire(rebuild_component(identity, name, "component_identity", "record#").record())
    if type(identity) is CompositeIdentityV1:
        return _composite_to_json(identity, resolved_member_identities)
    expected = "a ComponentIdentityV1 or CompositeIdentityV1"
    raise IdentityValidationError("record_type", expected=expected, actual=describe(identity))


_COMPOSITE_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "domain": (str,),
    "schema": (str,),
    "schema_version": (int,),
    "members": (tuple,),
    "bundle_digest_sha256": (str,),
}


def composite_fields(record: object, code: str, at: str) -> dict[str, Any]:
    """Return the fields of a composite record of exact class whose types, name and digest grammar are right.

    Raises:
        IdentityValidationError: ``code``.
    """
    fields = record_fields(record, CompositeIdentityV1, _COMPOSITE_TYPES, code, at)
    spec = BUNDLES.get(fields["name"])
    if spec is None:
        raise refusal(code, f"{at}/name", " or ".join(BUNDLES), fields["name"])
    members = fields["members"]
    if len(members) != len(spec.members) or any(type(member) is not str for member in members):
        expected = f"{len(spec.members)} names"
        raise refusal(code, f"{at}/members", expected, list(members))
    frozen = {
        "domain": spec.domain,
        "schema": COMPOSITE_IDENTITY_SCHEMA,
        "schema_version": IDENTITY_SCHEMA_VERSION,
        "members": spec.members,
    }
    for member, wanted in frozen.items():
        if fields[member] != wanted:
            expected = describe(list(wanted) if type(wanted) is tuple else wanted)
            raise refusal(code, f"{at}/{member}", expected, fields[member])
    if not is_digest(fields["bundle_digest_sha256"]):
        found = describe(fields["bundle_digest_sha256"])
        expected = "64 lowercase hexadecimal characters"
        raise IdentityValidationError(code, path=f"{at}/bundle_digest_sha256", expected=expected, actual=found)
    return fields


def _composite_to_json(record: CompositeIdentityV1, resolver: object) -> dict[str, Any]:
    fields = composite_fields(record, "composite_identity", "record#")
    spec = BUNDLES[fields["name"]]
    if resolver is None:
        expected = f"resolved_member_identities with the {len(spec.leaves)} leaves of {spec.name}"
        raise IdentityValidationError("leaf_closure", path="resolver#", expected=expected, actual="nothing")
    fresh = build_bundles(resolve_leaves(spec, resolver), "resolver#")[spec.name]
    if fields["bundle_digest_sha256"] != fresh.digest:
        raise refusal(
            "composite_identity", "record#/bundle_digest_sha256", describe(fresh.digest), fields["bundle_digest_sha256"]
        )
    return bundle_wire(fresh.record())
