"""The comparison with RECORD: equal, differs, or nothing to compare with."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from operatebench.provenance import compare_with_record, take_source_snapshot
from operatebench.provenance import record as module
from operatebench.tracks.lifecycle.ownership import OWNER_TABLE, live_source
from tests.provenance.sites import TABLE, copy_site, write_package


def test_the_installed_package_is_as_it_was_installed() -> None:
    assert compare_with_record(live_source()).to_wire() == {"verdict": "equal", "reason": "", "changes": []}


def test_changed_added_and_removed_files_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = copy_site(tmp_path, monkeypatch)
    with (root / "runtime/maintenance/evaluator/__init__.py").open("ab") as file:
        file.write(b"#")
    (root / "cli/digest.py").unlink()
    (root / "cli/new.py").write_bytes(b"")

    compared = compare_with_record(take_source_snapshot(root, OWNER_TABLE))

    assert compared.to_wire() == {
        "verdict": "differs",
        "reason": "",
        "changes": [
            {"path": "cli/digest.py", "change": "removed", "owner": "unowned"},
            {"path": "cli/new.py", "change": "added", "owner": "unowned"},
            {
                "path": "runtime/maintenance/evaluator/__init__.py",
                "change": "changed",
                "owner": "evaluator_bundle_content",
            },
        ],
    }


class WithoutRecord:
    """A distribution that was not installed by an installer."""

    def read_text(self, _: str) -> None:
        return None


def test_without_a_record_of_these_files_there_is_nothing_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> Any:
        raise PackageNotFoundError(name)

    elsewhere = compare_with_record(take_source_snapshot(write_package(tmp_path), TABLE))
    monkeypatch.setattr(module, "distribution", nothing)
    uninstalled = compare_with_record(live_source())
    monkeypatch.setattr(module, "distribution", lambda _: WithoutRecord())
    unrecorded = compare_with_record(live_source())

    for compared in (elsewhere, uninstalled, unrecorded):
        assert (compared.verdict, compared.difference) == ("not_applicable", None)
    assert elsewhere.reason == "the installed distribution does not hold this folder"
    assert uninstalled.reason == "no distribution operatebench is installed"
    assert unrecorded.reason == "the distribution has no RECORD"
