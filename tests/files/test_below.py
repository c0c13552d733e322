"""Visiting the files below a folder: in order, no link followed, and a file that changes while it is read refused."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from operatebench.errors import DocumentError
from operatebench.files import FileBelow, Stamp, visit_below


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


def everything(_: str) -> bool:
    return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in ("b/two", "b/c/three", "a", "z"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path, encoding="utf-8")
    return tmp_path


def read(root: Path, wanted: Callable[[str], bool] = everything, limit: int = 100) -> dict[str, bytes]:
    return dict(visit_below(str(root), wanted, lambda file: (file.path, file.read(limit)[0])))


def refusal_of(root: Path, visit: Callable[[FileBelow], object]) -> DocumentError:
    before = open_descriptors()
    with pytest.raises(DocumentError) as refused:
        visit_below(str(root), everything, visit)
    assert open_descriptors() == before
    return refused.value


def test_all_files_are_visited_in_order(root: Path) -> None:
    found = read(root)

    assert list(found) == ["a", "b/c/three", "b/two", "z"]
    assert found == {path: path.encode() for path in found}


def test_what_is_not_wanted_is_passed_over_whatever_it_is(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "b/c/link").symlink_to("three")

    assert list(read(root, lambda path: path in {"a", "b/", "b/two"})) == ["a", "b/two"]


def test_the_stamp_is_the_same_read_or_not_and_moves_with_the_file(root: Path) -> None:
    def stamps() -> list[Stamp]:
        return visit_below(str(root), everything, FileBelow.stamp)

    before = stamps()
    (root / "a").write_bytes(b"A")
    os.utime(root / "a", ns=(1, 1))

    assert visit_below(str(root), everything, lambda file: file.read(100)[1]) == stamps()
    assert [old == new for old, new in zip(before, stamps(), strict=True)] == [False, True, True, True]


def test_a_wanted_pipe_or_link_is_refused(root: Path) -> None:
    (root / "b/c/link").symlink_to("three")
    link = refusal_of(root, FileBelow.stamp)
    (root / "b/c/link").unlink()
    os.mkfifo(root / "b/c/pipe")
    pipe = refusal_of(root, FileBelow.stamp)

    assert (link.code, link.path, link.actual) == ("file_type", "b/c/link", "a symbolic link")
    assert (pipe.code, pipe.path, pipe.actual) == ("file_type", "b/c/pipe", "a pipe")


def test_the_limit_is_inclusive(root: Path) -> None:
    refusal = refusal_of(root, lambda file: file.read(8))

    assert (refusal.code, refusal.path, refusal.actual) == ("file_too_large", "b/c/three", "9 bytes")
    assert len(read(root, limit=9)) == 4


@pytest.mark.parametrize("change", [b"more", b""], ids=["grows", "shrinks"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: bytes
) -> None:
    real = os.read

    def changing(descriptor: int, size: int) -> bytes:
        (root / "a").write_bytes(change)
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", changing)
    refusal = refusal_of(root, lambda file: file.read(100))

    assert (refusal.code, refusal.path) == ("file_changed", "a")


@pytest.mark.parametrize(
    "replace",
    [
        lambda _: None,
        lambda path: path.symlink_to("b/two"),
        os.mkfifo,
    ],
    ids=["gone", "link", "pipe"],
)
def test_a_file_that_is_replaced_after_it_was_listed_is_refused(root: Path, replace: Callable[[Path], object]) -> None:
    def late(file: FileBelow) -> object:
        (root / file.path).unlink()
        replace(root / file.path)
        return file.read(100)

    refusal = refusal_of(root, late)

    assert (refusal.code, refusal.path) == ("file_changed", "a")


def test_a_folder_that_is_not_there_or_a_link_is_refused(root: Path) -> None:
    (root / "link").symlink_to("b")
    for name in ("nowhere", "link", "a"):
        refusal = refusal_of(root / name, FileBelow.stamp)
        assert (refusal.code, refusal.path) == ("file_changed", str(root / name))


def test_what_may_not_be_read_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(file: FileBelow) -> object:
        with monkeypatch.context() as here:
            here.setattr(os, "open", denied)
            return file.read(100)

    def denied(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "denied")

    refusal = refusal_of(root, late)

    assert (refusal.code, refusal.path, refusal.actual) == ("file_unreadable", "a", "Permission denied")
