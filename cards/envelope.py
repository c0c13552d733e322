"""What all cards share: their generation, and the digest of their content (card contract, sections 2, 5 and 12)."""

from __future__ import annotations

import hashlib
from typing import Any

from ..identity.canonical import encode
from .contract import CARD_PROFILE, SUPPORTED_CARD_SCHEMA_VERSIONS
from .refusal import refusal


def require_generation(card: Any, at: str) -> str:
    """Return the literal of an admitted card that is an object of a supported schema and version.

    Raises:
        CardValidationError: ``shape.root_not_object`` or ``generation.unsupported_pair``.
    """
    if type(card) is not dict:
        raise refusal("shape.root_not_object", at, "an object", card)
    schema, version = card.get("schema"), card.get("schema_version")
    if type(schema) is not str or schema not in SUPPORTED_CARD_SCHEMA_VERSIONS:
        expected = " or ".join(SUPPORTED_CARD_SCHEMA_VERSIONS)
        raise refusal("generation.unsupported_pair", f"{at}/schema", expected, schema)
    if type(version) is not int or version != SUPPORTED_CARD_SCHEMA_VERSIONS[schema]:
        expected = str(SUPPORTED_CARD_SCHEMA_VERSIONS[schema])
        raise refusal("generation.unsupported_pair", f"{at}/schema_version", expected, version)
    return schema


def content_digest(card: dict[str, Any]) -> str:
    """Return the SHA-256 over the canonical ``{domain, schema_version, id, content}`` of an admitted card.

    ``domain`` is the card's schema literal; the card's own digest stands outside.
    """
    wrapper = {
        "domain": card["schema"],
        "schema_version": card["schema_version"],
        "id": card["id"],
        "content": card["content"],
    }
    return hashlib.sha256(encode(wrapper, CARD_PROFILE)).hexdigest()


def require_digest(card: dict[str, Any], at: str, canonical: bytes | None = None) -> None:
    """Refuse a card of the right shape whose digest is not that of its content.

    Args:
        card: the card.
        at: what the path of a refusal starts with.
        canonical: the canonical bytes of the whole card, if they are at hand; it is not encoded again then.

    Raises:
        CardValidationError: ``digest.stale_or_forged``.
    """
    digest = content_digest(card) if canonical is None else _digest_within(card, canonical)
    if card["content_digest_sha256"] != digest:
        found = card["content_digest_sha256"]
        raise refusal("digest.stale_or_forged", f"{at}/content_digest_sha256", digest, found)


def _digest_within(card: dict[str, Any], canonical: bytes) -> str:
    """Return the content digest from a card's canonical bytes, in which the content comes first, as in the wrapper."""
    schema, name = card["schema"].encode(), encode(card["id"], CARD_PROFILE)
    stated = card["content_digest_sha256"].encode()
    rest = b',"content_digest_sha256":"%s","id":%s,"schema":"%s","schema_version":1}' % (stated, name, schema)
    digest = hashlib.sha256(memoryview(canonical)[: -len(rest)])
    digest.update(b',"domain":"%s","id":%s,"schema_version":1}' % (schema, name))
    return digest.hexdigest()
