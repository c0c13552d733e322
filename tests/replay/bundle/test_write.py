"""Whatever stops a writer leaves no bundle or a whole one, and a ledger alone is never taken for a result."""

import errno
import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from operatebench.errors import BundleError, DocumentError, LedgerError, OperateBenchError
from operatebench.replay.bundle import BundleWriter, Writer, read_bundle
from operatebench.replay.ledger import LedgerHeader, verify_ledger
from tests.replay.bundle.bundles import WRITER, evaluation, files, publish, write_bundle
from tests.replay.ledger.ledgers import END, HEADER, ROWS, text_of, whole

CALLS = ("mkdir", "open", "write", "fsync", "link", "unlink", "close")


def begin(path: Path) -> BundleWriter:
    return BundleWriter(path, LedgerHeader.from_wire(HEADER))


def state(path: Path) -> str:
    """Return ``whole``, or the code of what refuses a folder."""
    try:
        read_bundle(path)
    except (BundleError, DocumentError) as refusal:
        return refusal.code
    return "whole"


class Calls:
    """Calls of the operating system, counted; what to do at each of them may change."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.names: list[str] = []
        self.before: Callable[[int, str], None] = lambda number, name: None
        for name in CALLS:
            monkeypatch.setattr(os, name, self._counted(name))

    def _counted(self, name: str) -> Callable[..., object]:
        real = getattr(os, name)

        def call(*arguments: object, **named: object) -> object:
            self.count += 1
            self.names.append(name)
            self.before(self.count, name)
            return real(*arguments, **named)

        return call


def test_what_is_written_is_a_bundle_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    artifact = write_bundle(tmp_path / "run")

    assert read_bundle(tmp_path / "run").artifact == artifact
    assert files(tmp_path / "run")["ledger.ndjson"] == text_of(whole())
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
    assert (artifact.ledger.lines, artifact.ledger.rows) == (len(ROWS) + 2, len(ROWS))


def test_two_writers_of_one_run_write_the_same_bytes(tmp_path: Path) -> None:
    write_bundle(tmp_path / "a")
    write_bundle(tmp_path / "b")

    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_relative_name_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.chdir(tmp_path)
    with BundleWriter(f"run{ending}", LedgerHeader.from_wire(HEADER)) as writer:
        publish(writer)

    assert state(tmp_path / "run") == "whole"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_name_that_is_taken_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("folder", "file", "link"):
        with pytest.raises(DocumentError) as refused:
            begin(tmp_path / name)
        assert (refused.value.code, refused.value.path) == ("file_exists", str(tmp_path / name))
    assert list((tmp_path / "folder").iterdir()) == []
    with pytest.raises(DocumentError) as refused:
        begin(tmp_path / "missing" / "run")
    assert refused.value.code == "file_unwritable"


def test_a_run_that_is_given_up_leaves_an_incomplete_ledger(tmp_path: Path) -> None:
    with begin(tmp_path / "run") as writer:
        writer.ledger.append(**ROWS[0])
        writer.ledger.flush()

    assert state(tmp_path / "run") == "bundle_incomplete"
    assert verify_ledger(tmp_path / "run" / "ledger.ndjson").terminal is None
    with pytest.raises(LedgerError) as refused:
        writer.ledger.finish(**END)
    assert refused.value.code == "ledger_closed"


def test_a_ledger_that_is_not_finished_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with begin(tmp_path / "run") as writer:
        monkeypatch.setattr(type(writer.ledger), "finish", lambda *_, **__: writer.ledger.flush())
        with pytest.raises(LedgerError) as refused:
            publish(writer)

    assert refused.value.code == "ledger_incomplete"
    assert state(tmp_path / "run") == "bundle_incomplete"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"manifest": {"m": 1.5}}, "member_json"),
        ({"census": {"c": "x" * (1024 * 1024 + 1)}}, "member_limits"),
        ({"evaluation": {**evaluation(), "load": 1.5}}, "evaluation_json"),
        ({"writer": Writer("", "0.1.0", "3", "linux", {}, None, "a" * 64, None)}, "artifact_shape"),
        ({"writer": Writer("o", "0.1.0", "3", "linux", {"a": 1}, None, "a" * 64, None)}, "artifact_shape"),  # type: ignore[dict-item]  # the refusal is the point
    ],
)
def test_what_breaks_the_format_is_not_published(tmp_path: Path, changes: dict[str, object], code: str) -> None:
    with begin(tmp_path / "run") as writer, pytest.raises(OperateBenchError) as refused:
        publish(writer, **changes)

    assert refused.value.code == code
    assert state(tmp_path / "run") == "bundle_incomplete"


def test_dependencies_of_a_writer_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        WRITER.dependencies["orjson"] = "1"  # type: ignore[index]  # the refusal is the point


def test_any_call_that_fails_leaves_no_bundle_or_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch)
    states = []
    for failing in itertools.count(1):
        run = tmp_path / str(failing)

        def fail(count: int, name: str, failing: int = failing) -> None:
            if count == failing and name != "close":  # files are closed when all of it is on disk
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        calls.count, calls.before, refusal = 0, fail, None
        try:
            with begin(run) as writer:
                publish(writer)
        except OperateBenchError as fault:
            refusal = fault
        done = calls.count < failing
        calls.before = lambda number, name: None
        states.append(state(run))
        if refusal is not None:
            unsynced = refusal.code == "file_unsynced" and refusal.path.endswith("artifact.json")
            assert (states[-1] == "whole") == unsynced, (failing, refusal)
        if states[-1] == "bundle_incomplete":
            assert os.path.exists(run / "ledger.ndjson")  # noqa: PTH110  (os is what this test watches)
        if done:
            break

    assert states[-1] == "whole"
    assert set(states) == {"file_missing", "bundle_incomplete", "whole"}
    assert {"mkdir", "write", "fsync", "link"} <= set(calls.names)


@pytest.mark.parametrize("after", [False, True])
def test_a_killed_writer_leaves_no_bundle_or_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    calls = Calls(monkeypatch)
    write_bundle(tmp_path / "reference")
    names, total = list(calls.names), calls.count
    wanted = files(tmp_path / "reference")
    states = {}
    for killed in range(1, total + 1):
        if names[killed - 1] in ("open", "close"):
            continue  # nothing changes on disk between these and the next call
        run = tmp_path / str(killed)
        child = os.fork()
        if child == 0:

            def kill(count: int, _name: str, killed: int = killed) -> None:
                if count == killed + after:
                    os.kill(os.getpid(), signal.SIGKILL)

            calls.count, calls.before = 0, kill
            try:
                write_bundle(run)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        states[killed] = state(run)
        if states[killed] == "whole":
            assert files(run) == wanted
        else:
            assert not (run / "artifact.json").exists()

    assert set(states.values()) >= {"bundle_incomplete", "whole"}
    assert set(states.values()) <= {"file_missing", "not_a_bundle", "bundle_incomplete", "whole"}
