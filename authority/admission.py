"""Admission: whether an authorization permits what is asked for, here and now; every reason why not; and its use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..errors import AuthorizationError, describe
from .authorization import Pair, SourceBoundAuthorizationV1
from .chain import Standing
from .instants import instant_text, whole_second
from .issuers import TrustedIssuers
from .live import Build, Live, Moved
from .register import Entries, Register, Use

REASONS = tuple(AuthorizationError.codes)[:19]
"""The codes of all reasons, in the order in which an admission gives them."""

_ORDER = {code: index for index, code in enumerate(REASONS)}
_NOT_GENUINE = frozenset({"signature_invalid", "signature_required", "issuer_unknown"})


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        pairs: the agents and variants that shall run.
        episodes: how many, in all.
        provider_calls: most calls of a provider, in all.
    """

    action: str
    operation_id: str
    pairs: frozenset[Pair]
    episodes: int
    provider_calls: int


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose word counts.

    Attributes:
        issuers: whose signatures do; None for nobody's.
        allow_unsigned: whether an authorization that names no key may pass.
    """

    issuers: TrustedIssuers | None = None
    allow_unsigned: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """What an admission came to.

    Attributes:
        authorization: what was judged; None if it could not be read.
        refusals: why not, in the order of :data:`REASONS`, each once; empty if it is admitted.
        moved: what moved since it was issued; None if it could not be read, or if only digests were at hand.
        admitted_at: the instant that was judged by, to the second.
        use: the use that was recorded; None if there is none.
    """

    authorization: SourceBoundAuthorizationV1 | None
    refusals: tuple[AuthorizationError, ...]
    moved: Moved | None
    admitted_at: datetime
    use: Use | None

    @property
    def admitted(self) -> bool:
        """Whether nothing stands against it."""
        return not self.refusals

    @property
    def reasons(self) -> tuple[str, ...]:
        """The codes of the refusals."""
        return tuple(refusal.code for refusal in self.refusals)


def admit(
    document: Any, build: Build, request: Request, now: datetime, register: Register, *, trust: Trust, beside: Build
) -> Admission:
    """Admit what is asked for, and record the use, or say everything that stands against it.

    The use is recorded before this returns: whatever happens afterwards, it is used. A genuine authorization is
    recorded as seen, admitted or not, so that its serial counts from now on.

    Args:
        document: the authorization, as the strict parser gives it.
        build: what is here.
        request: what is asked for.
        now: the instant it is, with a time zone; what is below a second does not count.
        register: remembers serials, uses and revocations.
        trust: whose word counts.
        beside: what was written beside the authorization.
    """
    return _with_moved(
        admit_digests(document, build.live(), request, now, register, trust=trust), build, request, beside
    )


def check(
    document: Any, build: Build, request: Request, now: datetime, register: Register, *, trust: Trust, beside: Build
) -> Admission:
    """Say what :func:`admit` would say now, and record nothing."""
    admission = _decide(document, build.live(), request, now, register, trust, record=False)
    return _with_moved(admission, build, request, beside)


def admit_digests(
    document: Any, live: Live, request: Request, now: datetime, register: Register, *, trust: Trust
) -> Admission:
    """Do what :func:`admit` does where nothing but the digests of what is live is at hand; what moved is not said."""
    return _decide(document, live, request, now, register, trust, record=True)


def _decide(  # noqa: PLR0917  (all that an admission depends on)
    document: Any, live: Live, request: Request, now: datetime, register: Register, trust: Trust, *, record: bool
) -> Admission:
    at, use = whole_second(now), None
    try:
        authorization = SourceBoundAuthorizationV1.read(document)
    except AuthorizationError as refusal:
        return Admission(None, (refusal,), None, at, None)
    refusals = list(judge(authorization, live, request, at, trust))
    try:
        with register.transaction() if record else register.reading() as entries:
            standing = entries.standing(authorization)
            by_register = list(_by_register(authorization, standing, at))
            if record:
                use = _record(entries, authorization, standing, [*refusals, *by_register], at)
    except AuthorizationError as unavailable:
        by_register, use = [unavailable], None
    ordered = tuple(sorted([*refusals, *by_register], key=lambda refusal: _ORDER[refusal.code]))
    return Admission(authorization, ordered, None, at, use)


def _record(
    entries: Entries,
    authorization: SourceBoundAuthorizationV1,
    standing: Standing,
    refusals: list[AuthorizationError],
    at: datetime,
) -> Use | None:
    """Record a genuine authorization as seen, and its use if nothing stands against it."""
    genuine = _NOT_GENUINE.isdisjoint(refusal.code for refusal in refusals)
    if genuine and standing.same_serial is None:
        entries.see(authorization, at)
    return None if refusals else entries.use(authorization, standing.uses + 1, at)


def _with_moved(admission: Admission, build: Build, request: Request, beside: Build) -> Admission:
    if admission.authorization is None:
        return admission
    return replace(admission, moved=Moved.since(admission.authorization, beside, build, sorted(request.pairs)))


def judge(
    authorization: SourceBoundAuthorizationV1, live: Live, request: Request, now: datetime, trust: Trust | None
) -> Iterator[AuthorizationError]:
    """Yield everything that stands against an authorization, but for what only a register knows; each reason once.

    Args:
        authorization: what is judged.
        live: what it is held to.
        request: what is asked for.
        now: the instant that counts.
        trust: whose word counts; None asks only that there is a signature where the issuer says so.

    Yields:
        The refusals, in the order of :data:`REASONS`; the path is a JSON Pointer into the authorization.
    """
    yield from _by_signature(authorization, trust)
    moment = whole_second(now)
    if moment < authorization.not_before:
        yield _refusal("not_yet_valid", "/not_before", f"at or before {instant_text(now)}", authorization.not_before)
    if moment >= authorization.expires_at:
        yield _refusal("expired", "/expires_at", f"after {instant_text(now)}", authorization.expires_at)
    yield from _by_scope(authorization, request)
    yield from _by_source(authorization, live, request)
    yield from _by_limits(authorization, request)


def _by_signature(authorization: SourceBoundAuthorizationV1, trust: Trust | None) -> Iterator[AuthorizationError]:
    name, key_id, signature = authorization.issuer_name, authorization.key_id, authorization.signature
    if signature is None:
        if key_id is not None:  # the issuer says that it is signed: somebody took the signature away
            yield AuthorizationError("signature_required", path="/signature", expected=f"of {key_id}", actual="null")
        elif trust is not None and not trust.allow_unsigned:
            yield AuthorizationError("signature_required", path="/signature", expected="a signature", actual="null")
        return
    if trust is None:
        return
    known = {} if trust.issuers is None else trust.issuers.keys
    key = None if key_id is None else known.get((name, key_id))
    if key is None:
        said = f"{describe(name)} with key {describe(key_id)}"
        yield AuthorizationError("issuer_unknown", path="/issuer", expected="a trusted issuer", actual=said)
    elif not key.signed(signature, authorization.signed_bytes()):
        expected, actual = f"a signature of {key.key_id}", "another one"
        yield AuthorizationError("signature_invalid", path="/signature", expected=expected, actual=actual)


def _by_scope(authorization: SourceBoundAuthorizationV1, request: Request) -> Iterator[AuthorizationError]:
    for name in ("action", "operation_id"):
        permitted, asked = getattr(authorization, name), getattr(request, name)
        if permitted != asked:
            yield AuthorizationError.found("scope_mismatch", f"/scope/{name}", describe(asked), permitted)
            return
    outside = sorted(request.pairs - {run.pair for run in authorization.runs})
    if outside or not request.pairs:
        asked = describe(" ".join(outside[0])) if outside else "a run"
        yield AuthorizationError("scope_mismatch", path="/bound/runs", expected=asked, actual="not among them")


def _by_source(authorization: SourceBoundAuthorizationV1, live: Live, request: Request) -> Iterator[AuthorizationError]:
    bound, now = authorization.source_identity_digest_sha256, live.source_identity_digest_sha256
    if bound != now:
        yield _moved("source_identity_changed", "/bound/source_identity_digest_sha256", bound, now)
    # What is not live has no digest, which is not the one that is bound.
    asked = [
        (index, run, live.runs.get(run.pair))
        for index, run in enumerate(authorization.runs)
        if run.pair in request.pairs
    ]
    for name in ("runtime_bundle", "experiment_bundle", "manifest"):
        member = f"{name}_digest_sha256"
        for index, run, here in asked:
            then, today = getattr(run, member), getattr(here, member, None)
            if then not in (None, today):
                yield _moved(f"{name}_changed", f"/bound/runs/{index}/{member}", then, today)
                break
    for _, _, here in asked:
        today = getattr(here, "settings_digest_sha256", None)
        if authorization.settings_digest_sha256 != today:
            yield _moved(
                "settings_changed", "/bound/settings_digest_sha256", authorization.settings_digest_sha256, today
            )
            return


def _by_limits(authorization: SourceBoundAuthorizationV1, request: Request) -> Iterator[AuthorizationError]:
    for name in ("episodes", "provider_calls"):
        asked, most = getattr(request, name), getattr(authorization.limits, f"max_{name}")
        if asked > most:
            yield AuthorizationError(
                "limit_exceeded", path=f"/limits/max_{name}", expected=f"{asked}", actual=f"{most}"
            )
            return


def _by_register(
    authorization: SourceBoundAuthorizationV1, standing: Standing, now: datetime
) -> Iterator[AuthorizationError]:
    """Yield what the register has against an authorization."""
    serial, digest = authorization.serial, authorization.authorization_digest_sha256
    if standing.highest > serial:
        yield AuthorizationError.found("superseded", "/serial", f"at least {standing.highest}, seen before", serial)
    elif standing.same_serial not in (None, digest):
        expected = f"the authorization seen with this serial, {standing.same_serial}"
        yield AuthorizationError("superseded", path="/serial", expected=expected, actual=digest)
    if standing.revoked_at is not None:
        actual = f"revoked at {standing.revoked_at}"
        yield AuthorizationError("revoked", path="/authorization_digest_sha256", expected="not revoked", actual=actual)
    if standing.uses >= authorization.limits.max_uses:
        expected, most = f"more than the {standing.uses} uses recorded", authorization.limits.max_uses
        yield AuthorizationError.found("uses_exhausted", "/limits/max_uses", expected, most)
    if instant_text(now) < standing.latest_at:
        expected = f"{standing.latest_at} or later, as the register has seen"
        yield AuthorizationError("clock_rollback", expected=expected, actual=instant_text(now))


def _refusal(code: str, path: str, expected: str, moment: datetime) -> AuthorizationError:
    return AuthorizationError(code, path=path, expected=expected, actual=instant_text(moment))


def _moved(code: str, path: str, bound: str, live: str | None) -> AuthorizationError:
    return AuthorizationError(code, path=path, expected=bound, actual=live or "none")
