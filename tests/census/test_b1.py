"""A B1 census is validated in the order of the card contract, section 18, and comes out immutable."""

import copy
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.census import CardValidationError, load_field_census, owner_of, validate_field_census
from tests.census.support import AT, CARD, OPERATION, SCENARIO, VARIANT, edited, index_of, judge, refusal, without

PLACE = f"census#/entries/{index_of(AT)}"
CONSUMERS = ["card_loader", "card_validator", "identity_manifest_input"]


def thawed(value: Any) -> Any:
    if isinstance(value, MappingProxyType):
        return {name: thawed(item) for name, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


def test_the_packaged_census_is_valid_and_complete() -> None:
    census = validate_field_census(load_field_census())

    assert thawed(census) == load_field_census()
    counts = {
        owner: sum(entry["owner"] == owner for entry in census["entries"])
        for owner in (CARD, OPERATION, SCENARIO, VARIANT)
    }
    assert counts == {CARD: 7, OPERATION: 39, SCENARIO: 29, VARIANT: 31}
    assert {(entry["nullability"], entry["cardinality"]) for entry in census["entries"]} == {("never", "exact")}


def test_the_result_is_immutable_and_detached() -> None:
    given = load_field_census()
    census: Any = validate_field_census(given)
    given["entries"][0]["consumers"].clear()
    given["entries"].clear()

    assert thawed(census) == load_field_census()
    with pytest.raises(TypeError):
        census["entries"] = ()
    with pytest.raises(TypeError):
        census["entries"][0]["owner"] = VARIANT
    assert type(census["entries"][0]["consumers"]) is tuple


def test_a_validated_census_validates_again() -> None:
    once = validate_field_census(load_field_census())
    twice = validate_field_census(once)

    assert twice is not once
    assert thawed(twice) == thawed(once)


def test_the_order_of_entries_is_free() -> None:
    census = load_field_census()
    census["entries"].reverse()

    assert len(validate_field_census(census)["entries"]) == 106


@pytest.mark.parametrize("forge", [{"owner": OPERATION}, {"consumers": ("card_loader",)}, {"field_path_pattern": "/x"}])
def test_a_forged_frozen_census_is_refused(forge: dict[str, Any]) -> None:
    real = validate_field_census(load_field_census())
    entries = list(real["entries"])
    entries[0] = MappingProxyType(dict(entries[0]) | forge)

    assert judge(MappingProxyType(dict(real) | {"entries": tuple(entries)}))[0].startswith("census.")


def test_a_frozen_census_that_fails_while_it_is_read_leaves_no_trace() -> None:
    class Hostile(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError("secret")

    error = refusal(validate_field_census, MappingProxyType(Hostile()))

    assert (error.code, error.path) == ("projection.unreadable", "census#")
    assert (error.__cause__, error.__context__) == (None, None)


@pytest.mark.parametrize("place", ["entries", "source_paths", "consumers"])
def test_a_tuple_is_no_array(place: str) -> None:
    census = load_field_census()
    holder = census if place == "entries" else census["entries"][0]
    holder[place] = tuple(holder[place])
    inside = "" if place == "entries" else "/entries/0"

    assert judge(census) == ("projection.wrong_type", f"census#{inside}/{place}")


@pytest.mark.parametrize(
    ("census", "code"),
    [
        (OrderedDict(load_field_census()), "projection.wrong_type"),
        (load_field_census() | {"schema_version": 1.0}, "projection.float"),
        (load_field_census() | {"schema": "\ud800"}, "projection.lone_surrogate"),
        (load_field_census() | {"schema_version": 2**63}, "projection.integer_range"),
        (load_field_census() | {"entries": [0] * 4_097}, "projection.too_many_members"),
        (None, "shape.root_not_object"),
        ([], "shape.root_not_object"),
    ],
)
def test_what_is_no_admissible_object_is_refused(census: Any, code: str) -> None:
    assert judge(census)[0] == code


def test_a_census_that_contains_itself_is_refused() -> None:
    census = load_field_census()
    census["entries"].append(census)

    assert judge(census)[0] == "projection.too_deep"


@pytest.mark.parametrize("member", ["schema", "schema_version", "artifact_schema", "entries"])
def test_the_document_has_exactly_its_four_members(member: str) -> None:
    census = load_field_census()
    del census[member]

    assert judge(census) == ("shape.missing_key", "census#")
    assert judge(load_field_census() | {"owners": []}) == ("shape.unknown_key", "census#")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("schema", "operatebench.identity_field_census.v2"),
        ("schema", None),
        ("schema_version", 2),
        ("schema_version", True),
        ("schema_version", "1"),
        ("artifact_schema", "operatebench.artifact.v9"),
    ],
)
def test_the_header_is_exact(member: str, value: Any) -> None:
    assert judge(load_field_census() | {member: value}) == ("shape.closed_value", f"census#/{member}")


@pytest.mark.parametrize(
    ("entries", "code", "place"),
    [
        ({}, "shape.wrong_type", "/entries"),
        ([], "shape.too_few_items", "/entries"),
        ([None], "shape.wrong_type", "/entries/0"),
        ([[]], "shape.wrong_type", "/entries/0"),
    ],
)
def test_entries_are_some_objects(entries: Any, code: str, place: str) -> None:
    assert judge(load_field_census() | {"entries": entries}) == (code, f"census#{place}")


@pytest.mark.parametrize(
    ("member", "value", "code", "below"),
    [
        # Without owner, with an unknown one, with two.
        ("owner", None, "census.zero_owner", ""),
        ("owner", "", "census.unknown_owner", ""),
        ("owner", "runtime_contract_content", "census.unknown_owner", ""),
        ("owner", [VARIANT, OPERATION], "census.unknown_owner", ""),
        # Consumers.
        ("consumers", [], "census.missing_consumer", ""),
        ("consumers", "card_loader", "shape.wrong_type", ""),
        ("consumers", ["Card Loader"], "shape.lexical", "/0"),
        ("consumers", ["card_loader\n"], "shape.lexical", "/0"),
        ("consumers", ["a" * 256], "shape.lexical", "/0"),
        ("consumers", [None], "shape.lexical", "/0"),
        ("consumers", ["card_loader", "card_loader"], "shape.set_duplicate", "/1"),
        ("consumers", CONSUMERS[:2], "census.missing_consumer", ""),
        ("consumers", ["someone"], "census.missing_consumer", ""),
        ("consumers", CONSUMERS[::-1], "census.wrong_consumers", ""),
        ("consumers", [*CONSUMERS, "someone"], "census.wrong_consumers", ""),
        # Paths.
        ("field_path_pattern", "/variant_card/content/events/*", "census.unexpanded_pattern", ""),
        ("field_path_pattern", "/variant_card/*/events/at", "census.unexpanded_pattern", ""),
        ("field_path_pattern", "*", "census.unexpanded_pattern", ""),
        ("field_path_pattern", "variant_card", "census.field_path", ""),
        ("field_path_pattern", "/variant_card//at", "census.field_path", ""),
        ("field_path_pattern", "/variant_card/", "census.field_path", ""),
        ("field_path_pattern", "/", "census.field_path", ""),
        ("field_path_pattern", "", "census.field_path", ""),
        ("field_path_pattern", "/a~2", "census.field_path", ""),
        ("field_path_pattern", "/" + "a" * 1_024, "census.field_path", ""),
        ("field_path_pattern", 1, "census.field_path", ""),
        # Leaves that are none.
        ("field_path_pattern", "/" + "a" * 1_023, "census.missing_leaf", None),
        # The rest.
        ("nullability", "sometimes", "shape.closed_value", ""),
        ("cardinality", "pattern", "shape.closed_value", ""),
        ("source_paths", [], "shape.too_few_items", ""),
        ("source_paths", {}, "shape.wrong_type", ""),
        ("source_paths", ["docs/a", "docs/a"], "shape.set_duplicate", "/1"),
    ],
)
def test_each_rule_of_an_entry_has_its_code_and_place(member: str, value: Any, code: str, below: str | None) -> None:
    place = "census#/entries" if below is None else f"{PLACE}/{member}{below}"

    assert judge(edited(**{member: value})) == (code, place)


@pytest.mark.parametrize(
    ("member", "code"),
    [
        ("field_path_pattern", "shape.missing_key"),
        ("owner", "census.zero_owner"),
        ("source_paths", "shape.missing_key"),
        ("consumers", "census.missing_consumer"),
        ("nullability", "shape.missing_key"),
        ("cardinality", "shape.missing_key"),
    ],
)
def test_an_entry_has_exactly_its_six_members(member: str, code: str) -> None:
    assert judge(without(AT, member)) == (code, PLACE)
    assert judge(edited(comment="x")) == ("shape.unknown_key", PLACE)


SAFE = [
    "src/a",
    "docs/a/b.c",
    "tests/...",
    "tools/.hidden",
    "docs/a b",
    "docs/\u00e9",
    "docs/\x80",
    "pyproject.toml",
    "uv.lock",
    "src/C:/a",
]
UNSAFE = [
    *("", "src", "src/", "/src/a", "lib/a", "setup.py", "pyproject.toml/", "uv.lock2", "Src/a", "C:/src/a", "src\\a"),
    *("src/.", "src/..", "src/./a", "src/../a", "src/a/.", "src/a/..", "src/a/../../b", "src//a", "src/a//b", "src/a/"),
    *("docs/a\n", "docs/a\\b", "../src/a", "./src/a", "~/src/a", "file:src/a"),
]


@pytest.mark.parametrize("source", SAFE)
def test_a_safe_source_is_accepted_wherever_it_is(source: str) -> None:
    assert len(validate_field_census(edited(source_paths=[source]))["entries"]) == 106


@pytest.mark.parametrize("source", [*UNSAFE, None, 1, ["src/a"]], ids=ascii)
def test_an_unsafe_source_is_refused_without_source_root_too(source: Any) -> None:
    assert judge(edited(source_paths=["docs/a", source])) == ("census.source_unsafe", f"{PLACE}/source_paths/1")


def test_every_control_character_makes_a_source_unsafe() -> None:
    for code in [*range(0x20), 0x7F]:
        for source in (f"src/{chr(code)}", f"src/a{chr(code)}b", f"src/a/{chr(code)}", f"src/a{chr(code)}"):
            assert judge(edited(source_paths=[source]))[0] == "census.source_unsafe", ascii(source)


def test_artifact_9_is_refused_and_nothing_else_is() -> None:
    error = refusal(validate_field_census, load_field_census(), artifact_schema="operatebench.artifact.v9")

    assert (error.code, error.path) == ("census.scope", "census#/artifact_schema")
    assert error.expected == "operatebench.artifact.v9"
    for other in ("operatebench.artifact.v8", "operatebench.artifact.v9 ", "operatebench.b1_card_contract.v1", ""):
        assert len(validate_field_census(load_field_census(), artifact_schema=other)["entries"]) == 106


@pytest.mark.parametrize("value", [9, b"operatebench.artifact.v9", ["operatebench.artifact.v9"]])
def test_an_artifact_schema_that_is_no_text_is_refused_with_its_cause(value: Any) -> None:
    error = refusal(validate_field_census, load_field_census(), artifact_schema=value)

    assert (error.code, error.path) == ("census.argument", "artifact_schema#")
    assert type(error.__cause__) is TypeError


def test_two_equal_entries_are_a_duplicate() -> None:
    census = load_field_census()
    census["entries"].append(copy.deepcopy(census["entries"][4]))

    assert judge(census) == ("census.duplicate_row", "census#/entries/106")


@pytest.mark.parametrize("difference", [{"owner": OPERATION}, {"nullability": "explicit_null_allowed"}])
def test_a_path_with_two_entries_has_two_owners(difference: dict[str, Any]) -> None:
    census = load_field_census()
    census["entries"].append(census["entries"][index_of(AT)] | difference)

    error = refusal(validate_field_census, census)

    assert (error.code, error.path) == ("census.two_owners", "census#/entries/106/field_path_pattern")
    assert VARIANT in error.expected
    assert error.actual == f'"{AT}"'


@pytest.mark.parametrize("owner", [CARD, OPERATION, SCENARIO, VARIANT])
def test_an_owner_of_nothing_is_missing(owner: str) -> None:
    census = load_field_census()
    census["entries"] = [entry for entry in census["entries"] if entry["owner"] != owner]

    error = refusal(validate_field_census, census)

    assert (error.code, error.path, error.expected) == ("census.missing_owner", "census#/entries", owner)


@pytest.mark.parametrize("index", range(106))
def test_every_single_leaf_is_needed(index: int) -> None:
    census = load_field_census()
    removed = census["entries"].pop(index)

    error = refusal(validate_field_census, census)

    assert (error.code, error.path) == ("census.missing_leaf", "census#/entries")
    assert error.expected == removed["field_path_pattern"]


@pytest.mark.parametrize(
    "path",
    ["/variant_card/content/events/0/at", "/variant_card/content/events", "/variant_card/content/policy", "/x"],
)
def test_a_fabricated_leaf_is_refused(path: str) -> None:
    census = load_field_census()
    census["entries"].insert(50, census["entries"][index_of(AT)] | {"field_path_pattern": path})

    assert judge(census) == ("census.fabricated_leaf", "census#/entries/50/field_path_pattern")


@pytest.mark.parametrize("owner", [OPERATION, SCENARIO])
def test_another_owner_with_the_same_consumers_is_the_wrong_one(owner: str) -> None:
    error = refusal(validate_field_census, edited(owner=owner))

    assert (error.code, error.path) == ("census.wrong_owner", f"{PLACE}/owner")
    assert (error.expected, error.actual) == (VARIANT, f'"{owner}"')


def test_faults_are_reported_in_the_order_of_the_contract() -> None:
    """Break every rule at once, from the last to the first: each new fault hides the one before."""
    census = load_field_census()
    entries = census["entries"]
    found = []

    def look(**named: Any) -> None:
        found.append(judge(census, **named)[0])

    entries[-1]["owner"] = SCENARIO
    look()
    entries[-1]["field_path_pattern"] = "/x"
    look()
    census["entries"] = entries = [entry for entry in entries if entry["owner"] != OPERATION]
    look()
    look(source_root="/")
    entries[5]["consumers"].reverse()
    look(source_root="/")
    entries[7] = entries[6] | {"nullability": "explicit_null_allowed"}
    look(source_root="/")
    look(source_root="/", artifact_schema="operatebench.artifact.v9")
    entries[0]["owner"] = None
    look(source_root="/", artifact_schema="operatebench.artifact.v9")
    entries[1]["consumers"] = ()
    look(source_root="/", artifact_schema="operatebench.artifact.v9")

    assert found == [
        "census.wrong_owner",
        "census.missing_leaf",
        "census.missing_owner",
        "census.source_stale",
        "census.wrong_consumers",
        "census.two_owners",
        "census.scope",
        "census.zero_owner",
        "projection.wrong_type",
    ]


def test_a_refusal_keeps_nothing_of_the_caller() -> None:
    error = refusal(validate_field_census, edited(owner="nobody"))

    assert (error.__cause__, error.__context__) == (None, None)
    frame = error.__traceback__
    while frame is not None:
        assert "operatebench" not in frame.tb_frame.f_code.co_filename or "census" not in frame.tb_frame.f_locals
        frame = frame.tb_next
    assert isinstance(error, ValueError)
    assert type(error) is CardValidationError


def test_validating_a_broken_census_does_not_change_who_owns_what() -> None:
    judge(edited(owner=OPERATION))

    assert owner_of(AT).owner == VARIANT


def test_the_argument_stays_the_callers_own() -> None:
    census = load_field_census()
    validate_field_census(census)
    assert census == load_field_census()
    assert type(census["entries"][0]["source_paths"]) is list
