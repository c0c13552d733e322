"""Builds and reseals the documents that identity cases start from, with code of its own.

Nothing here calls the code under test: canonical bytes come from the ``canonicaljson`` package, digests are put
together from section 7 of the contract, and only the two packaged registries (data) are shared. So a wrong digest in
``identity`` cannot hide by being wrong on both sides, and documents that no validator would accept can be sealed too.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import canonicaljson
from pydantic import Field

from ..errors import DocumentError, describe
from ..identity import load_compatibility_registry, load_component_registry
from .model import Strict

Level = Literal["manifest", "composites", "components"]
Base = Literal["golden", "plain", "empty"]
Choice = Literal["exact"] | Annotated[list[Any], Field(min_length=2, max_length=2)]
"""An exact digest of the dependency, or a closed range ``[minimum, maximum]`` of schema versions."""
Plan = dict[str, Choice | dict[str, Choice]]
"""``default``: the choice for every dependency; a component's name: its own choices by dependency."""

_REGISTRY = load_component_registry()
_COMPONENTS: list[dict[str, Any]] = _REGISTRY["components"]
_COMPOSITES: list[dict[str, Any]] = _REGISTRY["composites"]
COMPONENT_NAMES = tuple(row["name"] for row in _COMPONENTS)

_MANIFEST_SCHEMA = "operatebench.identity_manifest.v1"
_CENSUS_SCHEMA = "operatebench.identity_manifest_projection_census.v1"
_MANIFEST_DOMAIN = "operatebench.digest.identity_manifest.v1"
_NO_DIGEST = "0" * 64
"""Stands where a value has no canonical form, and so no digest. Validators refuse such values before they look here."""


class ManifestInput(Strict):
    """How a case asks for a manifest: eleven projections, some replaced, and a plan of requirements."""

    base: Base
    override: dict[str, Any] = Field(default_factory=dict)
    requirements: Plan = Field(default_factory=dict)


def documents(wanted: ManifestInput) -> dict[str, Any]:
    """Return the sealed ``manifest`` with its ``census`` and ``projections``; the three share no container."""
    projections = {name: _projection(wanted.base, index, name) for index, name in enumerate(COMPONENT_NAMES)}
    for name, projection in wanted.override.items():
        _require_component(name)
        projections[name] = projection
    manifest = _manifest(projections, wanted.requirements)
    return {"manifest": manifest, "census": _census(projections), "projections": projections}


def reseal(manifest: Any, level: Level) -> None:
    """Recompute digests of ``manifest`` in place.

    Args:
        manifest: the object to reseal, which may break any other rule.
        level: ``manifest``: only its own digest, over what stands there. ``composites``: both bundles anew first.
            ``components``: before that every component anew, from its own serialized projection and requirements. The
            values inside requirements are never touched.

    Raises:
        DocumentError: ``vector_case`` if the parts that the level reads are not there.
    """
    try:
        if level == "components":
            for row in _COMPONENTS:
                serialized = manifest["components"][row["name"]]
                fresh = _component(row, serialized["owned_projection"], serialized["requires"])
                manifest["components"][row["name"]] = fresh
        if level != "manifest":
            for row in _COMPOSITES:
                manifest["composites"][row["name"]] = _composite(row, manifest)
        content = {name: value for name, value in manifest.items() if name != "manifest_digest_sha256"}
        manifest["manifest_digest_sha256"] = _digest(_MANIFEST_DOMAIN, _MANIFEST_SCHEMA, content)
    except (AttributeError, KeyError, TypeError, IndexError):
        expected = f"a manifest with all parts that resealing {level} reads"
        raise DocumentError("vector_case", expected=expected, actual="one without them") from None


def _projection(base: Base, index: int, name: str) -> Any:
    path = f"/fixture/{name}"
    return {"golden": {path: {"index": index}}, "plain": {path: index}, "empty": {}}[base]


def _manifest(projections: dict[str, Any], plan: Plan) -> dict[str, Any]:
    components: dict[str, Any] = {}
    for row in _COMPONENTS:
        requires = [
            {"component": target, "compatible": _compatible(_choice(plan, row["name"], target), components[target])}
            for target in row["requires"]
        ]
        components[row["name"]] = _component(row, _normal(projections[row["name"]]), requires)
    manifest = {
        "schema": _MANIFEST_SCHEMA,
        "schema_version": 1,
        "components": components,
        "composites": {},
        "compatibility_contract": load_compatibility_registry()["contract"],
        "manifest_digest_sha256": _NO_DIGEST,
    }
    reseal(manifest, "composites")
    return manifest


def _choice(plan: Plan, component: str, target: str) -> Choice:
    own, default = plan.get(component, {}), plan.get("default", "exact")
    if not isinstance(own, dict) or isinstance(default, dict):
        expected = "a requirement plan: a choice as default, an object of choices for a component"
        raise DocumentError("vector_case", path="/requirements", expected=expected, actual="another shape")
    return own.get(target, default)


def _compatible(choice: Choice, target: dict[str, Any]) -> dict[str, Any]:
    if choice == "exact":
        return {"kind": "exact_digest", "content_digest_sha256": target["content_digest_sha256"]}
    minimum, maximum = choice
    return {
        "kind": "closed_schema_version_range",
        "minimum_schema_version": minimum,
        "maximum_schema_version": maximum,
    }


def _component(row: dict[str, Any], projection: Any, requires: Any) -> dict[str, Any]:
    return {
        "schema": row["schema"],
        "schema_version": row["schema_version"],
        "domain": row["domain"],
        "content_digest_sha256": _digest(row["domain"], row["schema"], projection),
        "owned_fields": _paths(projection),
        "owned_projection": projection,
        "excludes": [],
        "requires": requires,
    }


def _composite(row: dict[str, Any], manifest: dict[str, Any]) -> dict[str, Any]:
    built = {**manifest["components"], **manifest["composites"]}
    content = {"members": [{"name": member, "identity": built[member]} for member in row["members"]]}
    return {
        "schema": row["schema"],
        "schema_version": row["schema_version"],
        "domain": row["domain"],
        "members": list(row["members"]),
        "bundle_digest_sha256": _digest(row["domain"], row["schema"], content),
    }


def _census(projections: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": _CENSUS_SCHEMA,
        "schema_version": 1,
        "manifest_schema": _MANIFEST_SCHEMA,
        "owners": list(COMPONENT_NAMES),
        "entries": [
            {"field_path": path, "owner": name} for name in COMPONENT_NAMES for path in _paths(projections[name])
        ],
    }


def _paths(projection: Any) -> list[str]:
    """Return the sorted text names of ``projection``; a malformed one has those it has."""
    return sorted(name for name in projection if type(name) is str) if isinstance(projection, dict) else []


def _digest(domain: str, schema: str, content: Any) -> str:
    wrapper = {"domain": domain, "schema": schema, "content": _normal(content)}
    try:
        return hashlib.sha256(canonicaljson.encode_canonical_json(wrapper)).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return _NO_DIGEST


def _normal(value: Any) -> Any:
    """Return a copy of ``value`` with integral floats as integers; what is too deep or cyclic stays as it is."""
    try:
        return _copy(value)
    except RecursionError:
        return value


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return {name: _copy(item) for name, item in value.items()}
    if type(value) is list:
        return [_copy(item) for item in value]
    return int(value) if type(value) is float and value.is_integer() else value


def _require_component(name: str) -> None:
    if name not in COMPONENT_NAMES:
        raise DocumentError("vector_case", path="/override", expected="a component name", actual=describe(name))
