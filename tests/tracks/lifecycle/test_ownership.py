"""Every file of the installed package has exactly one owner, and the table names nothing that is not there."""

import hashlib
from pathlib import Path

import pytest

import operatebench
from operatebench.identity.registry import COMPONENTS
from operatebench.tracks.lifecycle.ownership import OWNERS, UNOWNED, live_source, live_source_files, owner_of
from tests.tracks.lifecycle.episodes import sha256

ROOT = Path(operatebench.__file__).parent
FILES = {file.path: ROOT / file.path for file in live_source().identity.files}


def test_the_table_is_total_over_the_installed_package() -> None:
    assert {owner_of(path) for path in FILES} <= {UNOWNED, *COMPONENTS}
    assert "runtime/core/engine.py" in FILES


def test_only_vectors_and_byte_code_are_left_out() -> None:
    everything = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}
    assert {path.split("/")[0] for path in everything - FILES.keys() if not path.endswith(".pyc")} == {"vectors"}


def test_every_entry_is_about_a_file() -> None:
    for entry in OWNERS:
        assert any(path == entry or (entry.endswith("/") and path.startswith(entry)) for path in FILES), entry


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("identity/canonical.py", "build_provenance_content"),
        ("identity/manifest.py", UNOWNED),
        ("replay/evidence/read.py", UNOWNED),
        ("runtime/core/engine.py", "runtime_contract_content"),
        ("runtime/maintenance/operation.py", "operation_core_content"),
        ("runtime/maintenance/spec/load.py", "operation_core_content"),
        ("runtime/maintenance/spec/maintenance.yaml", UNOWNED),
        ("runtime/maintenance/agents/reference.py", "scaffold_content"),
        ("runtime/maintenance/agents/__init__.py", UNOWNED),
        ("runtime/maintenance/evaluator/__init__.py", "evaluator_bundle_content"),
        ("runtime/maintenance/oracle/__init__.py", UNOWNED),
        ("schemas/operation-card-v1.schema.json", "card_schema_content"),
        ("schemas/identity-manifest-v1.schema.json", UNOWNED),
        ("tracks/lifecycle/gate.py", UNOWNED),
    ],
)
def test_owners(path: str, owner: str) -> None:
    assert path in FILES
    assert owner_of(path) == owner


@pytest.mark.parametrize("path", ["", "setup.py", "analysis/rates.py", "runtime", "vectors/a.json"])
def test_a_path_without_an_entry_has_no_owner(path: str) -> None:
    with pytest.raises(KeyError):
        owner_of(path)


def test_seven_card_schemas_as_the_contract_lists_them() -> None:
    assert sum(owner == "card_schema_content" for owner in OWNERS.values()) == 7


def test_the_source_identity_is_that_of_the_contract() -> None:
    files = [
        {"path": path, "size": place.stat().st_size, "sha256": hashlib.sha256(place.read_bytes()).hexdigest()}
        for path, place in FILES.items()
    ]
    wrapper = {
        "domain": "operatebench.digest.source_identity.v1",
        "schema": "operatebench.source_identity.v1",
        "content": {"files": files},
    }
    assert list(FILES) == sorted(FILES)
    assert live_source().identity.digest_sha256 == sha256(wrapper)
    assert live_source_files() == {each["path"]: (each["size"], each["sha256"]) for each in files}


def test_the_source_is_looked_at_once() -> None:
    assert live_source() is live_source()
    live_source().require_unchanged()
