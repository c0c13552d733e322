"""Reading tracked files: bytes and link texts, and nothing that is no file, is reached through a link, or changes."""

import errno
import os
import resource
from pathlib import Path

import pytest

from operatebench.errors import CleanTreeError, DocumentError
from operatebench.files import shown
from operatebench.provenance.work_tree import WorkTree

FILE, LINK = b"100644", b"120000"
BIG = 3 * 1024 * 1024 + 5


def content_of(root: Path, path: bytes, mode: bytes = FILE) -> bytes:
    with WorkTree(os.fsencode(root)) as tree:
        size, chunks = tree.read(mode, path)
        content = b"".join(chunks)
    assert len(content) == size
    return content


def refusal_of(root: Path, path: bytes, mode: bytes = FILE) -> str:
    """Return what was found instead of content."""
    with pytest.raises(CleanTreeError) as refused:
        content_of(root, path, mode)
    assert refused.value.code == "unreadable_bytes"
    assert refused.value.path == shown(path)
    return refused.value.actual


def test_files_links_and_folders_are_read_as_they_lie(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/small").write_bytes(b"small")
    (tmp_path / "a/empty").write_bytes(b"")
    (tmp_path / "big").write_bytes(big := os.urandom(BIG))
    (tmp_path / "a/link").symlink_to(os.fsdecode(b"nowhere/\xff"))

    with WorkTree(os.fsencode(tmp_path)) as tree:
        found = [
            b"".join(tree.read(mode, path).chunks)
            for mode, path in ((FILE, b"a/b/small"), (FILE, b"a/empty"), (LINK, b"a/link"), (FILE, b"big"))
        ]
    assert found == [b"small", b"", b"nowhere/\xff", big]


def test_a_folder_may_be_deeper_than_a_process_may_have_files_open(tmp_path: Path) -> None:
    place = 200 * "d/"
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "f").write_bytes(b"deep")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        assert content_of(tmp_path, place.encode() + b"f") == b"deep"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "way").symlink_to("folder")
    (tmp_path / "folder/file").write_bytes(b"")

    assert refusal_of(tmp_path, b"pipe") == "a pipe"
    assert refusal_of(tmp_path, b"folder") == "a directory"
    assert refusal_of(tmp_path, b"link") == os.strerror(errno.ELOOP)
    assert refusal_of(tmp_path, b"way/file") == "Not a directory"
    assert refusal_of(tmp_path, b"file/file") == "Not a directory"
    assert refusal_of(tmp_path, b"nothing") == "No such file or directory"
    assert refusal_of(tmp_path, 300 * b"n") == "File name too long"
    assert refusal_of(tmp_path, b"file", LINK) == "Invalid argument"
    assert refusal_of(tmp_path, b"\xff") == "No such file or directory"


def test_after_a_refusal_in_a_folder_others_are_found(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/file").write_bytes(b"a")
    (tmp_path / "file").write_bytes(b"top")

    with WorkTree(os.fsencode(tmp_path)) as tree:
        for missing, path, content in (
            (b"a/b/c/f", b"file", b"top"),
            (b"x/f", b"a/file", b"a"),
            (b"a/x/f", b"file", b"top"),
        ):
            with pytest.raises(CleanTreeError):
                tree.read(FILE, missing)
            assert tree.read(FILE, path).chunks == (content,)


@pytest.mark.parametrize("size", [3, BIG])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(size))
    read = os.fstat

    def changed_after(descriptor: int) -> os.stat_result:
        status = read(descriptor)
        if not status.st_mtime_ns % 2:
            os.utime(file, ns=(1, 1))
        return status

    os.utime(file, ns=(2, 2))
    monkeypatch.setattr("operatebench.provenance.work_tree.os.fstat", changed_after)

    assert refusal_of(tmp_path, b"file") == "a file that was changed while it was read"


def test_a_big_file_that_grows_is_read_no_further(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(BIG))
    with WorkTree(os.fsencode(tmp_path)) as tree:
        size, chunks = tree.read(FILE, b"file")
        with file.open("ab") as more:
            more.write(bytes(BIG))
        taken: list[bytes] = []
        with pytest.raises(CleanTreeError, match="unreadable_bytes at file"):
            taken.extend(chunks)
    assert size == BIG < sum(map(len, taken)) <= BIG + 1024 * 1024


def test_a_folder_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as refused:
        WorkTree(os.fsencode(tmp_path / "none"))

    assert (refused.value.code, refused.value.path) == ("file_unreadable", str(tmp_path / "none"))
