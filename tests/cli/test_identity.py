"""``identity``: what is installed here, and what moved between a run and here."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Answer
from tests.support import RunCli
from tests.tracks.lifecycle.verification.forging import Forgery, runtime, write_run, write_texts


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "run")


def test_live(run_here: RunCli, answer: Answer) -> None:
    people = run_here("identity", "live")
    program = answer(run_here("identity", "live", "--json"))

    digest = runtime().identity("V1", "reference").validated.manifest_digest_sha256
    assert (people.returncode, people.stderr) == (0, "")
    assert people.stdout.splitlines()[0] == f"source {runtime().source_identity_digest_sha256}"
    assert f"manifest {digest}" in people.stdout
    assert program["manifest_digest_sha256"] == digest
    assert program["source_identity_digest_sha256"] == runtime().source_identity_digest_sha256
    assert program["spec_sha256"] == runtime().spec.sha256
    assert len(program["components"]) == 11


def test_live_of_another_agent(run_here: RunCli, answer: Answer) -> None:
    words = ("identity", "live", "--variant", "V2", "--agent", "always_wait", "--json")

    digest = runtime().identity("V2", "always_wait").validated.manifest_digest_sha256
    assert answer(run_here(*words))["manifest_digest_sha256"] == digest


@pytest.mark.parametrize("words", [("--variant", "V9"), ("--agent", "nobody"), ("--agent", "\x1b[31m")])
def test_live_of_what_is_not_here(run_here: RunCli, words: tuple[str, ...]) -> None:
    done = run_here("identity", "live", *words)

    assert (done.returncode, done.stdout) == (64, "")
    assert "is unknown: there are" in done.stderr
    assert "\x1b" not in done.stderr


def test_no_difference(run_cli: RunCli, answer: Answer, run_here: RunCli, good: Path) -> None:
    people = run_cli("identity", "diff", "run", cwd=good.parent)
    program = answer(run_here("identity", "diff", "run", "--json", cwd=good.parent))

    digest = json.loads((good / "manifest.json").read_bytes())["manifest_digest_sha256"]
    assert (people.returncode, people.stdout, people.stderr) == (0, f"identical: manifest {digest}\n", "")
    assert (program["identical"], program["moved"], program["reassigned"]) == (True, [], [])


def test_moved_and_follows(run_here: RunCli, answer: Answer, good: Path, tmp_path: Path) -> None:
    forged = Forgery.of(good)
    projections = forged.projections
    projections["scaffold_content"]["/zz"] = 1
    write_texts(tmp_path / "run", forged.bind_manifest(projections).texts())

    people = run_here("identity", "diff", "run", cwd=tmp_path)
    program = answer(run_here("identity", "diff", "run", "--json", cwd=tmp_path))

    assert people.returncode == program["exit"] == 2
    lines = people.stdout.splitlines()
    assert lines[0] == "moved"
    assert "    removed /zz" in lines
    assert [row["owner"] for row in program["moved"]] == ["scaffold_content"]
    assert [row["owner"] for row in program["follows"]] == ["provider_run_plan_content"]


def test_a_path_of_another_owner(run_here: RunCli, answer: Answer, good: Path, tmp_path: Path) -> None:
    forged = Forgery.of(good)
    projections = forged.projections
    path = "/source/runtime/core/engine.py"
    projections["scaffold_content"][path] = projections["runtime_contract_content"].pop(path)
    write_texts(tmp_path / "run", forged.bind_manifest(projections).texts())

    people = run_here("identity", "diff", "run", cwd=tmp_path)
    program = answer(run_here("identity", "diff", "run", "--json", cwd=tmp_path))

    assert people.returncode == program["exit"] == 2
    assert people.stdout == f"{path}: scaffold_content there, runtime_contract_content here\n"
    assert people.stderr == "run: 1 paths have another owner here\n"
    assert [row["path"] for row in program["reassigned"]] == [path]


@pytest.mark.parametrize("what", ["nothing", "selection", "range", "file"])
def test_what_cannot_be_compared(run_here: RunCli, good: Path, tmp_path: Path, what: str) -> None:
    forged = Forgery.of(good)
    codes = {
        "nothing": "file_missing",
        "selection": "selection_unknown",
        "range": "requirement_not_exact",
        "file": "artifact_generation",
    }
    if what == "file":
        (tmp_path / "run").write_text('{"artifact_version": 8}')
    elif what == "selection":
        forged.header["selection"]["agent_id"] = "\x1b[31m"
        write_texts(tmp_path / "run", forged.texts())
    elif what == "range":
        rows = forged.manifest["components"]["scaffold_content"]["requires"]
        kind = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 1}
        requirements = {"scaffold_content": [{**row, "compatible": kind} for row in rows]}
        write_texts(tmp_path / "run", forged.bind_manifest(forged.projections, requirements).texts())

    done = run_here("identity", "diff", "run", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"refused   {codes[what]}: ")
    assert done.stderr.replace("\n", "").isprintable()
