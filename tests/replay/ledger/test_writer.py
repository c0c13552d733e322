"""Whatever stops a writer, what is left is the beginning of a run or all of it, and never a wrong result."""

import errno
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.errors import DocumentError, LedgerError, OperateBenchError
from operatebench.replay.ledger import LedgerHeader, LedgerWriter, verify_ledger
from operatebench.replay.ledger.writer import SYNC_BYTES
from tests.replay.ledger.ledgers import END, HEADER, ROWS, text_of, whole

GOOD = text_of(whole())
LINES = GOOD.splitlines(keepends=True)


def begin(path: Path) -> LedgerWriter:
    return LedgerWriter(path, LedgerHeader.from_wire(HEADER))


def write(path: Path) -> None:
    """Write the golden ledger: a group of two rows, a group of one, the end."""
    with begin(path) as writer:
        for row in ROWS[:2]:
            writer.append(**row)
        writer.flush()
        writer.append(**ROWS[2])
        writer.finish(**END)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def open_descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


class Calls:
    """Calls of the operating system, the one of a given number failing.

    Attributes:
        count: how many there were.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
        self.count = 0
        self.seen: list[str] = []
        self.fails: Callable[[int, str], BaseException | None] = lambda _number, _name: None
        for name in names:
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            self.seen.append(name)
            fault = self.fails(self.count, name)
            if fault is not None:
                if name == "write" and not isinstance(fault, FileExistsError):
                    real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])  # a part of it gets there
                raise fault
            return real(*arguments, **options)

        return call


STEPS = ("write", "fsync")


def test_the_steps_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Header written and synced, folder synced, two groups, and the end, whose sync is for the groups too."""
    calls = Calls(monkeypatch, *STEPS)
    write(tmp_path / "l")
    assert calls.seen == ["write", "fsync", "fsync", "write", "write", "write", "fsync"]
    assert (tmp_path / "l").read_bytes() == GOOD


FAULTS: dict[str, BaseException] = {
    "ENOSPC": OSError(errno.ENOSPC, "never shown"),
    "EIO": OSError(errno.EIO, "never shown"),
    "interrupt": KeyboardInterrupt(),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("step", range(1, 8))
def test_a_fault_at_any_step_leaves_whole_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, fault: str
) -> None:
    before = open_descriptors()
    calls = Calls(monkeypatch, *STEPS)
    calls.fails = lambda number, _: FAULTS[fault] if number == step else None

    with pytest.raises((OperateBenchError, KeyboardInterrupt)) as caught:
        write(tmp_path / "l")

    if isinstance(caught.value, OperateBenchError):
        assert caught.value.code == ("file_unwritable" if step == 3 else "ledger_unwritable")
        assert caught.value.path == str(tmp_path / "l")
        assert caught.value.actual == os.strerror(errno.ENOSPC if fault == "ENOSPC" else errno.EIO)
    else:
        assert fault == "interrupt"
    assert open_descriptors() == before
    if step <= 3:
        assert names(tmp_path) == []
        return
    # A failed sync takes back what was written since the last one: here, everything but the header.
    kept = {4: 1, 5: 3, 6: 4, 7: 1}[step]
    assert (tmp_path / "l").read_bytes() == b"".join(LINES[:kept])
    assert verify_ledger(tmp_path / "l").terminal is None


@pytest.mark.parametrize("step", range(4, 8))
def test_even_a_failing_cut_leaves_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    calls = Calls(monkeypatch, *STEPS, "ftruncate")
    calls.fails = lambda number, name: FAULTS["EIO"] if number == step or name == "ftruncate" else None

    with pytest.raises(LedgerError) as caught:
        write(tmp_path / "l")

    assert caught.value.code == "ledger_unwritable"
    if step == 7:  # all of it is there, and only the disk may not have it yet
        assert (tmp_path / "l").read_bytes() == GOOD
        return
    with pytest.raises(LedgerError) as refused:
        verify_ledger(tmp_path / "l")
    assert refused.value.code == "ledger_torn_line"


@pytest.mark.parametrize("length", [1, 7, 100])
def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:length]))
    write(tmp_path / "l")
    assert (tmp_path / "l").read_bytes() == GOOD


def test_a_writer_that_failed_writes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with begin(tmp_path / "l") as writer:
        writer.append(**ROWS[0])
        with monkeypatch.context() as broken:
            Calls(broken, "write").fails = lambda *_: FAULTS["ENOSPC"]
            with pytest.raises(LedgerError) as caught:
                writer.flush()
        assert caught.value.code == "ledger_unwritable"
        for use in (lambda: writer.append(**ROWS[0]), writer.flush, lambda: writer.finish(**END)):
            with pytest.raises(LedgerError) as refused:
                use()
            assert (refused.value.code, refused.value.path) == ("ledger_closed", str(tmp_path / "l"))

    assert (tmp_path / "l").read_bytes() == LINES[0]


def test_a_writer_that_ended_writes_no_more(tmp_path: Path) -> None:
    with begin(tmp_path / "l") as writer:
        writer.finish(**END)
        with pytest.raises(LedgerError) as refused:
            writer.append(**ROWS[0])
    assert refused.value.code == "ledger_closed"
    assert verify_ledger(tmp_path / "l").rows == 0


def test_a_run_that_fails_leaves_an_incomplete_ledger_of_whole_groups(tmp_path: Path) -> None:
    def run() -> None:
        with begin(tmp_path / "l") as writer:
            writer.append(**ROWS[0])
            writer.flush()
            writer.append(**ROWS[1])
            raise RuntimeError("the agent")

    with pytest.raises(RuntimeError, match="the agent"):
        run()
    assert (tmp_path / "l").read_bytes() == b"".join(LINES[:2])
    assert verify_ledger(tmp_path / "l").terminal is None


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "folder", "pipe"])
def test_a_name_that_is_taken_is_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "l"
    make: dict[str, Callable[[], object]] = {
        "file": lambda: path.write_bytes(b"mine"),
        "link": lambda: path.symlink_to(tmp_path / "target"),
        "dangling link": lambda: path.symlink_to("nothing"),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
    }
    make[kind]()
    (tmp_path / "target").write_bytes(b"mine")

    with pytest.raises(DocumentError) as refused:
        begin(path)

    assert (refused.value.code, refused.value.path) == ("file_exists", str(path))
    assert names(tmp_path) == ["l", "target"]
    assert (tmp_path / "target").read_bytes() == b"mine"


@pytest.mark.parametrize("where", ["missing/l", "file/l"])
def test_a_folder_that_takes_no_file_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DocumentError) as refused:
        begin(tmp_path / where)
    assert (refused.value.code, refused.value.path) == ("file_unwritable", str(tmp_path / where))


def test_what_is_due_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the header, at the end, and whenever 64 KiB are written and not synced; not for every group."""
    written, unsynced, most, syncs = 0, 0, 0, 0
    real_write, real_sync = os.write, os.fsync

    def write_some(descriptor: int, data: Any) -> int:
        nonlocal written, unsynced
        done = real_write(descriptor, data)
        written += done
        unsynced += done
        return done

    def sync(descriptor: int) -> None:
        nonlocal unsynced, syncs
        unsynced = 0
        syncs += 1
        real_sync(descriptor)

    monkeypatch.setattr(os, "write", write_some)
    monkeypatch.setattr(os, "fsync", sync)
    with begin(tmp_path / "l") as writer:
        assert unsynced == 0
        for _ in range(1_000):
            writer.append(**ROWS[1])
            writer.flush()
            most = max(most, unsynced)
        summary = writer.finish(**END)
    assert unsynced == 0
    assert most < SYNC_BYTES == 65_536
    assert syncs == 3 + written // SYNC_BYTES
    assert verify_ledger(tmp_path / "l") == summary


BODIES: dict[str, tuple[Any, str, str]] = {
    "bytes": (b"", "ledger_json", "/body/x"),
    "a big integer": (2**53, "ledger_json", "/body/x"),
    "a lone surrogate": ("\ud800", "ledger_json", "/body/x"),
    "a name that is no text": ({5: 5}, "ledger_json", "/body/x"),
    "a long text": ("x" * (1024 * 1024 + 1), "ledger_limits", "/body/x"),
    "a wide array": ([0] * 4097, "ledger_limits", "/body/x"),
}
LATE: dict[str, tuple[Any, str, str]] = {
    "a fraction": ([0.5], "ledger_json", "row 1 /body/x/0"),
    "an integral fraction": (1.0, "ledger_json", "row 1 /body/x"),
    "not a number": (float("nan"), "ledger_json", "row 1 /body/x"),
    "a tuple": ((), "ledger_json", "row 1 /body/x"),
    "64 containers": (eval("[" * 63 + "]" * 63), "ledger_limits", "row 1 /body/x"),  # noqa: S307  (a plain literal)
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_cannot_be_encoded_is_refused_and_the_writer_goes_on(tmp_path: Path, case: str) -> None:
    value, code, path = BODIES[case]
    with begin(tmp_path / "l") as writer:
        writer.append(**ROWS[0])
        with pytest.raises(LedgerError) as refused:
            writer.append("", "", {"x": value})
        assert (refused.value.code, refused.value.path) == (code, path)
        for row in ROWS[1:]:
            writer.append(**row)
        writer.finish(**END)
    assert (tmp_path / "l").read_bytes() == GOOD


@pytest.mark.parametrize("case", LATE)
def test_a_body_that_only_the_encoder_takes_closes_the_writer_before_its_group_is_written(
    tmp_path: Path, case: str
) -> None:
    value, code, path = LATE[case]
    with begin(tmp_path / "l") as writer:
        writer.append(**ROWS[0])
        writer.append("", "", {"x": value})
        with pytest.raises(LedgerError) as refused:
            writer.flush()
        assert (refused.value.code, refused.value.path[: len(path)]) == (code, path)
        with pytest.raises(LedgerError) as closed:
            writer.finish(**END)
        assert closed.value.code == "ledger_closed"
    assert (tmp_path / "l").read_bytes() == LINES[0]


@pytest.mark.parametrize("row", [(None, "", {}), ("", 5, {}), ("", "", []), ("", "", None)])
def test_a_row_of_other_types_is_a_wrong_call(tmp_path: Path, row: Any) -> None:
    with begin(tmp_path / "l") as writer, pytest.raises(TypeError, match="a row has a text"):
        writer.append(*row)


@pytest.mark.parametrize("name", END)
def test_an_end_of_another_form_is_refused_and_can_be_put_right(tmp_path: Path, name: str) -> None:
    with begin(tmp_path / "l") as writer:
        for row in ROWS:
            writer.append(**row)
        with pytest.raises(LedgerError) as refused:
            writer.finish(**{**END, name: ""})
        assert (refused.value.code, refused.value.path) == ("ledger_value", f"/{name}")
        writer.finish(**END)
    assert (tmp_path / "l").read_bytes() == GOOD


def test_a_header_of_another_form_is_no_header() -> None:
    with pytest.raises(LedgerError) as refused:
        LedgerHeader.from_wire({**HEADER, "operation_instance_id": "opinst_"})
    assert (refused.value.code, refused.value.path) == ("ledger_value", "/operation_instance_id")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**54), 2**54) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
COUNTER = itertools.count()


@given(st.lists(st.lists(st.tuples(st.text(), st.text(), st.dictionaries(st.text(), JSON, max_size=3)), max_size=3)))
def test_what_the_writer_takes_every_reader_reads(
    tmp_path_factory: pytest.TempPathFactory, groups: list[list[tuple[str, str, dict[str, Any]]]]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"given-{next(COUNTER)}"
    said = None
    with begin(path) as writer, suppress(LedgerError):
        for group in groups:
            for row in group:
                writer.append(*row)
            writer.flush()
        said = writer.finish(**END)
    found = verify_ledger(path)
    assert found == said if said is not None else found.terminal is None
    path.unlink()


ENDLESS = """
import sys
from operatebench.replay.ledger import LedgerHeader, LedgerWriter
from tests.replay.ledger.ledgers import END, HEADER, ROWS
with LedgerWriter(sys.argv[1], LedgerHeader.from_wire(HEADER)) as writer:
    print("begun", flush=True)
    for number in range(int(sys.argv[2])):
        for row in ROWS:
            writer.append(**row)
        writer.flush()
        print(number, flush=True)
    writer.finish(**END)
    print("ended", flush=True)
"""


@pytest.mark.parametrize("groups", [0, 1, 5, 60])
def test_a_killed_writer_leaves_the_beginning_of_a_run(tmp_path: Path, groups: int) -> None:
    """Killed at whatever it is doing after so many groups: nothing that it left reads as a result."""
    path = tmp_path / "l"
    writer = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path), str(10**9)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(1 + groups):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()

    data = path.read_bytes()
    assert data.startswith(LINES[0])
    whole_lines, torn = data.rpartition(b"\n")[::2]
    path.write_bytes(whole_lines + b"\n")
    summary = verify_ledger(path)
    assert (summary.terminal, summary.rows >= 3 * groups) == (None, True)
    if torn:  # the kernel may stop in the middle of a write
        path.write_bytes(data)
        with pytest.raises(LedgerError) as refused:
            verify_ledger(path)
        assert refused.value.code == "ledger_torn_line"


def test_a_writer_that_is_not_killed_ends(tmp_path: Path) -> None:
    """The same program, so that the test above kills a writer that would have made a result."""
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS, str(tmp_path / "l"), "5"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["begun", "0", "1", "2", "3", "4", "ended"]
    assert verify_ledger(tmp_path / "l").rows == 15
