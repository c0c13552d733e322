"""``census show``, ``census check`` and ``census owner``: the leaves, the verdict on a census, the owner of a place."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from operatebench.census import OWNERS, load_field_census
from operatebench.cli.census import Owner
from tests.cli.conftest import Answer
from tests.support import RunCli

TEXT = files("operatebench.schemas").joinpath("identity-field-census-v1.registry.json").read_bytes()
COUNTS = dict(zip(OWNERS, (7, 39, 29, 31), strict=True))


def broken(index: int, **members: Any) -> str:
    """Return the text of the packaged census with members of one entry replaced."""
    census = load_field_census()
    census["entries"][index] |= members
    return json.dumps(census)


def test_the_owners_to_choose_from_are_those_of_the_census() -> None:
    assert tuple(Owner) == OWNERS


def test_show_prints_every_leaf_with_its_owner(run_cli: RunCli, run_here: RunCli, answer: Answer) -> None:
    people = run_cli("census", "show")
    program = answer(run_here("census", "show", "--json"))

    rows = [tuple(line.split()) for line in people.stdout.splitlines()]
    assert people.returncode == 0
    assert rows == [(entry["owner"], entry["field_path_pattern"]) for entry in load_field_census()["entries"]]
    assert people.stderr == f"106 leaves: {', '.join(f'{name} {count}' for name, count in COUNTS.items())}\n"
    assert program == {"command": "census show", "exit": 0, **load_field_census()}


def test_show_can_be_held_to_one_owner(run_here: RunCli, answer: Answer) -> None:
    people = run_here("census", "show", "--owner", "variant_content")
    program = answer(run_here("census", "show", "--owner", "variant_content", "--json"))

    assert (people.returncode, people.stderr) == (0, "31 leaves: variant_content 31\n")
    assert len(people.stdout.splitlines()) == len(program["entries"]) == 31
    assert {entry["owner"] for entry in program["entries"]} == {"variant_content"}


def test_show_of_an_unknown_owner_is_wrong_usage(run_here: RunCli) -> None:
    done = run_here("census", "show", "--owner", "nobody")

    assert (done.returncode, done.stdout) == (64, "")
    assert "Invalid value for '--owner'" in done.stderr


def test_the_packaged_census_is_right(run_cli: RunCli, run_here: RunCli, answer: Answer) -> None:
    people = run_cli("census", "check")
    program = answer(run_here("census", "check", "--json"))

    assert (people.returncode, people.stdout) == (0, "")
    assert people.stderr == "OK: the packaged census gives each of the 106 leaves one owner\n"
    assert program == {"command": "census check", "exit": 0, "leaves": 106, "owners": COUNTS}


def test_a_census_is_read_from_file_or_standard_input(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(TEXT)

    for name, label, stdin in (("c.json", "c.json", None), ("-", "standard input", TEXT)):
        done = run_here("census", "check", name, cwd=tmp_path, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, f"OK: {label} gives each of the 106 leaves one owner\n")


@pytest.mark.parametrize(
    ("members", "code", "place"),
    [
        ({"owner": None}, "census.zero_owner", "/entries/3/owner"),
        ({"consumers": ["package_loader"]}, "census.missing_consumer", "/entries/3/consumers"),
        ({"field_path_pattern": "/variant_card/*"}, "census.unexpanded_pattern", "/entries/3/field_path_pattern"),
        ({"source_paths": ["src/../x"]}, "census.source_unsafe", "/entries/3/source_paths/0"),
        ({"field_path_pattern": "/x"}, "census.missing_leaf", "/entries"),
    ],
)
def test_a_broken_census_is_a_no_with_reason_and_place(
    run_here: RunCli, answer: Answer, members: dict[str, Any], code: str, place: str
) -> None:
    people = run_here("census", "check", "-", stdin=broken(3, **members))
    program = answer(run_here("census", "check", "-", "--json", stdin=broken(3, **members)))

    assert (people.returncode, people.stdout) == (2, "")
    assert people.stderr.startswith(f"refused   {code}: ")
    assert f"where     standard input#{place}\n" in people.stderr
    assert program["exit"] == 2
    assert [program["refusal"][name] for name in ("code", "document", "path")] == [code, "census", place]


def test_a_census_for_artifact_9_is_a_no(run_here: RunCli) -> None:
    asked = run_here("census", "check", "--artifact-schema", "operatebench.artifact.v9")
    other = run_here("census", "check", "--artifact-schema", "operatebench.artifact.v8")

    assert (asked.returncode, other.returncode) == (2, 0)
    assert asked.stderr.startswith("refused   census.scope: ")


def test_sources_are_looked_up_below_a_source_root(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    stale = answer(run_here("census", "check", "--source-root", ".", "--json", cwd=tmp_path))["refusal"]
    for source in {source for entry in load_field_census()["entries"] for source in entry["source_paths"]}:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / source).touch()
    found = run_here("census", "check", "--source-root", ".", cwd=tmp_path)
    nowhere = answer(run_here("census", "check", "--source-root", "gone", "--json", cwd=tmp_path))

    assert (stale["code"], stale["path"]) == ("census.source_stale", "census#/entries/0/source_paths/0")
    assert found.returncode == 0
    assert (nowhere["exit"], nowhere["refusal"]["code"]) == (1, "census.source_root")


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        (b'{"a": 1, "a": 2}', "parse.duplicate_key", "line 1 column 14"),
        (b"", "parse.syntax", "line 1 column 0"),
        (b'{"schema": "\xff"}', "parse.not_utf8", "line 1 column 13"),
        (b"[1.5]", "parse.float", "/0"),
        (b"[" * 65 + b"]" * 65, "parse.too_deep", "/0" * 64),
        (b"[]", "document_kind", ""),
        (b'{"schema": "operatebench.operation_card.v1"}', "document_kind", "/schema"),
    ],
)
def test_what_is_no_census_is_refused(run_here: RunCli, answer: Answer, text: bytes, code: str, path: str) -> None:
    found = answer(run_here("census", "check", "-", "--json", stdin=text))

    assert found["exit"] == 1
    assert [found["refusal"][name] for name in ("code", "document", "path")] == [code, "census", path]


def test_a_census_that_cannot_be_read_is_refused(run_here: RunCli, tmp_path: Path) -> None:
    done = run_here("census", "check", "gone.json", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   file_missing: ")
    assert "where     gone.json\n" in done.stderr


def test_the_owner_of_a_place(run_cli: RunCli, run_here: RunCli, answer: Answer) -> None:
    people = run_cli("census", "owner", "/variant_card/content/events/3/at")
    program = answer(run_here("census", "owner", "/variant_card/content/events/3/at", "--json"))

    sources = ["src/operatebench/cards.py", "docs/schemas/variant-card-v1.schema.json"]
    assert (people.returncode, people.stderr) == (0, "")
    assert people.stdout.splitlines() == [
        "variant_content",
        "  leaf     /variant_card/content/events/at",
        "  read by  card_loader, card_validator, identity_manifest_input",
        *(f"  source   {source}" for source in sources),
    ]
    assert program == {
        "command": "census owner",
        "exit": 0,
        "owner": "variant_content",
        "leaves": ["/variant_card/content/events/at"],
        "consumers": ["card_loader", "card_validator", "identity_manifest_input"],
        "source_paths": sources,
    }


def test_a_place_above_leaves_is_answered_with_all_of_them(run_here: RunCli, answer: Answer) -> None:
    found = answer(run_here("census", "owner", "/operation_card/content/authority_contract/roles/0", "--json"))

    root = "/operation_card/content/authority_contract/roles"
    assert (found["owner"], found["leaves"]) == ("operation_core_content", [f"{root}/role_id", f"{root}/authorities"])


def test_a_place_nobody_owns_is_a_no(run_here: RunCli, answer: Answer) -> None:
    people = run_here("census", "owner", "/variant_card/\x1b[31mred")
    program = answer(run_here("census", "owner", "", "--json"))

    assert (people.returncode, people.stdout) == (2, "")
    assert people.stderr.startswith("refused   census.pointer_unowned: ")
    assert "\x1b" not in people.stderr
    assert (program["exit"], program["refusal"]["path"]) == (2, "pointer#")


def test_what_is_no_pointer_is_wrong_usage(run_here: RunCli) -> None:
    done = run_here("census", "owner", "events/\x1b[31m")

    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr.splitlines()[-1] == "wrong usage: Invalid value: events/\\x1b[31m is no JSON Pointer"
