"""The registry is the table of the identity contract, sections 1 and 2."""

from operatebench.identity import registry
from operatebench.identity.registry import BUNDLES, COMPONENTS
from tests.identity import oracle


def test_components_stand_in_registry_order_with_their_edges() -> None:
    assert {name: spec.requires for name, spec in COMPONENTS.items()} == oracle.EDGES
    assert list(COMPONENTS) == list(oracle.EDGES)
    assert [spec.order for spec in COMPONENTS.values()] == list(range(11))
    assert all(spec.name == name for name, spec in COMPONENTS.items())


def test_every_dependency_precedes_its_dependent() -> None:
    for spec in COMPONENTS.values():
        assert all(COMPONENTS[name].order < spec.order for name in spec.requires)


def test_bundles_hold_their_members_and_leaves() -> None:
    assert list(BUNDLES) == ["runtime_bundle", "experiment_bundle"]
    assert {name: spec.members for name, spec in BUNDLES.items()} == oracle.MEMBERS
    assert {name: set(spec.leaves) for name, spec in BUNDLES.items()} == {
        name: set(leaves) for name, leaves in oracle.LEAVES.items()
    }
    assert [len(spec.leaves) for spec in BUNDLES.values()] == [8, 10]


def test_each_component_can_move_exactly_the_bundles_above_it() -> None:
    assert {name: spec.composites for name, spec in COMPONENTS.items()} == oracle.POSSIBLE_BUNDLES


def test_the_fourteen_domains_are_distinct_and_named_by_rule() -> None:
    domains = [spec.domain for spec in COMPONENTS.values()] + [spec.domain for spec in BUNDLES.values()]
    expected = [*map(oracle.component_domain, oracle.COMPONENTS), *map(oracle.bundle_domain, oracle.MEMBERS)]
    assert domains == expected
    assert len({*domains, registry.MANIFEST_DIGEST_DOMAIN}) == 14


def test_constants_are_those_of_the_contract() -> None:
    assert registry.IDENTITY_MANIFEST_SCHEMA == "operatebench.identity_manifest.v1"
    assert registry.COMPONENT_IDENTITY_SCHEMA == "operatebench.component_identity.v1"
    assert registry.COMPOSITE_IDENTITY_SCHEMA == "operatebench.composite_identity.v1"
    assert registry.COMPATIBILITY_CONTRACT_SCHEMA == "operatebench.compatibility_contract.v1"
    assert registry.IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA == "operatebench.identity_manifest_projection_census.v1"
    assert registry.MANIFEST_DIGEST_DOMAIN == "operatebench.digest.identity_manifest.v1"
    assert registry.B1_CENSUS_SCHEMA == "operatebench.identity_field_census.v1"
    assert registry.B1_ARTIFACT_SCHEMA == "operatebench.b1_card_contract.v1"
    assert (registry.IDENTITY_SCHEMA_VERSION, registry.OWNED_MUTATION_CONTRACT_VERSION) == (1, 1)


def test_the_compatibility_contract_is_the_frozen_one_and_fresh_at_every_call() -> None:
    first = registry.compatibility_contract()
    assert repr(first) == repr(oracle.CONTRACT)
    first["decision_predicates"].clear()
    first["named_requirement_predicates"].append("x.y")
    assert registry.compatibility_contract() == oracle.CONTRACT
