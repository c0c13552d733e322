"""The schemas are valid Draft 2020-12, closed everywhere, self-contained and laid out as the identity contract says."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

NAMED_SCHEMAS = ("properties", "$defs")
LISTED_SCHEMAS = ("allOf", "oneOf", "prefixItems")
SINGLE_SCHEMAS = ("items", "additionalProperties", "propertyNames")
ANNOTATIONS_AND_ASSERTIONS = {
    "$schema",
    "$id",
    "$ref",
    "$comment",
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


def subschemas(schema: Any, place: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object schema below `schema` with its JSON Pointer; fail on a keyword this walk does not know."""
    if isinstance(schema, bool):
        return
    yield place, schema
    unknown = set(schema) - ANNOTATIONS_AND_ASSERTIONS - {*NAMED_SCHEMAS, *LISTED_SCHEMAS, *SINGLE_SCHEMAS}
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


@pytest.fixture(params=["manifest_schema", "census_schema"])
def schema(request: pytest.FixtureRequest) -> Any:
    """Each of the two schemas."""
    return request.getfixturevalue(request.param)


def test_schema_is_valid_draft_2020_12_for_both_engines(schema: Any) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)


def test_every_object_definition_is_closed(schema: Any) -> None:
    closed = 0
    for place, sub in subschemas(schema):
        if sub.get("type") != "object" and not {"properties", "required", "propertyNames"} & set(sub):
            continue
        if "propertyNames" in sub:
            assert "pattern" in sub["propertyNames"], place
            assert isinstance(sub["additionalProperties"], dict), place
            assert sub["maxProperties"] == 4096, place
        else:
            assert sub["additionalProperties"] is False, place
            assert set(sub["required"]) <= set(sub["properties"]), place
        closed += 1
    assert closed > 0


def test_every_array_definition_is_bounded(schema: Any) -> None:
    for place, sub in subschemas(schema):
        if sub.get("type") == "array":
            assert "items" in sub, place
            assert sub["maxItems"] <= 4096, place


def test_references_stay_inside_the_document(schema: Any) -> None:
    for place, sub in subschemas(schema):
        if "$ref" in sub:
            assert sub["$ref"].removeprefix("#/$defs/") in schema["$defs"], place


def test_identifiers_are_the_published_ones(manifest_schema: Any, census_schema: Any) -> None:
    base = "https://operatebench.org/schemas/"
    assert manifest_schema["$id"] == base + "identity-manifest-v1.schema.json"
    assert census_schema["$id"] == base + "identity-manifest-projection-census-v1.schema.json"


def test_manifest_definitions_stand_in_the_contract_order(manifest_schema: Any) -> None:
    assert list(manifest_schema["$defs"]) == [
        "exactDigestRequirement",
        "closedSchemaVersionRangeRequirement",
        "namedPredicateRequirement",
        "dependencyRequirement",
        "componentIdentity",
        "compositeIdentity",
        "compatibilityContract",
        "strictJsonValue",
    ]


def test_a_strict_value_is_one_of_six_types(manifest_schema: Any) -> None:
    branches = manifest_schema["$defs"]["strictJsonValue"]["oneOf"]
    assert [branch["type"] for branch in branches] == ["null", "boolean", "integer", "string", "array", "object"]


def test_components_and_bundles_are_fixed_as_in_the_registry(manifest_schema: Any, component_registry: Any) -> None:
    for kind, dependencies in (("components", "requires"), ("composites", "members")):
        part = manifest_schema["properties"][kind]
        rows = component_registry[kind]
        assert part["required"] == [row["name"] for row in rows]
        for row in rows:
            fixed = part["properties"][row["name"]]["allOf"][1]["properties"]
            assert fixed["domain"] == {"const": row["domain"]}
            edges = fixed[dependencies]
            assert edges["minItems"] == edges["maxItems"] == len(row[dependencies])
            assert edges["items"] is False
            names = [
                item["const"] if kind == "composites" else item["properties"]["component"]["const"]
                for item in edges.get("prefixItems", [])
            ]
            assert names == row[dependencies]


def test_census_owners_are_the_registry_order(census_schema: Any, component_registry: Any) -> None:
    names = [row["name"] for row in component_registry["components"]]
    owners = census_schema["properties"]["owners"]
    assert owners["prefixItems"] == [{"const": name} for name in names]
    assert (owners["minItems"], owners["maxItems"], owners["items"]) == (11, 11, False)
    assert census_schema["properties"]["entries"]["items"]["properties"]["owner"]["enum"] == names


def test_census_paths_use_the_pattern_of_owned_fields(manifest_schema: Any, census_schema: Any) -> None:
    component = manifest_schema["$defs"]["componentIdentity"]["properties"]
    path = census_schema["properties"]["entries"]["items"]["properties"]["field_path"]
    assert path["pattern"] == component["owned_fields"]["items"]["pattern"]
    assert path["pattern"] == component["owned_projection"]["propertyNames"]["pattern"]
    assert (path["minLength"], path["maxLength"]) == (2, 1024)
