"""Builds a manifest from projections, and reads back what a manifest claims of itself."""

from __future__ import annotations

from typing import Any

import orjson

from ..errors import IdentityValidationError, describe
from .admission import admit
from .boundary import public
from .bundle import build_bundles
from .canonical import encode
from .census import admit_named_projections, build_projection_census
from .component import BuiltComponent, build_component
from .document import SELF_DIGEST, manifest_digest
from .profile import IDENTITY_PROFILE
from .refusal import refusal
from .registry import COMPONENTS, IDENTITY_MANIFEST_SCHEMA, IDENTITY_SCHEMA_VERSION, compatibility_contract
from .requirements import registered_requirements
from .validate import validate_identity_manifest
from .wire import bundle_wire, component_wire


@public
def build_identity_manifest(
    owned_projections: dict[str, Any], requirements: dict[str, list[Any]] | None = None
) -> dict[str, Any]:
    """Build the manifest of eleven projections. What is returned is valid: it has passed the validator.

    Args:
        owned_projections: component name -> flat projection, for exactly the eleven components.
        requirements: component name -> its wire requirement rows, for components that shall not require the exact
            digest of every dependency.

    Returns:
        A fresh plain manifest document.

    Raises:
        IdentityValidationError: ``root_type``, ``map_names``, ``projection_shape``, ``strict_json``, ``field_path``,
            ``resource_limits``, ``census_duplicate`` for a path under two owners, ``requirement_shape`` for a malformed
            row, and ``requirement_…`` for one that is not met.
    """
    projections = admit_named_projections(owned_projections)
    chosen = _chosen_requirements(requirements)
    components: dict[str, BuiltComponent] = {}
    for name, spec in COMPONENTS.items():
        exact = [_exact(components[dependency]) for dependency in spec.requires]
        rows = chosen.get(name, exact)
        requires = registered_requirements(spec, rows, f"requirements#/{name}")
        components[name] = build_component(spec, projections[name], requires, f"projections#/{name}")
    bundles = build_bundles(components, "manifest#/composites")
    manifest = {
        "schema": IDENTITY_MANIFEST_SCHEMA,
        "schema_version": IDENTITY_SCHEMA_VERSION,
        "components": {name: component_wire(component.record()) for name, component in components.items()},
        "composites": {name: bundle_wire(bundle.record()) for name, bundle in bundles.items()},
        "compatibility_contract": compatibility_contract(),
        SELF_DIGEST: manifest_digest(components, bundles),
    }
    values = {name: projection.value for name, projection in projections.items()}
    validate_identity_manifest(manifest, build_projection_census(values), values)
    return manifest


def _exact(component: BuiltComponent) -> dict[str, Any]:
    compatible = {"kind": "exact_digest", "content_digest_sha256": component.digest}
    return {"component": component.spec.name, "compatible": compatible}


def _chosen_requirements(requirements: object) -> dict[str, list[Any]]:
    if requirements is None:
        return {}
    if type(requirements) is not dict:
        raise refusal("root_type", "requirements#", "a plain object", requirements)
    chosen: dict[str, list[Any]] = admit(requirements, at="requirements#").value
    for name, rows in chosen.items():
        if name not in COMPONENTS:
            expected = "component names only"
            raise refusal("map_names", "requirements#", expected, name)
        if type(rows) is not list:
            place = f"requirements#/{name}"
            raise refusal("requirement_shape", place, "an array", rows)
    return chosen


@public
def claimed_projections(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the projections a manifest document says it was built from. Nothing about them is verified.

    Validating a manifest against its own claims shows that it is consistent, not that it describes anything real.

    Returns:
        Component name -> fresh plain projection, in registry order.

    Raises:
        IdentityValidationError: ``root_type``, ``strict_json``, ``resource_limits``, ``map_type``, ``map_names`` or
            ``component_identity`` for a component without projection object.
    """
    if type(manifest) is not dict:
        raise refusal("root_type", "manifest#", "a plain object", manifest)
    components = admit(manifest, at="manifest#").value.get("components")
    at = "manifest#/components"
    if type(components) is not dict:
        raise refusal("map_type", at, "an object", components)
    if components.keys() != set(COMPONENTS):
        odd = min(components.keys() ^ set(COMPONENTS))
        expected = "exactly the eleven component names"
        actual = f"without {odd}" if odd in COMPONENTS else describe(odd)
        raise IdentityValidationError("map_names", path=at, expected=expected, actual=actual)
    claimed = {}
    for name in COMPONENTS:
        component = components[name]
        projection = component.get("owned_projection") if type(component) is dict else None
        if type(projection) is not dict:
            place = f"{at}/{name}/owned_projection"
            raise refusal("component_identity", place, "an object", projection)
        claimed[name] = orjson.loads(encode(projection, IDENTITY_PROFILE))
    return claimed
