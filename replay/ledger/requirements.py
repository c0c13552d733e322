"""The requirements that a run binds itself to: the exact digests of what decides how it comes out."""

from __future__ import annotations

from typing import Any

from ...identity import ValidatedIdentityManifest
from ...identity.registry import BUNDLES, COMPONENTS, RUNTIME_BUNDLE

REQUIRED_COMPONENTS = tuple(
    name for name in COMPONENTS if name == "card_schema_content" or name in BUNDLES[RUNTIME_BUNDLE].members
)
"""The card schemas and the eight members of the runtime bundle, in registry order (replay contract, section 2)."""


def exact_requirements(manifest: ValidatedIdentityManifest) -> list[dict[str, Any]]:
    """Return the nine ``exact_digest`` rows that follow from a manifest, as fresh plain dicts."""
    return [
        {
            "component": name,
            "compatible": {
                "kind": "exact_digest",
                "content_digest_sha256": manifest.components[name].content_digest_sha256,
            },
        }
        for name in REQUIRED_COMPONENTS
    ]
