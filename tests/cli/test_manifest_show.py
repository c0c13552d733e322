"""``manifest show``: a tree of what a manifest says, after checking that it agrees with itself."""

import json
from pathlib import Path

from operatebench.identity.registry import BUNDLES, COMPONENTS
from tests.cli.conftest import Answer
from tests.support import RunCli


def test_the_tree_names_components_requirements_and_bundles(run_cli: RunCli, made: Path) -> None:
    manifest = json.loads((made / "manifest.json").read_bytes())
    done = run_cli("manifest", "show", "manifest.json", cwd=made)

    assert done.returncode == 0
    assert done.stderr == "manifest.json: consistent in itself; not compared with independent projections\n"
    lines = done.stdout.splitlines()
    assert lines[:3] == [f"manifest {manifest['manifest_digest_sha256']}", "", "components"]
    rows = [line.split() for line in lines]
    for name, component in manifest["components"].items():
        at = rows.index([name, component["content_digest_sha256"][:12], str(len(component["owned_fields"])), "fields"])
        for offset, row in enumerate(component["requires"], 1):
            short = row["compatible"]["content_digest_sha256"][:12]
            assert rows[at + offset] == ["requires", row["component"], "exact", short]
    for name, bundle in manifest["composites"].items():
        at = rows.index([name, bundle["bundle_digest_sha256"][:12]])
        assert [row[0] for row in rows[at + 1 :]][: len(bundle["members"])] == bundle["members"]
    assert [row[0] for row in rows[3:] if len(row) == 4 and row[3] == "fields"] == list(COMPONENTS)


def test_json_says_the_same_with_whole_digests(run_here: RunCli, made: Path, answer: Answer) -> None:
    manifest = json.loads((made / "manifest.json").read_bytes())

    found = answer(run_here("manifest", "show", "manifest.json", "--json", cwd=made))

    assert list(found) == [
        "command",
        "exit",
        "consistent_in_itself",
        "compared_with_independent_projections",
        "manifest_digest_sha256",
        "components",
        "composites",
    ]
    assert (found["consistent_in_itself"], found["compared_with_independent_projections"]) == (True, False)
    assert found["components"] == [
        {
            "name": name,
            "content_digest_sha256": component["content_digest_sha256"],
            "fields": len(component["owned_fields"]),
            "requires": component["requires"],
        }
        for name, component in manifest["components"].items()
    ]
    assert [bundle["name"] for bundle in found["composites"]] == list(BUNDLES)


def test_ranges_are_shown_as_versions(run_cli: RunCli, work: Path) -> None:
    versions = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 3}
    rows = [{"component": "runtime_contract_content", "compatible": versions}]
    (work / "r.json").write_text(json.dumps({"scaffold_content": rows}))
    built = run_cli("manifest", "build", "projections.json", "--requirements", "r.json", cwd=work)

    done = run_cli("manifest", "show", "-", stdin=built.stdout)

    assert done.returncode == 0
    assert ["requires", "runtime_contract_content", "versions", "1..3"] in [
        line.split() for line in done.stdout.splitlines()
    ]


def test_a_manifest_that_disagrees_with_itself_is_a_no(
    run_cli: RunCli, run_here: RunCli, work: Path, answer: Answer
) -> None:
    manifest = json.loads((work / "manifest.json").read_bytes())
    manifest["components"]["variant_content"]["owned_projection"]["/variant/seed"] += 1
    (work / "edited.json").write_text(json.dumps(manifest))

    people = run_cli("manifest", "show", "edited.json", cwd=work)
    refusal = answer(run_here("manifest", "show", "edited.json", "--json", cwd=work))["refusal"]

    place = "/components/variant_content/content_digest_sha256"
    assert (people.returncode, people.stdout) == (2, "")
    assert people.stderr.startswith("refused   component_identity: ")
    assert f"where     edited.json#{place}\n" in people.stderr
    assert (refusal["document"], refusal["path"]) == ("manifest", place)
    assert refusal["actual"] == f'"{manifest["components"]["variant_content"]["content_digest_sha256"]}"'


def test_a_fault_in_the_claimed_projections_is_named_in_the_manifest(
    run_here: RunCli, work: Path, answer: Answer
) -> None:
    manifest = json.loads((work / "manifest.json").read_bytes())
    manifest["components"]["variant_content"]["owned_projection"]["x/~"] = 1
    (work / "edited.json").write_text(json.dumps(manifest))

    refusal = answer(run_here("manifest", "show", "edited.json", "--json", cwd=work))["refusal"]

    assert (refusal["code"], refusal["document"]) == ("field_path", "manifest")
    assert refusal["path"] == "/components/variant_content/owned_projection/x~1~0"


def test_a_path_claimed_twice_is_named_in_the_manifest(run_cli: RunCli, work: Path, answer: Answer) -> None:
    manifest = json.loads((work / "manifest.json").read_bytes())
    manifest["components"]["variant_content"]["owned_projection"]["/operation/id"] = 1
    (work / "edited.json").write_text(json.dumps(manifest))

    done = run_cli("manifest", "show", "edited.json", "--json", cwd=work)

    refusal = answer(done)["refusal"]
    assert (done.returncode, refusal["code"], refusal["path"]) == (2, "census_duplicate", "/components")
    assert refusal["actual"] == '"/operation/id"'


def test_another_kind_of_document_is_refused(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    census = run_cli("manifest", "show", "census.json", cwd=made)
    array = answer(run_here("manifest", "show", "-", "--json", stdin="[1]"))["refusal"]
    nothing = answer(run_here("manifest", "show", "projections.json", "--json", cwd=made))["refusal"]

    assert census.returncode == 1
    assert census.stderr.startswith("refused   document_kind: ")
    assert "where     census.json#/schema\nexpected  operatebench.identity_manifest.v1\n" in census.stderr
    assert (array["code"], array["path"], array["actual"]) == ("document_kind", "", "an array of 1 items")
    assert (nothing["path"], nothing["actual"]) == ("/schema", "no such member")
