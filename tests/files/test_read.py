"""Reading one regular file: everything else is refused at once, nothing waits, and no limit is ever passed."""

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from operatebench.errors import DocumentError
from operatebench.files import open_file, open_standard_input, read_file, shown
from operatebench.files import read as module


def refusal_of(path: Path | str, limit: int = 100) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        read_file(path, limit)
    return refused.value


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_file_within_the_limit_is_read_whole(tmp_path: Path, size: int) -> None:
    file = tmp_path / "document"
    file.write_bytes(b"x" * size)

    assert read_file(file, 100) == b"x" * size


def test_a_file_bigger_than_one_chunk_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 7)
    file = tmp_path / "document"
    file.write_bytes(bytes(range(100)))
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: real(descriptor, min(size, 9)))

    assert read_file(file, 100) == bytes(range(100))


def test_the_named_path_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "document").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("document")

    assert read_file(tmp_path / "link", 100) == b"{}"


def test_one_byte_over_the_limit_is_refused_before_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "document"
    file.write_bytes(b"x" * 101)
    monkeypatch.setattr(os, "read", lambda descriptor, size: pytest.fail("it was read"))

    refusal = refusal_of(file)

    assert (refusal.code, refusal.path) == ("file_too_large", str(file))
    assert (refusal.expected, refusal.actual) == ("at most 100 bytes", "101 bytes")


def test_a_file_that_grows_while_it_is_read_never_passes_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "document"
    file.write_bytes(b"x" * 10)
    received: list[int] = []
    real = os.read

    def growing(descriptor: int, size: int) -> bytes:
        with file.open("ab") as more:
            more.write(b"y" * 60)
        data = real(descriptor, size)
        received.append(len(data))
        return data

    monkeypatch.setattr(os, "read", growing)

    refusal = refusal_of(file)

    assert (refusal.code, refusal.actual) == ("file_too_large", "more than 100 bytes")
    assert sum(received) == 101


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    refusal = refusal_of(tmp_path / "nothing")

    assert (refusal.code, refusal.path) == ("file_missing", str(tmp_path / "nothing"))
    assert (refusal.expected, refusal.actual) == ("a readable file", "No such file or directory")


def test_a_dangling_link_is_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nothing")

    assert refusal_of(tmp_path / "link").code == "file_missing"


def test_a_file_used_as_folder_is_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "document").write_bytes(b"")

    assert refusal_of(tmp_path / "document" / "inside").code == "file_missing"


def test_a_link_to_itself_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    assert refusal_of(tmp_path / "loop").code == "file_unreadable"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    refusal = refusal_of(tmp_path)

    assert (refusal.code, refusal.expected, refusal.actual) == ("file_type", "a regular file", "a directory")


def test_a_pipe_without_writer_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    refusal = refusal_of(tmp_path / "pipe")

    assert (refusal.code, refusal.actual) == ("file_type", "a pipe")


def test_a_device_is_refused() -> None:
    refusal = refusal_of("/dev/zero")

    assert (refusal.code, refusal.actual) == ("file_type", "a character device")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # socket names are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")

        assert refusal_of("socket").code == "file_type"


def test_a_failing_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "document").write_bytes(b"x")

    def failing(*_: int) -> bytes:
        raise OSError(5, "never shown")

    monkeypatch.setattr(os, "read", failing)

    refusal = refusal_of(tmp_path / "document")

    assert (refusal.code, refusal.actual) == ("file_unreadable", os.strerror(5))
    assert refusal.__context__ is None or refusal.__suppress_context__


@pytest.mark.parametrize("content", [b"x", b"x" * 101])
def test_the_file_is_closed_again(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "document"
    file.write_bytes(content)
    before = open_descriptors()

    with suppress(DocumentError):
        read_file(file, 100)

    assert open_descriptors() == before


def test_unprintable_names_are_shown_escaped(tmp_path: Path) -> None:
    refusal = refusal_of(tmp_path / "a\x1b[31m\u202e")

    assert refusal.path == f"{tmp_path}/a\\x1b[31m\\u202e"


def test_names_are_shown_as_utf8_and_cut() -> None:
    assert shown("Siân.json") == "Siân.json"
    assert shown(os.fsdecode(b"\xff.json")) == "\\udcff.json"
    assert len(shown("x" * 600)) == 512


def test_a_file_is_opened_to_be_read_piece_by_piece(tmp_path: Path) -> None:
    (tmp_path / "document").write_bytes(b"one\ntwo\n")
    before = open_descriptors()

    with open_file(tmp_path / "document") as opened:
        assert [opened.readline(10), opened.readline(2), opened.read()] == [b"one\n", b"tw", b"o\n"]
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("kind", "code", "actual"),
    [
        ("link", "file_type", "a symbolic link"),
        ("dangling", "file_type", "a symbolic link"),
        ("pipe", "file_type", "a pipe"),
        ("folder", "file_type", "a directory"),
        ("missing", "file_missing", "No such file or directory"),
    ],
)
def test_what_is_opened_is_a_regular_file_and_no_link(tmp_path: Path, kind: str, code: str, actual: str) -> None:
    (tmp_path / "document").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("document")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = open_descriptors()

    with pytest.raises(DocumentError) as refused:
        open_file(tmp_path / kind)

    assert (refused.value.code, refused.value.path, refused.value.actual) == (code, str(tmp_path / kind), actual)
    assert open_descriptors() == before


def test_standard_input_stays_open_after_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "document").write_bytes(b"one\ntwo\n")
    with (tmp_path / "document").open() as source:
        monkeypatch.setattr("sys.stdin", source)
        with open_standard_input() as opened:
            assert opened.read() == b"one\ntwo\n"
        assert os.fstat(source.fileno()).st_size == 8
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(DocumentError) as refused:
        open_standard_input()
    assert (refused.value.code, refused.value.path) == ("file_unreadable", "standard input")
