"""The shared definitions of the card schemas: lexical types, values, shapes, state schemas, predicates, references."""

from . import lexical
from .forms import (
    DEFINITIONS_FILE,
    INTEGER_MAX,
    INTEGER_MIN,
    TEXT_MAX,
    WIDTH_MAX,
    Schema,
    about,
    boolean,
    constant,
    head,
    integer,
    local,
    mapping,
    nullable,
    one_of,
    ordered,
    record,
    tagged,
    text,
    unordered,
)
from .grammar import authored_pattern

DEFINITIONS = "operatebench.card_defs.v1"
OPERATION = "operatebench.operation_card.v1"
SCENARIO = "operatebench.semantic_scenario_card.v1"
VARIANT = "operatebench.variant_card.v1"

POLICY_SCHEMA = "operatebench.policy.lettings.maintenance.v1"
PATTERN_MAX = 256
OPERATORS = ("EQ", "NE", "LT", "LTE", "GT", "GTE", "IN", "NOT_IN", "MATCHES")
QUANTIFIERS = ("ALL", "ANY", "NONE")

POLICY_FIELDS = {
    "currency": about("Currency of every amount in minor units.", local("currency")),
    "issue_classification": local("name", "The class of issue this policy is made for."),
    "approval_threshold_minor": local("positive", "Spend above this amount, in minor units, needs an approval."),
    "approval_reminder_after_minutes": local("positive", "Minutes until a reminder follows an open approval request."),
    "approval_deadline_after_minutes": local("positive", "Minutes until an open approval request is late."),
    "approval_validity_minutes": local("positive", "Minutes an approval stays usable."),
    "provisional_close_minutes": local("positive", "Minutes a provisional closure lasts before it is final."),
    "visit_followup_after_minutes": local("positive", "Minutes after a visit until it must be followed up."),
    "completion_notice_within_minutes": local("positive", "Minutes within which completion must be notified."),
    "max_turns_per_invocation": local("positive", "Most turns an agent takes each time it is called."),
    "horizon_minutes": local("positive", "Minutes after which the run ends."),
    "max_retrieval_batches_per_invocation": local(
        "positive", "Most batches of retrievals each time an agent is called."
    ),
}


def lexical_types() -> dict[str, Schema]:
    """Return the definitions of single texts and numbers."""
    return {
        "name": about(
            "A lowercase name: words of letters and digits, joined by single dots, underscores or hyphens.",
            text(lexical.NAME, 1, 255),
        ),
        "cardId": about(
            "The id of a card: a name, and optionally @ with a version of three numbers.", text(lexical.CARD_ID, 1, 255)
        ),
        "digest": about("A SHA-256 in 64 lowercase hexadecimal digits.", text(lexical.DIGEST, 64, 64)),
        "pointer": about(
            "A JSON Pointer with at most one token: the whole value, or one of its members.",
            text(lexical.POINTER, 0, 1024),
        ),
        "timestamp": about(
            "A UTC instant with six digits of fraction. That the day exists is checked by the reader.",
            text(lexical.TIMESTAMP, 27, 27),
        ),
        "instant": about("A timestamp, or null.", nullable(text(lexical.TIMESTAMP, 27, 27))),
        "currency": about("Three capital letters, as in ISO 4217.", text(lexical.CURRENCY, 3, 3)),
        "semanticVersion": about("A version by Semantic Versioning 2.0.0.", text(lexical.SEMVER, 5, TEXT_MAX)),
        "authoredPattern": about(
            "A regular expression that is safe to run: literals, escapes and classes, at most one variable repetition,"
            " no two repetitions side by side, no groups, no alternatives. The whole text must match; null is no"
            " restriction.",
            nullable(text(authored_pattern(), 0, PATTERN_MAX)),
        ),
        "text": about("Any text without lone surrogates.", text(lexical.TEXT, 0, TEXT_MAX)),
        "key": about("A member name inside free JSON: any text without a line feed.", text(lexical.KEY, 0, TEXT_MAX)),
        "schemaVersion": about("The version of the card contract.", constant(1)),
        "integer64": about("An integer of 64 bits.", integer(INTEGER_MIN)),
        "count": about("An integer of 64 bits, not negative.", integer(0)),
        "positive": about("An integer of 64 bits, one or more.", integer(1)),
    }


def sets() -> dict[str, Schema]:
    """Return the definitions of sets of plain texts."""
    return {
        "names": about("A set of names, possibly empty.", unordered(local("name"), 0)),
        "someNames": about("A set of names, at least one.", unordered(local("name"), 1)),
        "somePointers": about("A set of pointers, at least one.", unordered(local("pointer"), 1)),
        "choices": about(
            "The only texts allowed, as a set; null allows every text.", nullable(unordered(local("text"), 1))
        ),
    }


def values() -> dict[str, Schema]:
    """Return the definitions of free values."""
    bounds = {
        "minimum": INTEGER_MIN,
        "maximum": INTEGER_MAX,
        "maxLength": TEXT_MAX,
        "pattern": lexical.TEXT,
    }
    return {
        "scalar": {
            "description": "Null, a boolean, an integer of 64 bits or a text.",
            "type": ["null", "boolean", "integer", "string"],
            **bounds,
        },
        "jsonValue": {
            "description": "Any JSON value without fractions: null, a boolean, an integer of 64 bits, a text, or an"
            " array or object of such values.",
            "type": ["null", "boolean", "integer", "string", "array", "object"],
            **bounds,
            "maxItems": WIDTH_MAX,
            "items": local("jsonValue"),
            "maxProperties": WIDTH_MAX,
            "propertyNames": local("key"),
            "additionalProperties": local("jsonValue"),
        },
        "jsonObject": about("Named JSON values.", mapping(local("name"), local("jsonValue"))),
        "correlation": about("Named scalars.", mapping(local("name"), local("scalar"))),
    }


def references() -> dict[str, Schema]:
    """Return the definitions of references to cards."""

    def reference(schema: Schema) -> Schema:
        return record(
            {
                "schema": about("The kind of card referred to.", schema),
                "id": local("cardId", "The id of the card referred to."),
                "content_digest_sha256": local("digest", "The digest of the card referred to."),
            }
        )

    return {
        "operationRef": about("A reference to one operation card, by id and digest.", reference(constant(OPERATION))),
        "scenarioRef": about(
            "A reference to one semantic scenario card, by id and digest.", reference(constant(SCENARIO))
        ),
        "cardRef": about(
            "A reference to a card of any kind, by id and digest. No card uses it.",
            reference(one_of(OPERATION, SCENARIO, VARIANT)),
        ),
    }


def shapes() -> dict[str, Schema]:
    """Return the definitions of field shapes (cards contract, section 7)."""
    string = {
        "min_length": local("count", "Fewest code points."),
        "max_length": local("count", "Most code points."),
        "pattern": local("authoredPattern"),
        "enum": local("choices"),
    }
    bounded = {
        "minimum": local("integer64", "Smallest value."),
        "maximum": local("integer64", "Largest value."),
    }
    array = {
        "items": local("fieldShape", "The shape of every item."),
        "min_items": local("count", "Fewest items."),
        "max_items": local("count", "Most items."),
        "unique_items": boolean("Whether all items must differ."),
    }
    required = (
        "Whether the field must be present. It counts inside object shapes only; at the top of a contract the map"
        " decides."
    )
    return {
        "fieldShapeMap": about("Field names with the shape of each.", mapping(local("name"), local("fieldEntry"))),
        "fieldEntry": about(
            "One field of a map.", record({"required": boolean(required), "shape": local("fieldShape")})
        ),
        "fieldShape": about(
            "What values a field may take.",
            tagged(
                "kind",
                [
                    (("string",), "A text within lengths, pattern and choices.", string),
                    (("integer",), "An integer within bounds.", bounded),
                    (("boolean",), "A boolean.", {}),
                    (("null",), "Null.", {}),
                    (("array",), "A list of values of one shape.", array),
                    (
                        ("object",),
                        "A closed record.",
                        {"fields": local("fieldShapeMap", "The fields of the record.")},
                    ),
                ],
            ),
        ),
    }


def state_schemas() -> dict[str, Schema]:
    """Return the definitions of the JSON Schema subset for hidden state (cards contract, section 8)."""
    bounded = {
        "minimum": local("integer64", "Smallest value."),
        "maximum": local("integer64", "Largest value."),
    }
    string = {
        "minLength": local("count", "Fewest code points."),
        "maxLength": local("count", "Most code points."),
        "pattern": local("authoredPattern"),
        "enum": local("choices"),
    }
    array = {
        "items": local("stateSchema", "The schema of every item."),
        "minItems": local("count", "Fewest items."),
        "maxItems": local("count", "Most items."),
        "uniqueItems": boolean("Whether the array is a set: without duplicates and canonically sorted."),
    }
    closed = {
        "properties": about("The members of the object.", mapping(local("name"), local("stateSchema"))),
        "required": local("names", "The members that must be present."),
        "additionalProperties": about("No other members.", constant(False)),
    }
    return {
        "stateSchema": about(
            "A schema of the closed subset in which operations describe their state.",
            tagged(
                "type",
                [
                    (("null",), "Null.", {}),
                    (("boolean",), "A boolean.", {}),
                    (("integer",), "An integer within bounds.", bounded),
                    (("string",), "A text within lengths, pattern and choices.", string),
                    (("array",), "An array of values of one schema.", array),
                    (("object",), "A closed object.", closed),
                ],
            ),
        )
    }


def predicates() -> dict[str, Schema]:
    """Return the definitions of predicates and expressions (cards contract, section 10)."""
    scalar = {
        "operator": about("How both sides are compared.", one_of(*OPERATORS)),
        "left": local("expression", "The left side."),
        "right": local("expression", "The right side."),
    }
    quantified = {
        "quantifier": about("How many elements must satisfy the predicate.", one_of(*QUANTIFIERS)),
        "collection": local("pointer", "Where the elements are found in the state."),
        "binding": local("name", "The name under which the predicate speaks of one element."),
        "predicate": local("predicate", "What is asked of each element."),
    }
    operands = {"operands": about("The parts, in the order they are read.", ordered(local("predicate"), 2))}
    bound = {
        "binding": local("name", "The name an enclosing quantifier introduced."),
        "pointer": local("pointer", "A place inside the bound element."),
    }
    return {
        "predicate": about(
            "A condition on state, as a tree. It is checked, never run, in version 1.",
            tagged(
                "kind",
                [
                    (("all", "any"), "Every part holds, or at least one does.", operands),
                    (("not",), "The part does not hold.", {"operand": local("predicate", "The part.")}),
                    (("scalar",), "Two values compare as the operator says.", scalar),
                    (("quantified",), "So many elements of a collection satisfy a predicate.", quantified),
                ],
            ),
        ),
        "expression": about(
            "One side of a comparison.",
            tagged(
                "kind",
                [
                    (("pointer",), "A value in the state.", {"pointer": local("pointer", "Where it is found.")}),
                    (("binding",), "A value inside the element bound by a quantifier.", bound),
                    (("literal",), "A value written down.", {"value": local("scalar", "The value.")}),
                ],
            ),
        ),
    }


def policy() -> Schema:
    """Return the definition of the one policy that is registered (cards contract, section 6)."""
    tag = about("The kind of policy.", constant(POLICY_SCHEMA))
    return about(
        "The numbers of the maintenance policy. How they relate is not checked.",
        record({"schema": tag} | POLICY_FIELDS),
    )


def definitions() -> Schema:
    """Return the definitions document."""
    return head(
        DEFINITIONS_FILE,
        "Card definitions, version 1",
        "What the three card schemas share. It describes parts of cards and is no card itself.",
    ) | {
        "$defs": lexical_types()
        | sets()
        | values()
        | references()
        | shapes()
        | state_schemas()
        | predicates()
        | {"policyContract": policy()}
    }
