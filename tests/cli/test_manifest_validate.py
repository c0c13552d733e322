"""``manifest validate``: yes with the digest, no with the place in the right file, or refused input."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Answer
from tests.support import RunCli

CLOCK = "/components/runtime_contract_content/owned_projection/~1runtime~1clock/tick_seconds"


def words(manifest: str = "manifest.json", census: str = "census.json", projections: str = "projections.json") -> Any:
    return ("manifest", "validate", manifest, "--census", census, "--projections", projections)


def test_a_valid_manifest(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    digest = json.loads((made / "manifest.json").read_bytes())["manifest_digest_sha256"]

    people = run_cli(*words(), cwd=made)
    program = answer(run_here(*words(), "--json", cwd=made))

    assert (people.returncode, people.stdout, people.stderr) == (0, "", f"OK: manifest.json {digest}\n")
    assert program == {"command": "manifest validate", "exit": 0, "manifest_digest_sha256": digest}


def test_a_stale_manifest_is_refused_where_it_is_stale(
    run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer
) -> None:
    people = run_cli(*words(projections="new-projections.json"), cwd=made)
    program = answer(run_here(*words(projections="new-projections.json"), "--json", cwd=made))

    assert (people.returncode, people.stdout) == (2, "")
    lines = people.stderr.splitlines()
    assert lines[0].startswith("refused   ownership_join: ")
    assert lines[1:4] == [f"where     manifest.json#{CLOCK}", "expected  30", "actual    60"]
    assert lines[4].startswith("remedy    ")
    assert len(lines) == 5
    refusal = program["refusal"]
    assert list(refusal) == ["code", "cause", "document", "file", "path", "expected", "actual", "hint"]
    assert (refusal["document"], refusal["file"], refusal["path"]) == ("manifest", "manifest.json", CLOCK)
    assert (refusal["code"], refusal["expected"], refusal["actual"]) == ("ownership_join", "30", "60")


@pytest.mark.parametrize("role", ["manifest", "census", "projections"])
def test_each_document_is_named_by_its_file(run_cli: RunCli, work: Path, role: str) -> None:
    (work / "odd.json").write_text("[]")

    done = run_cli(*words(**{role: "odd.json"}), cwd=work)

    assert done.returncode == 2
    assert done.stderr.startswith("refused   root_type: ")
    assert "where     odd.json\nexpected  a plain object\nactual    an array of 0 items\n" in done.stderr


@pytest.mark.parametrize("role", ["manifest", "census", "projections"])
def test_a_document_that_cannot_be_read_is_refused(
    run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer, role: str
) -> None:
    (work / "odd.json").write_text('{"a": 1,\n"a": 2}')

    missing = run_cli(*words(**{role: "no.json"}), cwd=work)
    program = answer(run_here(*words(**{role: "odd.json"}), "--json", cwd=work))

    assert missing.returncode == 1
    assert missing.stderr.startswith("refused   file_missing: ")
    assert "where     no.json\n" in missing.stderr
    refusal = program["refusal"]
    assert (program["exit"], refusal["code"], refusal["document"]) == (1, "strict_json", role)
    assert refusal["path"].startswith("line 2 column ")


def test_a_manifest_may_come_from_standard_input(run_cli: RunCli, made: Path) -> None:
    done = run_cli(*words(manifest="-"), cwd=made, stdin=(made / "manifest.json").read_bytes())

    assert done.returncode == 0
    assert done.stderr.startswith("OK: standard input ")


def test_standard_input_cannot_be_two_documents(run_cli: RunCli, made: Path) -> None:
    done = run_cli(*words(manifest="-", census="-"), cwd=made)

    assert done.returncode == 64
    assert "standard input" in done.stderr.splitlines()[-1]
