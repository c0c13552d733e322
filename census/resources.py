"""The packaged B1 census and its schema, each pinned by SHA-256 (card contract, section 18)."""

from __future__ import annotations

from typing import Any

from ..cards.contract import CARD_PROFILE
from ..cards.resources import load_resource
from ..identity.resources import PinnedResource

CENSUS_SCHEMA = PinnedResource(
    "schemas",
    "identity-field-census-v1.schema.json",
    "c1d74f33cd8b05151c92e044c13dadae3120a703df49fef1f265cd1d0df92a43",
    CARD_PROFILE,
)
CENSUS = PinnedResource(
    "schemas",
    "identity-field-census-v1.registry.json",
    "056b7acf26a0fcdc01b04abe7552b3f0c35a0ad70935434d01d94ef70ef1ef61",
    CARD_PROFILE,
)
"""These are the published bytes, source paths of the reference included."""


def load_field_census() -> dict[str, Any]:
    """Return a fresh plain copy of the B1 census.

    Raises:
        CardValidationError: ``resource.unavailable``.
    """
    return load_resource(CENSUS)


def load_field_census_schema() -> dict[str, Any]:
    """Return a fresh plain copy of the census's JSON Schema.

    Raises:
        CardValidationError: ``resource.unavailable``.
    """
    return load_resource(CENSUS_SCHEMA)
