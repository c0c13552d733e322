"""The same inputs give the same results whatever the hash seed, locale, time zone or working folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from operatebench import identity as kernel
from operatebench.errors import OperateBenchError
from operatebench.identity.strictjson import parse_json

def say(value):
    sys.stdout.buffer.write(ascii(value).encode() + b"\\n")

def refused(call, *arguments):
    try:
        say(call(*arguments))
    except OperateBenchError as error:
        say((error.to_json(), str(error), error.diagnostics(), error.args))

names = [row["name"] for row in kernel.load_component_registry()["components"]]
projections = {
    name: {f"/{name}/\\u00e9\\U0001f600": [index, None], "/x/" + name: {"b": 1.0, "a": []}}
    for index, name in enumerate(names)
}
manifest = kernel.build_identity_manifest(projections)
census = kernel.build_projection_census(projections)
say(json.dumps(manifest))
say(json.dumps(census))
valid = kernel.validate_identity_manifest(manifest, census, projections)
say(valid)
changed = projections | {names[0]: {"/x": 1}}
newer = kernel.build_identity_manifest(changed)
newer_census = kernel.build_projection_census(changed)
say(kernel.identity_diff(valid, kernel.validate_identity_manifest(newer, newer_census, changed)))
for load in (kernel.load_identity_schema, kernel.load_compatibility_registry, kernel.load_identity_golden_vectors):
    say(load())
refused(kernel.validate_identity_manifest, manifest, census, changed)
refused(kernel.validate_identity_manifest, manifest | {"schema": "x"}, census, projections)
refused(kernel.validate_identity_manifest, {**{k: 1 for k in "abcdef"}}, census, projections)
refused(kernel.validate_identity_manifest, manifest, {k: 1 for k in "abcde"}, projections)
components = manifest["components"]
fewer = {k: v for k, v in components.items() if k not in names[3:7]}
refused(kernel.claimed_projections, {"components": fewer | {"p": 1, "q": 2}})
refused(kernel.build_identity_manifest, {name: {} for name in names[2:]})
refused(kernel.build_identity_manifest, projections | {"extra": {}, "more": {}})
refused(kernel.build_identity_manifest, projections, {"p": [], "q": []})
refused(kernel.recompute_bundle, "runtime_bundle", {})
refused(kernel.recompute_component, names[2], {}, [{"component": 1, "x": 2, "y": 3}])
refused(kernel.recompute_component, "nobody_here", {}, [])
refused(kernel.evaluate_component_requirements, [{"component": names[0], "compatible": {"kind": "x"}}], {})
for text in (b'{"a":1,"a":2}', b"[1.5]", b"[", b'"\\\\ud800"', b"[" * 65 + b"]" * 65):
    refused(parse_json, text)
"""

VARIATIONS = [
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONHASHSEED": "random"},
    {"PYTHONOPTIMIZE": "2", "PYTHONDEVMODE": "1", "PYTHONHASHSEED": "3"},
]


def run(environment: dict[str, str], cwd: Path) -> bytes:
    base = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG", "TZ"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=base | environment, cwd=cwd, capture_output=True, check=True, timeout=60
    )
    return done.stdout


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the output of a run with hash seed zero."""
    return run({"PYTHONHASHSEED": "0"}, tmp_path_factory.mktemp("usual"))


@pytest.mark.parametrize("variation", range(len(VARIATIONS)))
def test_output_is_byte_identical(variation: int, usual: bytes, tmp_path: Path) -> None:
    place = tmp_path / "a folder with ünïcode"
    place.mkdir()
    assert run(VARIATIONS[variation], place) == usual
    assert usual.count(b"\n") > 20
    assert os.fsencode(place) not in usual
