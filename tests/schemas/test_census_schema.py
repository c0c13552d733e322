"""What the census schema accepts and refuses, both engines always agreeing."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

Accepts = Callable[[Any], bool]


def short(value: Any) -> str:
    """A readable test id for long or odd text."""
    return ascii(value)[:20]


def test_golden_census_is_accepted(census_accepts: Accepts, golden_census: Any) -> None:
    assert census_accepts(golden_census)


def test_a_census_without_entries_is_accepted(census_accepts: Accepts, golden_census: Any) -> None:
    assert census_accepts(golden_census | {"entries": []})


def test_every_missing_null_or_extra_member_is_refused(census_accepts: Accepts, golden_census: Any) -> None:
    for name in golden_census:
        assert not census_accepts({key: value for key, value in golden_census.items() if key != name}), name
        assert not census_accepts(golden_census | {name: None}), name
    assert not census_accepts(golden_census | {"extra": 1})
    for index, row in enumerate(golden_census["entries"]):
        others = [{key: value for key, value in row.items() if key != name} for name in row]
        others += [row | {name: None} for name in row] + [row | {"extra": 1}]
        for other in others:
            edited = copy.deepcopy(golden_census)
            edited["entries"][index] = other
            assert not census_accepts(edited), other


@pytest.mark.parametrize("root", [None, False, 0, "x", [], {}])
def test_a_root_that_is_no_census_is_refused(census_accepts: Accepts, root: Any) -> None:
    assert not census_accepts(root)


def test_the_version_may_be_the_number_one_however_written_but_never_true(
    census_accepts: Accepts, golden_census: Any
) -> None:
    assert census_accepts(golden_census | {"schema_version": 1.0})
    for other in (True, 2, "1"):
        assert not census_accepts(golden_census | {"schema_version": other})


def test_header_texts_are_fixed(census_accepts: Accepts, golden_census: Any) -> None:
    for name in ("schema", "manifest_schema"):
        assert not census_accepts(golden_census | {name: golden_census[name] + "\n"})
        assert not census_accepts(golden_census | {name: golden_census[name][:-1] + "2"})


def test_the_card_census_is_refused(census_accepts: Accepts) -> None:
    header = {"schema": "operatebench.identity_field_census.v1", "schema_version": 1}
    assert not census_accepts(header | {"artifact_schema": "operatebench.b1_card_contract.v1", "entries": []})


def test_owners_are_the_eleven_in_order(census_accepts: Accepts, golden_census: Any) -> None:
    owners = golden_census["owners"]
    for other in (
        owners[::-1],
        owners[:-1],
        [*owners, owners[0]],
        [*owners, "runtime_bundle"],
        [*owners[:-1], owners[0]],
        [],
    ):
        assert not census_accepts(golden_census | {"owners": other})


@pytest.mark.parametrize("owner", ["future_content", "runtime_bundle", "", "card_schema_content\n", 1])
def test_an_entry_names_one_of_the_eleven(census_accepts: Accepts, golden_census: Any, owner: Any) -> None:
    assert not census_accepts(golden_census | {"entries": [{"field_path": "/a", "owner": owner}]})


@pytest.mark.parametrize(
    "path", ["/a", "/a\n", "/a~0", "/a~1b", "/" + "x" * 1023, "/" + "\U0001f600" * 1023], ids=short
)
def test_entry_paths_accepted(census_accepts: Accepts, golden_census: Any, path: str) -> None:
    assert census_accepts(golden_census | {"entries": [{"field_path": path, "owner": "variant_content"}]})


@pytest.mark.parametrize(
    "path", ["", "/", "a", "/a/", "/a//b", "/a~", "/a~2b", "/a/*", "/" + "x" * 1024, "/\ud800", 1], ids=short
)
def test_entry_paths_refused(census_accepts: Accepts, golden_census: Any, path: Any) -> None:
    assert not census_accepts(golden_census | {"entries": [{"field_path": path, "owner": "variant_content"}]})


def test_unsorted_and_duplicate_rows_are_left_to_code(census_accepts: Accepts, golden_census: Any) -> None:
    rows = golden_census["entries"]
    assert census_accepts(golden_census | {"entries": rows[::-1]})
    assert census_accepts(golden_census | {"entries": [rows[0], rows[0]]})
    assert census_accepts(golden_census | {"entries": [rows[0], rows[0] | {"owner": "variant_content"}]})


def test_entry_count_boundary(census_accepts: Accepts, golden_census: Any) -> None:
    rows = [{"field_path": f"/f{index}", "owner": "variant_content"} for index in range(4097)]
    assert census_accepts(golden_census | {"entries": rows[:4096]})
    assert not census_accepts(golden_census | {"entries": rows})
