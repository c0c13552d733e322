"""The schemas decide every card vector as far as a schema can, and leave exactly the rest to code."""

import hashlib
import json
from importlib.resources import files
from typing import Any

import pytest

from tests.schemas.card_support import build, card_accepts, quick_card_accepts, read_vectors, sample

HANDED = {
    "accepts.json": "958654c2735e658eae7c4fa76dd040adb17f114ccaf70c8b4e6b4c1b1d62f558",
    "digests.json": "51f11ce91dc09c8dd1608d899bad2423430919206d002bbc5133663484754863",
    "refusals.json": "fc07a25fcf1d3d04278479af1856b0063bab6fdafeb5f8ae95b4d2440ba42366",
    "operation.json": "b18d350564b9a03f31a43c92ec5d56ab279c2ff4b1ee8ce182adef334ad08078",
    "scenario.json": "76876ab016710f4bdc080af6f62bc6b3e04c95f7f7fbed8b033b441350af3081",
    "variant.json": "0f261e2f02290e577228bdaf8a4d6229b7e04624ef1892eced27cdc4d83d7847",
}
ACCEPTED = read_vectors("accepts.json")["cases"]
REFUSED = read_vectors("refusals.json")["cases"]
# What the schema sees although an earlier step than the shape check refuses it.
SEEN_BEFORE_SHAPE = {
    "limit.integer-2^63",
    "limit.lone-surrogate-value",
    "limit.lone-surrogate-low-first",
    "limit.array-4097",
    "limit.object-4097",
}
# What only code can say: how much there is in a whole admission.
LEFT_TO_ADMISSION = {
    "limit.nodes-over-100000",
    "limit.text-total-is-shared-with-references",
    "limit.references-4097",
}


def by_stage(*stages: str) -> list[Any]:
    """The refusals of some stages as test parameters."""
    return [pytest.param(case, id=case["name"]) for case in REFUSED if case["stage"] in stages]


def named(names: set[str]) -> list[Any]:
    """The refusals with these names as test parameters."""
    return [pytest.param(case, id=case["name"]) for case in REFUSED if case["name"] in names]


@pytest.mark.parametrize("name", HANDED)
def test_handed_file_is_byte_for_byte_the_same(name: str) -> None:
    data = files("operatebench.vectors").joinpath("cards", name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == HANDED[name]


def test_files_are_complete() -> None:
    folder = files("operatebench.vectors").joinpath("cards")
    assert {entry.name for entry in folder.iterdir()} == {*HANDED, "FORMAT.md"}
    for name, count in (("accepts.json", 38), ("refusals.json", 491)):
        document = read_vectors(name)
        assert document["vectors"] == "operatebench.conformance.cards.v1"
        assert document["count"] == len(document["cases"]) == count


@pytest.mark.parametrize("kind", ["operation", "scenario", "variant"])
def test_sample_cards_are_accepted(kind: str) -> None:
    assert card_accepts(kind)(sample(kind))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in ACCEPTED])
def test_accepted_cases_pass_with_all_their_cards(case: dict[str, Any]) -> None:
    for kind in ("operation", "scenario", "variant"):
        assert card_accepts(kind)(build(case, kind)), kind


@pytest.mark.parametrize("case", by_stage("shape"))
def test_faults_of_shape_are_refused_and_the_order_of_sets_is_left_to_code(case: dict[str, Any]) -> None:
    card = json.loads(case["raw"]) if "raw" in case else build(case, case["target"])
    assert card_accepts(case["target"])(card) is (case["reason"] == "set_order")


def test_there_are_363_faults_of_shape_fourteen_of_them_in_the_order_of_sets() -> None:
    shape = by_stage("shape")
    assert len(shape) == 363
    assert sum(case.values[0]["reason"] == "set_order" for case in shape) == 14


@pytest.mark.parametrize("case", by_stage("semantic", "digest", "references"))
def test_faults_beyond_shape_pass(case: dict[str, Any]) -> None:
    assert card_accepts(case["target"])(build(case, case["target"]))


@pytest.mark.parametrize("case", by_stage("generation"))
def test_other_generations_are_refused(case: dict[str, Any]) -> None:
    assert not card_accepts(case["target"])(build(case, case["target"]))


@pytest.mark.parametrize("case", named(SEEN_BEFORE_SHAPE))
def test_faults_of_admission_that_a_schema_can_say_are_refused(case: dict[str, Any]) -> None:
    assert not card_accepts(case["target"])(build(case, case["target"]))


@pytest.mark.parametrize("case", named(LEFT_TO_ADMISSION))
def test_faults_of_admission_that_no_schema_can_say_pass(case: dict[str, Any]) -> None:
    assert quick_card_accepts(case["target"])(build(case, case["target"]))


def test_every_stage_has_its_test() -> None:
    assert {case["stage"] for case in REFUSED} == {
        "parse",
        "projection",
        "generation",
        "shape",
        "digest",
        "references",
        "semantic",
    }
    projected = {case["name"] for case in REFUSED if case["stage"] == "projection"}
    assert projected == SEEN_BEFORE_SHAPE | LEFT_TO_ADMISSION
