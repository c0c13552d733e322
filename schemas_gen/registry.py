"""The card registry (cards contract, section 17): the facts about cards that are data, in one document."""

from typing import Any

from . import census
from .cards import OPERATION_FILE, OPERATION_TYPE, SCENARIO_FILE, VARIANT_FILE
from .definitions import (
    DEFINITIONS,
    OPERATION,
    OPERATORS,
    PATTERN_MAX,
    POLICY_FIELDS,
    POLICY_SCHEMA,
    QUANTIFIERS,
    SCENARIO,
    VARIANT,
)
from .forms import BASE, DEFINITIONS_FILE

REGISTRY_FILE = "card-registry-v1.json"

SUBJECT_MAX = 4096
REPEAT_MAX = 4096

_ALLOWED_KEYWORDS = (
    "additionalProperties enum items maxItems maxLength maximum minItems minLength minimum pattern properties required"
    " type uniqueItems"
)
_FORBIDDEN_KEYWORDS = (
    "$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema allOf anyOf const contains dependentRequired"
    " dependentSchemas description else examples format if maxProperties minProperties multipleOf not oneOf"
    " patternProperties prefixItems propertyNames readOnly then title unevaluatedItems unevaluatedProperties writeOnly"
)

SETS = (
    "action_contracts",
    "allowed_variant_dimensions",
    "actors",
    "authored_hazards",
    "authority_contract/action_authority",
    "authority_contract/event_authority",
    "authority_contract/roles",
    "causal_graph/edges",
    "causal_graph/nodes",
    "common_outcome_obligations",
    "dispatch_failures",
    "event_contracts",
    "message_fixtures",
    "required_checkpoint_types",
    "retrieval_contract/catalogue",
    "retrieval_contract/evidence_requirements",
    "transition_contract/common_predicate_inputs",
    "transition_contract/obligation_types",
    "transition_contract/reducer_ids",
    "transition_contract/terminal_kinds",
)
LISTS = ("decision_points", "events", "expected_event_rejections")


def _document(literal: str, file: str) -> dict[str, str]:
    """Return the row of one schema document."""
    return {"schema_literal": literal, "$id": BASE + file, "offline_path": f"schemas/{file}"}


def _safe_regex() -> dict[str, Any]:
    """Return the facts about authored patterns."""
    return {
        "character_set": "printable_ascii_u0020_through_u007e",
        "bytes_per_character": 1,
        "max_pattern_characters": PATTERN_MAX,
        "max_pattern_bytes": PATTERN_MAX,
        "max_subject_characters": SUBJECT_MAX,
        "max_repeat_bound": REPEAT_MAX,
        "published_authored_schema": {
            "relationship": "sound_conservative_subset",
            "bound_spelling": "canonical_decimal_no_leading_zero_except_zero",
            "class_ranges": ["0-9", "A-Z", "a-z", "printable_ascii_u0020_through_u007e"],
            "escaped_range_endpoints": False,
            "fixed_repeat_forms": ["{n}", "{4096,}"],
            "variable_repeat_forms": [
                "one_digit_ordered_bounds",
                "differing_decimal_width_bounds",
                "zero_minimum",
                "4096_maximum",
            ],
            "runtime_only_forms": [
                "bounds_with_leading_zeros",
                "equal_bounds",
                "ordered_bounds_of_one_width_above_one_digit",
                "other_ascending_ranges",
                "ranges_with_escaped_endpoints",
                "hyphen_between_class_items",
            ],
        },
        "allowed_constructs": [
            "printable_literal",
            "escaped_punctuation",
            "category_escape",
            "character_class",
            "bounded_or_open_repeat",
            "edge_anchor",
        ],
        "forbidden_constructs": [
            "wildcard_dot",
            "alternation",
            "capturing_group",
            "non_capturing_group",
            "named_group",
            "atomic_group",
            "lookaround",
            "backreference",
            "conditional",
            "inline_flags",
            "inner_anchor",
            "lazy_or_possessive_repeat",
            "nested_repeat",
            "adjacent_repeats",
            "second_variable_repeat",
        ],
    }


def registry() -> dict[str, Any]:
    """Return the registry document."""
    return {
        "schema": "operatebench.card_registry.v1",
        "schema_version": 1,
        "schema_documents": [
            _document(OPERATION, OPERATION_FILE),
            _document(SCENARIO, SCENARIO_FILE),
            _document(VARIANT, VARIANT_FILE),
            _document(DEFINITIONS, DEFINITIONS_FILE),
        ],
        "canonical_json": {
            "encoding": "UTF-8",
            "object_key_order": "unicode_code_point_ascending",
            "whitespace": "none",
            "escape": "shortest_json_escape_lowercase_u",
            "integers": "signed_64_bit",
            "floats": "forbidden",
            "duplicate_object_keys": "forbidden",
            "lone_surrogates": "forbidden",
        },
        "digest_wrapper_keys": ["domain", "schema_version", "id", "content"],
        "digest_domain_equals_card_schema": True,
        "strict_json_schema_subset": {
            "allowed_keywords": _ALLOWED_KEYWORDS.split(),
            "allowed_types": ["array", "boolean", "integer", "null", "object", "string"],
            "required_object_additional_properties": False,
            "safe_regex": _safe_regex(),
            "forbidden_keywords": _FORBIDDEN_KEYWORDS.split(),
        },
        "field_shape_tags": ["array", "boolean", "integer", "null", "object", "string"],
        "predicate_ast": {
            "tags": ["all", "any", "not", "quantified", "scalar"],
            "operators": sorted(OPERATORS),
            "quantifiers": sorted(QUANTIFIERS),
            "expression_tags": ["binding", "literal", "pointer"],
        },
        "policy_registrations": [
            {
                "operation_type": OPERATION_TYPE,
                "policy_schema": POLICY_SCHEMA,
                "fields": sorted(POLICY_FIELDS),
                "frozen_from": "operatebench.card_contract.v1",
            }
        ],
        "census_consumer_tuples_by_owner": {owner: list(names) for owner, names in census.CONSUMERS.items()},
        "set_class_array_json_pointers": [f"/content/{place}" for place in SETS],
        "ordered_array_json_pointers": [f"/content/{place}" for place in LISTS],
    }
