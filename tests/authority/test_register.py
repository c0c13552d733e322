"""The register: private, appended only, whole or unavailable, and undecided by crashes and races."""

import hashlib
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import Register, Standing
from operatebench.authority import register as module
from operatebench.errors import AuthorizationError, DocumentError
from tests.authority.builds import DAY, GOOD, NOW, authorization, judged, labelled, register
from tests.support import ROOT

COLUMNS = (
    "position",
    "kind",
    "at",
    "authorization_digest_sha256",
    "issuer",
    "action",
    "operation_id",
    "serial",
    "use_index",
    "previous_digest_sha256",
    "row_digest_sha256",
)
USED_TWICE = Standing(5, GOOD.authorization_digest_sha256, None, 2, "2026-01-01T12:00:00Z")


@pytest.fixture
def book(tmp_path: Path) -> Register:
    """Return a register with two uses of the good authorization."""
    made = register(tmp_path)
    for _ in range(2):
        assert judged(GOOD, made).admitted
    return made


def rows(path: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        return [dict(zip(COLUMNS, row, strict=True)) for row in connection.execute("SELECT * FROM entries")]


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def standing(book: Register) -> Standing:
    with book.reading() as entries:
        return entries.standing(GOOD)


def unavailable(call: Callable[[], Any]) -> AuthorizationError:
    with pytest.raises(AuthorizationError) as caught:
        call()
    assert caught.value.code == "register_unavailable"
    return caught.value


def code_of(call: Callable[[], Any]) -> Any:
    """Return what a call returns, or the code of its refusal."""
    try:
        return call()
    except AuthorizationError as refusal:
        return refusal.code


def content(folder: Path) -> dict[str, bytes]:
    """Return all files beside the register and its own bytes, but for the index of the log, which holds locks."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_it_is_made_for_its_owner_alone_and_never_over_another(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "register"
    before = os.umask(mask)
    try:
        head = Register.create(path, NOW)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["register"]
    audit = Register(path).audit()
    assert (audit.rows, audit.kinds, audit.head, audit.digests) == (1, {"genesis": 1}, head, (head,))

    text = path.read_bytes()
    with pytest.raises(DocumentError) as caught:
        Register.create(path, NOW)
    assert (caught.value.code, path.read_bytes()) == ("file_exists", text)


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_pages_of_an_earlier_register_do_not_become_those_of_a_new_one(tmp_path: Path, end: str) -> None:
    (tmp_path / f"register{end}").symlink_to("nowhere")

    with pytest.raises(DocumentError) as caught:
        Register.create(tmp_path / "register", NOW)

    assert (caught.value.code, caught.value.actual) == ("file_exists", "that of an earlier register")
    assert caught.value.path.endswith(f"register{end}")
    assert not (tmp_path / "register").exists()


def test_every_row_carries_its_digest_and_the_one_before(book: Register, tmp_path: Path) -> None:
    previous = "0" * 64
    table = rows(tmp_path / "register")
    for position, row in enumerate(table):
        stated = row.pop("row_digest_sha256")
        wrapper = labelled("authorization_register.row.v1", row, "authorization_register.v1")
        assert (row["position"], row["previous_digest_sha256"]) == (position, previous)
        assert stated == hashlib.sha256(wrapper).hexdigest()
        previous = stated

    assert [row["kind"] for row in table] == ["genesis", "seen", "use", "use"]
    assert [row["use_index"] for row in table] == [None, None, 1, 2]
    audit = book.audit()
    assert (audit.rows, audit.head) == (4, previous)
    assert audit.kinds == {"genesis": 1, "seen": 1, "use": 2}
    assert standing(book) == USED_TWICE


def test_views_say_what_the_rows_say(book: Register, tmp_path: Path) -> None:
    with book.transaction() as entries:
        entries.see(authorization(serial=7), NOW)
        entries.revoke(GOOD.authorization_digest_sha256, NOW + DAY)
    digest = GOOD.authorization_digest_sha256

    with closing(sqlite3.connect(tmp_path / "register")) as connection:
        views = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in VIEWS}  # noqa: S608

    assert views == {
        "uses": [(digest, 2)],
        "serials": [
            (*GOOD.serial_key, 5, digest),
            (*GOOD.serial_key, 7, authorization(serial=7).authorization_digest_sha256),
        ],
        "revocations": [(digest, "2026-01-02T12:00:00Z")],
    }
    assert standing(book) == Standing(7, digest, "2026-01-02T12:00:00Z", 2, "2026-01-02T12:00:00Z")


VIEWS = ("uses", "serials", "revocations")
LAST = "(SELECT row_digest_sha256 FROM entries WHERE position = 3)"
USED = f"'{GOOD.authorization_digest_sha256}'"


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("UPDATE entries SET at = at", "entries stay as they are"),
        ("UPDATE OR REPLACE entries SET position = 0 WHERE position = 3", "entries stay as they are"),
        ("DELETE FROM entries WHERE position = 3", "entries are kept"),
        ("DELETE FROM entries", "entries are kept"),
        ("INSERT INTO entries SELECT * FROM entries WHERE position = 3", "entries are appended"),
        ("INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE position = 3", "entries are appended"),
        (f"VALUES (5, 'use', 'x', {USED}, NULL, NULL, NULL, NULL, 3, {LAST}, 'x')", "entries are appended"),
        (f"VALUES (4, 'use', 'x', {USED}, NULL, NULL, NULL, NULL, 3, 'x', 'x')", "entries are appended"),
        (f"VALUES (4, 'use', 'x', {USED}, NULL, NULL, NULL, NULL, 2, {LAST}, 'x')", "entries replace none"),
        (f"VALUES (4, 'seen', 'x', {USED}, 'x', 'x', 'x', 1, NULL, {LAST}, 'x')", "entries replace none"),
        (f"VALUES (4, 'odd', 'x', {USED}, NULL, NULL, NULL, NULL, NULL, {LAST}, 'x')", "CHECK constraint failed"),
        (f"VALUES (4, 'use', 'x', NULL, NULL, NULL, NULL, NULL, 3, {LAST}, 'x')", "CHECK constraint failed"),
    ],
)
def test_rows_are_appended_and_stay(book: Register, tmp_path: Path, statement: str, refusal: str) -> None:
    whole = f"INSERT OR REPLACE INTO entries {statement}" if statement.startswith("VALUES") else statement

    with pytest.raises(sqlite3.IntegrityError) as caught:
        execute(tmp_path / "register", whole)

    assert refusal in str(caught.value)
    assert book.audit().rows == 4


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER entries_are_kept",
        "DROP VIEW uses",
        "DROP INDEX one_use",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER silent AFTER INSERT ON entries BEGIN SELECT 1; END",
        "ALTER TABLE entries ADD COLUMN x",
        "ANALYZE",
    ],
)
def test_another_schema_is_no_register(book: Register, tmp_path: Path, statement: str) -> None:
    execute(tmp_path / "register", statement)

    refusal = unavailable(book.audit)
    assert (refusal.expected, refusal.actual) == ("table, indexes, triggers and views of a register", "others")
    assert judged(GOOD, book).reasons == ("register_unavailable",)


TRIGGERS = ("entries_are_appended", "entries_replace_none", "entries_stay", "entries_are_kept")


def tamper(path: Path, *statements: str) -> None:
    """Execute statements with the triggers dropped, and put them back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        made = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
        for name in TRIGGERS:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for name in TRIGGERS:
            connection.execute(made[name])


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("DELETE FROM entries WHERE position = 2", "row 2 position"),
        ("DELETE FROM entries WHERE position = 0", "row 0 position"),
        ("DELETE FROM entries", "row 0"),
        ("UPDATE entries SET kind = 'revoke', use_index = NULL WHERE position = 3", "row 3 row_digest_sha256"),
        ("UPDATE entries SET use_index = 7 WHERE position = 3", "row 3 use_index"),
        ("UPDATE entries SET at = '2025-01-01T00:00:00Z' WHERE position = 2", "row 2 row_digest_sha256"),
        ("UPDATE entries SET at = CAST(at AS BLOB) WHERE position = 1", "row 1 at"),
        ("UPDATE entries SET serial = 5.5 WHERE position = 1", "row 1 serial"),
        ("UPDATE entries SET serial = 9007199254740993 WHERE position = 1", "row 1 serial"),
        ("UPDATE entries SET issuer = 'x' WHERE position = 1", "row 1 row_digest_sha256"),
        ("UPDATE entries SET previous_digest_sha256 = 'x' WHERE position = 3", "row 3 previous_digest_sha256"),
    ],
)
def test_the_chain_shows_what_was_changed_behind_the_triggers(
    book: Register, tmp_path: Path, statement: str, place: str
) -> None:
    tamper(tmp_path / "register", statement)

    for call in (book.audit, lambda: standing(book)):
        assert unavailable(call).path.endswith(f"register {place}")
    assert judged(GOOD, book).reasons == ("register_unavailable",)


def test_a_cut_tail_is_a_sound_register_that_lacks_a_head_somebody_has(book: Register, tmp_path: Path) -> None:
    """No file can say that it is the newest one; a run bundle carries the head that its use gave the register."""
    head = book.audit().head
    tamper(tmp_path / "register", "DELETE FROM entries WHERE position = 3")

    assert head not in book.audit().digests


def make_text(path: Path) -> None:
    path.unlink()
    path.write_text("no database")
    path.chmod(0o600)


def make_link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_beside(path: Path) -> None:
    beside = path.with_name("register-wal")
    beside.write_bytes(b"")
    beside.chmod(0o606)


def cut(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


@pytest.mark.parametrize(
    ("spoil", "actual"),
    [
        (Path.unlink, "no file"),
        (make_text, "file is not a database"),
        (make_link, "something else"),
        (lambda path: (path.unlink(), path.mkdir()), "something else"),
        (make_pipe, "something else"),
        (lambda path: path.chmod(0o640), "0640"),
        (lambda path: path.with_name("second").hardlink_to(path), "one of 2"),
        (make_beside, "0606"),
        (lambda path: path.with_name("register-journal").symlink_to("x"), "something else"),
        (lambda path: path.with_name("register-shm").mkdir(), "something else"),
        (lambda path: cut(path, 0), "others"),
        (lambda path: cut(path, 100), ""),
        (lambda path: cut(path, 4096), ""),
        (lambda path: cut(path, 20_000), ""),
    ],
)
def test_what_is_no_register_is_never_an_empty_one(
    book: Register, tmp_path: Path, spoil: Callable[[Path], Any], actual: str
) -> None:
    spoil(tmp_path / "register")

    for call in (book.audit, lambda: standing(book)):
        refusal = unavailable(call)
        assert actual in refusal.actual
        assert str(refusal).isprintable()
    for recorded in (True, False):
        assert judged(GOOD, book, recorded=recorded).reasons == ("register_unavailable",)


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("register\0", "", "a" * 5000, "\udcff?mode=memory#%00"):
        assert unavailable(Register(f"{tmp_path}/x/{name}").audit).actual == "no file"


@pytest.mark.parametrize("name", ["register?mode=memory", "%72egister", "re#gister", "\udcffé"])
def test_a_name_is_never_an_address(tmp_path: Path, name: str) -> None:
    Register.create(tmp_path / name, NOW)

    assert judged(GOOD, Register(tmp_path / name)).admitted
    assert os.listdir(tmp_path) == [name]  # noqa: PTH208  (names as they are)


def test_one_flipped_bit_changes_nothing_or_is_noticed(book: Register, tmp_path: Path) -> None:
    path = tmp_path / "register"
    whole = path.read_bytes()
    noticed = 0
    for place in range(0, len(whole), 101):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        for beside in ("register-wal", "register-shm"):
            (tmp_path / beside).unlink(missing_ok=True)
        found = code_of(lambda: standing(book))
        assert found in (USED_TWICE, "register_unavailable")
        noticed += found != USED_TWICE
    assert noticed > 20
    path.write_bytes(whole)
    assert standing(book) == USED_TWICE


def test_a_locked_register_is_busy(book: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.02)
    with closing(sqlite3.connect(tmp_path / "register", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        refused = judged(GOOD, book)
        assert (refused.reasons, refused.refusals[0].actual) == (("register_unavailable",), "database is locked")
        assert judged(GOOD, book, recorded=False).admitted
        connection.execute("ROLLBACK")

    assert standing(book) == USED_TWICE
    assert judged(GOOD, book).admitted


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Let no file grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 32, 4096, 9000])
def test_without_room_nothing_is_admitted_and_nothing_lost(book: Register, size: int) -> None:
    with at_most(size):
        refused = judged(GOOD, book)

    assert (refused.reasons, refused.use) == (("register_unavailable",), None)
    assert standing(book) == USED_TWICE
    assert judged(GOOD, book).admitted
    assert judged(GOOD, book).reasons == ("uses_exhausted",)


def test_without_room_no_register_is_made(tmp_path: Path) -> None:
    with at_most(4096), pytest.raises(DocumentError) as caught:
        Register.create(tmp_path / "register", NOW)

    assert (caught.value.code, caught.value.expected) == ("file_unwritable", "room for temporary files")
    assert list(tmp_path.iterdir()) == []


def racers(work: str, path: Path) -> Any:
    """Run one of the pieces of work with processes, in a process that has no threads."""
    start = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.authority import racers; racers.{work}(sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", start, path], capture_output=True, check=True, timeout=300)
    return json.loads(done.stdout)


def test_two_hundred_processes_race_for_the_last_use(book: Register, tmp_path: Path) -> None:
    outcomes = racers("race", tmp_path / "register")

    assert outcomes == {"admitted 3": 1, "uses_exhausted": 199}
    assert book.audit().kinds == {"genesis": 1, "seen": 1, "use": 3}


def test_a_killed_admission_gives_no_use_back(tmp_path: Path) -> None:
    book = register(tmp_path)
    told, recorded = zip(*racers("kill", tmp_path / "register"), strict=True)

    assert all(known <= found for known, found in zip(told, recorded, strict=True))
    assert list(recorded) == sorted(recorded)
    indexes = [row["use_index"] for row in rows(tmp_path / "register") if row["kind"] == "use"]
    assert indexes == list(range(1, recorded[-1] + 1))
    assert book.audit().kinds["use"] == recorded[-1] <= 400


def test_a_check_leaves_what_a_killed_process_left(tmp_path: Path) -> None:
    book = register(tmp_path)
    before = content(tmp_path)
    assert judged(GOOD, book, recorded=False).admitted
    assert content(tmp_path) == before

    racers("die", tmp_path / "register")
    left = content(tmp_path)
    assert len(left["register-wal"]) > 0
    for _ in range(2):
        assert judged(GOOD, book, recorded=False).admitted
        assert standing(book).uses == book.audit().kinds["use"] == 1
        assert content(tmp_path) == left
    assert judged(GOOD, book).use is not None
    assert standing(book).uses == 2
    assert list(content(tmp_path)) == ["register"]
