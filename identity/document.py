"""The manifest as a document: its members, and the digest it carries of itself (identity contract, 3, 7 and 8.4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..errors import IdentityValidationError, describe
from .admission import admit
from .boundary import public
from .bundle import BuiltBundle
from .canonical import Canonical, mapping, scalar
from .component import VERSION, BuiltComponent, content_digest
from .refusal import refusal
from .registry import IDENTITY_MANIFEST_SCHEMA, IDENTITY_SCHEMA_VERSION, MANIFEST_DIGEST_DOMAIN, compatibility_contract

SELF_DIGEST = "manifest_digest_sha256"
MANIFEST_KEYS = ("schema", "schema_version", "components", "composites", "compatibility_contract", SELF_DIGEST)

_MANIFEST_SCHEMA = scalar(IDENTITY_MANIFEST_SCHEMA)
COMPATIBILITY_CONTRACT: Mapping[str, Canonical] = MappingProxyType(
    {member: admit(value).canonical for member, value in compatibility_contract().items()}
)
"""The members of the frozen compatibility contract in canonical form."""


def manifest_digest(components: Mapping[str, BuiltComponent], bundles: Mapping[str, BuiltBundle]) -> str:
    """Return the digest of the manifest that holds freshly built components and bundles.

    Raises:
        IdentityValidationError: ``resource_limits`` if the digest wrapper is over the document limits.
    """
    content = mapping(
        {
            "schema": _MANIFEST_SCHEMA,
            "schema_version": VERSION,
            "components": mapping({name: component.identity for name, component in components.items()}),
            "composites": mapping({name: bundle.identity for name, bundle in bundles.items()}),
            "compatibility_contract": mapping(COMPATIBILITY_CONTRACT),
        }
    )
    return content_digest(MANIFEST_DIGEST_DOMAIN, _MANIFEST_SCHEMA, content, "manifest#")


@public
def recompute_manifest_digest(manifest: dict[str, Any]) -> str:
    """Compute the self-digest of a manifest document (section 8.4). This is a hash helper: nothing else is validated.

    * ``manifest`` is a plain dict of strict JSON with exactly the six members; the self-digest may hold anything;
    * ``schema`` and ``schema_version`` are the frozen ones.

    Raises:
        IdentityValidationError: ``root_type``, ``strict_json``, ``resource_limits``, ``manifest_keys`` or
            ``manifest_header``.
    """
    if type(manifest) is not dict:
        raise refusal("root_type", "manifest#", "a plain object", manifest)
    plain = admit(manifest, at="manifest#").value
    require_manifest_header(plain)
    content = admit({name: item for name, item in plain.items() if name != SELF_DIGEST}, at="manifest#").canonical
    return content_digest(MANIFEST_DIGEST_DOMAIN, _MANIFEST_SCHEMA, content, "manifest#")


def require_manifest_header(manifest: dict[str, Any]) -> None:
    """Refuse an admitted manifest whose member names, schema or version are not the frozen ones.

    Raises:
        IdentityValidationError: ``manifest_keys`` or ``manifest_header``.
    """
    if manifest.keys() != set(MANIFEST_KEYS):
        actual = ", ".join(describe(name[:40]) for name in manifest)
        expected = f"exactly {', '.join(MANIFEST_KEYS)}"
        raise IdentityValidationError("manifest_keys", path="manifest#", expected=expected, actual=actual)
    header = {"schema": IDENTITY_MANIFEST_SCHEMA, "schema_version": IDENTITY_SCHEMA_VERSION}
    for member, wanted in header.items():
        found = manifest[member]
        if type(found) is not type(wanted) or found != wanted:
            place = f"manifest#/{member}"
            raise refusal("manifest_header", place, describe(wanted), found)
