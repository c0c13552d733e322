"""Made-up builds, keys and requests, the authorizations that fit them, and a second way to every digest."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from operatebench.authority import (
    SETTINGS,
    Admission,
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
    check,
    issue,
    issuers_document,
)
from operatebench.identity import ValidatedIdentityManifest, validate_identity_manifest
from operatebench.provenance import OwnerTable, SourceFile, SourceIdentityV1
from tests.identity import documents, oracle

SEED = hashlib.sha256(b"a key for tests").digest()
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(SEED))
OTHER_KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"another one").digest()))

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)

PAIR, SECOND_PAIR, THIRD_PAIR = Pair("V1", "agent"), Pair("V1", "other"), Pair("V2", "agent")
OPERATION = "repair"

TABLE = OwnerTable({"top.py": "root", "core/": "engine", "cards/": "cards"}, suffixes=(".py", ".json"))
PATHS = ("top.py", *(f"core/part_{index:02}.py" for index in range(12)), *(f"cards/{index}.json" for index in range(7)))
FILES = {path: f"content of {path}\n".encode() for path in PATHS}


def source(files: dict[str, bytes] = FILES) -> SourceIdentityV1:
    """Return the identity of a source of these files."""
    return SourceIdentityV1.of(
        SourceFile(path, len(content), hashlib.sha256(content).hexdigest(), TABLE.owner_of(path))
        for path, content in files.items()
    )


def manifest_document(**changed: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with the projections of some components replaced."""
    return documents.triple({**documents.plain_projections(), **changed}).manifest


def manifest(**changed: dict[str, Any]) -> ValidatedIdentityManifest:
    """Return it validated."""
    made = documents.triple({**documents.plain_projections(), **changed})
    return validate_identity_manifest(made.manifest, made.census, made.projections)


SOURCE = source()
MANIFEST = manifest()
BUILD = Build(SOURCE, dict.fromkeys((PAIR, SECOND_PAIR, THIRD_PAIR), MANIFEST))
NOTHING = Build(None, {})
PLAN: dict[str, Any] = documents.plain_projections()[SETTINGS]
TRUST = Trust(TrustedIssuers.read(issuers_document("issuer", KEY.public)))
REQUEST = Request("run", OPERATION, frozenset({PAIR}), episodes=4, provider_calls=0)


def authorization(**changed: Any) -> SourceBoundAuthorizationV1:
    """Return a good authorization, but for what is changed."""
    members: dict[str, Any] = {
        "serial": 5,
        "operation_id": OPERATION,
        "source_identity_digest_sha256": SOURCE.digest_sha256,
        "runs": (bound_run(PAIR, MANIFEST),),
        "settings": PLAN,
        "limits": Limits(max_uses=3, max_episodes=4, max_provider_calls=0),
        "issued_at": NOW - DAY,
        "not_before": NOW - DAY,
        "expires_at": NOW + DAY,
        "issuer_name": "issuer",
        "key": KEY,
    }
    return issue(**{**members, **changed})


GOOD = authorization()


def wire(made: SourceBoundAuthorizationV1 = GOOD) -> Any:
    """Return an authorization as a fresh document that has been text."""
    return json.loads(json.dumps(made.to_wire()))


def register(folder: Path, now: datetime = NOW - DAY) -> Register:
    """Make a register in a folder."""
    Register.create(folder / "register", now)
    return Register(folder / "register")


def judged(
    document: Any,
    book: Register,
    *,
    build: Build = BUILD,
    request: Request = REQUEST,
    now: datetime = NOW,
    trust: Trust = TRUST,
    beside: Build = NOTHING,
    recorded: bool = True,
) -> Admission:
    """Admit, or check; an authorization stands for its document."""
    if isinstance(document, SourceBoundAuthorizationV1):
        document = wire(document)
    return (admit if recorded else check)(document, build, request, now, book, trust=trust, beside=beside)


def labelled(name: str, content: Any, schema: str | None = None) -> bytes:
    """Return the wrapper that a digest is of, straight from the contract."""
    wrapper = {
        "domain": f"operatebench.digest.{name}",
        "schema": f"operatebench.{name if schema is None else schema}",
        "content": content,
    }
    return json.dumps(wrapper, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def signed_part(document: dict[str, Any]) -> bytes:
    """Return what the digest of an authorization is of."""
    outside = ("authorization_digest_sha256", "signature")
    content = {name: value for name, value in document.items() if name not in outside}
    return labelled("source_bound_authorization.v1", content)


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """Give a document the digests it would need, whatever stands in it; its signature stays."""
    bound, settings = document.get("bound"), document.get("settings")
    if isinstance(bound, dict) and isinstance(settings, dict):
        bound["settings_digest_sha256"] = oracle.content_digest(SETTINGS, settings)
    document["authorization_digest_sha256"] = hashlib.sha256(signed_part(document)).hexdigest()
    return document
