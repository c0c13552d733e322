"""Requirement rows are exact in shape, kind, grammar and order (identity contract, sections 3 and 8.1, step 2)."""

from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import RequirementV1, recompute_component
from tests.identity import oracle
from tests.identity.oracle import CARD, CORE, SCENARIO
from tests.identity.refusals import assert_refused

DIGEST = "0" * 64
LARGEST = 2**53 - 1


def core(row: Any) -> Any:
    """Build a component with the one given requirement row."""
    return recompute_component(CORE, {}, [row])


@pytest.mark.parametrize(
    "row",
    [
        oracle.exact(CARD, DIGEST),
        oracle.closed_range(CARD),
        oracle.closed_range(CARD, 1, LARGEST),
        oracle.closed_range(CARD, LARGEST, LARGEST),
        oracle.named(CARD),
        oracle.named(CARD, "a.b", LARGEST),
        oracle.named(CARD, "a_b.c-d.9"),
    ],
)
def test_every_well_formed_row_is_kept_satisfied_or_not(row: dict[str, Any]) -> None:
    (requirement,) = core(row).requires
    assert type(requirement) is RequirementV1
    assert requirement.component == CARD
    assert type(requirement.compatible) is MappingProxyType
    assert requirement.compatible == row["compatible"]


@pytest.mark.parametrize("kind", ["range", "predicate"])
def test_integral_float_versions_become_integers(kind: str) -> None:
    row = oracle.closed_range(CARD, 1.0, 3.0) if kind == "range" else oracle.named(CARD, "a.b", 2.0)
    (requirement,) = core(row).requires
    numbers = [value for value in requirement.compatible.values() if not isinstance(value, str)]
    assert numbers == ([1, 3] if kind == "range" else [2])
    assert {type(value) for value in numbers} == {int}


@pytest.mark.parametrize(
    "value", [0, -1, True, False, None, "1", 1.5, 0.0, 2**53, float(2**53), float("nan"), 10**400, [], {}]
)
@pytest.mark.parametrize("member", ["minimum_schema_version", "maximum_schema_version", "predicate_version"])
def test_a_version_is_an_integer_from_1_to_the_largest(member: str, value: object) -> None:
    row = oracle.named(CARD) if member == "predicate_version" else oracle.closed_range(CARD)
    row["compatible"][member] = value
    path = f"requires#/0/compatible/{member}"
    assert_refused("requirement_shape", path, f"an integer from 1 to {LARGEST}", "", core, row)


def test_a_minimum_over_the_maximum_is_refused() -> None:
    path = "requires#/0/compatible/maximum_schema_version"
    assert_refused("requirement_shape", path, "at least the minimum, 3", "2", core, oracle.closed_range(CARD, 3, 2))


@pytest.mark.parametrize("value", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", None, 0, b"0" * 64])
def test_an_exact_digest_is_64_lowercase_hexadecimal_characters(value: object) -> None:
    row = oracle.exact(CARD, DIGEST)
    row["compatible"]["content_digest_sha256"] = value
    path = "requires#/0/compatible/content_digest_sha256"
    assert_refused("requirement_shape", path, "64 lowercase hexadecimal characters", "", core, row)


@pytest.mark.parametrize("value", ["", "a", "a_b", "a-b", "A.b", "a.b\n", "a..b", "a.\ud800", None, 1])
def test_a_predicate_is_a_namespaced_name_with_a_dot(value: object) -> None:
    path = "requires#/0/compatible/predicate"
    assert_refused("requirement_shape", path, "a namespaced name with a dot", "", core, oracle.named(CARD, value))


def test_a_predicate_over_one_mebibyte_is_over_a_limit() -> None:
    predicate = "a." + "b" * 1_048_575
    path = "requires#/0/compatible/predicate"
    expected = "text of at most 1048576 UTF-8 bytes"
    assert_refused("resource_limits", path, expected, "1048577", core, oracle.named(CARD, predicate))


@pytest.mark.parametrize("kind", ["", "exact", "exact_digest ", "EXACT_DIGEST", None, 1, True, [], {}, b"exact_digest"])
def test_an_unknown_kind_is_refused(kind: object) -> None:
    row = oracle.exact(CARD, DIGEST)
    row["compatible"]["kind"] = kind
    expected = "exact_digest or closed_schema_version_range or named_predicate"
    assert_refused("requirement_shape", "requires#/0/compatible/kind", expected, "", core, row)


@pytest.mark.parametrize(
    "make", [lambda: oracle.exact(CARD, DIGEST), lambda: oracle.closed_range(CARD), lambda: oracle.named(CARD)]
)
def test_the_key_set_of_every_kind_is_closed(make: Any) -> None:
    for member in list(make()["compatible"]):
        row = make()
        del row["compatible"][member]
        assert_refused("requirement_shape", "requires#/0/compatible", "an object", "an object", core, row)
    for name in ("extra", "content_digest_sha256", "predicate"):
        row = make()
        if name not in row["compatible"]:
            row["compatible"][name] = DIGEST
            assert_refused("requirement_shape", "requires#/0/compatible", "an object of exactly kind", name, core, row)


def test_the_members_of_one_kind_do_not_serve_another() -> None:
    row = oracle.exact(CARD, DIGEST)
    row["compatible"]["kind"] = "named_predicate"
    path = "requires#/0/compatible"
    assert_refused("requirement_shape", path, "kind, predicate, predicate_version", "content_digest", core, row)


@pytest.mark.parametrize("row", [None, [], (), "", 1, {}, MappingProxyType({"component": CARD, "compatible": {}})])
def test_a_row_is_a_plain_object(row: object) -> None:
    assert_refused("requirement_shape", "requires#/0", "an object of exactly component, compatible", "", core, row)


def test_a_row_has_exactly_two_members() -> None:
    row = oracle.exact(CARD, DIGEST)
    for wrong in (row | {"x": 1}, {"component": CARD}, {"compatible": row["compatible"]}, {"component": CARD, "x": 1}):
        assert_refused(
            "requirement_shape", "requires#/0", "an object of exactly component, compatible", "an", core, wrong
        )


@pytest.mark.parametrize("compatible", [None, [], "", 1, {}, {"kinds": 1}, MappingProxyType({"kind": "exact_digest"})])
def test_compatible_is_an_object_with_a_kind(compatible: object) -> None:
    row = {"component": CARD, "compatible": compatible}
    assert_refused("requirement_shape", "requires#/0/compatible", "an object with a kind", "", core, row)


@pytest.mark.parametrize("component", [None, 1, "", "card", "CARD_SCHEMA_CONTENT", b"card_schema_content"])
def test_a_rows_component_is_a_name(component: Any) -> None:
    path = "requires#/0/component"
    assert_refused("requirement_shape", path, "a namespaced name", "", core, oracle.exact(component, DIGEST))


@pytest.mark.parametrize("component", [CORE, "runtime_bundle", "unknown_name", SCENARIO])
def test_a_row_names_the_registered_dependency(component: str) -> None:
    path = "requires#/0/component"
    assert_refused("requirement_shape", path, CARD, component, core, oracle.exact(component, DIGEST))


def test_rows_stand_in_registry_order() -> None:
    rows = [oracle.exact(CARD, DIGEST), oracle.exact(CORE, DIGEST)]
    assert_refused("requirement_shape", "requires#/0/component", CORE, CARD, recompute_component, SCENARIO, {}, rows)
    rows.reverse()
    assert [row.component for row in recompute_component(SCENARIO, {}, rows).requires] == [CORE, CARD]


def test_a_repeated_row_does_not_stand_for_a_missing_one() -> None:
    rows = [oracle.exact(CORE, DIGEST)] * 2
    path = "requires#/1/component"
    assert_refused("requirement_shape", path, CARD, CORE, lambda: recompute_component(SCENARIO, {}, rows))


@pytest.mark.parametrize("count", [0, 1, 3, 100_000])
def test_the_number_of_rows_is_checked_before_any_row(count: int) -> None:
    rows = [object()] * count
    expected = f"2 rows, the dependencies of {SCENARIO}"
    assert_refused("requirement_shape", "requires#", expected, f"{count} rows", recompute_component, SCENARIO, {}, rows)


def test_every_row_is_read_before_the_order_of_rows_is_judged() -> None:
    rows = [oracle.exact(CARD, DIGEST), oracle.exact(CORE, "bad")]
    path = "requires#/1/compatible/content_digest_sha256"
    assert_refused("requirement_shape", path, "64 lowercase", '"bad"', recompute_component, SCENARIO, {}, rows)


@pytest.mark.parametrize("requires", [None, (), {}, "", 1, MappingProxyType({})])
def test_requires_is_a_plain_array(requires: Any) -> None:
    assert_refused("requirement_shape", "requires#", "an array", "", recompute_component, CORE, {}, requires)
