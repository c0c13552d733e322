"""Code and packaged schema of the census accept the same documents, whatever engine reads the schema."""

import copy
import json
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import referencing
from hypothesis import given
from hypothesis import strategies as st

from operatebench.census import load_field_census
from operatebench.census.entries import read_entries
from operatebench.errors import CardValidationError
from tests.census.support import AT, edited, without


@cache
def engines() -> tuple[Any, Any]:
    schema, definitions = (
        json.loads(files("operatebench.schemas").joinpath(name).read_bytes())
        for name in ("identity-field-census-v1.schema.json", "card-defs-v1.schema.json")
    )
    resource = referencing.Resource.from_contents(definitions)
    slow = jsonschema.Draft202012Validator(
        schema, registry=referencing.Registry().with_resource(definitions["$id"], resource)
    )
    fast = jsonschema_rs.Draft202012Validator(
        schema, registry=jsonschema_rs.Registry([(definitions["$id"], definitions)]), offline=True
    )
    return fast, slow


def agree(document: Any) -> bool:
    """Return whether a document has the form of a census; fails when code and the two engines disagree."""
    try:
        read_entries(copy.deepcopy(document))
        accepted = True
    except CardValidationError:
        accepted = False
    fast, slow = engines()
    assert (fast.is_valid(document), slow.is_valid(document)) == (accepted, accepted), document
    return accepted


def small(**members: Any) -> dict[str, Any]:
    """Return a census of one entry with members replaced."""
    census = load_field_census()
    census["entries"] = [census["entries"][0] | members]
    return census


def test_the_packaged_census_is_accepted() -> None:
    assert agree(load_field_census())


@pytest.mark.parametrize(
    "member", ["field_path_pattern", "owner", "source_paths", "consumers", "nullability", "cardinality"]
)
def test_members_are_required_and_closed(member: str) -> None:
    assert not agree(without(AT, member))
    assert not agree(edited() | {"entries": [edited()["entries"][0] | {f"{member}s": 1}]})


TEXTS = [
    *(
        "",
        "/",
        "a",
        "/a",
        "/a/b",
        "/a//b",
        "/a/",
        "/*",
        "/a*",
        "/~0",
        "/~1~0",
        "/~",
        "/~2",
        "/a\n",
        "/\u2028",
        "/\U0001f527",
    ),
    *(
        "src/a",
        "src/a\n",
        "src/..a",
        "src/a..",
        "src/...",
        "src/..",
        "src/.",
        "src/a/..",
        "docs//a",
        "docs/a/",
        "uv.lock",
    ),
    *("uv.lock\n", "uvxlock", "pyproject.toml", "tools/\x7f", "tools/\x80", "tests/a\\b", "tests/ ", "/src/a", "src"),
    *(
        "never",
        "explicit_null_allowed",
        "exact",
        "variant_content",
        "card_loader",
        "a.b-c_d",
        "a..b",
        "A",
        "a\n",
        "1a",
        "a" * 255,
    ),
    *("a" * 256, "/" + "a" * 1_023, "/" + "a" * 1_024, "src/" + "a" * 5_000),
]
ODD: list[Any] = [None, True, False, 0, 1, -1, [], {}, [[]], [None], {"a": 1}]


@pytest.mark.parametrize("member", ["field_path_pattern", "owner", "nullability", "cardinality"])
def test_scalar_members(member: str) -> None:
    verdicts = {agree(small(**{member: value})) for value in [*TEXTS, *ODD]}
    assert verdicts == {True, False}


@pytest.mark.parametrize("member", ["source_paths", "consumers"])
def test_array_members(member: str) -> None:
    verdicts = {agree(small(**{member: [value]})) for value in [*TEXTS, *ODD]}
    verdicts |= {agree(small(**{member: value})) for value in [*TEXTS, *ODD, ["uv.lock"] * 2, ["a", "a"]]}
    assert verdicts == {True, False}


@pytest.mark.parametrize("member", ["schema", "schema_version", "artifact_schema", "entries"])
def test_members_of_the_document(member: str) -> None:
    assert not any(
        agree(load_field_census() | {member: value}) for value in [*TEXTS, *ODD] if value != 1 or value is True
    )
    assert not agree({name: value for name, value in load_field_census().items() if name != member})


@pytest.mark.parametrize("document", [None, [], "x", 1, {}])
def test_what_is_no_object_of_the_four_members(document: Any) -> None:
    assert not agree(document)


def test_equal_entries_are_refused_and_like_ones_are_not() -> None:
    first = load_field_census()["entries"][0]

    def alike(**members: Any) -> bool:
        return agree(load_field_census() | {"entries": [first, first | members]})

    assert not alike()
    assert not agree(load_field_census() | {"entries": [first, dict(reversed(first.items()))]})
    assert alike(nullability="explicit_null_allowed")
    assert alike(consumers=first["consumers"][::-1])


segments = st.text(alphabet="a.\\/\n\x00\x7f\x80*~01 \u2028\U0001f527", max_size=6)


@given(start=st.sampled_from(["src/", "docs/", "tests/", "tools/", "/", "", "src", "lib/"]), rest=segments)
def test_paths_near_the_border(start: str, rest: str) -> None:
    agree(small(source_paths=[start + rest]))
    agree(small(field_path_pattern=start + rest))


@given(st.text(alphabet="aZ0._-\n\u00e9", max_size=6))
def test_names_near_the_border(name: str) -> None:
    agree(small(consumers=[name]))
