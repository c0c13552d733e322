"""Card v1: reads, validates and resolves operation, semantic scenario and variant cards.

This is the public surface of the card contract; everything else in the package is private.
"""

from ..errors import CardValidationError
from .contract import (
    CARD_SCHEMA_VERSION,
    CARD_SCHEMAS,
    OPERATION_CARD_SCHEMA,
    SEMANTIC_SCENARIO_CARD_SCHEMA,
    SUPPORTED_CARD_SCHEMA_VERSIONS,
    VARIANT_CARD_SCHEMA,
)
from .read import card_to_json, load_card_chain, load_card_json, recompute_card_digest, validate_card
from .resources import load_card_registry, load_schema

__all__ = [
    "CARD_SCHEMAS",
    "CARD_SCHEMA_VERSION",
    "OPERATION_CARD_SCHEMA",
    "SEMANTIC_SCENARIO_CARD_SCHEMA",
    "SUPPORTED_CARD_SCHEMA_VERSIONS",
    "VARIANT_CARD_SCHEMA",
    "CardValidationError",
    "card_to_json",
    "load_card_chain",
    "load_card_json",
    "load_card_registry",
    "load_schema",
    "recompute_card_digest",
    "validate_card",
]
