"""Builds the few forms of schema the documents consist of: records, maps, sets, lists, references, unions."""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://operatebench.org/schemas/"
DEFINITIONS_FILE = "card-defs-v1.schema.json"

INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1
WIDTH_MAX = 4096
"""Members of one array or object (cards contract, section 1)."""
TEXT_MAX = 1_048_576
"""Most code points of a text. The contract counts UTF-8 bytes, which no schema can, and never finds fewer of them."""


def head(file: str, title: str, description: str) -> Schema:
    """Return the opening members of a schema document."""
    return {"$schema": DIALECT, "$id": BASE + file, "title": title, "description": description}


def local(name: str, description: str = "") -> Schema:
    """Return a reference from within the definitions file to one of its definitions."""
    return about(description, {"$ref": f"#/$defs/{name}"})


def shared(name: str, description: str = "") -> Schema:
    """Return a reference from a card schema to a definition in the definitions file."""
    return about(description, {"$ref": f"{DEFINITIONS_FILE}#/$defs/{name}"})


def about(description: str, schema: Schema) -> Schema:
    """Return ``schema`` with ``description`` in front, unless that is empty."""
    return {"description": description, **schema} if description else schema


def constant(value: str | int | bool) -> Schema:
    """Return the schema of exactly one value, its type beside it: engines have confused ``1`` with ``true`` before."""
    kind = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "string"
    return {"type": kind, "const": value}


def one_of(*values: str) -> Schema:
    """Return the schema of one of several texts."""
    return {"type": "string", "enum": list(values)}


def boolean(description: str) -> Schema:
    """Return the schema of a boolean."""
    return {"description": description, "type": "boolean"}


def integer(minimum: int, maximum: int = INTEGER_MAX) -> Schema:
    """Return the schema of an integer between two bounds, both included."""
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def text(pattern: str, minimum: int, maximum: int) -> Schema:
    """Return the schema of a text with a length in code points and a pattern that reaches from its start to its end."""
    return {"type": "string", "minLength": minimum, "maxLength": maximum, "pattern": pattern}


def record(members: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with exactly these members, every one required."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(members),
        "properties": dict(members),
    }


def mapping(names: Schema, values: Schema) -> Schema:
    """Return the schema of an object from free names to values of one kind."""
    return {
        "type": "object",
        "maxProperties": WIDTH_MAX,
        "propertyNames": names,
        "additionalProperties": values,
    }


def ordered(items: Schema, at_least: int) -> Schema:
    """Return the schema of an array whose order means something."""
    return {"type": "array", "minItems": at_least, "maxItems": WIDTH_MAX, "items": items}


def unordered(items: Schema, at_least: int) -> Schema:
    """Return the schema of a set-class array. Duplicates are refused here, its order is left to the reader."""
    return {"type": "array", "minItems": at_least, "maxItems": WIDTH_MAX, "uniqueItems": True, "items": items}


def nullable(schema: Schema) -> Schema:
    """Return ``schema`` open to null as well; its other keywords say nothing about null."""
    return schema | {"type": [schema["type"], "null"]}


def tagged(tag: str, branches: Sequence[tuple[tuple[str, ...], str, Mapping[str, Schema]]]) -> Schema:
    """Return the schema of a record that one member tells apart.

    Exactly one branch can match, because every tag stands in one branch only. Members that nest further stand in one
    branch only as well, hence one branch for ``all`` and ``any``: each part of a document is looked at once, however
    deep it nests (cards contract, section 22, oddity 9).

    Args:
        tag: the member that tells.
        branches: for each branch its tags, a description and the members beside the tag.
    """
    return {
        "oneOf": [
            about(
                description,
                record({tag: constant(tags[0]) if len(tags) == 1 else one_of(*tags), **members}),
            )
            for tags, description, members in branches
        ]
    }


def document(file: str, title: str, says: str, members: Mapping[str, Schema]) -> Schema:
    """Return the schema document of one record, whose literal and version follow from the name of the file."""
    name, _, version = file.removesuffix(".schema.json").rpartition("-v")
    named = {
        "schema": about("The kind of record.", constant(f"operatebench.{name.replace('-', '_')}.v{version}")),
        "schema_version": about("The version of its contract.", constant(int(version))),
    }
    code = " This schema checks shape; digests, days, order and what records say about one another are checked in code."
    return head(file, f"{title}, version {version}", says + code) | record({**named, **members})


def chosen(tag: str, branches: Mapping[str, Mapping[str, Schema]]) -> Schema:
    """Return the schema of a closed record that one member tells apart; a fault is one of the chosen branch only."""
    return {
        "type": "object",
        "required": [tag],
        "properties": {tag: one_of(*branches)},
        "allOf": [
            {
                "if": {"type": "object", "required": [tag], "properties": {tag: {"const": name}}},
                "then": record({tag: constant(name), **members}),
            }
            for name, members in branches.items()
        ],
    }
