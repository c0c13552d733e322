"""The census is read in the order of the identity contract, section 10, and built from exactly eleven projections."""

from typing import Any

import pytest

from operatebench.errors import IdentityValidationError
from operatebench.identity import build_projection_census, validate_identity_manifest
from tests.identity import documents, oracle
from tests.identity.documents import at, put
from tests.identity.oracle import BUILD, CARD, COMPONENTS, CORE
from tests.identity.refusals import assert_refused, refusal

B1 = "operatebench.identity_field_census.v1"
B1_ARTIFACT = "operatebench.b1_card_contract.v1"
KEYS = "exactly schema, schema_version, manifest_schema, owners, entries"


def judge(census: Any) -> IdentityValidationError:
    given = documents.golden()
    return refusal(validate_identity_manifest, given.manifest, census, given.projections)


def edited(**members: Any) -> dict[str, Any]:
    return documents.golden().census | members


def row(path: Any, owner: Any) -> dict[str, Any]:
    return {"field_path": path, "owner": owner}


@pytest.mark.parametrize(
    "make", [documents.golden_projections, documents.rich_projections, documents.empty_projections]
)
def test_builds_the_census_of_the_projections(make: Any) -> None:
    assert repr(build_projection_census(make())) == repr(oracle.census(make()))


def test_a_built_census_is_fresh() -> None:
    first = build_projection_census(documents.golden_projections())
    first["entries"].clear()
    first["owners"].clear()
    assert build_projection_census(documents.golden_projections()) == documents.golden().census


@pytest.mark.parametrize("root", [None, [], (), "x"])
def test_building_takes_a_plain_object(root: Any) -> None:
    assert_refused("root_type", "projections#", "a plain object", "", build_projection_census, root)


def test_building_takes_exactly_the_eleven_names() -> None:
    projections = documents.golden_projections()
    expected = "exactly the eleven component names"
    missing = {name: value for name, value in projections.items() if name != CORE}
    cases: list[tuple[dict[Any, Any], str]] = [
        ({}, CARD[:5]),
        (missing, f"without {CORE}"),
        (projections | {"runtime_bundle": {}}, '"runtime_bundle"'),
        (missing | {"x": {}}, '"x"'),
        ({**missing, 7: {}}, "7"),
    ]
    for wrong, actual in cases:
        assert_refused(
            "map_names", "projections#", expected, "" if not wrong else actual, build_projection_census, wrong
        )


def test_building_refuses_a_path_under_two_owners() -> None:
    projections = documents.golden_projections()
    projections[BUILD]["/fixture/card_schema_content"] = 1
    error = refusal(build_projection_census, projections)
    assert error.code == "census_duplicate"
    assert CARD in error.expected
    assert "/fixture/card_schema_content" in error.actual


def test_4096_rows_over_all_owners_are_the_most() -> None:
    projections = documents.empty_projections()
    projections[CARD] = {f"/{index}": 0 for index in range(2_048)}
    projections[BUILD] = {f"/b/{index}": 0 for index in range(2_048)}
    assert len(build_projection_census(projections)["entries"]) == 4_096
    projections[BUILD]["/one/more"] = 0
    expected = "at most 4096 rows"
    error = refusal(build_projection_census, projections)
    assert (error.code, error.path, error.expected) == ("resource_limits", "census#/entries", expected)


@pytest.mark.parametrize("name", ["schema", "artifact_schema"])
def test_a_b1_census_is_refused_by_either_discriminator_whatever_else_is_wrong(name: str) -> None:
    discriminator = B1 if name == "schema" else B1_ARTIFACT
    other = {"a": 1, "b": [], "c": None}
    error = judge({name: discriminator, **other})
    assert (error.code, error.path) == ("census_b1_scope", f"census#/{name}")
    assert error.expected == f'"{oracle.CENSUS}"'
    assert error.actual == f'"{discriminator}"'
    assert judge({name: discriminator, "entries": "x", **other}).code == "census_b1_scope"
    assert judge({name: discriminator, "entries": [None], **other}).code == "census_b1_scope"


@pytest.mark.parametrize("schema", [B1.replace("v1", "v2"), B1 + " ", B1.upper(), None, [B1], {"x": B1}])
def test_only_the_exact_b1_discriminators_count(schema: Any) -> None:
    assert judge(edited(schema=schema)).code == "census_header"
    assert judge({"artifact_schema": schema, "schema": 1, "schema_version": 1, "entries": []}).code == "census_keys"


def test_the_b1_refusal_comes_after_the_roots_and_before_the_census() -> None:
    given = documents.golden()
    census = {"schema": B1, "schema_version": 1, "artifact_schema": B1_ARTIFACT, "entries": []}
    assert judge(census).code == "census_b1_scope"
    call = validate_identity_manifest
    assert refusal(call, None, census, given.projections).code == "root_type"
    assert refusal(call, given.manifest, census, []).code == "root_type"
    assert refusal(call, {}, census, given.projections).code == "root_cardinality"
    assert refusal(call, given.manifest, census | {"x": 1, "y": 2}, given.projections).code == "root_cardinality"
    assert refusal(call, given.manifest | {"schema": 1.5}, census, given.projections).code == "strict_json"
    assert refusal(call, given.manifest, census, given.projections | {CARD: {"/a": 1.5}}).code == "strict_json"
    assert refusal(call, given.manifest | {"components": {}}, census, given.projections).code == "map_cardinality"
    assert refusal(call, given.manifest, census, given.projections | {CARD: None}).code == "projection_shape"
    assert refusal(call, given.manifest, census | {"owners": []}, given.projections).code == "map_cardinality"
    assert refusal(call, given.manifest | {"schema": 7}, census, given.projections).code == "census_b1_scope"


def test_the_members_are_exactly_five() -> None:
    census = documents.golden().census
    for name in census:
        shorter = {key: value for key, value in census.items() if key != name}
        for wrong in (shorter, shorter | {"x": 1}):
            error = judge(wrong)
            assert (error.code, error.path, error.expected) == ("census_keys", "census#", KEYS)
            assert '"' in error.actual


@pytest.mark.parametrize("member", ["schema", "schema_version", "manifest_schema"])
def test_the_header_is_the_frozen_one(member: str) -> None:
    values: list[Any] = [None, "x", 2, True, [], {}, "1"]
    for value in values:
        error = judge(edited(**{member: value}))
        assert (error.code, error.path) == ("census_header", f"census#/{member}")


def test_a_version_of_1_0_is_1() -> None:
    given = documents.golden()
    found = validate_identity_manifest(given.manifest, edited(schema_version=1.0), given.projections)
    assert found.schema_version == 1


def test_the_owners_are_the_eleven_names_in_registry_order() -> None:
    names = list(COMPONENTS)
    wrong: list[Any] = [
        names[::-1],
        [*names[:10], "runtime_bundle"],
        [*names[:10], names[0]],
        None,
        {},
        "x",
        [*names[:10], None],
    ]
    for owners in wrong:
        error = judge(edited(owners=owners))
        assert (error.code, error.path) == ("census_owners", "census#/owners")
        assert error.expected.endswith("component names in registry order")
    for owners in ([], names[:10], [*names, CARD]):
        error = judge(edited(owners=owners))
        assert (error.code, error.path) == ("map_cardinality", "census#/owners")


@pytest.mark.parametrize("entries", [None, {}, "x", 1, True])
def test_the_entries_are_an_array(entries: Any) -> None:
    error = judge(edited(entries=entries))
    assert (error.code, error.path, error.expected) == ("census_entries", "census#/entries", "an array")


def test_4097_rows_are_over_a_limit_before_anything_of_the_census_is_read() -> None:
    error = judge(edited(entries=[None] * 4097, schema="x"))
    assert (error.code, error.path) == ("resource_limits", "census#/entries")
    assert judge(edited(entries=[None] * 4096)).code == "census_entry"


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        "x",
        {},
        {"field_path": "/a"},
        {"owner": CARD},
        row("/a", CARD) | {"x": 1},
        {"field_path": "/a", "x": CARD},
    ],
)
def test_a_row_is_exactly_path_and_owner(wrong: Any) -> None:
    entries = [*documents.golden().census["entries"][:3], wrong]
    error = judge(edited(entries=entries))
    assert (error.code, error.path) == ("census_entry", "census#/entries/3")


@pytest.mark.parametrize("owner", [None, 1, "", "x", "runtime_bundle", [], {}])
def test_an_owner_is_a_component(owner: Any) -> None:
    error = judge(edited(entries=[row("/a", owner)]))
    assert (error.code, error.path) == ("census_owner_unknown", "census#/entries/0/owner")


@pytest.mark.parametrize("path", [None, 1, "", "/", "a", "/a/", "/*", "/a~", "/" + "a" * 1024])
def test_a_path_is_grammatical(path: Any) -> None:
    error = judge(edited(entries=[row(path, CARD)]))
    assert (error.code, error.path) == ("field_path", "census#/entries/0/field_path")


def test_a_path_has_one_owner() -> None:
    for owner in (CARD, CORE):
        error = judge(edited(entries=[row("/a", CARD), row("/a", owner)]))
        assert (error.code, error.path) == ("census_duplicate", "census#/entries/1/field_path")
        assert CARD in error.expected
        assert error.actual == '"/a"'


def test_rows_are_sorted_by_owner_then_by_code_point() -> None:
    for entries in (
        [row("/a", CORE), row("/b", CARD)],
        [row("/b", CARD), row("/a", CARD)],
        [row("/\U00010000", CARD), row("/\ue000", CARD)],
    ):
        error = judge(edited(entries=entries))
        # The first row that is not the one that belongs there.
        assert (error.code, error.path) == ("census_order", "census#/entries/0")
        assert error.expected.startswith("rows sorted by owner, then path")


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ([("x", 1), ("schema", None)], "root_cardinality"),
        ([("schema", "x"), ("owners", None)], "census_header"),
        ([("owners", list(COMPONENTS)[::-1]), ("entries", None)], "census_owners"),
        ([("entries", [None, row("/a", "x")])], "census_entry"),
        ([("entries", [row("/", "x")])], "census_owner_unknown"),
        ([("entries", [row("/b", CARD), row("/", CARD), row("/b", CARD)])], "field_path"),
        ([("entries", [row("/b", CARD), row("/a", CARD), row("/b", CARD)])], "census_duplicate"),
        ([("entries", [row("/b", CARD), row("/a", CARD), {}])], "census_entry"),
    ],
)
def test_the_earlier_check_of_the_census_is_named(edits: list[tuple[str, Any]], code: str) -> None:
    assert judge(edited(**dict(edits))).code == code


def test_a_census_fault_is_named_before_a_manifest_fault() -> None:
    given = documents.golden()
    put(given.manifest, ("schema",), "x")
    put(given.census, ("entries", 0, "owner"), "x")
    error = refusal(validate_identity_manifest, given.manifest, given.census, given.projections)
    assert error.code == "census_owner_unknown"
    assert at(given.manifest, ("schema",)) == "x"
