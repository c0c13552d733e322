"""Building a manifest gives what the oracle gives and what the validator accepts; claims are read back unverified."""

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.identity import (
    build_identity_manifest,
    build_projection_census,
    claimed_projections,
    validate_identity_manifest,
)
from tests.identity import documents, oracle
from tests.identity.documents import nested
from tests.identity.oracle import CARD, COMPONENTS, CORE, SCENARIO
from tests.identity.refusals import assert_refused, refusal
from tests.identity.strategies import projection_sets, requirement_plans
from tests.identity.test_oracle import EMPTY_MANIFEST_DIGEST, MANIFEST_DIGEST, RANGED_DIGESTS


def test_builds_the_golden_manifests() -> None:
    golden = build_identity_manifest(documents.golden_projections())
    assert golden == documents.golden().manifest
    assert golden["manifest_digest_sha256"] == MANIFEST_DIGEST
    ranged = build_identity_manifest(documents.golden_projections(), oracle.ranges())
    assert ranged["manifest_digest_sha256"] == RANGED_DIGESTS[2]
    empty = build_identity_manifest(documents.empty_projections())
    assert empty["manifest_digest_sha256"] == EMPTY_MANIFEST_DIGEST


def test_components_without_chosen_requirements_ask_for_exact_digests() -> None:
    given_rows = documents.rich_requirements()
    assert build_identity_manifest(documents.rich_projections(), given_rows) == documents.rich().manifest


@settings(max_examples=60)
@given(st.data())
def test_random_manifests_equal_those_of_the_oracle_and_are_valid(data: st.DataObject) -> None:
    projections = data.draw(projection_sets())
    plan = data.draw(requirement_plans(projections))
    built = build_identity_manifest(projections, plan)
    normal = {name: oracle.normalize(value) for name, value in projections.items()}
    assert repr(oracle.normalize(built)) == repr(built), "integers, not floats"
    assert built == oracle.build(normal, {name: oracle.normalize(rows) for name, rows in plan.items()})
    validate_identity_manifest(built, build_projection_census(projections), claimed_projections(built))


def test_a_built_manifest_is_detached() -> None:
    projections = documents.rich_projections()
    built = build_identity_manifest(projections)
    before = repr(built)
    projections[CARD]["/a"][1][1]["k"] = "later"
    assert repr(built) == before
    built["compatibility_contract"].clear()
    built["components"][CARD]["owned_projection"]["/a"].clear()
    assert repr(build_identity_manifest(documents.rich_projections())) == before


@pytest.mark.parametrize("requirements", [[], (), "x", 1, MappingProxyType({})])
def test_requirements_are_a_plain_object(requirements: Any) -> None:
    call = build_identity_manifest
    assert_refused(
        "root_type", "requirements#", "a plain object", "", call, documents.golden_projections(), requirements
    )


@pytest.mark.parametrize(
    ("requirements", "code", "path"),
    [
        ({"runtime_bundle": []}, "map_names", "requirements#"),
        ({CORE: None}, "requirement_shape", f"requirements#/{CORE}"),
        ({CORE: {}}, "requirement_shape", f"requirements#/{CORE}"),
        ({CORE: []}, "requirement_shape", f"requirements#/{CORE}"),
        ({CARD: [oracle.closed_range(CORE)]}, "requirement_shape", f"requirements#/{CARD}"),
        ({CORE: [None]}, "requirement_shape", f"requirements#/{CORE}/0"),
        ({SCENARIO: [oracle.closed_range(CARD)] * 2}, "requirement_shape", f"requirements#/{SCENARIO}/0/component"),
        ({CORE: [1.5]}, "strict_json", f"requirements#/{CORE}/0"),
        ({CORE: [oracle.exact(CARD, "0" * 64)]}, "requirement_digest", None),
        ({CORE: [oracle.closed_range(CARD, 2, 2)]}, "requirement_range", None),
        ({CORE: [oracle.named(CARD)]}, "requirement_named", None),
    ],
)
def test_requirement_rows_are_well_formed_and_met(requirements: Any, code: str, path: str | None) -> None:
    error = refusal(build_identity_manifest, documents.golden_projections(), requirements)
    assert error.code == code
    assert error.path == (path or error.path)
    assert CORE in error.path or code in {"map_names", "requirement_shape"}


def test_no_rows_for_a_component_without_dependencies_are_right() -> None:
    assert build_identity_manifest(documents.golden_projections(), {CARD: []}) == documents.golden().manifest


@pytest.mark.parametrize(
    ("name", "value", "code", "path"),
    [
        (CARD, None, "projection_shape", f"projections#/{CARD}"),
        (CARD, {"/": 1}, "field_path", f"projections#/{CARD}/~1"),
        (CARD, {"/a": 1.5}, "strict_json", f"projections#/{CARD}/~1a"),
        (CARD, {"/a": nested(62)}, "resource_limits", None),
        (CARD, {f"/fixture/{CORE}": 1}, "census_duplicate", None),
        (CARD, {"/a": "x" * 344_064}, "resource_limits", f"projections#/{CARD}"),
    ],
)
def test_projections_are_those_of_a_valid_manifest(name: str, value: Any, code: str, path: str | None) -> None:
    projections = documents.golden_projections() | {name: value}
    error = refusal(build_identity_manifest, projections)
    assert (error.code, error.path) == (code, path or error.path)


def test_projections_have_exactly_the_eleven_names() -> None:
    assert refusal(build_identity_manifest, {}).code == "map_names"
    assert refusal(build_identity_manifest, None).code == "root_type"


def test_claims_are_returned_fresh_in_registry_order_and_unverified() -> None:
    manifest = dict(reversed(documents.rich().manifest.items()))
    manifest["components"] = dict(reversed(manifest["components"].items()))
    claimed = claimed_projections(manifest)
    assert list(claimed) == list(COMPONENTS)
    assert claimed == documents.rich_projections()
    claimed[CARD]["/a"].clear()
    assert claimed_projections(manifest) == documents.rich_projections()
    manifest["components"][CARD] = {"owned_projection": {"not a path": 1.0}}
    assert repr(claimed_projections(manifest)[CARD]) == "{'not a path': 1}"


@pytest.mark.parametrize("manifest", [None, [], "x", MappingProxyType({})])
def test_claims_are_read_from_a_plain_object(manifest: Any) -> None:
    assert_refused("root_type", "manifest#", "a plain object", "", claimed_projections, manifest)


def test_claims_need_the_eleven_components_with_their_projections() -> None:
    at = "manifest#/components"
    value: Any
    for value in (None, [], "x"):
        assert_refused("map_type", at, "an object", "", claimed_projections, {"components": value})
    assert_refused("map_type", at, "an object", "null", claimed_projections, {})
    components = documents.golden().manifest["components"]
    fewer = {name: value for name, value in components.items() if name != CORE}
    expected = "exactly the eleven component names"
    assert_refused("map_names", at, expected, CORE, claimed_projections, {"components": fewer})
    more = components | {"x": 1}
    assert_refused("map_names", at, expected, '"x"', claimed_projections, {"components": more})
    for value in (None, {}, {"owned_projection": None}, {"owned_projection": []}):
        path = f"{at}/{CORE}/owned_projection"
        broken = {"components": components | {CORE: value}}
        assert_refused("component_identity", path, "an object", "", claimed_projections, broken)
    error = refusal(claimed_projections, {"components": 1.5})
    assert (error.code, error.path) == ("strict_json", at)
