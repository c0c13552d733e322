"""Names, versions and limits of the Card v1 contract, section 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..errors import CardValidationError
from ..identity.profile import Profile, Rule

CARD_SCHEMA_VERSION = 1
OPERATION_CARD_SCHEMA = "operatebench.operation_card.v1"
SEMANTIC_SCENARIO_CARD_SCHEMA = "operatebench.semantic_scenario_card.v1"
VARIANT_CARD_SCHEMA = "operatebench.variant_card.v1"
CARD_SCHEMAS = (OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA)
"""The three card literals, upstream first."""

SUPPORTED_CARD_SCHEMA_VERSIONS: Mapping[str, int] = MappingProxyType(dict.fromkeys(CARD_SCHEMAS, CARD_SCHEMA_VERSION))
"""Card literal -> its version. Only generation 1 is read."""

CARD_KEYS = ("schema", "schema_version", "id", "content", "content_digest_sha256")

MAX_REFERENCE_CARDS = 4_096
MAX_ADMISSION_NODES = 100_000
MAX_ADMISSION_TEXT_BYTES = 8 * 1024 * 1024
MAX_CARD_BYTES = 8 * 1024 * 1024

CARD_PROFILE = Profile(
    min_integer=-(2**63),
    max_integer=2**63 - 1,
    integral_floats=False,
    nodes_count_keys=True,
    max_nodes=MAX_ADMISSION_NODES,
    max_bytes=MAX_CARD_BYTES,
    max_items=4_096,
    max_string_bytes=1024 * 1024,
    max_depth=64,
    max_text_bytes=2**63 - 1,  # padding is no fault: only what the text means is limited
    error=CardValidationError,
    codes=MappingProxyType(
        {
            Rule.SYNTAX: "parse.syntax",
            Rule.UTF8: "parse.not_utf8",
            Rule.DUPLICATE: "parse.duplicate_key",
            Rule.TYPE: "projection.wrong_type",
            Rule.FRACTION: "projection.float",
            Rule.INTEGER: "projection.integer_range",
            Rule.SURROGATE: "projection.lone_surrogate",
            Rule.DEPTH: "projection.too_deep",
            Rule.WIDTH: "projection.too_many_members",
            Rule.NODES: "projection.too_many_nodes",
            Rule.STRING: "projection.string_too_long",
            Rule.SIZE: "projection.card_too_long",
        }
    ),
)
"""The number, counting and size rules of sections 2 and 3."""

CARD_TEXT_PROFILE = replace(
    CARD_PROFILE,
    codes=MappingProxyType({**CARD_PROFILE.codes, Rule.DEPTH: "parse.too_deep", Rule.FRACTION: "parse.float"}),
)
"""The same rules for JSON text, whose reader refuses nesting and floats before there is a value."""
