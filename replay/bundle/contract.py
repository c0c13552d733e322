"""Names, members and limits of run bundles (replay contract, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...authority.contract import AUTHORIZATION_PROFILE
from ...cards.contract import CARD_PROFILE, MAX_CARD_BYTES
from ...errors import BundleError
from ...identity.profile import IDENTITY_PROFILE, MAX_CANONICAL_UTF8_PAYLOAD_BYTES, Profile, Rule
from ...identity.resources import PinnedResource
from ..evaluation import EVALUATION_PROFILE
from ..evidence.contract import EVIDENCE_PROFILE, MAX_EVIDENCE_BYTES
from ..profile import coded

ARTIFACT_SCHEMA = "operatebench.artifact.v9"
ARTIFACT_SCHEMA_VERSION = 9
ARTIFACT_PATH = "artifact.json"
SELF_DIGEST = "artifact_digest_sha256"
"""The digest that an artifact carries of itself, over all other members."""

ARTIFACT_RESOURCE = PinnedResource(
    "schemas", "artifact-v9.schema.json", "c7797dd43a80a872d046e1329fd2877da6b991a7a6b1d4ce8d9f0299ee164557"
)

JSON, LINES = "application/json", "application/x-ndjson"

MAX_ARTIFACT_BYTES = 1024 * 1024
MAX_LEDGER_BYTES = 16 * 1024 * 1024
"""Bytes of a ledger in a bundle. The evidence beside it holds every row too, and may have 8 MiB."""

CARD_ROLES: Mapping[str, str] = MappingProxyType(
    {
        "operation": "operation_card",
        "semantic_scenario": "semantic_scenario_card",
        "variant": "variant_card",
    }
)
"""Name of a card in references -> its role as a member."""

ARTIFACT_PROFILE = coded(
    IDENTITY_PROFILE,
    BundleError,
    "artifact",
    integral_floats=False,
    max_bytes=MAX_ARTIFACT_BYTES,
    max_text_bytes=MAX_ARTIFACT_BYTES,
)
LAYOUT_PROFILE = replace(ARTIFACT_PROFILE, codes=MappingProxyType(dict.fromkeys(Rule, "oci_layout")))
"""The rules of the JSON of an image layout."""


@dataclass(frozen=True, slots=True)
class Place:
    """What follows from the role of a member.

    Attributes:
        path: where it is, below the folder of the bundle.
        media_type: what it is written in.
        limit: most bytes of the file.
        profile: the rules of its JSON; None for the ledger, which has its own reader.
    """

    path: str
    media_type: str
    limit: int
    profile: Profile | None


def _document(path: str, profile: Profile, most: int) -> Place:
    # Canonical bytes and one line feed; text that is longer is not canonical.
    return Place(path, JSON, most + 1, coded(profile, BundleError, "member", max_text_bytes=most + 1))


AUTHORIZATION = "authorization"
"""The one role that a bundle may do without."""

PLACES: Mapping[str, Place] = MappingProxyType(
    {
        AUTHORIZATION: _document("authorization.json", AUTHORIZATION_PROFILE, MAX_CANONICAL_UTF8_PAYLOAD_BYTES),
        "operation_card": _document("cards/operation.json", CARD_PROFILE, MAX_CARD_BYTES),
        "semantic_scenario_card": _document("cards/semantic_scenario.json", CARD_PROFILE, MAX_CARD_BYTES),
        "variant_card": _document("cards/variant.json", CARD_PROFILE, MAX_CARD_BYTES),
        "census": _document("census.json", IDENTITY_PROFILE, MAX_CANONICAL_UTF8_PAYLOAD_BYTES),
        "evaluation": _document("evaluation.json", EVALUATION_PROFILE, MAX_EVIDENCE_BYTES),
        "evidence": _document("evidence.json", EVIDENCE_PROFILE, MAX_EVIDENCE_BYTES),
        "ledger": Place("ledger.ndjson", LINES, MAX_LEDGER_BYTES, None),
        "manifest": _document("manifest.json", IDENTITY_PROFILE, MAX_CANONICAL_UTF8_PAYLOAD_BYTES),
    }
)
"""Role -> its place; sorted by path, which is the order of members. Every bundle has all but the first."""
