"""The rows of a register: what one is, what its digest is of, how rows follow one another, and what they come to."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType, NoneType
from typing import Any, NamedTuple

from ..errors import AuthorizationError, describe
from ..identity.canonical import encode, scalar
from ..identity.labels import labelled
from ..identity.profile import MAX_INTEROPERABLE_INTEGER
from .authorization import SerialKey, SourceBoundAuthorizationV1
from .contract import AUTHORIZATION_PROFILE
from .instants import instant_text

GENESIS, SEEN, USE, REVOKE = "genesis", "seen", "use", "revoke"

FIRST = "0" * 64
"""What the first row has in the place of a previous digest."""

# The canonical wrapper around a row, cut in two where the row stands.
_BEFORE, _BEHIND = bytes(
    labelled("authorization_register.row.v1", scalar(None), "authorization_register.v1")
).split(b"null")  # fmt: skip


class Row(NamedTuple):
    """A row. What does not belong to its kind is None.

    Attributes:
        issuer: the first part of the serial key.
    """

    position: int
    kind: str
    at: str
    authorization_digest_sha256: str | None
    issuer: str | None
    action: str | None
    operation_id: str | None
    serial: int | None
    use_index: int | None
    previous_digest_sha256: str
    row_digest_sha256: str

    def digest(self) -> str:
        """Return the digest of the row without its digest (replay contract, section 1)."""
        content = encode(dict(zip(_DIGESTED, self, strict=False)), AUTHORIZATION_PROFILE)
        return hashlib.sha256(_BEFORE + content + _BEHIND).hexdigest()


_DIGESTED = Row._fields[:-1]


def _form(*members: type) -> tuple[type, ...]:
    return (int, str, str, *members, str, str)


_FORMS = MappingProxyType(
    {
        GENESIS: _form(NoneType, NoneType, NoneType, NoneType, NoneType, NoneType),
        SEEN: _form(str, str, str, str, int, NoneType),
        USE: _form(str, NoneType, NoneType, NoneType, NoneType, int),
        REVOKE: _form(str, NoneType, NoneType, NoneType, NoneType, NoneType),
    }
)
"""Kind -> the type of each value. A database can hold bytes and fractions in any of them."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the register says of an authorization.

    Attributes:
        highest: the highest serial seen under its serial key; 0 for none.
        same_serial: the digest of the authorization seen under its very serial; None for none.
        revoked_at: when it was revoked; None if it was not.
        uses: how often it was used.
        latest_at: the latest instant in the register.
    """

    highest: int
    same_serial: str | None
    revoked_at: str | None
    uses: int
    latest_at: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What a walk through the whole register found: nothing wrong.

    Attributes:
        rows: how many there are.
        kinds: kind of row -> how many.
        head: the digest of the last row.
        digests: those of all rows, in order.
    """

    rows: int
    kinds: Counter[str]
    head: str
    digests: tuple[str, ...]


class Chain:
    """Rows that were checked one after the other, and what they come to.

    Args:
        rows: their values, from the first row to the last.
        at: what the path of a refusal starts with.

    Raises:
        AuthorizationError: ``register_unavailable``; the path names the first row that is wrong, and where.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]], at: str) -> None:
        self._at = at
        self._digests: list[str] = []
        self._kinds = Counter[str]()
        self._serials: defaultdict[SerialKey, dict[int, str]] = defaultdict(dict)
        self._seen: set[str] = set()
        self._uses = Counter[str]()
        self._revoked: dict[str, str] = {}
        self._latest_at = ""
        for values in rows:
            self.take(Row._make(values))

    @property
    def head(self) -> str:
        """The digest of the last row."""
        return self._digests[-1] if self._digests else FIRST

    def audit(self) -> Audit:
        """Return what the rows are.

        Raises:
            AuthorizationError: ``register_unavailable``: there is none.
        """
        if not self._digests:
            raise self._broken("", "a first row", "none")
        return Audit(len(self._digests), self._kinds, self.head, tuple(self._digests))

    def standing(self, authorization: SourceBoundAuthorizationV1) -> Standing:
        """Return what the rows say of an authorization."""
        digest = authorization.authorization_digest_sha256
        serials = self._serials.get(authorization.serial_key, {})
        return Standing(
            highest=max(serials, default=0),
            same_serial=serials.get(authorization.serial),
            revoked_at=self.revoked_at(digest),
            uses=self._uses[digest],
            latest_at=self._latest_at,
        )

    def revoked_at(self, digest: str) -> str | None:
        """Return when an authorization was revoked; None if it was not."""
        return self._revoked.get(digest)

    def following(self, kind: str, now: datetime, **members: Any) -> Row:
        """Return the row that would come next.

        Args:
            kind: its kind.
            now: when.
            members: what else it has.
        """
        absent = dict.fromkeys(Row._fields[3:-2])
        row = Row(len(self._digests), kind, instant_text(now), **absent | members, previous_digest_sha256=self.head,
                  row_digest_sha256="")  # fmt: skip
        return row._replace(row_digest_sha256=row.digest())

    def take(self, row: Row) -> None:
        """Check a row and take it in, or refuse it."""
        self._require_form(row)
        kind, digest, position = row.kind, row.authorization_digest_sha256 or "", len(self._digests)
        use_index = self._uses[digest] + 1 if kind == USE else None
        found = row.position, row.use_index, row.previous_digest_sha256, row.row_digest_sha256
        due = position, use_index, self.head, row.digest()
        if found != due:
            names = "position", "use_index", "previous_digest_sha256", "row_digest_sha256"
            name, is_there, expected = next(each for each in zip(names, found, due, strict=True) if each[1] != each[2])
            raise self._broken(name, describe(expected), describe(is_there))
        if (kind == GENESIS) != (position == 0):
            raise self._broken("kind", "genesis first, and nowhere else", describe(kind))
        if kind == USE:
            self._uses[digest] += 1
        elif kind == SEEN:
            self._see(row, digest)
        elif kind == REVOKE:
            if digest in self._revoked:
                raise self._broken("authorization_digest_sha256", "one not revoked before", describe(digest))
            self._revoked[digest] = row.at
        self._digests.append(row.row_digest_sha256)
        self._kinds[kind] += 1
        self._latest_at = max(self._latest_at, row.at)

    def _see(self, row: Row, digest: str) -> None:
        serials = self._serials[SerialKey(row.issuer or "", row.action or "", row.operation_id or "")]
        serial = row.serial or 0
        if digest in self._seen:
            raise self._broken("authorization_digest_sha256", "one not seen before", describe(digest))
        if serial in serials:
            raise self._broken("serial", "one not seen before under its key", describe(serial))
        self._seen.add(digest)
        serials[serial] = digest

    def _require_form(self, row: Row) -> None:
        types = tuple(map(type, row))
        form = _FORMS.get(row.kind)
        if types != form:
            pairs = zip(Row._fields, types, form or types, strict=True)
            name = next((name for name, found, due in pairs if found is not due), "kind")
            expected = "a kind of row" if form is None else f"what a row of the kind {row.kind} has"
            raise self._broken(name, expected, describe(getattr(row, name)))
        if not 0 <= (row.serial or 0) <= MAX_INTEROPERABLE_INTEGER:  # a larger one has no canonical form
            raise self._broken("serial", f"from 0 to {MAX_INTEROPERABLE_INTEGER}", describe(row.serial))

    def _broken(self, name: str, expected: str, actual: str) -> AuthorizationError:
        path = f"{self._at} row {len(self._digests)} {name}".strip()
        return AuthorizationError("register_unavailable", path=path, expected=expected, actual=actual)
