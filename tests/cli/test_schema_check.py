"""``schema check``: the shape of a document, by place and keyword, without repeating its values."""

import json
from pathlib import Path

import jsonschema
import pytest

from operatebench.cli.schema_engines import check_document
from tests.cli.conftest import Answer
from tests.support import RunCli


def test_the_schema_is_chosen_by_the_document(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    manifest = run_cli("schema", "check", "manifest.json", "--second-opinion", cwd=made)
    census = answer(run_here("schema", "check", "census.json", "--json", cwd=made))

    assert (manifest.returncode, manifest.stdout) == (0, "")
    assert manifest.stderr.splitlines() == [
        "OK: manifest.json keeps the manifest schema; the schema is not the whole rule",
        "second opinion: the same, from jsonschema",
    ]
    assert census == {
        "command": "schema check",
        "exit": 0,
        "schema": "census",
        "valid": True,
        "second_opinion": None,
        "faults": 0,
        "first_faults": [],
    }


def test_faults_are_sorted_by_place_and_show_no_values(
    run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer
) -> None:
    census = json.loads((work / "census.json").read_bytes())
    for index in (10, 2):
        census["entries"][index]["owner"] = "SECRET"
    census["\x1b[31m[bold]"] = 1
    (work / "odd.json").write_text(json.dumps(census))

    people = run_cli("schema", "check", "odd.json", "--second-opinion", cwd=work)
    program = answer(run_here("schema", "check", "odd.json", "--json", cwd=work))

    assert people.returncode == 2
    places = [fault["path"] for fault in program["first_faults"]]
    assert places == ["", "/entries/2/owner", "/entries/10/owner"]
    assert [fault["keyword"] for fault in program["first_faults"]] == ["additionalProperties", "enum", "enum"]
    assert [line.split(": ")[0] for line in people.stdout.splitlines()] == ["the whole document", *places[1:]]
    assert "SECRET" not in people.stdout + people.stderr
    assert "\\x1b[31m[bold]" in people.stdout
    assert "\x1b" not in people.stdout
    assert people.stderr.startswith("FAULTS: odd.json breaks the census schema; 3 found\n")


def test_no_more_than_twenty_faults_are_printed(run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer) -> None:
    census = json.loads((work / "census.json").read_bytes())
    census["entries"] = [{"field_path": "/a", "owner": "nobody"}] * 25
    (work / "odd.json").write_text(json.dumps(census))

    people = run_cli("schema", "check", "odd.json", cwd=work)
    program = answer(run_here("schema", "check", "odd.json", "--json", cwd=work))

    assert len(people.stdout.splitlines()) == 21
    assert people.stdout.splitlines()[-1] == "... and 5 more"
    assert (program["faults"], len(program["first_faults"])) == (25, 20)


def test_the_schema_can_be_named(run_cli: RunCli, made: Path) -> None:
    done = run_cli("schema", "check", "projections.json", "--schema", "manifest", cwd=made)

    assert done.returncode == 2
    assert "the whole document: required: " in done.stdout


def test_a_document_without_known_schema_is_refused(run_cli: RunCli, made: Path, answer: Answer) -> None:
    done = run_cli("schema", "check", "projections.json", "--json", cwd=made)

    refusal = answer(done)["refusal"]
    assert (done.returncode, refusal["code"], refusal["path"]) == (1, "document_kind", "/schema")
    assert refusal["actual"] == "no such member"


def test_engines_that_disagree_are_a_no(monkeypatch: pytest.MonkeyPatch, made: Path) -> None:
    document = json.loads((made / "manifest.json").read_bytes())
    assert check_document(document, "manifest", second_opinion=True).agreed

    monkeypatch.setattr(jsonschema.Draft202012Validator, "is_valid", lambda self, instance: False)
    result = check_document(document, "manifest", second_opinion=True)

    assert not result.agreed
    assert result.verdict("m.json")[1] == ("DISAGREEMENT: jsonschema-rs accepts and jsonschema refuses the document")
