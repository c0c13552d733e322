"""The independent sealing meets the published digests; every reseal level recomputes what it says and no more."""

import copy
from typing import Any

import pytest

from operatebench.conformance.sealing import COMPONENT_NAMES, Level, ManifestInput, documents, reseal
from operatebench.errors import DocumentError
from operatebench.identity import load_identity_golden_vectors

CARD = "card_schema_content"
CORE = "operation_core_content"
EMPTY_MANIFEST_DIGEST = "fb0996212a35d6afa4b36d2e94c926fc484899321963db7de600ca6f56e1d932"
RANGES_MANIFEST_DIGEST = "9058e697f60174d4dc9db412634a85b27f65bb5a66bdf9b1203b240b30b230ea"


def golden(**members: Any) -> dict[str, Any]:
    return documents(ManifestInput(base="golden", **members))


def digests(manifest: dict[str, Any]) -> dict[str, str]:
    found = {name: record["content_digest_sha256"] for name, record in manifest["components"].items()}
    found |= {name: record["bundle_digest_sha256"] for name, record in manifest["composites"].items()}
    return {**found, "manifest": manifest["manifest_digest_sha256"]}


def moved(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    old, new = digests(before), digests(after)
    return {name for name in old if old[name] != new[name]}


def test_the_golden_base_is_the_published_manifest() -> None:
    assert golden()["manifest"] == load_identity_golden_vectors()["manifest"]["manifest"]


def test_the_other_published_digests_are_met() -> None:
    ranges = golden(requirements={"default": [1, 1]})

    assert documents(ManifestInput(base="empty"))["manifest"]["manifest_digest_sha256"] == EMPTY_MANIFEST_DIGEST
    assert ranges["manifest"]["manifest_digest_sha256"] == RANGES_MANIFEST_DIGEST


def test_a_plan_chooses_per_component_and_dependency() -> None:
    manifest = golden(requirements={"default": [1, 2], "variant_content": {CARD: "exact"}})["manifest"]
    scenario, card = (row["compatible"] for row in manifest["components"]["variant_content"]["requires"])

    assert scenario == {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 2}
    assert card["content_digest_sha256"] == manifest["components"][CARD]["content_digest_sha256"]


def test_an_override_replaces_the_whole_projection_everywhere() -> None:
    made = golden(override={CARD: {"/b": 1.0, "/a": 2}})
    card = made["manifest"]["components"][CARD]

    assert card["owned_fields"] == ["/a", "/b"]
    assert [type(value) for value in card["owned_projection"].values()] == [int, int]
    assert made["projections"][CARD] == {"/b": 1.0, "/a": 2}
    assert [row["field_path"] for row in made["census"]["entries"][:2]] == ["/a", "/b"]
    assert [row["owner"] for row in made["census"]["entries"][:3]] == [CARD, CARD, COMPONENT_NAMES[1]]


def test_the_documents_share_no_container() -> None:
    made = golden()
    before = copy.deepcopy(made)

    made["projections"][CARD][f"/fixture/{CARD}"]["index"] = 5
    made["census"]["owners"].clear()

    assert made["manifest"] == before["manifest"]


def test_resealing_a_sealed_manifest_changes_nothing() -> None:
    manifest = golden()["manifest"]
    for level in ("manifest", "composites", "components"):
        resealed = copy.deepcopy(manifest)
        reseal(resealed, level)
        assert resealed == manifest


@pytest.mark.parametrize(
    ("level", "follows"),
    [
        ("manifest", {"manifest"}),
        ("composites", {"manifest", "runtime_bundle", "experiment_bundle"}),
        ("components", {"manifest", "runtime_bundle", "experiment_bundle", CORE}),
    ],
)
def test_a_level_recomputes_its_digests_and_no_requirement(level: Level, follows: set[str]) -> None:
    before = golden()["manifest"]
    after = copy.deepcopy(before)
    after["components"][CORE]["owned_projection"]["/more"] = True

    reseal(after, level)

    assert moved(before, after) == follows
    for name in COMPONENT_NAMES:
        assert after["components"][name]["requires"] == before["components"][name]["requires"]
    assert ("/more" in after["components"][CORE]["owned_fields"]) is (level == "components")


def test_floats_are_normal_before_they_are_hashed() -> None:
    before = golden()["manifest"]
    after = copy.deepcopy(before)
    after["schema_version"] = 1.0

    reseal(after, "manifest")

    assert after["manifest_digest_sha256"] == before["manifest_digest_sha256"]
    assert type(after["schema_version"]) is float


@pytest.mark.parametrize("value", [float("nan"), "\ud800", (object(),), {1: 1, "a": 2}])
def test_a_value_without_canonical_form_gets_the_zero_digest(value: Any) -> None:
    manifest = golden()["manifest"]
    manifest["compatibility_contract"] = value

    reseal(manifest, "manifest")

    assert manifest["manifest_digest_sha256"] == "0" * 64


def test_cycles_and_foreign_projections_can_be_sealed() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    made = golden(override={CARD: {"/c": cycle}, CORE: {1: 1, "/a": 2}, "variant_content": None})

    assert made["manifest"]["components"][CARD]["content_digest_sha256"] == "0" * 64
    assert made["manifest"]["components"][CORE]["owned_fields"] == ["/a"]
    assert made["manifest"]["components"]["variant_content"]["owned_fields"] == []


@pytest.mark.parametrize("manifest", [None, [], {"components": {}}])
def test_a_level_whose_parts_are_missing_is_refused(manifest: Any) -> None:
    with pytest.raises(DocumentError) as refused:
        reseal(manifest, "components")

    assert refused.value.code == "vector_case"
    assert refused.value.expected == "a manifest with all parts that resealing components reads"


@pytest.mark.parametrize(
    ("members", "path", "expected"),
    [
        ({"override": {"future_content": {}}}, "/override", "a component name"),
        (
            {"requirements": {"default": {CARD: "exact"}}},
            "/requirements",
            "a requirement plan: a choice as default, an object of choices for a component",
        ),
    ],
)
def test_a_wrong_override_or_plan_is_refused(members: dict[str, Any], path: str, expected: str) -> None:
    with pytest.raises(DocumentError) as refused:
        golden(**members)

    assert (refused.value.code, refused.value.path, refused.value.expected) == ("vector_case", path, expected)
