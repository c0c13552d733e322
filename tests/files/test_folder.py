"""A folder that is open stays the same folder, shows nothing outside of it, and a new one is made for one writer."""

import os
from pathlib import Path

import pytest

from operatebench.errors import DocumentError
from operatebench.files import Folder, make_new_folder, write_files


def test_what_is_below_is_read_within_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"12345")

    with Folder(tmp_path) as folder:
        assert folder.read("a/b/file", 5) == b"12345"
        assert list(folder.names()) == ["a"]
        assert list(folder.names("a/b")) == ["file"]
        for place, limit, code in (
            ("a/b/file", 4, "file_too_large"),
            ("a/b/none", 5, "file_missing"),
            ("a/none/file", 5, "file_missing"),
            ("a/b", 5, "file_type"),
            ("a/b/file/x", 5, "file_type"),
        ):
            with pytest.raises(DocumentError) as refused:
                folder.read(place, limit)
            assert refused.value.code == code
        with pytest.raises(DocumentError) as refused:
            list(folder.names("a/b/file"))
        assert (refused.value.code, refused.value.path) == ("file_type", "a/b/file")


def test_links_below_are_not_followed_and_the_folder_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "real" / "in").mkdir(parents=True)
    (tmp_path / "real" / "in" / "file").touch()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "to").symlink_to("in")
    (tmp_path / "real" / "file").symlink_to("in/file")

    with Folder(tmp_path / "link") as folder:
        assert folder.read("in/file", 1) == b""
        for place in ("to/file", "file"):
            with pytest.raises(DocumentError) as refused:
                folder.read(place, 1)
            assert refused.value.code == "file_type"


def test_a_folder_that_is_moved_stays_open(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "before" / "file").write_bytes(b"1")

    with Folder(tmp_path / "before") as folder:
        (tmp_path / "before").rename(tmp_path / "after")
        assert folder.read("file", 1) == b"1"


def test_descriptors_are_closed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208  (counting, not walking)

    with Folder(tmp_path) as folder:
        next(folder.names())
        with pytest.raises(DocumentError):
            folder.read("a/none", 1)

    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208  (as above)


@pytest.mark.parametrize("name", ["none", "file"])
def test_what_is_no_folder_is_not_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DocumentError) as refused:
        Folder(tmp_path / name)
    assert refused.value.code == ("file_missing" if name == "none" else "file_type")


def test_a_new_folder_is_made_once(tmp_path: Path) -> None:
    make_new_folder(f"{tmp_path}/new/")

    assert (tmp_path / "new").is_dir()
    with pytest.raises(DocumentError) as refused:
        make_new_folder(f"{tmp_path}/new")
    assert refused.value.code == "file_exists"
    with pytest.raises(DocumentError) as refused:
        make_new_folder(f"{tmp_path}/none/new")
    assert refused.value.code == "file_unwritable"


def test_a_new_folder_that_cannot_be_synced_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(5, "no")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DocumentError) as refused:
        make_new_folder(f"{tmp_path}/new")

    assert refused.value.code == "file_unwritable"
    assert list(tmp_path.iterdir()) == []


def test_temporary_files_are_made_where_they_are_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "target").mkdir()
    seen: list[tuple[list[str], list[str]]] = []
    real = os.link

    def watch(*arguments: object, **named: object) -> None:
        seen.append(([*map(str, os.listdir(tmp_path / "target"))], sorted(os.listdir(tmp_path))))  # noqa: PTH208
        real(*arguments, **named)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(os, "link", watch)
    write_files({f"{tmp_path}/target/file": b"1"}, staging=str(tmp_path))

    ((inside, outside),) = seen
    assert inside == []
    assert len(outside) == 2
    assert (tmp_path / "target" / "file").read_bytes() == b"1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["target"]
