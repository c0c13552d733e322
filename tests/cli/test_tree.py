"""``tree digest`` and ``build describe``: what people and programs are told of a checkout, and the refusals."""

import json
import os
from pathlib import Path

import pytest

from operatebench.provenance import read_toolkit_build
from tests.cli.conftest import Answer
from tests.provenance.repositories import THREE_MODES, THREE_MODES_DIGEST, commit_all, git, make_repository
from tests.support import RunCli

PROJECT = b'[build-system]\nrequires = []\nbuild-backend = "setuptools.build_meta"\n'


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout of the three files of the contract's fixture."""
    return make_repository(tmp_path_factory.mktemp("made") / "checkout", THREE_MODES)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a checkout that can be described."""
    files = {b"pyproject.toml": (b"100644", PROJECT), b"requirements/dev.txt": (b"100644", b"pins\n")}
    return make_repository(tmp_path / "project", files)


def test_the_digest_of_the_working_folder(run_cli: RunCli, fixture: Path) -> None:
    done = run_cli("tree", "digest", cwd=fixture)

    commit = git(fixture, "rev-parse", "HEAD").decode()
    assert done.stdout == f"{THREE_MODES_DIGEST}  3 entries  193 bytes framed\n"
    assert (done.returncode, done.stderr) == (0, f"clean: {fixture} at {commit}\n")


def test_programs_are_told_the_same(run_here: RunCli, answer: Answer, fixture: Path) -> None:
    assert answer(run_here("tree", "digest", fixture, "--json")) == {
        "command": "tree digest",
        "exit": 0,
        "root": str(fixture),
        "source_commit": git(fixture, "rev-parse", "HEAD").decode(),
        "source_tree_algorithm": "operatebench.clean_tracked_source_tree.v1",
        "source_tree_digest_sha256": THREE_MODES_DIGEST,
        "entries": 3,
        "framed_bytes": 193,
    }


def test_refusals_name_the_checkout_and_the_entry(
    run_here: RunCli, answer: Answer, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "new").write_bytes(b"")
    monkeypatch.chdir(tmp_path)

    people = run_here("tree", "digest", "project")
    told = answer(run_here("build", "describe", "project", "--json"))
    nowhere = answer(run_here("tree", "digest", "nowhere", "--json"))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    without = answer(run_here("tree", "digest", "project", "--json"))

    assert (people.returncode, people.stdout) == (1, "")
    assert people.stderr.splitlines()[1] == "where     project new"
    found = [(each["exit"], *map(each["refusal"].get, ("code", "file", "path"))) for each in (told, nowhere, without)]
    assert found == [
        (1, "dirty_tracked_content", "project", "new"),
        (1, "no_repository", "nowhere", ""),
        (1, "git_missing", "project", ""),
    ]


def test_a_build_is_described_to_people_programs_and_files(run_here: RunCli, answer: Answer, project: Path) -> None:
    out = project.parent / "build.json"

    printed = run_here("build", "describe", project)
    told = answer(run_here("build", "describe", project, "--json"))
    written = answer(run_here("build", "describe", project, "--out", out, "--json"))
    again = answer(run_here("build", "describe", project, "--out", out, "--json"))

    descriptor = read_toolkit_build(told["descriptor"])
    assert printed.stdout == json.dumps(told["descriptor"], indent=2) + "\n" == out.read_text("utf-8")
    assert printed.stderr == f"described: source tree {descriptor.source_tree_digest_sha256}\n"
    assert (told["exit"], told["descriptor_file"]) == (0, None)
    assert (written["exit"], written["descriptor_file"], written["descriptor"]) == (0, str(out), None)
    assert (again["exit"], again["refusal"]["code"]) == (1, "file_exists")


def test_wheel_and_source_archive_belong_together(run_here: RunCli, answer: Answer, project: Path) -> None:
    commit_all(project)
    for option in ("--wheel", "--sdist"):
        assert run_here("build", "describe", project, option, "x").returncode == 64
    refused = answer(run_here("build", "describe", project, "--wheel", "x", "--sdist", "y", "--json"))

    assert (refused["exit"], refused["refusal"]["code"]) == (1, "build_artifact")
    assert answer(run_here("build", "describe", project, "--lock", "no.lock", "--json"))["refusal"]["path"] == "no.lock"
