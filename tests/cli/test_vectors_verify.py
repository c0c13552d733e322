"""``vectors verify``: one line per file, failures below it, and refusals of files that are none."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.conftest import Answer
from tests.support import RunCli

ACCEPT = files("operatebench.vectors").joinpath("identity", "accept.json").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file that passes, one with a wrong case, and some that are none."""
    document = json.loads(ACCEPT)
    (tmp_path / "good.json").write_bytes(ACCEPT)
    digest = next(case for case in document["cases"] if "sha256" in str(case["expect"]))
    digest["expect"]["ok"] = "\x1b[31mwrong"
    (tmp_path / "wrong.json").write_text(json.dumps({**document, "cases": [digest], "count": 1}))
    (tmp_path / "other.json").write_text('{"vectors": "somebody.else.v9"}')
    (tmp_path / "short.json").write_text(json.dumps({**document, "count": 3}))
    return tmp_path


def test_the_packaged_files_pass(run_cli: RunCli) -> None:
    done = run_cli("vectors", "verify")

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "authority/authority.json: 209 cases, 209 passed",
        "cards/accepts.json: 38 cases, 38 passed",
        "cards/digests.json: 9 cases, 9 passed",
        "cards/refusals.json: 491 cases, 491 passed",
        "evidence/build_provenance.json: 15 cases, 15 passed",
        "evidence/clean_tree.json: 30 cases, 30 passed",
        "evidence/clean_tree_golden.json: 5 cases, 5 passed",
        "evidence/executed_evidence.json: 101 cases, 101 passed",
        "identity/accept.json: 55 cases, 55 passed",
        "identity/diff.json: 50 cases, 50 passed",
        "identity/refuse.json: 133 cases, 133 passed",
        "identity/requirements.json: 49 cases, 49 passed",
        "replay/bundles.json: 93 cases, 93 passed",
    ]
    said = [line for line in lines if line.startswith("  ")]
    assert said[0] == "  careful by reference: verified"
    assert "  member_changed by reference: refused member_digest" in said
    assert len(said) == 93


def test_a_failed_case_is_named_with_its_reason(
    run_cli: RunCli, run_here: RunCli, folder: Path, answer: Answer
) -> None:
    people = run_cli("vectors", "verify", "good.json", "wrong.json", cwd=folder)
    program = answer(run_here("vectors", "verify", "wrong.json", "--json", cwd=folder))

    case = json.loads((folder / "wrong.json").read_bytes())["cases"][0]["id"]
    assert people.returncode == 2
    lines = people.stdout.splitlines()
    assert lines[:2] == ["good.json: 55 cases, 55 passed", "wrong.json: 1 cases, 0 passed"]
    assert lines[2].startswith(f"  {case}: ")
    assert len(lines) == 3
    assert "\x1b" not in people.stdout
    (report,) = program["files"]
    assert list(report) == ["name", "language", "cases", "passed", "failures", "notes", "answers"]
    assert [failure["id"] for failure in report["failures"]] == [case]


def test_refused_files_do_not_stop_the_others(run_cli: RunCli, run_here: RunCli, folder: Path, answer: Answer) -> None:
    names = ("other.json", "short.json", "no.json", "good.json", "wrong.json")

    people = run_cli("vectors", "verify", *names, cwd=folder)
    program = answer(run_here("vectors", "verify", "other.json", "no.json", "--json", cwd=folder))

    assert people.returncode == 1
    assert people.stdout.startswith("good.json: 55 cases, 55 passed\nwrong.json: 1 cases, 0 passed\n")
    assert [line for line in people.stderr.splitlines() if line.startswith(("refused", "where"))] == [
        "refused   document_kind: The document is of no kind this command knows.",
        "where     other.json#/vectors",
        "refused   vector_file: The file does not keep the rules of the vector language it names.",
        "where     short.json#/count",
        "refused   file_missing: No file has this name.",
        "where     no.json",
    ]
    assert [row["refusal"]["code"] for row in program["files"]] == ["document_kind", "file_missing"]
    assert [row["refusal"]["path"] for row in program["files"]] == ["/vectors", ""]


def test_a_vector_file_may_come_from_standard_input(run_cli: RunCli) -> None:
    done = run_cli("vectors", "verify", "-", stdin=ACCEPT)

    assert (done.returncode, done.stdout) == (0, "standard input: 55 cases, 55 passed\n")


@pytest.mark.parametrize("command", ["vectors", "schema"])
def test_the_packaged_files_are_written_as_they_are(command: str, run_here: RunCli, tmp_path: Path) -> None:
    package = files(f"operatebench.{'vectors' if command == 'vectors' else 'schemas'}")
    done = run_here(command, "export", "--out", "out", cwd=tmp_path)

    written = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, f"written: {len(written)} files\n")
    for name in written:
        steps = name.split("/")[1:]
        assert (tmp_path / name).read_bytes() == package.joinpath(*steps).read_bytes()
    again = run_here(command, "export", "--out", "out", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (1, "")
    assert "file_exists" in again.stderr
