"""``operation validate`` and ``operation explain``: whether a spec is sound, and what it says."""

from importlib.resources import files
from pathlib import Path

import pytest

from operatebench.tracks.lifecycle import explain, packaged_spec
from tests.cli.conftest import Answer
from tests.support import RunCli

TEXT = (files("operatebench.runtime.maintenance.spec") / "maintenance.yaml").read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(TEXT, "utf-8")
    return tmp_path


def test_a_sound_spec(run_cli: RunCli, run_here: RunCli, answer: Answer, folder: Path) -> None:
    spec = packaged_spec()
    people = run_cli("operation", "validate", "spec.yaml", cwd=folder)
    program = answer(run_here("operation", "validate", "spec.yaml", "--json", cwd=folder))

    assert (people.returncode, people.stdout, people.stderr) == (0, "", f"OK: spec.yaml {spec.digest_sha256}\n")
    assert program == {
        "command": "operation validate",
        "exit": 0,
        "operation_id": spec.operation_id,
        "operation_version": spec.operation_version,
        "spec_sha256": spec.sha256,
        "spec_digest_sha256": spec.digest_sha256,
        "variants": list(spec.variants),
    }


def test_a_spec_that_is_not_sound_is_answered_with_its_line(run_here: RunCli, folder: Path) -> None:
    currency = f"currency: {packaged_spec().policy.currency}\n"
    line = TEXT[: TEXT.index(currency)].count("\n") + 1
    (folder / "spec.yaml").write_text(
        TEXT.replace(currency, f"curency: {packaged_spec().policy.currency}\n", 1), "utf-8"
    )

    done = run_here("operation", "validate", "spec.yaml", cwd=folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(("refused   unknown_key: ", "refused   missing_key: "))
    assert f"where     spec.yaml:{line} /policy" in done.stderr or "where     spec.yaml:" in done.stderr


@pytest.mark.parametrize(
    ("text", "code"),
    [("a: [", "yaml_syntax"), ("a: &b 1", "yaml_alias"), ("a: 1\na: 2", "yaml_duplicate_key"), ("", "yaml_documents")],
)
def test_what_is_no_strict_yaml_is_refused(run_here: RunCli, tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "spec.yaml").write_text(text)
    for command in ("validate", "explain"):
        done = run_here("operation", command, "spec.yaml", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"refused   {code}: ")


@pytest.mark.parametrize(
    ("old", "new", "start"),
    [
        ("provenance: >-\n", f"provenance: >-\n  {'much ado ' * 40_000}\n", "refused   component_too_large: "),
        ("operation_id: ", f"operation_id: {'A' * 230}_", "refused   shape."),
    ],
)
def test_a_spec_that_cannot_be_bound_is_refused(run_here: RunCli, folder: Path, old: str, new: str, start: str) -> None:
    (folder / "spec.yaml").write_text(TEXT.replace(old, new, 1), "utf-8")
    done = run_here("operation", "validate", "spec.yaml", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(start)


def test_explain_the_packaged_spec_and_a_file(run_cli: RunCli, run_here: RunCli, answer: Answer, folder: Path) -> None:
    packaged = run_cli("operation", "explain")
    named = run_here("operation", "explain", "spec.yaml", cwd=folder)
    program = answer(run_here("operation", "explain", "--json"))

    assert (packaged.returncode, packaged.stderr) == (0, "")
    assert packaged.stdout.splitlines() == explain(packaged_spec()) == program["lines"]
    assert (named.returncode, named.stdout) == (0, packaged.stdout)


def test_a_missing_file(run_here: RunCli, tmp_path: Path) -> None:
    for command in ("validate", "explain"):
        done = run_here("operation", command, "no.yaml", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("refused   file_missing: ")
