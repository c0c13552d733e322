"""Records turn into fresh wire objects only after they have been recomputed (identity contract, section 9)."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import (
    ComponentIdentityV1,
    CompositeIdentityV1,
    OwnedMutation,
    RequirementEvaluationV1,
    RequirementV1,
    identity_to_json,
    recompute_bundle,
    recompute_component,
    validate_identity_manifest,
)
from tests.identity import documents, oracle
from tests.identity.oracle import CARD, COMPONENTS
from tests.identity.refusals import assert_refused, refusal
from tests.identity.test_bundle import BUNDLES, resolver


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_record_becomes_its_wire_object(name: str) -> None:
    given = documents.rich()
    wire = given.manifest["components"][name]
    record = recompute_component(name, given.projections[name], wire["requires"])
    assert identity_to_json(record) == wire
    assert identity_to_json(record, resolved_member_identities={"anything": 1}) == wire  # type: ignore[dict-item]


@pytest.mark.parametrize("name", BUNDLES)
def test_a_composite_record_becomes_its_wire_object(name: str) -> None:
    record = recompute_bundle(name, resolver(name))
    found = identity_to_json(record, resolved_member_identities=resolver(name))
    assert found == documents.golden().manifest["composites"][name]
    assert list(found) == ["schema", "schema_version", "domain", "members", "bundle_digest_sha256"]


def test_every_call_returns_new_plain_objects() -> None:
    record = recompute_component(CARD, documents.rich_projections()[CARD], [])
    first, second = identity_to_json(record), identity_to_json(record)
    assert first == second
    first["owned_projection"]["/a"][1][1]["k"] = "changed"
    first["owned_fields"].clear()
    first["excludes"].append(1)
    assert identity_to_json(record) == second
    assert {type(first["owned_projection"]), type(first["owned_projection"]["/a"])} == {dict, list}


NO_WIRE_FORM = (
    RequirementV1(CARD, MappingProxyType({})),
    RequirementEvaluationV1(1, True, ()),
    OwnedMutation(1, CARD, (), (), "", "", ()),
)


@pytest.mark.parametrize("value", [None, {}, [], "x", 1, *NO_WIRE_FORM])
def test_nothing_else_has_a_wire_form(value: Any) -> None:
    assert_refused("record_type", "", "a ComponentIdentityV1 or CompositeIdentityV1", "", identity_to_json, value)


def test_a_validated_manifest_has_no_wire_form() -> None:
    given = documents.golden()
    valid: Any = validate_identity_manifest(given.manifest, given.census, given.projections)
    expected = "a ComponentIdentityV1 or CompositeIdentityV1"
    assert_refused("record_type", "", expected, "ValidatedIdentityManifest", identity_to_json, valid)


def test_a_subclass_of_a_record_is_no_record() -> None:
    class Sub(ComponentIdentityV1):
        pass

    record = recompute_component(CARD, {}, [])
    fields = {name: getattr(record, name) for name in ComponentIdentityV1.__slots__}
    assert refusal(identity_to_json, Sub(**fields)).code == "record_type"


def test_a_composite_needs_the_resolver_of_its_leaves() -> None:
    record = recompute_bundle("runtime_bundle", resolver("runtime_bundle"))
    expected = "resolved_member_identities with the 8 leaves of runtime_bundle"
    assert_refused("leaf_closure", "resolver#", expected, "nothing", identity_to_json, record)
    for holder in ({}, resolver("experiment_bundle")):
        error = refusal(identity_to_json, record, resolved_member_identities=holder)
        assert error.code == "leaf_closure"


def test_a_composite_of_other_leaves_is_refused() -> None:
    record = recompute_bundle("runtime_bundle", resolver("runtime_bundle"))
    stale = replace(record, bundle_digest_sha256="0" * 64)
    error = refusal(identity_to_json, stale, resolved_member_identities=resolver("runtime_bundle"))
    assert (error.code, error.path) == ("composite_identity", "record#/bundle_digest_sha256")
    assert error.expected == f'"{record.bundle_digest_sha256}"'


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "experiment_bundle"), ("name", CARD), ("name", "x"), ("domain", "x"), ("schema", "x"),
        ("schema_version", 2), ("members", ()), ("members", ("a",) * 8), ("members", (1,) * 8),
        ("members", (None,) * 100_000), ("bundle_digest_sha256", "0" * 63), ("bundle_digest_sha256", "A" * 64),
    ],
)  # fmt: skip
def test_every_field_of_a_composite_is_checked_before_the_resolver(field: str, value: Any) -> None:
    record = recompute_bundle("runtime_bundle", resolver("runtime_bundle"))
    forged = replace(record, **{field: value})
    assert type(forged) is CompositeIdentityV1
    error = refusal(identity_to_json, forged)
    assert error.code == "composite_identity"
    changed_name = (field, value) == ("name", "experiment_bundle")
    assert error.path == ("record#/members" if changed_name else f"record#/{field}")


def test_a_component_record_of_no_registered_name_is_refused() -> None:
    record = replace(recompute_component(CARD, {}, []), name="runtime_bundle")
    path, expected = "record#/name", "a registered component"
    assert_refused("component_identity", path, expected, "runtime_bundle", identity_to_json, record)


def test_oracle_and_kernel_agree_on_the_wire_of_every_golden_component() -> None:
    projections = documents.golden_projections()
    for name in COMPONENTS:
        rows = oracle.exact_rows(name, projections)
        assert identity_to_json(recompute_component(name, projections[name], rows)) == oracle.component_wire(
            name, projections[name], rows
        )
