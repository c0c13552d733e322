"""Authorizations for tests: issued for a made-up run or a bound runtime, and used."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from operatebench.authority import (
    BoundRun,
    Limits,
    Pair,
    SigningKey,
    SourceBoundAuthorizationV1,
    TrustedIssuers,
    UsedAuthorization,
    issue,
    issuers_document,
)

AT = datetime(2032, 4, 5, 8, 30, tzinfo=UTC)
UNTIL = AT + timedelta(days=2)
KEY, OTHER_KEY = (SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([number] * 32))) for number in (1, 2))
"""The same in every test process."""
ISSUERS = TrustedIssuers.read(issuers_document("desk", KEY.public))
HEAD = "e" * 64
RUN = BoundRun(Pair("V1", "reference"), "1" * 64, "2" * 64, "3" * 64)


def permit(**changes: Any) -> SourceBoundAuthorizationV1:
    """Return an authorization of a made-up run, signed by :data:`KEY`."""
    members: dict[str, Any] = {
        "serial": 1,
        "operation_id": "OPERATION",
        "source_identity_digest_sha256": "a" * 64,
        "runs": (RUN,),
        "settings": {"/provider/plan": "none"},
        "limits": Limits(2, 1, 0),
        "issued_at": AT,
        "not_before": AT,
        "expires_at": UNTIL,
        "issuer_name": "desk",
        "key": KEY,
    }
    return issue(**{**members, **changes})


def used(authorization: SourceBoundAuthorizationV1, at: datetime = AT, use_index: int = 1) -> UsedAuthorization:
    """Return an authorization as its use is kept."""
    return UsedAuthorization(authorization, at, use_index, HEAD, authorization.signature is None)


def used_wire(authorization: SourceBoundAuthorizationV1, **admission: Any) -> Mapping[str, Any]:
    """Return the member of a bundle, some of what it says of the admission others."""
    wire = used(authorization).to_wire()
    return {**wire, "admission": {**wire["admission"], **admission}}
