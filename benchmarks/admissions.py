"""Figure of admission: what using an authorization costs beside validating it, and what the disk adds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter_ns, thread_time_ns
from typing import NamedTuple

from operatebench.authority import (
    SETTINGS,
    Build,
    Limits,
    Pair,
    Register,
    Request,
    SigningKey,
    SourceBoundAuthorizationV1,
    Trust,
    TrustedIssuers,
    admit,
    bound_run,
    issue,
    issuers_document,
    judge,
)
from operatebench.tracks.lifecycle.ownership import live_source

from .figures import Measurement, at_most, figure
from .samples import sample
from .verification import runtime

ROWS, MANY_ROWS = 20, 10_000
"""Rows of the register in which an admission is timed, and of the one that shows how it grows."""

REPEATS = 20
"""Admissions, or validations, of a round."""

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NOTHING_BESIDE = Build(None, {})


class Bench(NamedTuple):
    """A signed authorization for the V1 reference run, and all that it is admitted by."""

    authorization: SourceBoundAuthorizationV1
    build: Build
    request: Request
    trust: Trust

    def admitted(self, register: Register) -> None:
        """Admit it."""
        document = self.authorization.to_wire()
        found = admit(document, self.build, self.request, _NOW, register, trust=self.trust, beside=_NOTHING_BESIDE)
        if not found.admitted:
            raise AssertionError(f"not admitted: {found.reasons}")

    def validated(self) -> None:
        """Read it, check its signature, and judge it, without a register."""
        read = SourceBoundAuthorizationV1.read(self.authorization.to_wire())
        if list(judge(read, self.build.live(), self.request, _NOW, self.trust)):
            raise AssertionError("not sound")


@cache
def bench() -> Bench:
    """Return it; made once."""
    pair = Pair("V1", "reference")
    identity = runtime().identity(*pair)
    build = Build(live_source().identity, {pair: identity.validated})
    key, operation_id = SigningKey.new(), runtime().spec.operation_id
    authorization = issue(
        serial=1,
        operation_id=operation_id,
        source_identity_digest_sha256=live_source().identity.digest_sha256,
        runs=(bound_run(pair, identity.validated),),
        settings=dict(identity.projections[SETTINGS]),
        limits=Limits(2 * MANY_ROWS, 1, 0),
        issued_at=_NOW,
        not_before=_NOW,
        expires_at=_NOW + timedelta(days=1),
        issuer_name="operator",
        key=key,
    )
    trust = Trust(TrustedIssuers.read(issuers_document("operator", key.public)))
    return Bench(authorization, build, Request("run", operation_id, frozenset({pair}), 1, 0), trust)


def register_of(path: Path, rows: int) -> Path:
    """Make a register of that many rows: the first, one that saw the authorization, and its uses."""
    Register.create(path, _NOW)
    with Register(path, durable=False).transaction() as entries:
        entries.see(bench().authorization, _NOW)
        for index in range(1, rows - 1):
            entries.use(bench().authorization, index, _NOW)
    return path


@figure("admission", at_most(3.0), rounds=31)
def admission(rounds: int) -> Measurement:
    """Admit a signed authorization with a register of 20 rows, but for the disk, against validating it alone.

    Both sides take processor time, in which waiting for the disk does not count; our side also has a register that is
    not durable (SQLite's ``synchronous = OFF``), so that asking for the disk does not count either. Every admission is
    the first one after 20 rows: the file is put back before it, untimed. Details, by the clock on the wall: the same
    admission with a durable register and with one that is not, whose difference is what the disk adds; and one with
    10,000 rows.
    """
    with TemporaryDirectory() as place:
        path = register_of(Path(place, "register"), ROWS)
        full = path.read_bytes()

        def admit_once(clock: Callable[[], int], *, durable: bool) -> float:
            path.write_bytes(full)
            register = Register(path, durable=durable)
            began = clock()
            bench().admitted(register)
            return (clock() - began) / 1e6

        def validate_once() -> float:
            began = thread_time_ns()
            bench().validated()
            return (thread_time_ns() - began) / 1e6

        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            both = [(admit_once(thread_time_ns, durable=False), validate_once()) for _ in range(REPEATS)]
            for side, spent in zip(times, zip(*both, strict=True), strict=True):
                side.append(median(spent))
        synced, unsynced = (
            median(admit_once(perf_counter_ns, durable=durable) for _ in range(REPEATS)) for durable in (True, False)
        )
        full = register_of(Path(place, "many"), MANY_ROWS).read_bytes()
        grown = median(admit_once(perf_counter_ns, durable=False) for _ in range(5))
    return Measurement(
        reference="read, check the signature, judge",
        ratios=tuple(our / their for our, their in zip(*times, strict=True)),
        ours=tuple(times[0]),
        theirs=tuple(times[1]),
        samples=(sample("a signed authorization of one run", bench().authorization.to_wire()),),
        details={
            "ms of the disk": synced - unsynced,
            f"ms an admission with {ROWS} rows, not durable": unsynced,
            f"ms an admission with {MANY_ROWS} rows, not durable": grown,
        },
    )
