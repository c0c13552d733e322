"""A slow second implementation of the identity contract, from its sections, sharing nothing with the kernel."""

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

from canonicaljson import encode_canonical_json

Projections = dict[str, Any]
Rows = list[dict[str, Any]]
Requirements = dict[str, Rows]

CARD = "card_schema_content"
BUILD = "build_provenance_content"
CORE = "operation_core_content"
SCENARIO = "semantic_scenario_content"
VARIANT = "variant_content"
RUNTIME = "runtime_contract_content"
SCAFFOLD = "scaffold_content"
ARM = "arm_protocol_content"
PLAN = "provider_run_plan_content"
EVALUATOR = "evaluator_bundle_content"
ANALYSIS = "analysis_contract_content"

# Section 2.
EDGES: dict[str, tuple[str, ...]] = {
    CARD: (),
    BUILD: (),
    CORE: (CARD,),
    SCENARIO: (CORE, CARD),
    VARIANT: (SCENARIO, CARD),
    RUNTIME: (CORE, CARD),
    SCAFFOLD: (RUNTIME,),
    ARM: (RUNTIME, SCENARIO, VARIANT),
    PLAN: (RUNTIME, SCAFFOLD, BUILD),
    EVALUATOR: (CORE, CARD, RUNTIME),
    ANALYSIS: (EVALUATOR,),
}
COMPONENTS = tuple(EDGES)
MEMBERS: dict[str, tuple[str, ...]] = {
    "runtime_bundle": (CORE, SCENARIO, VARIANT, RUNTIME, SCAFFOLD, ARM, PLAN, BUILD),
    "experiment_bundle": ("runtime_bundle", EVALUATOR, ANALYSIS),
}
LEAVES: dict[str, tuple[str, ...]] = {
    "runtime_bundle": MEMBERS["runtime_bundle"],
    "experiment_bundle": (*MEMBERS["runtime_bundle"], EVALUATOR, ANALYSIS),
}
POSSIBLE_BUNDLES: dict[str, tuple[str, ...]] = dict.fromkeys(
    MEMBERS["runtime_bundle"], ("runtime_bundle", "experiment_bundle")
) | {CARD: (), EVALUATOR: ("experiment_bundle",), ANALYSIS: ("experiment_bundle",)}

MANIFEST = "operatebench.identity_manifest.v1"
COMPONENT = "operatebench.component_identity.v1"
COMPOSITE = "operatebench.composite_identity.v1"
CENSUS = "operatebench.identity_manifest_projection_census.v1"

CONTRACT: dict[str, Any] = {
    "schema": "operatebench.compatibility_contract.v1",
    "schema_version": 1,
    "requirement_kinds": {"exact_digest": 1, "closed_schema_version_range": 1, "named_predicate": 1},
    "decision_predicates": {
        "can_runtime_replay": 1,
        "can_evaluator_regrade": 1,
        "can_analysis_recompute": 1,
        "can_compare": 1,
        "can_pool": 1,
    },
    "named_requirement_predicates": [],
}


def digest(domain: str, schema: str, content: Any) -> str:
    """Section 7: SHA-256 over the canonical wrapper."""
    return hashlib.sha256(encode_canonical_json({"domain": domain, "schema": schema, "content": content})).hexdigest()


def component_domain(name: str) -> str:
    return f"operatebench.digest.component.{name}.v1"


def bundle_domain(name: str) -> str:
    return f"operatebench.digest.composite.{name}.v1"


def content_digest(name: str, projection: Any) -> str:
    return digest(component_domain(name), COMPONENT, projection)


def exact(component: str, content_digest_sha256: str) -> dict[str, Any]:
    compatible = {"kind": "exact_digest", "content_digest_sha256": content_digest_sha256}
    return {"component": component, "compatible": compatible}


def closed_range(component: str, minimum: Any = 1, maximum: Any = 1) -> dict[str, Any]:
    compatible = {
        "kind": "closed_schema_version_range",
        "minimum_schema_version": minimum,
        "maximum_schema_version": maximum,
    }
    return {"component": component, "compatible": compatible}


def named(component: str, predicate: Any = "some.predicate", version: Any = 1) -> dict[str, Any]:
    compatible = {"kind": "named_predicate", "predicate": predicate, "predicate_version": version}
    return {"component": component, "compatible": compatible}


def exact_rows(name: str, projections: Projections) -> Rows:
    return [exact(other, content_digest(other, projections[other])) for other in EDGES[name]]


def ranges() -> Requirements:
    """Requirement rows where every dependency is asked for by the range 1..1."""
    return {name: [closed_range(other) for other in EDGES[name]] for name in COMPONENTS}


def component_wire(name: str, projection: Any, rows: Rows) -> dict[str, Any]:
    return {
        "schema": COMPONENT,
        "schema_version": 1,
        "domain": component_domain(name),
        "content_digest_sha256": content_digest(name, projection),
        "owned_fields": sorted(projection),
        "owned_projection": copy.deepcopy(projection),
        "excludes": [],
        "requires": copy.deepcopy(rows),
    }


def bundle_wires(components: dict[str, Any]) -> dict[str, Any]:
    identities = dict(components)
    for name, members in MEMBERS.items():
        content = {"members": [{"name": member, "identity": identities[member]} for member in members]}
        identities[name] = {
            "schema": COMPOSITE,
            "schema_version": 1,
            "domain": bundle_domain(name),
            "members": list(members),
            "bundle_digest_sha256": digest(bundle_domain(name), COMPOSITE, content),
        }
    return {name: identities[name] for name in MEMBERS}


def manifest_digest(manifest: dict[str, Any]) -> str:
    content = {name: value for name, value in manifest.items() if name != "manifest_digest_sha256"}
    return digest("operatebench.digest.identity_manifest.v1", MANIFEST, content)


def reseal(manifest: dict[str, Any], *, bundles: bool = True) -> dict[str, Any]:
    """Recompute the bundles and the self-digest of a manifest in place, from whatever its components now say."""
    if bundles:
        manifest["composites"] = bundle_wires(manifest["components"])
    manifest["manifest_digest_sha256"] = manifest_digest(manifest)
    return manifest


def build(projections: Projections, requirements: Requirements | None = None) -> dict[str, Any]:
    """Build the manifest; components absent from ``requirements`` ask for exact digests."""
    chosen = requirements or {}
    components = {
        name: component_wire(name, projections[name], chosen.get(name) or exact_rows(name, projections))
        for name in COMPONENTS
    }
    manifest = {
        "schema": MANIFEST,
        "schema_version": 1,
        "components": components,
        "composites": {},
        "compatibility_contract": copy.deepcopy(CONTRACT),
    }
    return reseal(manifest)


def census(projections: Projections) -> dict[str, Any]:
    """Section 10."""
    return {
        "schema": CENSUS,
        "schema_version": 1,
        "manifest_schema": MANIFEST,
        "owners": list(COMPONENTS),
        "entries": [{"field_path": path, "owner": name} for name in COMPONENTS for path in sorted(projections[name])],
    }


def diff(old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, Any]]:
    """Section 13, over two valid manifest documents."""
    moved = [
        name
        for name in MEMBERS
        if old["composites"][name]["bundle_digest_sha256"] != new["composites"][name]["bundle_digest_sha256"]
    ]
    rows = []
    for name in COMPONENTS:
        left, right = old["components"][name], new["components"][name]
        before, after = (
            {path: encode_canonical_json(value) for path, value in side["owned_projection"].items()}
            for side in (left, right)
        )
        paths = sorted(path for path in before | after if before.get(path) != after.get(path))
        required = [
            dependency
            for dependency, one, two in zip(EDGES[name], left["requires"], right["requires"], strict=True)
            if encode_canonical_json(one) != encode_canonical_json(two)
        ]
        if paths or required:
            rows.append(
                {
                    "mutation_contract_version": 1,
                    "owner": name,
                    "changed_field_paths": tuple(paths),
                    "changed_requirement_components": tuple(required),
                    "old_content_digest_sha256": left["content_digest_sha256"],
                    "new_content_digest_sha256": right["content_digest_sha256"],
                    "changed_composites": tuple(bundle for bundle in POSSIBLE_BUNDLES[name] if bundle in moved),
                }
            )
    return rows


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """The value is outside sections 4 and 5."""


def _text(item: str) -> str:
    try:
        size = len(item.encode("utf-8"))
    except UnicodeEncodeError:
        raise Refused("surrogate") from None
    if size > 1024 * 1024:
        raise Refused("long text")
    return item


def _number(item: float) -> int:
    if item != item or item in (float("inf"), float("-inf")) or item != int(item):  # noqa: PLR0124 - NaN
        raise Refused("fraction")
    if abs(int(item)) > 2**53 - 1:
        raise Refused("range")
    return int(item)


def normalize(value: Any) -> Any:
    """Sections 4 and 5, one value at a time: the normalized value, or :class:`Refused`."""
    nodes = 0

    def visit(item: Any, depth: int) -> Any:
        nonlocal nodes
        nodes += 1
        if nodes > 65_536:
            raise Refused("nodes")
        if item is None or isinstance(item, bool):
            return item
        if isinstance(item, int | float):
            return _number(item)
        if isinstance(item, str):
            return _text(item)
        if depth == 64 or len(item) > 4_096:
            raise Refused("depth or width")
        if isinstance(item, list):
            return [visit(child, depth + 1) for child in item]
        return {_text(name): visit(child, depth + 1) for name, child in item.items()}

    normal = visit(value, 0)
    if len(encode_canonical_json(normal)) > 4 * 1024 * 1024:
        raise Refused("bytes")
    return normal


def parse(document: bytes) -> Any:
    """Parse strictly with the standard library and normalize, or :class:`Refused`."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise Refused("duplicate")
        return dict(pairs)

    def constant(name: str) -> Any:
        raise Refused(name)

    try:
        value = json.loads(document.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Refused("no JSON") from None
    return normalize(value)


def measure(value: Any) -> tuple[int, int]:
    """Return the nodes and the canonical bytes of a value."""

    def nodes(item: Any) -> int:
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        return 1 + sum(map(nodes, children))

    return nodes(value), len(encode_canonical_json(value))


def utf16_sorted_differs(value: Any) -> bool:
    """Tell whether any object's names sort differently by UTF-16 code unit than by code point."""

    def differs(item: Any) -> bool:
        if isinstance(item, dict):
            by_unit: Callable[[str], list[int]] = lambda name: list(name.encode("utf-16-be"))  # noqa: E731
            return sorted(item) != sorted(item, key=by_unit) or any(map(differs, item.values()))
        return isinstance(item, list) and any(map(differs, item))

    return differs(value)
