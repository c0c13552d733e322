"""Publishing files: each name leads to the old content or the new one, whatever fails, and nothing else is left."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import DocumentError
from operatebench.files import write_files

STAGING = ("open", "write", "fsync")
"""Calls of the operating system that write the temporary file; then `link` or, to replace, `rename` publishes it."""


def contents(folder: Path) -> dict[str, bytes]:
    """Return everything in a folder: name and content."""
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def names(folder: Path) -> list[str]:
    """Return the sorted names in a folder."""
    return sorted(entry.name for entry in folder.iterdir())


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


def refusal_of(files: dict[str, bytes], *, replace: bool = False) -> DocumentError:
    with pytest.raises(DocumentError) as refused:
        write_files(files, replace=replace)
    return refused.value


def fail_at(monkeypatch: pytest.MonkeyPatch, call: str, when: Callable[..., bool]) -> None:
    """Let calls of ``os.<call>`` fail with a full disk where ``when`` says so."""
    real = getattr(os, call)

    def failing(*arguments: Any, **options: Any) -> Any:
        if when(*arguments, **options):
            raise OSError(errno.ENOSPC, "never shown")
        return real(*arguments, **options)

    monkeypatch.setattr(os, call, failing)


def is_folder(descriptor: int) -> bool:
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


def makes_file(_path: str, flags: int, *_rest: Any, **_options: Any) -> bool:
    return bool(flags & os.O_CREAT)


FAULTS: dict[str, Callable[..., bool]] = {
    "open": makes_file,
    "write": lambda *_: True,
    "fsync": lambda descriptor: not is_folder(descriptor),
    "link": lambda *_, **__: True,
    "rename": lambda *_, **__: True,
}


def test_a_new_file_has_the_content_and_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_files({str(tmp_path / "new"): b"content"})
    finally:
        os.umask(before)

    assert contents(tmp_path) == {"new": b"content"}
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert (tmp_path / "new").stat().st_nlink == 1


def test_a_name_without_folder_lies_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    write_files({"new": b"content"})

    assert contents(tmp_path) == {"new": b"content"}


def test_an_existing_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"old")

    refusal = refusal_of({str(tmp_path / "taken"): b"new"})

    assert (refusal.code, refusal.path) == ("file_exists", str(tmp_path / "taken"))
    assert (refusal.expected, refusal.actual) == ("a free name", "a regular file")
    assert contents(tmp_path) == {"taken": b"old"}


def test_an_existing_file_is_replaced_on_demand(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"old")

    write_files({str(tmp_path / "taken"): b"new", str(tmp_path / "free"): b"too"}, replace=True)

    assert contents(tmp_path) == {"taken": b"new", "free": b"too"}


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"old")
    (tmp_path / "secret").chmod(0o600)

    write_files({str(tmp_path / "secret"): b"new"}, replace=True)

    assert contents(tmp_path) == {"secret": b"new"}
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("target", ["existing", "nothing"])
def test_a_link_is_never_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "existing").write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)

    refusals = [refusal_of({str(tmp_path / "link"): b"new"}, replace=replace) for replace in (False, True)]

    assert [(refusal.code, refusal.actual) for refusal in refusals] == [
        ("file_exists", "a symbolic link"),
        ("file_type", "a symbolic link"),
    ]
    assert names(tmp_path) == ["existing", "link"]
    assert (tmp_path / "existing").read_bytes() == b"old"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    refusal = refusal_of({str(tmp_path / "folder"): b"new"}, replace=True)

    assert (refusal.code, refusal.expected, refusal.actual) == ("file_type", "a regular file", "a directory")
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("path", ["", ".", "..", "folder/", "folder/.."])
def test_a_path_without_file_name_is_refused(path: str) -> None:
    refusal = refusal_of({path: b"new"})

    assert (refusal.code, refusal.expected, refusal.actual) == ("file_type", "the name of a file", "a folder")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    refusal = refusal_of({str(tmp_path / "nowhere" / "new"): b"new"})

    assert (refusal.code, refusal.actual) == ("file_unwritable", "No such file or directory")


def test_a_too_long_name_is_refused(tmp_path: Path) -> None:
    refusal = refusal_of({str(tmp_path / ("x" * 300)): b"new"})

    assert (refusal.code, refusal.actual) == ("file_unwritable", os.strerror(errno.ENAMETOOLONG))
    assert contents(tmp_path) == {}


def test_a_file_that_comes_in_between_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def meanwhile(descriptor: int) -> None:
        (tmp_path / "new").write_bytes(b"of somebody else")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)

    refusal = refusal_of({str(tmp_path / "new"): b"ours"})

    assert (refusal.code, refusal.actual) == ("file_exists", "a new file")
    assert contents(tmp_path) == {"new": b"of somebody else"}


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data[:3])))

    write_files({str(tmp_path / "new"): bytes(range(10))})

    assert contents(tmp_path) == {"new": bytes(range(10))}


@pytest.mark.parametrize(
    ("step", "replace"),
    [*((step, False) for step in (*STAGING, "link")), *((step, True) for step in (*STAGING, "rename"))],
)
def test_a_fault_at_any_step_before_publication_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, replace: bool
) -> None:
    if replace:
        (tmp_path / "name").write_bytes(b"old")
    before = contents(tmp_path)
    fail_at(monkeypatch, step, FAULTS[step])

    refusal = refusal_of({str(tmp_path / "name"): b"new"}, replace=replace)

    assert (refusal.code, refusal.path) == ("file_unwritable", str(tmp_path / "name"))
    assert (refusal.expected, refusal.actual) == ("a folder that takes a new file", "No space left on device")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("replace", [False, True])
def test_a_folder_that_cannot_be_synced_is_reported_with_the_new_file_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replace: bool
) -> None:
    fail_at(monkeypatch, "fsync", is_folder)

    refusal = refusal_of({str(tmp_path / "name"): b"new"}, replace=replace)

    assert (refusal.code, refusal.expected) == ("file_unsynced", "a synced folder")
    assert contents(tmp_path) == {"name": b"new"}


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def interrupted(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, call, interrupted)

    with pytest.raises(KeyboardInterrupt):
        write_files({str(tmp_path / "name"): b"new"})

    assert contents(tmp_path) == {}


@pytest.mark.parametrize("step", STAGING)
def test_a_fault_in_the_second_of_two_files_publishes_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (tmp_path / "one").write_bytes(b"old")
    seen: list[int] = []

    def second(*arguments: Any, **options: Any) -> bool:
        if FAULTS[step](*arguments, **options):
            seen.append(1)
        return len(seen) == 2

    fail_at(monkeypatch, step, second)

    refusal = refusal_of({str(tmp_path / "one"): b"new", str(tmp_path / "two"): b"new"}, replace=True)

    assert (refusal.code, refusal.path) == ("file_unwritable", str(tmp_path / "two"))
    assert contents(tmp_path) == {"one": b"old"}


def test_a_second_name_that_is_taken_publishes_neither(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(b"old")

    refusal = refusal_of({str(tmp_path / "one"): b"new", str(tmp_path / "two"): b"new"})

    assert (refusal.code, refusal.path) == ("file_exists", str(tmp_path / "two"))
    assert contents(tmp_path) == {"two": b"old"}


def test_a_first_new_file_is_taken_back_when_the_second_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, "link", lambda source, name, **_: name == "two")

    refusal = refusal_of({str(tmp_path / "one"): b"new", str(tmp_path / "two"): b"new"})

    assert (refusal.code, refusal.path) == ("file_unwritable", str(tmp_path / "two"))
    assert contents(tmp_path) == {}


def test_a_first_replaced_file_stays_when_the_second_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").write_bytes(b"old")
    fail_at(monkeypatch, "rename", lambda source, name, **_: name == "two")

    refusal = refusal_of({str(tmp_path / "one"): b"new", str(tmp_path / "two"): b"new"}, replace=True)

    assert (refusal.code, refusal.path) == ("file_unwritable", str(tmp_path / "two"))
    assert contents(tmp_path) == {"one": b"new"}


def test_content_is_synced_before_it_gets_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []

    def watch(call: str) -> None:
        real = getattr(os, call)

        def watched(*arguments: Any, **options: Any) -> Any:
            happened.append(f"{call} folder" if call == "fsync" and is_folder(arguments[0]) else call)
            return real(*arguments, **options)

        monkeypatch.setattr(os, call, watched)

    for call in ("write", "fsync", "link", "unlink"):
        watch(call)

    write_files({str(tmp_path / "name"): b"new"})

    assert happened[:5] == ["write", "fsync", "link", "unlink", "fsync folder"]


def test_descriptors_are_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_descriptors()

    write_files({str(tmp_path / "one"): b"new", str(tmp_path / "two"): b"new"})
    refusal_of({str(tmp_path / "one"): b"new"})
    fail_at(monkeypatch, "fsync", FAULTS["fsync"])
    refusal_of({str(tmp_path / "three"): b"new"})

    assert open_descriptors() == before


CRASH = """
import os, sys
from operatebench.files import write_files
call, replace, path = sys.argv[1], sys.argv[2] == "replace", sys.argv[3]
setattr(os, call, lambda *arguments, **options: os._exit(9))
write_files({path: b"new" * 1000}, replace=replace)
"""


@pytest.mark.parametrize("call", ["write", "fsync", "rename", "unlink"])
def test_a_crash_leaves_the_old_content_or_the_new_one(tmp_path: Path, call: str) -> None:
    (tmp_path / "name").write_bytes(b"old")

    done = subprocess.run([sys.executable, "-c", CRASH, call, "replace", tmp_path / "name"], check=False)

    assert done.returncode == 9
    assert (tmp_path / "name").read_bytes() == (b"new" * 1000 if call == "unlink" else b"old")


def test_a_crash_leaves_no_part_of_a_new_file(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH, "link", "new", tmp_path / "name"], check=False)

    assert done.returncode == 9
    assert not (tmp_path / "name").exists()
