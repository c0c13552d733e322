"""A snapshot of a package: the same wherever it lies, exact to the byte, and nothing slips in beside its files."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from operatebench.errors import DocumentError, OperateBenchError, ProvenanceError
from operatebench.provenance import SourceDifference, SourceSnapshot, take_source_snapshot
from operatebench.provenance import snapshot as module
from operatebench.tracks.lifecycle.ownership import OWNER_TABLE
from tests.provenance.sites import FILES, INSTALLED, TABLE, write_package
from tests.support import ROOT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_package(tmp_path / "package")


def refusal_of(root: Path) -> OperateBenchError:
    with pytest.raises(OperateBenchError) as refused:
        take_source_snapshot(root, TABLE)
    return refused.value


def test_wheel_checkout_and_copy_have_one_identity(tmp_path: Path) -> None:
    copy = shutil.copytree(INSTALLED, tmp_path / "copied", ignore=shutil.ignore_patterns("vectors"))

    wheel, checkout, copied = (take_source_snapshot(root, OWNER_TABLE) for root in (INSTALLED, ROOT, copy))

    assert wheel.identity == checkout.identity == copied.identity
    assert len(wheel.identity.files) > 100
    wheel.require_unchanged()


def test_exactly_the_files_of_the_table_are_in_it(root: Path) -> None:
    taken = take_source_snapshot(root, TABLE)

    assert {file.path: (file.size, file.owner) for file in taken.identity.files} == {
        path: (len(content), TABLE.owner_of(path)) for path, content in FILES.items()
    }
    assert taken.stamps.keys() == FILES.keys()
    assert taken.root == os.path.realpath(root)


def test_one_changed_byte_moves_it_and_the_owner_is_named(root: Path) -> None:
    before = take_source_snapshot(root, TABLE).identity
    (root / "a/b/one.py").write_bytes(b"2\n")

    after = take_source_snapshot(root, TABLE).identity

    assert after.digest_sha256 != before.digest_sha256
    assert after.of_owner("whole") == before.of_owner("whole")
    assert SourceDifference.between(before, after).to_wire() == {
        "changes": [{"path": "a/b/one.py", "change": "changed", "owner": "single"}],
        "owners": {"single": 1},
    }


def test_added_and_removed_files_are_told_apart_in_order(root: Path) -> None:
    before = take_source_snapshot(root, TABLE).identity
    (root / "a/x.py").rename(root / "a/b/x.py")

    difference = SourceDifference.between(before, take_source_snapshot(root, TABLE).identity)

    assert [(each.path, each.change, each.owner) for each in difference.changes] == [
        ("a/b/x.py", "added", "part"),
        ("a/x.py", "removed", "whole"),
    ]
    assert list(difference.by_owner()) == ["part", "whole"]


def test_the_named_folder_may_be_a_link_and_is_resolved_once(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("package")
    taken = take_source_snapshot(tmp_path / "link", TABLE)
    (tmp_path / "link").unlink()

    assert taken.root == os.path.realpath(root)
    taken.require_unchanged()


@pytest.mark.parametrize(
    "stray", ["evil.py", "evil.so", "a/evil.so", "a/x.pyc", "a/.hidden.py", "a/b/x y.py", "a/readme.md"]
)
def test_a_file_that_no_entry_covers_is_refused(root: Path, stray: str) -> None:
    (root / stray).write_bytes(b"")

    refusal = refusal_of(root)

    assert (type(refusal), refusal.code, refusal.path) == (ProvenanceError, "file_without_owner", stray)


@pytest.mark.parametrize(
    ("place", "make", "kind"),
    [
        ("a/x.py", lambda path: path.symlink_to("b/one.py"), "a symbolic link"),
        ("a/more", lambda path: path.symlink_to("b"), "a symbolic link"),
        ("a/__pycache__", lambda path: path.symlink_to("b"), "a symbolic link"),
        ("a", lambda path: path.symlink_to("tests"), "a symbolic link"),
        ("a/x.py", os.mkfifo, "a pipe"),
    ],
)
def test_links_and_pipes_are_refused(root: Path, place: str, make: Callable[[Path], None], kind: str) -> None:
    found = root / place
    if found.is_dir():
        shutil.rmtree(found)
    found.unlink(missing_ok=True)
    make(found)

    refusal = refusal_of(root)

    assert (type(refusal), refusal.code, refusal.path, refusal.actual) == (DocumentError, "file_type", place, kind)


def test_a_folder_that_is_no_package_is_refused_by_its_absolute_name(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    for folder in (Path("a"), Path("nowhere"), Path("n" * 300)):
        refusal = refusal_of(folder)
        assert (refusal.code, refusal.path) == ("source_root", os.path.realpath(folder))


def test_a_file_over_the_limit_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SOURCE_FILE_BYTES", 5)

    refusal = refusal_of(root)

    assert (refusal.code, refusal.path, refusal.expected) == ("file_too_large", "a/x.py", "at most 5 bytes")


@pytest.fixture
def taken(root: Path) -> SourceSnapshot:
    return take_source_snapshot(root, TABLE)


def test_files_left_alone_are_unchanged_and_byte_code_does_not_count(taken: SourceSnapshot, root: Path) -> None:
    (root / "a/b/__pycache__").mkdir()
    (root / "a/b/__pycache__/one.pyc").write_bytes(b"")
    (root / "README.md").unlink()

    taken.require_unchanged()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda root: (root / "a/x.py").write_bytes(b"x = 2\n"), "a/x.py"),
        (lambda root: os.utime(root / "a/x.py", ns=(1, 1)), "a/x.py"),
        (lambda root: shutil.copy2(root / "a/x.py", root / "y") and (root / "y").rename(root / "a/x.py"), "a/x.py"),
        (lambda root: (root / "a/x.py").unlink(), "a/x.py"),
        (lambda root: (root / "a/b/new.so").write_bytes(b""), "a/b/new.so"),
        (lambda root: (root / "evil.py").write_bytes(b""), "evil.py"),
        (lambda root: (root / "a/more").symlink_to("b"), "a/more"),
    ],
    ids=["written", "touched", "replaced", "removed", "added", "beside", "link"],
)
def test_any_change_after_it_was_taken_is_seen(
    taken: SourceSnapshot, root: Path, change: Callable[[Path], object], path: str
) -> None:
    change(root)

    with pytest.raises(ProvenanceError) as refused:
        taken.require_unchanged()

    assert (refused.value.code, refused.value.path) == ("source_changed_during_run", path)
