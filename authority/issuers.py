"""Trusted issuers: a document that an operator keeps, with the names and public keys whose signatures count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..cards.form import require_form
from ..errors import SigningKeyError, describe, pointer
from ..identity.admission import admit
from ..identity.boundary import public
from ..identity.strictjson import parse_json
from .contract import ISSUERS_PROFILE, ISSUERS_RESOURCE, ISSUERS_SCHEMA, ISSUERS_SCHEMA_VERSION
from .keys import VerifyingKey


@dataclass(frozen=True, slots=True)
class TrustedIssuers:
    """Whose signatures count.

    Rules (authority contract, section 5):

    * every key is an Ed25519 key, and the key id of its entry is its own;
    * no key id stands there twice; a name may, with several keys.

    Attributes:
        keys: (name, key id) -> the key.
    """

    keys: Mapping[tuple[str, str], VerifyingKey]

    @classmethod
    @public
    def parse(cls, text: bytes) -> TrustedIssuers:
        """Read the document from the bytes of its file.

        Raises:
            SigningKeyError: ``issuers_shape`` or ``issuer_key``.
        """
        return _read(parse_json(text, ISSUERS_PROFILE).value)

    @classmethod
    @public
    def read(cls, document: Any) -> TrustedIssuers:
        """Read the document.

        Args:
            document: plain JSON, as the strict parser gives it.

        Raises:
            SigningKeyError: ``issuers_shape`` or ``issuer_key``.
        """
        return _read(document)


def _read(document: Any) -> TrustedIssuers:
    wire = admit(document, ISSUERS_PROFILE).value
    require_form(wire, "", _refusal, ISSUERS_RESOURCE)
    keys: dict[tuple[str, str], VerifyingKey] = {}
    known = set()
    for index, row in enumerate(wire["issuers"]):
        place = pointer("issuers", index, "public_key_pem")
        try:
            key = VerifyingKey.from_pem(row["public_key_pem"].encode(), place)
        except SigningKeyError as refusal:
            raise SigningKeyError("issuer_key", path=place, expected="an Ed25519 key", actual=refusal.actual) from None
        if key.key_id != row["key_id"]:
            place = pointer("issuers", index, "key_id")
            raise SigningKeyError("issuer_key", path=place, expected=key.key_id, actual="another one")
        if key.key_id in known:
            place = pointer("issuers", index, "key_id")
            raise SigningKeyError("issuers_shape", path=place, expected="each key id once", actual=key.key_id)
        known.add(key.key_id)
        keys[row["name"], key.key_id] = key
    return TrustedIssuers(MappingProxyType(keys))


def _refusal(place: str, expected: str, value: Any) -> SigningKeyError:
    """Return a refusal that shows no text: somebody may have put a private key here."""
    actual = f"a text of {len(value)} characters" if type(value) is str else describe(value)
    return SigningKeyError("issuers_shape", path=place, expected=expected, actual=actual)


def issuers_document(name: str, key: VerifyingKey) -> dict[str, Any]:
    """Return the document in which one issuer is trusted: a fresh plain object."""
    return {
        "schema": ISSUERS_SCHEMA,
        "schema_version": ISSUERS_SCHEMA_VERSION,
        "issuers": [{"name": name, "key_id": key.key_id, "public_key_pem": key.to_pem()}],
    }
