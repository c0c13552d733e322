"""Registry and census say what the card schemas say, the census schema judges by the contract, the files are fresh."""

import copy
import itertools
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from schemas_gen.__main__ import documents, render
from schemas_gen.census import leaves
from tests.schemas.card_support import (
    ALL_FILES,
    CARD_FILES,
    CENSUS_FILE,
    CENSUS_SCHEMA_FILE,
    DEFINITIONS_FILE,
    GENERATED_FILES,
    GIVEN_FILES,
    REGISTRY_FILE,
    census_accepts,
    changed,
    read,
    read_text,
    without,
)
from tests.support import ROOT

ENTRY = ("entries", 0)


@pytest.fixture
def registry() -> Any:
    """The card registry."""
    return read(REGISTRY_FILE)


@pytest.fixture
def census() -> Any:
    """The B1 census, free to be changed."""
    return read(CENSUS_FILE)


def place_in(schema: Any, pointer: str) -> Any:
    """The schema of the member a pointer without indexes names, or nothing."""
    for name in pointer.split("/")[1:]:
        if "$ref" in schema:
            schema = read(DEFINITIONS_FILE)["$defs"][schema["$ref"].rpartition("/")[2]]
        schema = schema.get("properties", {}).get(name)
        if schema is None:
            return None
    if "$ref" in schema:
        schema = read(DEFINITIONS_FILE)["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def test_registry_members_stand_in_the_contract_order(registry: Any) -> None:
    assert list(registry) == [
        "schema",
        "schema_version",
        "schema_documents",
        "canonical_json",
        "digest_wrapper_keys",
        "digest_domain_equals_card_schema",
        "strict_json_schema_subset",
        "field_shape_tags",
        "predicate_ast",
        "policy_registrations",
        "census_consumer_tuples_by_owner",
        "set_class_array_json_pointers",
        "ordered_array_json_pointers",
    ]
    assert (registry["schema"], registry["schema_version"]) == ("operatebench.card_registry.v1", 1)
    assert registry["digest_wrapper_keys"] == ["domain", "schema_version", "id", "content"]
    assert registry["digest_domain_equals_card_schema"] is True


def test_registry_names_the_schema_documents(registry: Any) -> None:
    rows = {row["offline_path"].removeprefix("schemas/"): row for row in registry["schema_documents"]}
    assert list(rows) == [*CARD_FILES.values(), DEFINITIONS_FILE]
    for file, row in rows.items():
        assert row["$id"] == read(file)["$id"]
        literal = read(file).get("properties", {}).get("schema", {}).get("const", "operatebench.card_defs.v1")
        assert row["schema_literal"] == literal


def test_registry_and_definitions_agree_on_tags_and_policy(registry: Any) -> None:
    found = read(DEFINITIONS_FILE)["$defs"]

    def tags(union: str) -> list[str]:
        rows = [next(iter(branch["properties"].values())) for branch in found[union]["oneOf"]]
        return sorted(value for row in rows for value in row.get("enum", [row.get("const")]))

    tree = registry["predicate_ast"]
    predicates = {
        name: member for branch in found["predicate"]["oneOf"] for name, member in branch["properties"].items()
    }
    assert registry["field_shape_tags"] == tags("fieldShape")
    assert tree["tags"] == tags("predicate")
    assert tree["expression_tags"] == tags("expression")
    assert tree["operators"] == sorted(predicates["operator"]["enum"])
    assert tree["quantifiers"] == sorted(predicates["quantifier"]["enum"])
    (policy,) = registry["policy_registrations"]
    assert policy["fields"] == sorted(set(found["policyContract"]["properties"]) - {"schema"})
    assert policy["policy_schema"] == found["policyContract"]["properties"]["schema"]["const"]
    content = read(CARD_FILES["operation"])["properties"]["content"]["properties"]
    assert policy["operation_type"] == content["operation_type"]["const"]


def test_registry_and_definitions_agree_on_the_state_schema_subset(registry: Any) -> None:
    subset = registry["strict_json_schema_subset"]
    branches = read(DEFINITIONS_FILE)["$defs"]["stateSchema"]["oneOf"]
    assert subset["allowed_keywords"] == sorted({name for branch in branches for name in branch["properties"]})
    assert subset["allowed_types"] == sorted(branch["properties"]["type"]["const"] for branch in branches)
    assert len(subset["forbidden_keywords"]) == 33
    assert subset["forbidden_keywords"] == sorted(subset["forbidden_keywords"])
    assert not set(subset["allowed_keywords"]) & set(subset["forbidden_keywords"])
    safe = subset["safe_regex"]
    assert safe["max_pattern_characters"] == read(DEFINITIONS_FILE)["$defs"]["authoredPattern"]["maxLength"]
    assert len(safe["allowed_constructs"]) == 6
    assert len(safe["forbidden_constructs"]) == 15


def test_registry_classifies_arrays_as_the_schemas_do(registry: Any) -> None:
    sets, lists = registry["set_class_array_json_pointers"], registry["ordered_array_json_pointers"]
    assert (len(sets), len(lists)) == (20, 3)
    for pointer in sets + lists:
        found = [place_in(read(file), pointer) for file in CARD_FILES.values()]
        (schema,) = [schema for schema in found if schema is not None]
        assert schema["type"] == "array"
        assert schema.get("uniqueItems", False) is (pointer in sets), pointer


def test_census_has_the_counts_of_the_contract(census: Any) -> None:
    owners = Counter(entry["owner"] for entry in census["entries"])
    assert owners == {
        "card_schema_content": 7,
        "operation_core_content": 39,
        "semantic_scenario_content": 29,
        "variant_content": 31,
    }
    paths = [entry["field_path_pattern"] for entry in census["entries"]]
    assert len(set(paths)) == 106
    assert {(entry["nullability"], entry["cardinality"]) for entry in census["entries"]} == {("never", "exact")}
    assert census_accepts()(census)


def test_census_lists_exactly_the_leaves_of_the_installed_schemas(census: Any, registry: Any) -> None:
    classified = frozenset(registry["set_class_array_json_pointers"] + registry["ordered_array_json_pointers"])
    expected = {f"/contract_resources/{name}" for name in ALL_FILES}
    for root, kind in (
        ("operation_card", "operation"),
        ("semantic_scenario_card", "scenario"),
        ("variant_card", "variant"),
    ):
        found = list(leaves(read(CARD_FILES[kind]), read(DEFINITIONS_FILE), classified))
        assert len(found) == len(set(found))
        expected |= {f"/{root}{place}" for place in found}
    assert {entry["field_path_pattern"] for entry in census["entries"]} == expected


def test_a_new_member_of_a_card_is_a_new_leaf(registry: Any) -> None:
    classified = frozenset(registry["set_class_array_json_pointers"] + registry["ordered_array_json_pointers"])
    schema = read(CARD_FILES["variant"])
    before = set(leaves(schema, read(DEFINITIONS_FILE), classified))
    schema["properties"]["content"]["properties"]["weather"] = {"type": "string"}
    assert set(leaves(schema, read(DEFINITIONS_FILE), classified)) - before == {"/content/weather"}


def test_an_unclassified_array_of_records_has_no_leaves(registry: Any) -> None:
    classified = frozenset(registry["set_class_array_json_pointers"])
    with pytest.raises(ValueError, match="/content/expected_event_rejections"):
        list(leaves(read(CARD_FILES["variant"]), read(DEFINITIONS_FILE), classified))


def test_consumers_and_sources_follow_from_the_owner(census: Any, registry: Any) -> None:
    files = {
        "operation_core_content": CARD_FILES["operation"],
        "semantic_scenario_content": CARD_FILES["scenario"],
        "variant_content": CARD_FILES["variant"],
    }
    for entry in census["entries"]:
        owner = entry["owner"]
        assert entry["consumers"] == registry["census_consumer_tuples_by_owner"][owner]
        if owner in files:
            assert entry["source_paths"] == ["src/operatebench/cards.py", f"docs/schemas/{files[owner]}"]
        else:
            assert entry["source_paths"] == [f"docs/schemas/{entry['field_path_pattern'].rpartition('/')[2]}"]


def test_every_missing_null_or_extra_member_of_a_census_is_refused(census: Any) -> None:
    accepts = census_accepts()
    small = census | {"entries": census["entries"][:2]}
    assert accepts(small)
    for path in ((), ENTRY):
        node = small if not path else small["entries"][0]
        for name in node:
            assert not accepts(without(small, (*path, name))), name
            others: list[Any] = [None, True, 0, "x", {}]
            for other in others:
                assert not accepts(changed(small, (*path, name), other)), (name, other)
        assert not accepts(changed(small, (*path, "extra"), 1))
    roots: list[Any] = [None, [], {}, "x", small["entries"]]
    for root in roots:
        assert not accepts(root)


def test_census_arrays_have_no_duplicates_and_no_prescribed_order(census: Any) -> None:
    accepts = census_accepts()
    entries = census["entries"]
    assert accepts(census | {"entries": entries[::-1]})
    assert not accepts(census | {"entries": []})
    assert not accepts(census | {"entries": [*entries, copy.deepcopy(entries[0])]})
    assert accepts(census | {"entries": [entries[0], entries[0] | {"owner": "variant_content"}]}), "left to code"
    for name in ("source_paths", "consumers"):
        items = entries[20][name]
        for other, expected in ((items[::-1], True), ([*items, items[0]], False), ([], False), ([1], False)):
            assert accepts(changed(census, ("entries", 20, name), other)) is expected, (name, other)


def test_census_values_are_closed(census: Any) -> None:
    small = census | {"entries": census["entries"][:1]}
    accepts = census_accepts()
    for path, other in (
        (("artifact_schema",), "operatebench.artifact.v9"),
        (("schema",), "operatebench.identity_field_census.v2"),
        (("schema_version",), 2),
        ((*ENTRY, "owner"), "runtime_contract_content"),
        ((*ENTRY, "cardinality"), "pattern"),
        ((*ENTRY, "nullability"), "always"),
        ((*ENTRY, "consumers"), ["Card loader"]),
    ):
        assert not accepts(changed(small, path, other)), path
    assert accepts(changed(small, (*ENTRY, "nullability"), "explicit_null_allowed"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", True),
        ("/a/b~1c/~0", True),
        ("/a\n", True),
        ("/é b", True),
        ("/" + "x" * 1023, True),
        ("", False),
        ("/", False),
        ("a", False),
        ("/a/", False),
        ("/a//b", False),
        ("/a/*", False),
        ("/a*", False),
        ("/a~", False),
        ("/a~2", False),
        ("/\ud800", False),
        ("/" + "x" * 1024, False),
    ],
)
def test_census_paths(census: Any, path: str, expected: bool) -> None:
    small = census | {"entries": census["entries"][:1]}
    assert census_accepts()(changed(small, (*ENTRY, "field_path_pattern"), path)) is expected


def is_source_path(path: str) -> bool:
    """The rule for source paths, as section 18 words it."""
    if path in ("pyproject.toml", "uv.lock"):
        return True
    first, *segments = path.split("/")
    return (
        first in ("src", "docs", "tests", "tools")
        and bool(segments)
        and not {"", ".", ".."} & set(segments)
        and not any(ord(character) < 0x20 or character in "\\\x7f" for character in path)
    )


def test_source_paths(census: Any) -> None:
    pattern = read(CENSUS_SCHEMA_FILE)["properties"]["entries"]["items"]["properties"]["source_paths"]["items"][
        "pattern"
    ]
    small = census | {"entries": census["entries"][:1]}
    accepts = census_accepts()
    pieces = ["a", "/", ".", "..", "\\", "\x00", "\n", "\x1f", "\x7f", " ", "é", "~", ":", "*"]
    judged = Counter[bool]()
    tails = ["".join(parts) for length in range(4) for parts in itertools.product(pieces, repeat=length)]
    texts = [head + tail for head in ("src/", "docs/a", "") for tail in tails]
    texts += [
        "pyproject.toml",
        "uv.lock",
        "uv.lock\n",
        "pyproject.toml/a",
        "pyprojectxtoml",
        "/src/a",
        "C:/src/a",
        "lib/a",
    ]
    texts += ["src", "src/", "tools/a/b.c/..d/e..", "tests/.../x", "src/a/../b", "src/./b", "src/b/."]
    for text in texts:
        judged[is_source_path(text)] += 1
        if len(text) < 7:
            assert accepts(changed(small, (*ENTRY, "source_paths"), [text])) is is_source_path(text), ascii(text)
        assert (re.search(pattern, text) is not None) is is_source_path(text), ascii(text)
    assert judged[True] > 1_000
    assert judged[False] > 1_000


def test_files_are_what_the_generator_writes() -> None:
    written = documents()
    assert list(written) == GENERATED_FILES
    for name, document in written.items():
        assert render(document).decode("ascii") == read_text(name), f"{name}: run `make schemas`"


def run_generator(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the copy of the generator in `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "schemas_gen", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with copies of the generator and of what it writes."""
    shutil.copytree(ROOT / "schemas_gen", tmp_path / "schemas_gen", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "schemas").mkdir()
    for name in (*GENERATED_FILES, *GIVEN_FILES):
        (tmp_path / "schemas" / name).write_text(read_text(name), encoding="ascii")
    return tmp_path


def test_check_says_nothing_while_all_is_fresh(folder: Path) -> None:
    done = run_generator(folder, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_names_what_is_stale_or_missing_and_writes_nothing(folder: Path) -> None:
    stale, missing = folder / "schemas" / REGISTRY_FILE, folder / "schemas" / CENSUS_FILE
    stale.write_text("{}\n", encoding="ascii")
    missing.unlink()
    done = run_generator(folder, "--check")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"schemas/{name} is out of date: run `make schemas`" for name in (REGISTRY_FILE, CENSUS_FILE)
    ]
    assert stale.read_text(encoding="ascii") == "{}\n"
    assert not missing.exists()


def test_writing_restores_the_files_and_touches_no_other(folder: Path) -> None:
    stale = folder / "schemas" / REGISTRY_FILE
    stale.write_text("{}\n", encoding="ascii")
    done = run_generator(folder)
    assert (done.returncode, done.stdout) == (0, f"schemas/{REGISTRY_FILE}\n")
    assert stale.read_text(encoding="ascii") == read_text(REGISTRY_FILE)


def test_unknown_arguments_are_a_usage_error(folder: Path) -> None:
    done = run_generator(folder, "--force")
    assert (done.returncode, done.stderr) == (64, "usage: python -m schemas_gen [--check]\n")
