"""What the card schema tests share: documents, three engines with one verdict, sample cards and edited copies.

The edits follow `vectors/cards/FORMAT.md`. Digests and references are left as they are: no schema knows what a digest
is the digest of.
"""

import copy
import functools
import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import referencing

Accepts = Callable[[Any], bool]
Path = tuple[str | int, ...]

TAIL = r"(?![\s\S])"
DEFINITIONS_FILE = "card-defs-v1.schema.json"
CENSUS_SCHEMA_FILE = "identity-field-census-v1.schema.json"
CENSUS_FILE = "identity-field-census-v1.registry.json"
REGISTRY_FILE = "card-registry-v1.json"
CARD_FILES = {
    "operation": "operation-card-v1.schema.json",
    "scenario": "semantic-scenario-card-v1.schema.json",
    "variant": "variant-card-v1.schema.json",
}
SCHEMA_FILES = [DEFINITIONS_FILE, *CARD_FILES.values(), CENSUS_SCHEMA_FILE]
ALL_FILES = [*SCHEMA_FILES[:4], REGISTRY_FILE, CENSUS_SCHEMA_FILE, CENSUS_FILE]
EVIDENCE_FILES = [
    "executed-runtime-evidence-v1.schema.json",
    "episode-outcome-v2.schema.json",
    "decision-tape-v1.schema.json",
    "execution-record-v1.schema.json",
    "provider-execution-binding-v1.schema.json",
]
BUNDLE_FILES = [
    "artifact-v9.schema.json",
    "evaluation-v1.schema.json",
    "trajectory-ledger-v1.schema.json",
    "regrade-v1.schema.json",
]
AUTHORITY_FILES = [
    "source-bound-authorization-v1.schema.json",
    "used-authorization-v1.schema.json",
    "trusted-issuers-v1.schema.json",
]
GENERATED_FILES = [*ALL_FILES, *EVIDENCE_FILES, *AUTHORITY_FILES, *BUNDLE_FILES, "run-bundle-census-v1.registry.json"]
GIVEN_FILES = ["identity-manifest-v1.schema.json", "identity-manifest-projection-census-v1.schema.json"]
"""Documents that generated ones name by digest."""

INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1


def read_text(name: str) -> str:
    """The text of one document of the installed `operatebench.schemas`."""
    return files("operatebench.schemas").joinpath(name).read_text("ascii")


def read(name: str) -> Any:
    """Parse one document of the installed `operatebench.schemas`."""
    return json.loads(read_text(name))


def read_vectors(name: str) -> Any:
    """Parse one document of the installed card vectors."""
    return json.loads(files("operatebench.vectors").joinpath("cards", name).read_bytes())


def linear(name: str) -> Any:
    """Parse a schema with every absolute-end assertion rewritten for the linear-time engine."""
    return json.loads(read_text(name).replace(TAIL.replace("\\", "\\\\"), "$"))


def second_opinion(schema: Any) -> Any:
    """A `jsonschema` validator that finds the definitions and nothing else."""
    definitions = read(DEFINITIONS_FILE)
    resource = referencing.Resource.from_contents(definitions)
    registry: Any = referencing.Registry().with_resource(definitions["$id"], resource)
    return jsonschema.Draft202012Validator(schema, registry=registry)


def compiled(schema: Any) -> Any:
    """A `jsonschema-rs` validator of a schema as published."""
    definitions = read(DEFINITIONS_FILE)
    registry = jsonschema_rs.Registry([(definitions["$id"], definitions)])
    return jsonschema_rs.Draft202012Validator(schema, registry=registry, offline=True)


def compiled_linear(schema: Any) -> Any:
    """A `jsonschema-rs` validator with the linear-time engine, of a schema that `linear` rewrote."""
    definitions = linear(DEFINITIONS_FILE)
    registry = jsonschema_rs.Registry([(definitions["$id"], definitions)])
    return jsonschema_rs.Draft202012Validator(
        schema, registry=registry, offline=True, pattern_options=jsonschema_rs.RegexOptions()
    )


def verdict_of(engine: Any, document: Any) -> bool:
    """What one engine says. Text with a lone surrogate cannot even reach the compiled ones."""
    try:
        return bool(engine.is_valid(document))
    except UnicodeEncodeError:
        return False


def one_verdict(*engines: Any) -> Accepts:
    """Return a function that says whether a document is accepted, and fails when the engines disagree."""

    def accepts(document: Any) -> bool:
        verdicts = [verdict_of(engine, document) for engine in engines]
        assert len(set(verdicts)) == 1, verdicts
        return verdicts[0]

    return accepts


def engines_for(pattern: str) -> list[Callable[[str], bool]]:
    """A pattern in Python, in the compiled engine, and in its linear-time engine with the end assertion rewritten."""
    expression = re.compile(pattern)
    published = jsonschema_rs.Draft202012Validator({"pattern": pattern}, offline=True)
    rewritten = jsonschema_rs.Draft202012Validator(
        {"pattern": pattern.replace(TAIL, "$")}, offline=True, pattern_options=jsonschema_rs.RegexOptions()
    )
    return [lambda text: expression.search(text) is not None, published.is_valid, rewritten.is_valid]


def all_engines(schema: Any, rewritten: Any) -> Accepts:
    """The joint verdict of `jsonschema` and of `jsonschema-rs` with both of its pattern engines."""
    return one_verdict(second_opinion(schema), compiled(schema), compiled_linear(rewritten))


@functools.cache
def card_accepts(kind: str) -> Accepts:
    """The joint verdict of all engines on one kind of card."""
    return all_engines(read(CARD_FILES[kind]), linear(CARD_FILES[kind]))


@functools.cache
def quick_card_accepts(kind: str) -> Accepts:
    """The joint verdict of the compiled engines on one kind of card, where there are thousands to judge."""
    return one_verdict(compiled(read(CARD_FILES[kind])), compiled_linear(linear(CARD_FILES[kind])))


@functools.cache
def census_accepts() -> Accepts:
    """The joint verdict of all engines on a field census."""
    return all_engines(read(CENSUS_SCHEMA_FILE), linear(CENSUS_SCHEMA_FILE))


@functools.cache
def part_accepts(name: str) -> Accepts:
    """The joint verdict of all engines on one of the shared definitions."""
    schema = {"$ref": f"{read(DEFINITIONS_FILE)['$id']}#/$defs/{name}"}
    return all_engines(schema, schema)


def sample(kind: str) -> Any:
    """One of the three sample cards, free to be changed."""
    return read_vectors(f"{kind}.json")


def at(document: Any, path: Path) -> Any:
    """Follow a path of member names and indices."""
    for step in path:
        document = document[step]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    """A copy of `document` with `value` at `path`; what lies beside the path is shared."""
    edited, holder = copied_along(document, path[:-1])
    holder[path[-1]] = value
    return edited


def without(document: Any, path: Path) -> Any:
    """A copy of `document` without the member at `path`; what lies beside the path is shared."""
    edited, holder = copied_along(document, path[:-1])
    del holder[path[-1]]
    return edited


def copied_along(document: Any, path: Path) -> tuple[Any, Any]:
    """A copy of `document` whose containers are new as far as `path` leads, and the one that it leads to."""
    edited = holder = copy.copy(document)
    for step in path:
        holder[step] = copy.copy(holder[step])
        holder = holder[step]
    return edited, holder


def subschemas(schema: Any, place: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object schema below `schema` with its JSON Pointer; fail on a keyword this walk does not know."""
    if isinstance(schema, bool):
        return
    yield place, schema
    unknown = set(schema) - PLAIN_KEYWORDS - {*NAMED_SCHEMAS, *LISTED_SCHEMAS, *SINGLE_SCHEMAS}
    assert not unknown, f"{place}: {unknown}"
    for keyword in NAMED_SCHEMAS:
        for name, below in schema.get(keyword, {}).items():
            yield from subschemas(below, f"{place}/{keyword}/{name}")
    for keyword in LISTED_SCHEMAS:
        for index, below in enumerate(schema.get(keyword, [])):
            yield from subschemas(below, f"{place}/{keyword}/{index}")
    for keyword in SINGLE_SCHEMAS:
        if keyword in schema:
            yield from subschemas(schema[keyword], f"{place}/{keyword}")


NAMED_SCHEMAS = ("properties", "$defs")
LISTED_SCHEMAS = ("oneOf", "allOf")
SINGLE_SCHEMAS = ("items", "additionalProperties", "propertyNames", "if", "then", "else", "not")
PLAIN_KEYWORDS = {
    "$schema",
    "$id",
    "$ref",
    "title",
    "description",
    "type",
    "required",
    "const",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "maxProperties",
}


def expand(value: Any) -> Any:
    """Expand the generators of `vectors/cards/FORMAT.md`."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$repeat": [text, count]}:
            return text * count
        case {"$fill": [item, count]}:
            return [expand(item)] * count
        case {"$keys": count}:
            return {f"k{index}": None for index in range(count)}
        case {"$chain": [head, key, count, inner]}:
            nested = expand(inner)
            for _ in range(count):
                nested = head | {key: nested}
            return nested
    assert not any(name.startswith("$") for name in value), value
    return {name: expand(item) for name, item in value.items()}


def steps_of(pointer: str, document: Any) -> Path:
    """The path a JSON Pointer takes through `document`."""
    path: list[str | int] = []
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        step: str | int = int(name) if isinstance(document, list) and name != "-" else name
        path.append(step)
        document = (
            document[step] if step in (document if isinstance(document, dict) else range(len(document))) else None
        )
    return tuple(path)


def apply_op(document: Any, op: dict[str, Any]) -> None:
    """Apply one op of a patch in place."""
    path = steps_of(op["path"], document)
    parent: Any = at(document, path[:-1])
    last: Any = path[-1]
    match op["op"]:
        case "add" if isinstance(parent, list):
            parent.insert(len(parent) if last == "-" else last, expand(op["value"]))
        case "add" | "replace":
            parent[last] = expand(op["value"])
        case "remove":
            del parent[last]
        case "reverse":
            parent[last].reverse()
        case "duplicate":
            parent.insert(last, copy.deepcopy(parent[last]))
        case "swap":
            parent[last], parent[last + 1] = parent[last + 1], parent[last]
        case other:
            raise AssertionError(f"unknown op {other}")


def build(case: dict[str, Any], kind: str) -> Any:
    """One card of a vector case, patched, or edited as text when it is the target.

    Raises:
        ValueError: the edited text is no JSON.
    """
    card = sample(kind)
    for op in case.get("patch", {}).get(kind, []):
        apply_op(card, op)
    if kind != case["target"] or "edit" not in case:
        return card
    text = json.dumps(card, indent=2, ensure_ascii=False)
    for found, replacement in case["edit"]:
        assert found in text, case["name"]
        text = text.replace(found, replacement, 1)
    return json.loads(text)
