"""The register: appended only, checked whole, one winner for a last use; nothing gives a use back."""

import hashlib
import json
import os
import random
import signal
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import Limits, Register
from operatebench.authority import register as register_module
from operatebench.errors import AuthorizationError, DocumentError
from tests.authority.builds import DAY, GOOD, NOW, SECOND, authorization, judged, labelled, register

MANY = authorization(limits=Limits(10_000, 4, 0))
MIDDLE = "kind, at, authorization_digest_sha256, issuer, action, operation_id, serial, use_index"
"""The columns between the position and the two digests."""
RACERS, KILLS, FLIPS = 200, 25, 150


@pytest.fixture
def book(tmp_path: Path) -> Register:
    return register(tmp_path)


def connected(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "register", isolation_level=None)


def rows(folder: Path) -> list[dict[str, Any]]:
    with closing(connected(folder)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM entries ORDER BY position")]


def unavailable(book: Register) -> AuthorizationError:
    """Return the one reason of an admission that should find no register."""
    admission = judged(GOOD, book)
    assert admission.reasons == ("register_unavailable",)
    assert admission.use is None
    return admission.refusals[0]


def test_rows_are_the_contracts(book: Register, tmp_path: Path) -> None:
    for _ in range(2):
        assert judged(GOOD, book).admitted
    with book.transaction() as entries:
        entries.revoke(GOOD.authorization_digest_sha256, NOW + SECOND)

    found = rows(tmp_path)

    assert [row["kind"] for row in found] == ["genesis", "seen", "use", "use", "revoke"]
    previous = "0" * 64
    for position, row in enumerate(found):
        stated = row.pop("row_digest_sha256")
        assert (row["position"], row["previous_digest_sha256"]) == (position, previous)
        wrapper = labelled("authorization_register.row.v1", row, "authorization_register.v1")
        assert hashlib.sha256(wrapper).hexdigest() == stated
        previous = stated
    assert {name: found[1][name] for name in ("issuer", "action", "operation_id", "serial")} == {
        "issuer": GOOD.key_id,
        "action": "run",
        "operation_id": "repair",
        "serial": 5,
    }
    audit = book.audit()
    assert (audit.rows, audit.head, audit.kinds) == (5, previous, Counter(genesis=1, seen=1, use=2, revoke=1))


def test_views_say_what_the_rows_say(book: Register, tmp_path: Path) -> None:
    for _ in range(3):
        judged(GOOD, book)
    with book.transaction() as entries:
        entries.revoke(GOOD.authorization_digest_sha256, NOW)

    digest = GOOD.authorization_digest_sha256
    with closing(connected(tmp_path)) as connection:
        assert connection.execute("SELECT * FROM uses").fetchall() == [(digest, 3)]
        assert connection.execute("SELECT * FROM serials").fetchall() == [(*GOOD.serial_key, 5, digest)]
        assert connection.execute("SELECT * FROM revocations").fetchall() == [(digest, "2026-01-01T12:00:00Z")]


def test_a_new_register_is_its_owners_alone_and_replaces_nothing(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        book = register(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "register").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["register"]
    with closing(connected(tmp_path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    with pytest.raises(DocumentError) as taken:
        Register.create(tmp_path / "register", NOW)
    assert taken.value.code == "file_exists"
    assert book.audit().rows == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET at = '2020-01-01T00:00:00Z'",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE kind = 'use'",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE position = 0",
        f"REPLACE INTO entries SELECT 3, {MIDDLE}, 'x', 'y' FROM entries WHERE kind = 'use'",  # noqa: S608
        f"INSERT INTO entries SELECT 9, {MIDDLE}, row_digest_sha256, 'x' FROM entries WHERE kind = 'use'",  # noqa: S608
    ],
)
def test_the_table_itself_refuses_anything_but_the_next_row(statement: str, book: Register, tmp_path: Path) -> None:
    assert judged(GOOD, book).admitted
    with closing(connected(tmp_path)) as connection, pytest.raises(sqlite3.Error):
        connection.execute(statement)
    assert book.audit().rows == 3


def tampered(folder: Path, *statements: str) -> None:
    """Change rows as somebody would who takes the triggers away for it and puts them back."""
    with closing(connected(folder)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("DELETE FROM entries WHERE position = 3", "row 3 position"),
        ("DELETE FROM entries WHERE position = 0", "row 0 position"),
        ("UPDATE entries SET at = '2020-01-01T00:00:00Z' WHERE position = 2", "row 2 row_digest_sha256"),
        ("UPDATE entries SET use_index = 9 WHERE position = 4", "row 4 use_index"),
        ("UPDATE entries SET serial = 9 WHERE position = 1", "row 1 row_digest_sha256"),
        ("UPDATE entries SET authorization_digest_sha256 = 'a' WHERE position = 4", "row 4 use_index"),
        ("UPDATE entries SET previous_digest_sha256 = 'a' WHERE position = 2", "row 2 previous_digest"),
        ("UPDATE entries SET row_digest_sha256 = x'00' WHERE position = 4", "row 4 row_digest_sha256"),
        ("UPDATE entries SET at = x'00' WHERE position = 2", "row 2 row_digest_sha256"),
        ("DELETE FROM entries", "row 0"),
    ],
)
def test_a_row_that_was_changed_is_named(statement: str, place: str, book: Register, tmp_path: Path) -> None:
    for _ in range(3):
        assert judged(MANY, book).admitted
    tampered(tmp_path, statement)

    refusal = unavailable(book)
    assert place in refusal.path
    with pytest.raises(AuthorizationError) as audited:
        book.audit()
    assert (audited.value.code, audited.value.path) == ("register_unavailable", refusal.path)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER entries_are_kept",
        "DROP VIEW uses",
        "DROP INDEX one_use",
        "CREATE TABLE more (a)",
        "CREATE TRIGGER more AFTER INSERT ON entries BEGIN SELECT 1; END",
    ],
)
def test_another_schema_is_no_register(statement: str, book: Register, tmp_path: Path) -> None:
    with closing(connected(tmp_path)) as connection:
        connection.execute(statement)

    assert unavailable(book).expected == "table, indexes, triggers and views of a register"


def _fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def _linked(path: Path) -> None:
    Register.create(path.with_name("real"), NOW)
    path.symlink_to("real")


def _open_to_others(path: Path) -> None:
    Register.create(path, NOW)
    path.chmod(0o640)


def _twice(path: Path) -> None:
    Register.create(path, NOW)
    path.with_name("second").hardlink_to(path)


def _text(path: Path) -> None:
    path.write_text("no database at all, and long enough to be taken for one" * 100)
    path.chmod(0o600)


def _empty(path: Path) -> None:
    path.touch(0o600)


def _cut(path: Path) -> None:
    Register.create(path, NOW)
    os.truncate(path, 9_000)


def _log_of_another(path: Path) -> None:
    Register.create(path, NOW)
    path.with_name(f"{path.name}-wal").write_bytes(b"x")


@pytest.mark.parametrize(
    "make",
    [lambda path: None, Path.mkdir, _fifo, _linked, _open_to_others, _twice, _text, _empty, _cut, _log_of_another],
    ids=["none", "folder", "fifo", "link", "open to others", "two names", "text", "empty", "cut", "foreign log"],
)
def test_what_is_no_register_is_never_an_empty_one(make: Callable[[Path], Any], tmp_path: Path) -> None:
    make(tmp_path / "register")

    unavailable(Register(tmp_path / "register"))
    assert not judged(GOOD, Register(tmp_path / "register"), recorded=False).admitted


def test_a_name_with_a_zero_byte_is_none() -> None:
    unavailable(Register("a\0b"))


def test_a_flipped_bit_gives_nothing_back(tmp_path: Path) -> None:
    book = register(tmp_path)
    spent = authorization(limits=Limits(2, 4, 0))
    revoked = authorization(serial=9, operation_id="another")
    for _ in range(2):
        assert judged(spent, book).admitted
    with book.transaction() as entries:
        entries.see(revoked, NOW)
        entries.revoke(revoked.authorization_digest_sha256, NOW)
    good = (tmp_path / "register").read_bytes()
    chance = random.Random(7)
    answers = Counter[tuple[str, ...]]()
    written = [index for index, byte in enumerate(good) if byte]
    for _ in range(FLIPS):
        position = chance.choice(written)
        (tmp_path / "register").write_bytes(
            good[:position] + bytes([good[position] ^ 1 << chance.randrange(8)]) + good[position + 1 :]
        )
        for each, reason in ((spent, "uses_exhausted"), (revoked, "revoked")):
            admission = judged(each, book)
            assert not admission.admitted, position
            assert {reason, "register_unavailable"} & set(admission.reasons), position
            answers[admission.reasons] += 1
        for path in tmp_path.glob("register-*"):
            path.unlink()
    assert len(answers) > 1


def test_a_busy_register_is_unavailable(book: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register_module, "_BUSY_SECONDS", 0.05)
    with closing(connected(tmp_path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert "locked" in unavailable(book).actual
        assert judged(GOOD, book, recorded=False).admitted
        connection.execute("ROLLBACK")
    assert judged(GOOD, book).admitted


def test_a_commit_that_fails_admits_nothing(book: Register, tmp_path: Path) -> None:
    def fail() -> None:
        with book.transaction() as entries:
            entries.use(GOOD, 1, NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(rows(tmp_path)) == 1


def test_many_processes_and_one_last_use(book: Register) -> None:
    assert judged(GOOD, book).admitted
    assert judged(GOOD, book).admitted
    answers, said = os.pipe()
    gate, opened = os.pipe()
    children = []
    for _ in range(RACERS):
        child = os.fork()
        if child == 0:
            os.close(opened)
            os.read(gate, 1)
            admission = judged(GOOD, book)
            os.write(said, json.dumps(admission.reasons).encode() + b"\n")
            os._exit(0)
        children.append(child)
    for descriptor in (said, gate, opened):
        os.close(descriptor)
    with os.fdopen(answers) as lines:
        found = Counter(lines)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * RACERS
    assert found == Counter({"[]\n": 1, '["uses_exhausted"]\n': RACERS - 1})
    assert book.audit().kinds["use"] == 3


def test_a_killed_admission_gives_nothing_back_and_breaks_nothing(book: Register) -> None:
    chance = random.Random(3)
    told, uses = 0, 0
    for _ in range(KILLS):
        answers, said = os.pipe()
        child = os.fork()
        if child == 0:
            while True:
                use = judged(MANY, book).use
                os.write(said, b"%d\n" % (use.index if use else 0))
        os.close(said)
        time.sleep(chance.uniform(0.002, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(answers, "rb") as lines:
            indexes = [int(line) for line in lines]
        assert indexes == list(range(uses + 1, uses + 1 + len(indexes)))
        told += len(indexes)
        now = book.audit().kinds["use"]
        assert uses + len(indexes) <= now <= uses + len(indexes) + 1
        uses = now
    assert told > KILLS


def test_the_latest_instant_counts_wherever_it_stands(book: Register) -> None:
    with book.transaction() as entries:
        entries.revoke("b" * 64, NOW + DAY)
        entries.revoke("c" * 64, NOW)

    assert judged(GOOD, book).reasons == ("clock_rollback",)
    assert judged(GOOD, book, now=NOW + DAY - SECOND).reasons == ("clock_rollback",)
