"""``requirements check``: satisfied, or the reasons and the rows they come from."""

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Answer
from tests.support import RunCli


def ask(run_cli: RunCli, rows: Any, folder: Path, *words: str, manifest: str = "manifest.json") -> Any:
    return run_cli("requirements", "check", "-", "--manifest", manifest, *words, stdin=json.dumps(rows), cwd=folder)


def versions(component: str, lowest: int, highest: int) -> dict[str, Any]:
    kind = "closed_schema_version_range"
    compatible = {"kind": kind, "minimum_schema_version": lowest, "maximum_schema_version": highest}
    return {"component": component, "compatible": compatible}


def exact(component: str, digest: str) -> dict[str, Any]:
    return {"component": component, "compatible": {"kind": "exact_digest", "content_digest_sha256": digest}}


def test_satisfied_rows(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    manifest = json.loads((made / "manifest.json").read_bytes())
    rows = manifest["components"]["evaluator_bundle_content"]["requires"]

    people = ask(run_cli, rows, made)
    program = answer(ask(run_here, rows, made, "--json"))

    assert (people.returncode, people.stdout, people.stderr) == (0, "satisfied\n", "")
    assert program == {"command": "requirements check", "exit": 0, "satisfied": True, "reasons": [], "unmet": []}


def test_unmet_rows_give_reasons_in_order_and_name_themselves(
    run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer
) -> None:
    named = {"kind": "named_predicate", "predicate": "team.rule", "predicate_version": 4}
    rows = [
        versions("variant_content", 2, 3),
        versions("variant_content", 1, 1),
        exact("scaffold_content", "0" * 64),
        {"component": "scaffold_content", "compatible": named},
    ]
    found = json.loads((made / "manifest.json").read_bytes())["components"]["scaffold_content"]["content_digest_sha256"]

    people = ask(run_cli, rows, made)
    program = answer(ask(run_here, rows, made, "--json"))

    reasons = ["unknown_named_requirement_predicate", "content_digest_mismatch", "schema_version_out_of_range"]
    assert (people.returncode, people.stdout.split()) == (2, reasons)
    has = f"the manifest has version 1, {found[:12]}"
    assert people.stderr.splitlines()[1:] == [
        f"  standard input#/2 requires scaffold_content exact {'0' * 12}; {has}",
        f"  standard input#/3 requires scaffold_content predicate team.rule 4; {has}",
    ]
    assert (program["satisfied"], program["reasons"]) == (False, reasons)
    assert program["unmet"][1] == {
        "path": "/2",
        "component": "scaffold_content",
        "reasons": ["content_digest_mismatch"],
    }


def test_malformed_rows_are_refused(run_cli: RunCli, run_here: RunCli, made: Path, answer: Answer) -> None:
    shape = ask(run_cli, {}, made)
    unknown = answer(ask(run_here, [versions("runtime_bundle", 1, 1)], made, "--json"))["refusal"]

    assert shape.returncode == 1
    assert shape.stderr.startswith("refused   requirements_type: ")
    assert "where     standard input\nexpected  an array\n" in shape.stderr
    assert (unknown["code"], unknown["document"], unknown["file"]) == ("requirement_component", "requirements", "-")
    assert (unknown["path"], unknown["actual"]) == ("/0/component", '"runtime_bundle"')


def test_a_manifest_that_disagrees_with_itself_is_refused(run_cli: RunCli, work: Path) -> None:
    manifest = json.loads((work / "manifest.json").read_bytes())
    manifest["compatibility_contract"]["schema_version"] = 2
    (work / "edited.json").write_text(json.dumps(manifest))

    done = ask(run_cli, [], work, manifest="edited.json")

    assert done.returncode == 1
    assert "where     edited.json#/compatibility_contract/schema_version\nexpected  1\nactual    2\n" in done.stderr
