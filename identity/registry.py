"""The eleven components, the two bundles and the frozen compatibility contract (identity contract, sections 1 to 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

IDENTITY_MANIFEST_SCHEMA = "operatebench.identity_manifest.v1"
COMPONENT_IDENTITY_SCHEMA = "operatebench.component_identity.v1"
COMPOSITE_IDENTITY_SCHEMA = "operatebench.composite_identity.v1"
COMPATIBILITY_CONTRACT_SCHEMA = "operatebench.compatibility_contract.v1"
IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA = "operatebench.identity_manifest_projection_census.v1"
MANIFEST_DIGEST_DOMAIN = "operatebench.digest.identity_manifest.v1"
IDENTITY_SCHEMA_VERSION = 1
OWNED_MUTATION_CONTRACT_VERSION = 1

B1_CENSUS_SCHEMA = "operatebench.identity_field_census.v1"
B1_ARTIFACT_SCHEMA = "operatebench.b1_card_contract.v1"

RUNTIME_BUNDLE = "runtime_bundle"
EXPERIMENT_BUNDLE = "experiment_bundle"


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """What is fixed about one component.

    Attributes:
        name: its registered name, which is the key of its record and never a member of it.
        order: its index in the registry; dependencies come first.
        domain: its digest domain.
        requires: its direct dependencies, in wire order.
        composites: the bundles whose digest can move when the component does, in bundle order.
    """

    name: str
    order: int
    domain: str
    requires: tuple[str, ...]
    composites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BundleSpec:
    """What is fixed about one bundle.

    Attributes:
        name: its registered name.
        domain: its digest domain.
        members: its direct members in wire order; a member may be the other bundle.
        leaves: the components below it, in registry order: what a resolver must hold, no more and no less.
    """

    name: str
    domain: str
    members: tuple[str, ...]
    leaves: tuple[str, ...]


_REQUIRES = {
    "card_schema_content": (),
    "build_provenance_content": (),
    "operation_core_content": ("card_schema_content",),
    "semantic_scenario_content": ("operation_core_content", "card_schema_content"),
    "variant_content": ("semantic_scenario_content", "card_schema_content"),
    "runtime_contract_content": ("operation_core_content", "card_schema_content"),
    "scaffold_content": ("runtime_contract_content",),
    "arm_protocol_content": ("runtime_contract_content", "semantic_scenario_content", "variant_content"),
    "provider_run_plan_content": ("runtime_contract_content", "scaffold_content", "build_provenance_content"),
    "evaluator_bundle_content": ("operation_core_content", "card_schema_content", "runtime_contract_content"),
    "analysis_contract_content": ("evaluator_bundle_content",),
}
_MEMBERS = {
    RUNTIME_BUNDLE: (
        "operation_core_content",
        "semantic_scenario_content",
        "variant_content",
        "runtime_contract_content",
        "scaffold_content",
        "arm_protocol_content",
        "provider_run_plan_content",
        "build_provenance_content",
    ),
    EXPERIMENT_BUNDLE: (RUNTIME_BUNDLE, "evaluator_bundle_content", "analysis_contract_content"),
}


def _leaves(bundle: str) -> frozenset[str]:
    """Return the components below ``bundle``."""
    return frozenset().union(*(_leaves(name) if name in _MEMBERS else {name} for name in _MEMBERS[bundle]))


COMPONENTS: Mapping[str, ComponentSpec] = MappingProxyType(
    {
        name: ComponentSpec(
            name,
            order,
            f"operatebench.digest.component.{name}.v1",
            requires,
            tuple(bundle for bundle in _MEMBERS if name in _leaves(bundle)),
        )
        for order, (name, requires) in enumerate(_REQUIRES.items())
    }
)
"""Every component by name, in registry order, which is a topological order."""

BUNDLES: Mapping[str, BundleSpec] = MappingProxyType(
    {
        name: BundleSpec(
            name,
            f"operatebench.digest.composite.{name}.v1",
            members,
            tuple(component for component in COMPONENTS if component in _leaves(name)),
        )
        for name, members in _MEMBERS.items()
    }
)
"""Both bundles by name, the runtime bundle first."""

REQUIREMENT_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "exact_digest": ("content_digest_sha256",),
        "closed_schema_version_range": ("minimum_schema_version", "maximum_schema_version"),
        "named_predicate": ("predicate", "predicate_version"),
    }
)
"""Requirement kind -> the members its ``compatible`` object has beside ``kind``."""

_DECISIONS = ("can_runtime_replay", "can_evaluator_regrade", "can_analysis_recompute", "can_compare", "can_pool")


def compatibility_contract() -> dict[str, Any]:
    """Return the frozen compatibility contract as a fresh plain object."""
    return {
        "schema": COMPATIBILITY_CONTRACT_SCHEMA,
        "schema_version": IDENTITY_SCHEMA_VERSION,
        "requirement_kinds": dict.fromkeys(REQUIREMENT_KINDS, 1),
        "decision_predicates": dict.fromkeys(_DECISIONS, 1),
        "named_requirement_predicates": [],
    }
