"""The manifest validator: recomputes a manifest from independent projections (identity contract, section 11)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from ..errors import IdentityValidationError, describe, pointer
from .admission import Admitted, admit, require_limits
from .boundary import public
from .bundle import BuiltBundle, build_bundles
from .canonical import Canonical, encode, mapping
from .census import read_census, require_manifest_scope
from .compare import refuse_difference
from .component import (
    COMPONENT_KEYS,
    BuiltComponent,
    build_component,
    require_field_paths,
    require_satisfied,
)
from .document import COMPATIBILITY_CONTRACT, SELF_DIGEST, manifest_digest, require_manifest_header
from .profile import IDENTITY_PROFILE
from .records import ValidatedIdentityManifest, freeze
from .refusal import refusal
from .registry import BUNDLES, COMPONENTS, IDENTITY_MANIFEST_SCHEMA, IDENTITY_SCHEMA_VERSION, compatibility_contract
from .requirements import registered_requirements

_ROOT_WIDTHS = {"manifest": (6,), "census": (4, 5), "projections": (11,)}


@public
def validate_identity_manifest(
    manifest: dict[str, Any], field_census: dict[str, Any], owned_projections: dict[str, Any]
) -> ValidatedIdentityManifest:
    """Recompute a manifest from projections that were derived without it; refuse it unless everything is equal.

    Rules, in the order in which they are checked:

    1. the three roots are plain dicts, 2. of 6, 4 or 5, and 11 members, 3. of strict JSON within the document limits
       (integral floats become integers here), 4. whose maps have the registered widths;
    5. a B1 card census is refused by name; 6. the census is well formed;
    7. the manifest's keys, schema and version, 8. its two maps and their names, 9. the frozen compatibility contract,
       10. the names of the projections;
    11. census, independent projection and serialized component agree, component by component;
    12. every component record is equal to the one recomputed from the independent projection;
    13. every requirement is met; 14. both bundles and 15. the self-digest are equal to the recomputed ones.

    Args:
        manifest: the manifest document.
        field_census: the manifest-projection census.
        owned_projections: component name -> flat projection, for exactly the eleven components.

    Returns:
        A frozen record of fresh values; later changes of the arguments cannot reach it.

    Raises:
        IdentityValidationError: the code of the first rule that is broken, with path, expected and actual.
    """
    _require_roots(manifest, field_census, owned_projections)
    document = admit(manifest, at="manifest#").value
    census = admit(field_census, at="census#").value
    projections = _admit_projections(owned_projections)
    _require_widths(document, census, projections)
    require_manifest_scope(census)
    owned = read_census(census)
    require_manifest_header(document)
    _require_maps(document)
    contract = document["compatibility_contract"]
    _require_members("compatibility_contract", "manifest#/compatibility_contract", contract, COMPATIBILITY_CONTRACT)
    _require_names(projections, COMPONENTS, "projections#")
    serialized = document["components"]
    for name, paths in owned.items():
        _join(name, paths, projections[name], serialized[name])
    components = {name: _recompute(name, projections[name], serialized[name]) for name in COMPONENTS}
    require_satisfied(components, "manifest#/components")
    bundles = build_bundles(components, "manifest#/composites")
    for name, bundle in bundles.items():
        place = f"manifest#/composites/{name}"
        _require_members("composite_identity", place, document["composites"][name], bundle.members)
    digest = manifest_digest(components, bundles)
    if document[SELF_DIGEST] != digest:
        raise refusal("manifest_digest", f"manifest#/{SELF_DIGEST}", describe(digest), document[SELF_DIGEST])
    return _record(components, bundles, digest)


def _require_roots(manifest: object, census: object, projections: object) -> None:
    roots = {"manifest": manifest, "census": census, "projections": projections}
    for name, root in roots.items():
        if type(root) is not dict:
            raise refusal("root_type", f"{name}#", "a plain object", root)
    for name, widths in _ROOT_WIDTHS.items():
        root = roots[name]
        if type(root) is dict and len(root) not in widths:
            raise refusal("root_cardinality", f"{name}#", f"{' or '.join(map(str, widths))} members", root)


def _admit_projections(root: dict[Any, Any]) -> dict[str, Admitted]:
    """Admit the projections one by one, so that each has its own bytes; the document limits hold for all together."""
    for name in root:
        if type(name) is not str:
            raise refusal("strict_json", "projections#", "a member name of exact text", name)
    admit(dict.fromkeys(root), at="projections#")
    projections = {name: admit(value, at="projections#" + pointer(name)) for name, value in root.items()}
    whole = mapping({name: projection.canonical for name, projection in projections.items()})
    require_limits(whole, IDENTITY_PROFILE, "projections#")
    return projections


# That entries and projections are within 4,096 is settled by then: no admitted container is wider.
def _require_widths(manifest: dict[str, Any], census: dict[str, Any], projections: dict[str, Admitted]) -> None:
    for member, registry in (("components", COMPONENTS), ("composites", BUNDLES)):
        records = manifest.get(member)
        if type(records) is dict and len(records) != len(registry):
            raise refusal("map_cardinality", f"manifest#/{member}", f"{len(registry)} records", records)
    owners = census.get("owners")
    if type(owners) is list and len(owners) != len(COMPONENTS):
        raise refusal("map_cardinality", "census#/owners", f"{len(COMPONENTS)} names", owners)
    for name in COMPONENTS:
        if name not in projections:
            continue
        projection = projections[name].value
        if type(projection) is not dict:
            raise refusal("projection_shape", f"projections#/{name}", "a plain object", projection)


def _require_maps(manifest: dict[str, Any]) -> None:
    for member in ("components", "composites"):
        if type(manifest[member]) is not dict:
            raise refusal("map_type", f"manifest#/{member}", "an object", manifest[member])
    _require_names(manifest["components"], COMPONENTS, "manifest#/components")
    _require_names(manifest["composites"], BUNDLES, "manifest#/composites")


def _require_names(records: Mapping[str, Any], registry: Mapping[str, Any], at: str) -> None:
    odd = next((name for name in records if name not in registry), None)
    if odd is not None:
        raise refusal("map_names", at, "exactly the registered names", odd)


def _join(name: str, paths: list[str], projection: Admitted, serialized: object) -> None:
    """Refuse unless census, independent projection and serialized component hold the same fields and values."""
    found = sorted(projection.value)
    if found != paths:
        require_field_paths(found, f"projections#/{name}")
        odd = min(set(found) ^ set(paths))
        expected = "a path that the census gives to this owner" if odd in projection.value else "a value for this path"
        actual = "a path without census row" if odd in projection.value else "a census row without value"
        place = f"projections#/{name}{pointer(odd)}"
        raise IdentityValidationError("ownership_join", path=place, expected=expected, actual=actual)
    at = f"manifest#/components/{name}"
    if type(serialized) is not dict:
        raise refusal("component_identity", at, "an object", serialized)
    claimed = serialized.get("owned_projection")
    if type(claimed) is not dict:
        raise refusal("ownership_join", f"{at}/owned_projection", "an object", claimed)
    if encode(claimed, IDENTITY_PROFILE) != bytes(projection.canonical):
        refuse_difference("ownership_join", f"{at}/owned_projection", projection.value, claimed)
    fields = serialized.get("owned_fields")
    if fields != paths:
        refuse_difference("ownership_join", f"{at}/owned_fields", paths, fields)


def _recompute(name: str, projection: Admitted, serialized: dict[str, Any]) -> BuiltComponent:
    at = f"manifest#/components/{name}"
    if serialized.keys() != set(COMPONENT_KEYS):
        actual = ", ".join(describe(key[:40]) for key in serialized)
        expected = f"exactly {', '.join(COMPONENT_KEYS)}"
        raise IdentityValidationError("component_keys", path=at, expected=expected, actual=actual)
    if type(serialized["requires"]) is not list:
        raise refusal("requirement_shape", f"{at}/requires", "an array", serialized["requires"])
    requires = registered_requirements(COMPONENTS[name], serialized["requires"], f"{at}/requires")
    fresh = build_component(COMPONENTS[name], projection, requires, at)
    # The join has compared projection and fields with independent sources already.
    others = {key: member for key, member in fresh.members.items() if key not in ("owned_projection", "owned_fields")}
    _require_members("component_identity", at, {key: serialized[key] for key in others}, others)
    return fresh


def _require_members(code: str, at: str, serialized: object, fresh: Mapping[str, Canonical]) -> None:
    """Refuse unless ``serialized`` is an object of exactly the fresh members, each strictly equal."""
    if type(serialized) is not dict or serialized.keys() != fresh.keys():
        raise refusal(code, at, f"an object of exactly {', '.join(fresh)}", serialized)
    for member, wanted in fresh.items():
        if encode(serialized[member], IDENTITY_PROFILE) != bytes(wanted):
            refuse_difference(code, f"{at}/{member}", orjson.loads(bytes(wanted)), serialized[member])


def _record(
    components: dict[str, BuiltComponent], bundles: dict[str, BuiltBundle], digest: str
) -> ValidatedIdentityManifest:
    return ValidatedIdentityManifest(
        schema=IDENTITY_MANIFEST_SCHEMA,
        schema_version=IDENTITY_SCHEMA_VERSION,
        components=MappingProxyType({name: component.record() for name, component in components.items()}),
        composites=MappingProxyType({name: bundle.record() for name, bundle in bundles.items()}),
        compatibility_contract=freeze(compatibility_contract()),
        manifest_digest_sha256=digest,
    )
