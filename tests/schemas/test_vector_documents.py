"""The schemas judge the documents of the conformance vectors as the identity contract says they may."""

from collections.abc import Callable
from typing import Any

Accepts = Callable[[Any], bool]

OVER_THE_AUTHORING_LIMIT = {"manifest-long-ascii-string"}
UNDOTTED_PREDICATE = {"validate-compatible-named-undotted"}
MANIFEST_SHAPE_LABELS = {
    "root_cardinality",
    "strict_json",
    "manifest_header",
    "map_type",
    "map_cardinality",
    "compatibility_contract",
    "component_keys",
    "requirement_shape",
}
CENSUS_SHAPE_LABELS = {
    "root_type",
    "root_cardinality",
    "census_b1_scope",
    "census_keys",
    "census_header",
    "census_owners",
    "census_entries",
    "census_entry",
    "census_owner_unknown",
    "field_path",
}


def test_accepted_manifests_and_their_censuses_pass(
    manifest_accepts: Accepts,
    census_accepts: Accepts,
    census_of: Callable[[Any], Any],
    accepted_manifests: dict[str, Any],
    accepted_projections: dict[str, Any],
) -> None:
    assert len(accepted_manifests) == 23
    for case, manifest in accepted_manifests.items():
        assert manifest_accepts(manifest) is (case not in OVER_THE_AUTHORING_LIMIT), case
        assert census_accepts(census_of(accepted_projections[case])), case


def test_tolerated_spellings_of_numbers_pass(
    manifest_accepts: Accepts, census_accepts: Accepts, tolerated_documents: dict[str, Any]
) -> None:
    assert len(tolerated_documents) == 2
    for case, documents in tolerated_documents.items():
        assert manifest_accepts(documents["manifest"]), case
        assert census_accepts(documents["census"]), case


def test_faults_of_shape_in_a_manifest_are_refused(
    manifest_accepts: Accepts, refused_documents: list[tuple[str, str, set[str], dict[str, Any]]]
) -> None:
    judged = 0
    for case, label, roots, documents in refused_documents:
        verdict = manifest_accepts(documents["manifest"])
        if roots == {"manifest"} and label in MANIFEST_SHAPE_LABELS:
            assert verdict is (case in UNDOTTED_PREDICATE), case
            judged += 1
    assert judged >= 20


def test_faults_of_shape_in_a_census_are_refused(
    census_accepts: Accepts, refused_documents: list[tuple[str, str, set[str], dict[str, Any]]]
) -> None:
    judged = 0
    for case, label, roots, documents in refused_documents:
        verdict = census_accepts(documents["census"])
        if roots == {"census"} and label in CENSUS_SHAPE_LABELS:
            assert not verdict, case
            judged += 1
        if label in {"census_duplicate", "census_order"}:
            assert verdict, case
    assert judged >= 15
