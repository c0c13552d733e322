"""``regrade``: a new grade beside the bundle, and none for what does not come out again."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Answer
from tests.replay.bundle.bundles import files
from tests.support import RunCli


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, run_cli: RunCli) -> Path:
    """Return a folder with a run bundle, and a copy of it in which a file was changed."""
    folder = tmp_path_factory.mktemp("regrade")
    done = run_cli("run", "maintenance", "--variant", "V1", "--agent", "reference", "--out", "run", cwd=folder)
    assert done.returncode == 0
    (folder / "empty").mkdir()
    for name, data in files(folder / "run").items():
        (folder / "changed" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "changed" / name).write_bytes(data.replace(b'"ok":true', b'"ok":null', 1))
    return folder


def test_a_grade_is_written_beside_the_bundle_which_stays_as_it_is(run_cli: RunCli, folder: Path) -> None:
    before = files(folder / "run")
    done = run_cli("regrade", "run/", cwd=folder)
    again = run_cli("regrade", "run", cwd=folder)

    assert (done.returncode, again.returncode) == (0, 1)
    document = json.loads((folder / "run.regrade.json").read_bytes())
    assert done.stderr == f"REGRADED: run: run.regrade.json {document['regrade_digest_sha256']}\n"
    assert "  holds  terminal_outcome" in done.stdout.splitlines()
    assert document["evaluation"] == json.loads(before["evaluation.json"])
    assert "file_exists" in again.stderr
    assert files(folder / "run") == before


def test_programs_get_the_document(run_here: RunCli, folder: Path, answer: Answer) -> None:
    said = answer(run_here("regrade", "run", "--out", "other.json", "--json", cwd=folder))

    assert list(said) == ["command", "exit", "bundle", "regrade_file", "regrade"]
    assert said["regrade"] == json.loads((folder / "other.json").read_bytes())


def test_no_grade_of_what_is_no_bundle_or_was_changed(run_cli: RunCli, folder: Path) -> None:
    for name, code in (("changed", "member_digest"), ("empty", "not_a_bundle")):
        done = run_cli("regrade", name, "--out", "none.json", cwd=folder)
        assert (done.returncode, done.stdout) == (1, "")
        assert code in done.stderr
    assert not (folder / "none.json").exists()


def test_no_grade_by_another_operation(run_cli: RunCli, folder: Path) -> None:
    spec = run_cli("sample", "spec").stdout
    assert "operation_version: 1.0.0" in spec
    (folder / "spec.yaml").write_text(spec.replace("operation_version: 1.0.0", "operation_version: 1.0.1"))

    done = run_cli("regrade", "run", "--spec", "spec.yaml", "--out", "none.json", cwd=folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert "runtime_differs" in done.stderr


@pytest.mark.parametrize("out", ["-", "run/grade.json", "run/cards/grade.json"])
def test_a_place_that_is_none_or_in_the_bundle_is_wrong_usage(run_here: RunCli, folder: Path, out: str) -> None:
    assert run_here("regrade", "run", "--out", out, cwd=folder).returncode == 64


def test_a_bundle_that_is_named_by_a_dot_is_graded_beside_it(run_here: RunCli, folder: Path) -> None:
    (folder / "run.regrade.json").unlink(missing_ok=True)

    done = run_here("regrade", ".", cwd=folder / "run")

    assert done.returncode == 0
    assert (folder / "run.regrade.json").exists()
