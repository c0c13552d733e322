"""An authorization: an operator's permission to do one kind of thing with one exact source."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from ..cards.form import require_form
from ..errors import AuthorizationError, IdentityValidationError, pointer
from ..identity.admission import admit
from ..identity.boundary import public
from ..identity.canonical import Canonical
from ..identity.component import projection_digest
from ..identity.labels import labelled, labelled_digest
from ..identity.strictjson import parse_json
from .contract import (
    AUTHORIZATION_PROFILE,
    AUTHORIZATION_RESOURCE,
    AUTHORIZATION_SCHEMA,
    AUTHORIZATION_SCHEMA_VERSION,
    RUN,
    SELF_DIGEST,
    SETTINGS,
)
from .instants import instant, instant_text
from .keys import SigningKey

_DOMAIN = "source_bound_authorization.v1"
_refusal = partial(AuthorizationError.found, "malformed")


class Pair(NamedTuple):
    """An agent in a variant."""

    variant_id: str
    agent_id: str


class SerialKey(NamedTuple):
    """Whose serials count against one another: those of one issuer, for one action, with one operation.

    Attributes:
        issuer: the key id; for an unsigned authorization ``unsigned:`` and the name, which is no key id, so that no
            unsigned file can supersede a signed one.
    """

    issuer: str
    action: str
    operation_id: str


@dataclass(frozen=True, slots=True)
class BoundRun:
    """One agent in one variant, and what it must be.

    Attributes:
        pair: which.
        experiment_bundle_digest_sha256: None for any.
        manifest_digest_sha256: None for any.
    """

    pair: Pair
    runtime_bundle_digest_sha256: str
    experiment_bundle_digest_sha256: str | None
    manifest_digest_sha256: str | None

    def to_wire(self) -> dict[str, Any]:
        """Return it as a fresh plain object."""
        return {
            **self.pair._asdict(),
            "runtime_bundle_digest_sha256": self.runtime_bundle_digest_sha256,
            "experiment_bundle_digest_sha256": self.experiment_bundle_digest_sha256,
            "manifest_digest_sha256": self.manifest_digest_sha256,
        }


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is permitted.

    Attributes:
        max_uses: admissions, in all.
        max_episodes: in one admission.
        max_provider_calls: in one admission.
    """

    max_uses: int
    max_episodes: int
    max_provider_calls: int

    def to_wire(self) -> dict[str, Any]:
        """Return them as a fresh plain object."""
        return {
            "max_uses": self.max_uses,
            "max_episodes": self.max_episodes,
            "max_provider_calls": self.max_provider_calls,
        }


@dataclass(frozen=True, slots=True)
class SourceBoundAuthorizationV1:
    """An authorization of the right form, with the right digest; whether it is signed rightly is not said.

    Rules (authority contract, section 2):

    * the form is that of the schema; every object is closed; instants exist;
    * ``bound.runs`` is sorted by variant and agent, in code-point order, and has no pair twice;
    * the settings digest is that of the component of the provider's plan, with the settings as its projection;
    * the authorization digest is over all members but itself and the signature;
    * a signature is over the canonical bytes that this digest is of, not over its text.

    Attributes:
        runs: what may run, sorted.
        settings: field path -> value; plain JSON that nobody changes.
        not_before: the first second in which it is valid.
        expires_at: the first second in which it is not valid any more.
        key_id: of the key that the issuer says to sign with; None for none.
        signature: 64 bytes; None for none.
    """

    authorization_id: str
    serial: int
    action: str
    operation_id: str
    source_identity_digest_sha256: str
    runs: tuple[BoundRun, ...]
    settings_digest_sha256: str
    settings: Mapping[str, Any]
    limits: Limits
    issued_at: datetime
    not_before: datetime
    expires_at: datetime
    issuer_name: str
    key_id: str | None
    authorization_digest_sha256: str
    signature: bytes | None

    @classmethod
    @public
    def parse(cls, text: bytes) -> SourceBoundAuthorizationV1:
        """Read an authorization from the bytes of its file, laid out in any way.

        Raises:
            AuthorizationError: ``malformed`` or ``digest_mismatch``; the path is a JSON Pointer, or a line and column.
        """
        return _read(parse_json(text, AUTHORIZATION_PROFILE).value)

    @classmethod
    @public
    def read(cls, document: Any) -> SourceBoundAuthorizationV1:
        """Read an authorization.

        Args:
            document: plain JSON, as the strict parser gives it.

        Raises:
            AuthorizationError: ``malformed`` or ``digest_mismatch``; the path is a JSON Pointer.
        """
        return _read(document)

    @property
    def serial_key(self) -> SerialKey:
        """Whose serials count against this one's."""
        issuer = f"unsigned:{self.issuer_name}" if self.key_id is None else self.key_id
        return SerialKey(issuer, self.action, self.operation_id)

    def signed_bytes(self) -> bytes:
        """Return what the digest is of and a signature is over: the canonical wrapper of domain, schema and content."""
        return bytes(labelled(_DOMAIN, _content(self.to_wire())))

    def to_wire(self) -> dict[str, Any]:
        """Return the document: a fresh plain object, but for the settings."""
        signature = self.signature and {
            "algorithm": "ed25519",
            "signature_base64": base64.b64encode(self.signature).decode("ascii"),
        }
        return {
            "schema": AUTHORIZATION_SCHEMA,
            "schema_version": AUTHORIZATION_SCHEMA_VERSION,
            "authorization_id": self.authorization_id,
            "serial": self.serial,
            "scope": {"action": self.action, "operation_id": self.operation_id},
            "bound": {
                "source_identity_digest_sha256": self.source_identity_digest_sha256,
                "runs": [run.to_wire() for run in self.runs],
                "settings_digest_sha256": self.settings_digest_sha256,
            },
            "settings": self.settings,
            "limits": self.limits.to_wire(),
            "issued_at": instant_text(self.issued_at),
            "not_before": instant_text(self.not_before),
            "expires_at": instant_text(self.expires_at),
            "issuer": {"name": self.issuer_name, "key_id": self.key_id},
            SELF_DIGEST: self.authorization_digest_sha256,
            "signature": signature,
        }


@public
def issue(
    *,
    serial: int,
    operation_id: str,
    source_identity_digest_sha256: str,
    runs: tuple[BoundRun, ...],
    settings: Mapping[str, Any],
    limits: Limits,
    issued_at: datetime,
    not_before: datetime,
    expires_at: datetime,
    issuer_name: str,
    key: SigningKey | None,
) -> SourceBoundAuthorizationV1:
    """Make an authorization, and sign it if there is a key. Its id follows from its content.

    Args:
        serial: from 1; a higher one supersedes all lower ones of the same issuer, action and operation.
        operation_id: the operation that may be run.
        source_identity_digest_sha256: of the source that may run.
        runs: what may run, in any order.
        settings: the projection of the component of the provider's plan, which all runs share.
        limits: how much of it.
        issued_at: now.
        not_before: the first second in which it is valid.
        expires_at: the first second in which it is not valid any more.
        issuer_name: who issues it.
        key: signs it; None leaves it unsigned.

    Raises:
        AuthorizationError: ``malformed``: it would break a rule of its form.
    """
    wire: dict[str, Any] = {
        "schema": AUTHORIZATION_SCHEMA,
        "schema_version": AUTHORIZATION_SCHEMA_VERSION,
        "serial": serial,
        "scope": {"action": RUN, "operation_id": operation_id},
        "bound": {
            "source_identity_digest_sha256": source_identity_digest_sha256,
            "runs": [run.to_wire() for run in sorted(runs, key=lambda run: run.pair)],
            "settings_digest_sha256": _settings_digest(settings),
        },
        "settings": settings,
        "limits": limits.to_wire(),
        "issued_at": instant_text(issued_at),
        "not_before": instant_text(not_before),
        "expires_at": instant_text(expires_at),
        "issuer": {"name": issuer_name, "key_id": None if key is None else key.public.key_id},
        "signature": None,
    }
    named = labelled_digest("authorization_id.v1", _content(wire))
    wire["authorization_id"] = f"auth_{named[:32]}"
    wire[SELF_DIGEST] = labelled_digest(_DOMAIN, _content(wire))
    unsigned = _read(wire)
    return unsigned if key is None else replace(unsigned, signature=key.sign(unsigned.signed_bytes()))


def _read(document: Any) -> SourceBoundAuthorizationV1:
    wire = admit(document, AUTHORIZATION_PROFILE).value
    require_form(wire, "", _refusal, AUTHORIZATION_RESOURCE)
    moments = {name: _instant(name, wire[name]) for name in ("issued_at", "not_before", "expires_at")}
    runs = tuple(_bound_run(run) for run in wire["bound"]["runs"])
    for index, (before, after) in enumerate(pairwise(runs), start=1):
        if after.pair <= before.pair:
            expected = "pairs in code-point order, each once"
            raise _refusal(pointer("bound", "runs", index), expected, " ".join(after.pair))
    settings_digest = _settings_digest(wire["settings"])
    if wire["bound"]["settings_digest_sha256"] != settings_digest:
        path, stated = "/bound/settings_digest_sha256", wire["bound"]["settings_digest_sha256"]
        raise AuthorizationError.found("digest_mismatch", path, settings_digest, stated)
    digest = labelled_digest(_DOMAIN, _content(wire))
    if wire[SELF_DIGEST] != digest:
        raise AuthorizationError.found("digest_mismatch", f"/{SELF_DIGEST}", digest, wire[SELF_DIGEST])
    signature = wire["signature"]
    return SourceBoundAuthorizationV1(
        authorization_id=wire["authorization_id"],
        serial=wire["serial"],
        action=wire["scope"]["action"],
        operation_id=wire["scope"]["operation_id"],
        source_identity_digest_sha256=wire["bound"]["source_identity_digest_sha256"],
        runs=runs,
        settings_digest_sha256=settings_digest,
        settings=wire["settings"],
        limits=Limits(**wire["limits"]),
        **moments,
        issuer_name=wire["issuer"]["name"],
        key_id=wire["issuer"]["key_id"],
        authorization_digest_sha256=digest,
        signature=signature and base64.b64decode(signature["signature_base64"], validate=True),
    )


def _instant(name: str, text: str) -> datetime:
    try:
        return instant(text)
    except ValueError:
        raise _refusal(f"/{name}", "an instant that exists", text) from None


def _bound_run(wire: Mapping[str, Any]) -> BoundRun:
    digests = {name: value for name, value in wire.items() if name not in Pair._fields}
    return BoundRun(Pair(wire["variant_id"], wire["agent_id"]), **digests)


def _settings_digest(settings: Any) -> str:
    try:
        return projection_digest(SETTINGS, settings, "/settings")
    except IdentityValidationError as fault:
        raise AuthorizationError("malformed", path=fault.path, expected=fault.expected, actual=fault.actual) from None


def _content(wire: Mapping[str, Any]) -> Canonical:
    content = {name: value for name, value in wire.items() if name not in (SELF_DIGEST, "signature")}
    return admit(content, AUTHORIZATION_PROFILE).canonical
