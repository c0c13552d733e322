"""The register: one append-only table of hash-chained rows that remembers which authorizations were seen and used."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import AuthorizationError, DocumentError, escape
from ..files import shown, write_files
from .authorization import SourceBoundAuthorizationV1
from .chain import FIRST, GENESIS, REVOKE, SEEN, USE, Audit, Chain, Row, Standing

_BUSY_SECONDS = 60.0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LOG = "-wal"
_BESIDE = (_LOG, "-shm", "-journal")
"""What the names of a database's own files beside it end with. It takes pages out of them, whoever made them."""

# Views read the table itself, not an index: what was checked is what counts.
_SCHEMA = f"""
CREATE TABLE entries (
  position INTEGER PRIMARY KEY CHECK (position >= 0),
  kind TEXT NOT NULL CHECK (kind IN ('{GENESIS}', '{SEEN}', '{USE}', '{REVOKE}')),
  at TEXT NOT NULL,
  authorization_digest_sha256 TEXT CHECK ((authorization_digest_sha256 IS NULL) = (kind = '{GENESIS}')),
  issuer TEXT CHECK ((issuer IS NULL) = (kind <> '{SEEN}')),
  action TEXT CHECK ((action IS NULL) = (kind <> '{SEEN}')),
  operation_id TEXT CHECK ((operation_id IS NULL) = (kind <> '{SEEN}')),
  serial INTEGER CHECK ((serial IS NULL) = (kind <> '{SEEN}')),
  use_index INTEGER CHECK ((use_index IS NULL) = (kind <> '{USE}')),
  previous_digest_sha256 TEXT NOT NULL UNIQUE,
  row_digest_sha256 TEXT NOT NULL UNIQUE
);
CREATE UNIQUE INDEX one_seen ON entries (authorization_digest_sha256) WHERE kind = '{SEEN}';
CREATE UNIQUE INDEX one_serial ON entries (issuer, action, operation_id, serial) WHERE kind = '{SEEN}';
CREATE UNIQUE INDEX one_use ON entries (authorization_digest_sha256, use_index) WHERE kind = '{USE}';
CREATE UNIQUE INDEX one_revoke ON entries (authorization_digest_sha256) WHERE kind = '{REVOKE}';
CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries
WHEN NEW.position <> (SELECT count(*) FROM entries)
  OR NEW.previous_digest_sha256 <> coalesce(
       (SELECT row_digest_sha256 FROM entries ORDER BY position DESC LIMIT 1), '{FIRST}')
BEGIN SELECT raise(ABORT, 'entries are appended'); END;
CREATE TRIGGER entries_replace_none AFTER INSERT ON entries
WHEN NEW.position <> (SELECT count(*) FROM entries) - 1
BEGIN SELECT raise(ABORT, 'entries replace none'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT raise(ABORT, 'entries stay as they are'); END;
CREATE TRIGGER entries_are_kept BEFORE DELETE ON entries BEGIN SELECT raise(ABORT, 'entries are kept'); END;
CREATE VIEW uses AS
  SELECT authorization_digest_sha256, count(*) AS uses
  FROM entries NOT INDEXED WHERE kind = '{USE}' GROUP BY authorization_digest_sha256;
CREATE VIEW serials AS
  SELECT issuer, action, operation_id, serial, authorization_digest_sha256
  FROM entries NOT INDEXED WHERE kind = '{SEEN}';
CREATE VIEW revocations AS
  SELECT authorization_digest_sha256, at FROM entries NOT INDEXED WHERE kind = '{REVOKE}';
"""  # noqa: S608  (kinds of our own)
_NAMES = ", ".join(Row._fields)
_ALL_ROWS = f"SELECT {_NAMES} FROM entries NOT INDEXED ORDER BY position"  # noqa: S608  (names of our own)
_NEW_ROW = f"INSERT INTO entries ({_NAMES}) VALUES ({', '.join('?' * len(Row._fields))})"  # noqa: S608  (likewise)


@dataclass(frozen=True, slots=True)
class Use:
    """A use that was recorded.

    Attributes:
        index: which use of its authorization it is, from 1.
        head: the digest of the row that records it.
    """

    index: int
    head: str


class Register:
    """A register in a file. Every call opens it, checks the chain from the first row to the last, and closes it again.

    Rules (authority contract, section 4):

    * rows are appended and never changed; each carries the digest of the one before and its own;
    * a use has an index, from 1, and each index is there once;
    * an authorization is seen once and revoked once; a serial of an issuer, action and operation is seen once;
    * a transaction begins with the lock for writing, and is on disk before it is answered;
    * whatever is missing, damaged, busy or open to others than the owner is ``register_unavailable``.

    Args:
        path: the file.
        durable: whether the disk is waited for. False is for registers that nobody keeps, as in conformance vectors.
    """

    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        self._path = os.fspath(path)
        self._synchronous = "FULL" if durable else "OFF"

    @classmethod
    def create(cls, path: str | os.PathLike[str], now: datetime) -> str:
        """Make a new register, readable and writable by its owner alone, and return its head.

        Raises:
            DocumentError: ``file_exists``, for the files of an earlier register beside it as well, ``file_unwritable``
                or ``file_unsynced``.
        """
        for name in (os.fspath(path) + end for end in _BESIDE):
            if os.path.lexists(name):  # its pages would become the new one's
                actual = "that of an earlier register"
                raise DocumentError("file_exists", path=shown(name), expected="a free name", actual=actual)
        try:
            content, head = _new(now)
        except (OSError, sqlite3.Error) as fault:
            expected, actual = "room for temporary files", escape(str(fault))
            raise DocumentError("file_unwritable", path=shown(path), expected=expected, actual=actual) from None
        write_files({os.fspath(path): content}, private=True)
        return head

    @contextmanager
    def transaction(self) -> Iterator[Entries]:
        """Open the register for writing, alone. What was written is on disk at the end, or not there at all.

        Raises:
            AuthorizationError: ``register_unavailable``, at the beginning or at the end.
        """
        with self._opened("rw") as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield Entries(connection, self._chain(connection))
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Entries]:
        """Open the register for reading.

        Raises:
            AuthorizationError: ``register_unavailable``.
        """
        with self._opened_for_reading() as connection:
            yield Entries(connection, self._chain(connection))

    def audit(self) -> Audit:
        """Check the file as a whole, and walk through the chain.

        Raises:
            AuthorizationError: ``register_unavailable``; the path names the row.
        """
        with self._opened_for_reading() as connection:
            faults = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
            if faults != ["ok"]:
                raise self._unavailable("a sound database", escape(str(faults[0])))
            return self._chain(connection).audit()

    @contextmanager
    def _opened_for_reading(self) -> Iterator[sqlite3.Connection]:
        """Begin to read. A log that a killed process left stays as it is; whoever writes next takes it over."""
        # Without a log, this mode would leave an empty one behind, and the other has nothing to take over.
        with self._opened("ro" if os.path.lexists(self._path + _LOG) else "rw") as connection:
            connection.execute("PRAGMA query_only = TRUE")
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def _opened(self, mode: str) -> Iterator[sqlite3.Connection]:
        """Connect, and translate whatever the database refuses until the end."""
        self._require_private()
        address = f"{Path(self._path).absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)) as connection:
                connection.execute(f"PRAGMA synchronous = {self._synchronous}")
                self._require_schema(connection)
                yield connection
        except (sqlite3.Error, OverflowError, UnicodeError) as fault:
            raise self._unavailable("a register that can be read and written", escape(str(fault))) from None

    def _require_private(self) -> None:
        """Refuse what others may have written, and a second name, for locks and log would go by it."""
        found = _status(self._path)
        if found is None:
            raise self._unavailable("a register, made with `operatebench authorize init`", "no file")
        for end in ("", *_BESIDE):
            status = _status(self._path + end)
            if status is None:
                continue
            if not stat.S_ISREG(status.st_mode):
                raise self._unavailable("a regular file", "something else", end)
            if status.st_mode & _OTHERS:
                raise self._unavailable("mode 0600", f"{stat.S_IMODE(status.st_mode):04o}", end)
            if status.st_uid != found.st_uid:
                raise self._unavailable("the owner of the register", "another one", end)
        if found.st_nlink > 1:
            raise self._unavailable("a file of one name", f"one of {found.st_nlink}")

    def _chain(self, connection: sqlite3.Connection) -> Chain:
        """Check the chain from the first row to the last.

        Raises:
            AuthorizationError: ``register_unavailable``; the path is that of the first row that is wrong.
        """
        chain = Chain(connection.execute(_ALL_ROWS), shown(self._path))
        chain.audit()
        return chain

    def _require_schema(self, connection: sqlite3.Connection) -> None:
        if _schema_of(connection) != _expected_schema():
            raise self._unavailable("table, indexes, triggers and views of a register", "others")

    def _unavailable(self, expected: str, actual: str, end: str = "") -> AuthorizationError:
        path = shown(self._path + end)
        return AuthorizationError("register_unavailable", path=path, expected=expected, actual=actual)


class Entries:
    """The rows of an open register, all of them checked."""

    def __init__(self, connection: sqlite3.Connection, chain: Chain) -> None:
        self._connection = connection
        self._chain = chain

    @property
    def head(self) -> str:
        """The digest of the last row."""
        return self._chain.head

    def standing(self, authorization: SourceBoundAuthorizationV1) -> Standing:
        """Return what is known of an authorization."""
        return self._chain.standing(authorization)

    def revoked_at(self, digest: str) -> str | None:
        """Return when an authorization was revoked; None if it was not."""
        return self._chain.revoked_at(digest)

    def see(self, authorization: SourceBoundAuthorizationV1, now: datetime) -> None:
        """Record that an authorization was seen, with its serial."""
        digest, key = authorization.authorization_digest_sha256, authorization.serial_key
        self._append(SEEN, now, authorization_digest_sha256=digest, **key._asdict(), serial=authorization.serial)

    def use(self, authorization: SourceBoundAuthorizationV1, index: int, now: datetime) -> Use:
        """Record a use.

        Args:
            authorization: what is used.
            index: one more than there are.
            now: when.
        """
        self._append(USE, now, authorization_digest_sha256=authorization.authorization_digest_sha256, use_index=index)
        return Use(index, self.head)

    def revoke(self, digest: str, now: datetime) -> None:
        """Record that the authorization with this digest is revoked."""
        self._append(REVOKE, now, authorization_digest_sha256=digest)

    def _append(self, kind: str, now: datetime, **members: Any) -> None:
        row = self._chain.following(kind, now, **members)
        self._chain.take(row)
        self._connection.execute(_NEW_ROW, row)


def _status(path: str) -> os.stat_result | None:
    """Return the status of a file, links not followed; None if there is none that could be opened."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):  # the latter for a zero byte
        return None


def _new(now: datetime) -> tuple[bytes, str]:
    """Return the bytes of a new register, and its head."""
    with tempfile.TemporaryDirectory(prefix="operatebench-") as folder:
        made = Path(folder, "register")
        with closing(sqlite3.connect(made, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
            first = Chain((), "").following(GENESIS, now)
            connection.execute(_NEW_ROW, first)
        return made.read_bytes(), first.row_digest_sha256


@cache
def _expected_schema() -> MappingProxyType[tuple[str, str], str | None]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(_SCHEMA)
        return MappingProxyType(_schema_of(connection))


def _schema_of(connection: sqlite3.Connection) -> dict[tuple[str, str], str | None]:
    found = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return {(kind, name): sql for kind, name, sql in found}
