"""``manifest diff``: what moved, what merely follows, and which bundles moved."""

import json
from pathlib import Path

from operatebench.identity import build_identity_manifest
from operatebench.identity.registry import COMPONENTS
from tests.cli.conftest import Answer
from tests.support import RunCli


def digests(path: Path) -> dict[str, str]:
    manifest = json.loads(path.read_bytes())
    return {
        "manifest": manifest["manifest_digest_sha256"],
        **{name: bundle["bundle_digest_sha256"] for name, bundle in manifest["composites"].items()},
        **{name: component["content_digest_sha256"] for name, component in manifest["components"].items()},
    }


def test_equal_manifests(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    digest = digests(made / "manifest.json")["manifest"]

    people = run_cli("manifest", "diff", "manifest.json", "manifest.json", cwd=made)
    program = answer(run_here("manifest", "diff", "manifest.json", "manifest.json", "--json", cwd=made))

    assert (people.returncode, people.stdout, people.stderr) == (0, f"identical: manifest {digest}\n", "")
    assert program == {
        "command": "manifest diff",
        "exit": 0,
        "identical": True,
        "old_manifest_digest_sha256": digest,
        "new_manifest_digest_sha256": digest,
        "moved": [],
        "follows": [],
        "composites": [],
    }


def test_the_changed_runtime_moved_and_its_dependents_follow(
    run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer
) -> None:
    old, new = digests(made / "manifest.json"), digests(made / "new-manifest.json")
    dependents = [name for name, spec in COMPONENTS.items() if "runtime_contract_content" in spec.requires]

    people = run_cli("manifest", "diff", "manifest.json", "new-manifest.json", cwd=made)
    program = answer(run_here("manifest", "diff", "manifest.json", "new-manifest.json", "--json", cwd=made))

    def arrow(name: str) -> list[str]:
        return [old[name][:12], "->", new[name][:12]]

    def exact(name: str) -> list[str]:
        return ["exact", old[name][:12], "->", "exact", new[name][:12]]

    runtime = "runtime_contract_content"
    assert (people.returncode, people.stderr) == (2, "")
    assert [line.split() for line in people.stdout.splitlines()] == [
        ["moved"],
        [runtime, *arrow(runtime)],
        ["changed", "/runtime/clock"],
        ["follows"],
        *(row for name in dependents for row in ([name], ["requires", runtime, *exact(runtime)])),
        ["bundles"],
        ["runtime_bundle", *arrow("runtime_bundle")],
        ["experiment_bundle", *arrow("experiment_bundle")],
        ["manifest", old["manifest"], "->", new["manifest"]],
    ]
    assert [row["owner"] for row in program["moved"]] == [runtime]
    assert program["moved"][0]["changed_field_paths"] == ["/runtime/clock"]
    assert [row["owner"] for row in program["follows"]] == dependents
    assert {tuple(row["changed_requirement_components"]) for row in program["follows"]} == {(runtime,)}
    assert [bundle["name"] for bundle in program["composites"]] == ["runtime_bundle", "experiment_bundle"]


def test_added_and_removed_fields_and_an_unmoved_bundle_are_told_apart(run_cli: RunCli, work: Path) -> None:
    projections = json.loads((work / "projections.json").read_bytes())
    paths = list(projections["analysis_contract_content"])
    del projections["analysis_contract_content"][paths[0]]
    projections["analysis_contract_content"]["/analysis/\u202enew"] = 1
    (work / "other.json").write_text(json.dumps(build_identity_manifest(projections)))

    done = run_cli("manifest", "diff", "manifest.json", "other.json", cwd=work)

    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["removed", paths[0]] in rows
    assert ["added", "/analysis/\\u202enew"] in rows
    assert ["runtime_bundle", "unchanged"] in rows
    assert ["follows"] not in rows


def test_a_requirement_that_changes_by_itself_says_so(run_cli: RunCli, work: Path) -> None:
    versions = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 3}
    rows = [{"component": "runtime_contract_content", "compatible": versions}]
    projections = json.loads((work / "projections.json").read_bytes())
    (work / "other.json").write_text(json.dumps(build_identity_manifest(projections, {"scaffold_content": rows})))

    done = run_cli("manifest", "diff", "manifest.json", "other.json", cwd=work)

    assert done.returncode == 2
    assert "versions 1..3  (which did not move)" in done.stdout
    assert done.stdout.startswith("follows\n  scaffold_content\n")


def test_a_side_that_disagrees_with_itself_is_refused(
    run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer
) -> None:
    manifest = json.loads((work / "manifest.json").read_bytes())
    manifest["manifest_digest_sha256"] = "0" * 64
    (work / "edited.json").write_text(json.dumps(manifest))

    people = run_cli("manifest", "diff", "manifest.json", "edited.json", cwd=work)
    refusal = answer(run_here("manifest", "diff", "edited.json", "manifest.json", "--json", cwd=work))["refusal"]

    assert (people.returncode, people.stdout) == (1, "")
    assert "where     edited.json#/manifest_digest_sha256\n" in people.stderr
    assert (refusal["code"], refusal["document"], refusal["file"]) == ("manifest_digest", "old", "edited.json")


def test_a_path_with_another_owner_is_refused(run_cli: RunCli, work: Path, answer: Answer) -> None:
    projections = json.loads((work / "projections.json").read_bytes())
    projections["scaffold_content"]["/runtime/clock"] = projections["runtime_contract_content"].pop("/runtime/clock")
    (work / "other.json").write_text(json.dumps(build_identity_manifest(projections)))

    done = run_cli("manifest", "diff", "manifest.json", "other.json", "--json", cwd=work)

    refusal = answer(done)["refusal"]
    assert (done.returncode, refusal["code"], refusal["document"]) == (1, "diff_reassignment", "new")
    assert (refusal["expected"], refusal["actual"]) == ("runtime_contract_content", "scaffold_content")
