"""The manifest's self-digest is a hash over everything but itself (identity contract, sections 7 and 8.4)."""

from typing import Any

import pytest

from operatebench.identity import recompute_manifest_digest
from tests.identity import documents, oracle
from tests.identity.documents import nested
from tests.identity.refusals import assert_refused, refusal
from tests.identity.test_oracle import EMPTY_MANIFEST_DIGEST, MANIFEST_DIGEST, RANGED_DIGESTS

KEYS = "exactly schema, schema_version, components, composites, compatibility_contract, manifest_digest_sha256"


def test_the_golden_self_digests() -> None:
    assert recompute_manifest_digest(documents.golden().manifest) == MANIFEST_DIGEST
    ranged = documents.triple(documents.golden_projections(), oracle.ranges())
    assert recompute_manifest_digest(ranged.manifest) == RANGED_DIGESTS[2]
    empty = documents.triple(documents.empty_projections())
    assert recompute_manifest_digest(empty.manifest) == EMPTY_MANIFEST_DIGEST


@pytest.mark.parametrize("value", [None, "", 1, 1.0, [], {"a": [True]}, "x" * 100])
def test_the_self_digest_may_hold_anything(value: Any) -> None:
    manifest = documents.golden().manifest | {"manifest_digest_sha256": value}
    assert recompute_manifest_digest(manifest) == MANIFEST_DIGEST


def test_any_json_may_stand_in_the_other_members() -> None:
    manifest = documents.golden().manifest | {"components": None, "composites": [1.0], "compatibility_contract": "x"}
    assert recompute_manifest_digest(manifest) == oracle.manifest_digest(manifest | {"composites": [1]})


def test_member_order_and_integral_floats_do_not_matter() -> None:
    manifest = dict(reversed(documents.golden().manifest.items())) | {"schema_version": 1.0}
    assert recompute_manifest_digest(manifest) == MANIFEST_DIGEST


@pytest.mark.parametrize("manifest", [None, [], (), "x", 1])
def test_a_manifest_is_a_plain_object(manifest: Any) -> None:
    assert_refused("root_type", "manifest#", "a plain object", "", recompute_manifest_digest, manifest)


def test_a_manifest_has_exactly_its_six_members() -> None:
    manifest = documents.golden().manifest
    for name in manifest:
        shorter = {key: value for key, value in manifest.items() if key != name}
        assert_refused("manifest_keys", "manifest#", KEYS, '"', recompute_manifest_digest, shorter)
        renamed = shorter | {name + "x": 1}
        assert_refused("manifest_keys", "manifest#", KEYS, '"', recompute_manifest_digest, renamed)
    assert_refused("manifest_keys", "manifest#", KEYS, '"', recompute_manifest_digest, manifest | {"x": 1})
    assert_refused("manifest_keys", "manifest#", KEYS, "", recompute_manifest_digest, {})


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("schema", None),
        ("schema", "operatebench.identity_manifest.v2"),
        ("schema", oracle.COMPONENT),
        ("schema_version", 2),
        ("schema_version", True),
        ("schema_version", None),
        ("schema_version", "1"),
        ("schema_version", 0),
    ],
)
def test_schema_and_version_are_the_frozen_ones(member: str, value: Any) -> None:
    manifest = documents.golden().manifest | {member: value}
    expected = f'"{oracle.MANIFEST}"' if member == "schema" else "1"
    assert_refused("manifest_header", f"manifest#/{member}", expected, "", recompute_manifest_digest, manifest)


def test_values_outside_the_profile_are_refused_before_the_members() -> None:
    assert_refused("strict_json", "manifest#/x/0", "an integer", "1.5", recompute_manifest_digest, {"x": [1.5]})
    assert refusal(recompute_manifest_digest, {"x": nested(64)}).code == "resource_limits"


def test_the_wrapper_is_measured_too() -> None:
    manifest = documents.golden().manifest | {"components": nested(62)}
    assert recompute_manifest_digest(manifest) == oracle.manifest_digest(manifest)
    manifest["components"] = nested(63)
    error = refusal(recompute_manifest_digest, manifest)
    assert (error.code, error.expected, error.actual) == (
        "resource_limits",
        "at most 64 nested containers",
        "65 nested containers",
    )
