"""``manifest build``: documents on standard output or in files, all or none, and refusals that name their place."""

import json
from pathlib import Path
from typing import Any

import pytest

from operatebench.identity import build_identity_manifest, build_projection_census
from tests.cli.conftest import Answer
from tests.support import RunCli


def load(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_the_manifest_goes_to_standard_output_and_the_verdict_to_standard_error(run_cli: RunCli, made: Path) -> None:
    done = run_cli("manifest", "build", "projections.json", cwd=made)

    manifest = build_identity_manifest(load(made / "projections.json"))
    assert done.stdout == json.dumps(manifest, indent=2) + "\n"
    assert done.stderr == f"built: manifest {manifest['manifest_digest_sha256']}\n"
    assert done.returncode == 0


def test_manifest_and_census_go_to_files(run_cli: RunCli, work: Path) -> None:
    done = run_cli("manifest", "build", "projections.json", "--out", "m.json", "--census-out", "c.json", cwd=work)

    assert (done.returncode, done.stdout) == (0, "")
    projections = load(work / "projections.json")
    assert load(work / "m.json") == build_identity_manifest(projections)
    assert (work / "c.json").read_text() == json.dumps(build_projection_census(projections), indent=2) + "\n"


def test_json_holds_the_manifest_only_when_no_file_does(run_here: RunCli, work: Path, answer: Answer) -> None:
    manifest = load(work / "manifest.json")
    digest = manifest["manifest_digest_sha256"]
    head = {"command": "manifest build", "exit": 0, "manifest_digest_sha256": digest}

    printed = answer(run_here("manifest", "build", "projections.json", "--json", cwd=work))
    written = answer(run_here("manifest", "build", "projections.json", "--json", "--out", "m.json", cwd=work))

    assert printed == {**head, "manifest_file": None, "census_file": None, "manifest": manifest}
    assert written == {**head, "manifest_file": "m.json", "census_file": None, "manifest": None}
    assert list(written)[:3] == list(head)


def test_projections_come_from_standard_input(run_cli: RunCli, made: Path) -> None:
    done = run_cli("manifest", "build", "-", stdin=(made / "projections.json").read_bytes())

    assert json.loads(done.stdout) == load(made / "manifest.json")


def test_requirements_replace_the_exact_digests(run_cli: RunCli, work: Path) -> None:
    versions = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 3}
    rows = [{"component": "runtime_contract_content", "compatible": versions}]
    (work / "r.json").write_text(json.dumps({"scaffold_content": rows}))

    done = run_cli("manifest", "build", "projections.json", "--requirements", "r.json", cwd=work)

    assert json.loads(done.stdout)["components"]["scaffold_content"]["requires"] == rows


@pytest.mark.parametrize("option", ["--out", "--census-out"])
def test_an_output_is_none_of_the_inputs(run_cli: RunCli, work: Path, option: str) -> None:
    before = (work / "projections.json").read_bytes()

    done = run_cli("manifest", "build", "projections.json", option, "./projections.json", "--force", cwd=work)

    assert (done.returncode, done.stdout) == (64, "")
    assert "an output is one of the inputs" in done.stderr
    assert (work / "projections.json").read_bytes() == before


def test_an_existing_file_stops_both_and_force_replaces(run_cli: RunCli, work: Path) -> None:
    words = ("manifest", "build", "projections.json", "--out", "m.json", "--census-out", "new-census.json")
    before = (work / "new-census.json").read_bytes()

    refused = run_cli(*words, cwd=work)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("refused   file_exists: ")
    assert "where     new-census.json\nexpected  a free name\nactual    a regular file\n" in refused.stderr
    assert refused.stderr.endswith("remedy    Name a new file, or give --force to replace the old one.\n")
    assert not (work / "m.json").exists()
    assert (work / "new-census.json").read_bytes() == before

    forced = run_cli(*words, "--force", cwd=work)

    assert forced.returncode == 0
    assert load(work / "m.json") == load(work / "manifest.json")
    assert load(work / "new-census.json") == load(work / "census.json")
    assert not list(work.glob(".*"))


def test_wrong_projections_are_refused_at_their_place(
    run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer
) -> None:
    projections = load(work / "projections.json")
    projections["variant_content"]["no-slash"] = 1
    (work / "p.json").write_text(json.dumps(projections))

    people = run_cli("manifest", "build", "p.json", "--out", "m.json", cwd=work)
    program = answer(run_here("manifest", "build", "p.json", "--json", cwd=work))["refusal"]

    assert people.returncode == 1
    assert "where     p.json#/variant_content/no-slash\n" in people.stderr
    assert not (work / "m.json").exists()
    assert (program["code"], program["document"], program["file"], program["path"]) == (
        "field_path",
        "projections",
        "p.json",
        "/variant_content/no-slash",
    )
    assert program["actual"] == '"no-slash"'


def test_unmet_requirements_are_refused(run_cli: RunCli, work: Path, answer: Answer) -> None:
    exact = {"kind": "exact_digest", "content_digest_sha256": "0" * 64}
    rows = [{"component": "runtime_contract_content", "compatible": exact}]
    (work / "r.json").write_text(json.dumps({"scaffold_content": rows}))

    done = run_cli("manifest", "build", "projections.json", "--requirements", "r.json", "--json", cwd=work)

    refusal = answer(done)["refusal"]
    assert (done.returncode, refusal["code"], refusal["actual"]) == (1, "requirement_digest", f'"{"0" * 64}"')


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("projections.json", "--out", "-"), "names no output file"),
        (("projections.json", "--out", "m.json", "--census-out", "./m.json"), "name the same file"),
        (("-", "--requirements", "-"), "one file only"),
    ],
)
def test_file_names_that_cannot_be_meant_are_wrong_usage(
    run_cli: RunCli, work: Path, words: tuple[str, ...], message: str
) -> None:
    done = run_cli("manifest", "build", *words, cwd=work)

    assert (done.returncode, done.stdout) == (64, "")
    assert message in done.stderr.splitlines()[-1]
    assert not (work / "m.json").exists()
