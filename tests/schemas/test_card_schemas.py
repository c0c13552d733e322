"""The card schemas are valid Draft 2020-12, closed everywhere, bounded everywhere, described and self-contained."""

import hashlib
import json
from importlib.resources import files
from itertools import combinations
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from tests.schemas.card_support import (
    ALL_FILES,
    CARD_FILES,
    CENSUS_FILE,
    CENSUS_SCHEMA_FILE,
    DEFINITIONS_FILE,
    INTEGER_MAX,
    INTEGER_MIN,
    REGISTRY_FILE,
    SCHEMA_FILES,
    read,
    subschemas,
)

PINS = {
    DEFINITIONS_FILE: "082de96b26764b3e7226daaf3d6189a7921c241db3260908efc816f9300ec6ed",
    CARD_FILES["operation"]: "8a3d24d984d8bc03440dc10ca1b34ebb919afd9bd03fe71990c8cbf94b38bd09",
    CARD_FILES["scenario"]: "07b81773af472c68bf391e0daf4ce994edd94cfcb0a506c95aa729af2623e621",
    CARD_FILES["variant"]: "1770334691af394a0cd5786a481b6e23fcc916360b8e6517ae4a51b388a06db4",
    REGISTRY_FILE: "a6f7569d7c1e06f1d7e0f56fb966c8c6c54e6d54bc5e01890fadc3342c547009",
    CENSUS_SCHEMA_FILE: "c1d74f33cd8b05151c92e044c13dadae3120a703df49fef1f265cd1d0df92a43",
    # The census is data only, and has the bytes its first publisher pinned (cards contract, section 20).
    CENSUS_FILE: "056b7acf26a0fcdc01b04abe7552b3f0c35a0ad70935434d01d94ef70ef1ef61",
}
LITERALS = {
    "operation": "operatebench.operation_card.v1",
    "scenario": "operatebench.semantic_scenario_card.v1",
    "variant": "operatebench.variant_card.v1",
}


def types(schema: dict[str, Any]) -> set[str]:
    """The types a schema names."""
    named = schema.get("type", [])
    return {named} if isinstance(named, str) else set(named)


def is_condition(place: str) -> bool:
    """Whether a schema only narrows the closed record it stands in."""
    return any(word in place.split("/") for word in ("if", "then", "else"))


def definition(reference: str) -> Any:
    """The definition a reference names."""
    return read(DEFINITIONS_FILE)["$defs"][reference.rpartition("/")[2]]


@pytest.mark.parametrize("name", ALL_FILES)
def test_documents_have_their_pinned_bytes(name: str) -> None:
    assert hashlib.sha256(files("operatebench.schemas").joinpath(name).read_bytes()).hexdigest() == PINS[name]


@pytest.mark.parametrize("name", ALL_FILES)
def test_documents_are_two_space_json_with_a_final_newline(name: str) -> None:
    data = files("operatebench.schemas").joinpath(name).read_bytes()
    assert data == (json.dumps(json.loads(data), indent=2) + "\n").encode("ascii")


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_schema_is_valid_draft_2020_12_for_both_engines(name: str) -> None:
    schema = read(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://operatebench.org/schemas/{name}"
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_every_object_is_a_closed_record_or_a_bounded_map(name: str) -> None:
    seen = 0
    for place, sub in subschemas(read(name)):
        if is_condition(place) or "object" not in types(sub):
            continue
        if "properties" in sub:
            assert sub["additionalProperties"] is False, place
            assert sub["required"] == list(sub["properties"]), place
        else:
            assert sub["maxProperties"] == 4096, place
            assert isinstance(sub["additionalProperties"], dict), place
            assert list(sub["propertyNames"]) == ["$ref"], place
        seen += 1
    assert seen > 1


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_every_other_type_is_bounded_too(name: str) -> None:
    for place, sub in subschemas(read(name)):
        if is_condition(place) or "const" in sub or "enum" in sub:
            continue
        named = types(sub)
        if "array" in named:
            assert "items" in sub, place
            assert sub["maxItems"] == 4096, place
        if "integer" in named:
            assert sub["minimum"] in {INTEGER_MIN, 0, 1}, place
            assert sub["maximum"] == INTEGER_MAX, place
        if "string" in named:
            assert 0 < sub["maxLength"] <= 1_048_576, place
            assert "pattern" in sub, place


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_every_schema_says_what_it_allows(name: str) -> None:
    for place, sub in subschemas(read(name)):
        if not is_condition(place):
            assert types(sub) or "$ref" in sub or "oneOf" in sub or "$defs" in sub, place
        if "const" in sub:
            kind = {bool: "boolean", int: "integer", str: "string"}[type(sub["const"])]
            assert sub["type"] == kind, place


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_every_member_and_definition_is_described(name: str) -> None:
    schema = read(name)
    assert schema["title"].endswith(", version 1")
    assert schema["description"].endswith(".")
    tags = {"kind", "type"}
    for place, sub in subschemas(schema):
        if is_condition(place):
            continue
        if "/properties/" in place and place.rsplit("/", 2)[1] == "properties" and place.rsplit("/", 1)[1] not in tags:
            described = sub.get("description") or definition(sub["$ref"])["description"]
            assert described.endswith("."), place
    for key, sub in schema.get("$defs", {}).items():
        assert sub["description"].endswith("."), key


@pytest.mark.parametrize("name", SCHEMA_FILES)
def test_references_lead_to_the_definitions_only(name: str) -> None:
    prefix = "#/$defs/" if name == DEFINITIONS_FILE else f"{DEFINITIONS_FILE}#/$defs/"
    for place, sub in subschemas(read(name)):
        if "$ref" in sub:
            assert sub["$ref"].startswith(prefix), place
            assert definition(sub["$ref"]), place
            assert set(sub) <= {"$ref", "description"}, place


def test_every_definition_but_the_general_reference_is_used() -> None:
    used = {
        sub["$ref"].rpartition("/")[2] for name in SCHEMA_FILES for _, sub in subschemas(read(name)) if "$ref" in sub
    }
    assert set(read(DEFINITIONS_FILE)["$defs"]) - used == {"cardRef"}


def test_card_envelopes_carry_their_literal_and_five_members() -> None:
    for kind, file in CARD_FILES.items():
        schema = read(file)
        assert list(schema["properties"]) == ["schema", "schema_version", "id", "content", "content_digest_sha256"]
        assert schema["properties"]["schema"]["const"] == LITERALS[kind]
    assert read(DEFINITIONS_FILE)["$defs"]["schemaVersion"]["const"] == 1


def test_references_carry_the_expected_literal() -> None:
    found = read(DEFINITIONS_FILE)["$defs"]
    assert found["operationRef"]["properties"]["schema"]["const"] == LITERALS["operation"]
    assert found["scenarioRef"]["properties"]["schema"]["const"] == LITERALS["scenario"]
    assert found["cardRef"]["properties"]["schema"]["enum"] == list(LITERALS.values())


def recursive(schema: Any) -> set[str]:
    """The members of a record below which tagged unions may stand."""
    unions = {"fieldShape", "fieldShapeMap", "fieldEntry", "stateSchema", "predicate"}
    return {
        name
        for name, member in schema["properties"].items()
        for _, sub in subschemas(member)
        if sub.get("$ref", "").rpartition("/")[2] in unions
    }


@pytest.mark.parametrize("union", ["fieldShape", "stateSchema", "predicate", "expression"])
def test_tags_and_nesting_members_stand_in_one_branch_only(union: str) -> None:
    branches = read(DEFINITIONS_FILE)["$defs"][union]["oneOf"]
    for branch in branches:
        tag = next(iter(branch["properties"]))
        assert tag == ("type" if union == "stateSchema" else "kind")
        assert branch["properties"][tag]["type"] == "string"
    for one, other in combinations(branches, 2):
        tags = [next(iter(branch["properties"].values())) for branch in (one, other)]
        values = [set(tag.get("enum", [tag.get("const")])) for tag in tags]
        assert not values[0] & values[1]
        assert not recursive(one) & recursive(other)


def test_the_closed_lists_are_those_of_the_contract() -> None:
    found = read(DEFINITIONS_FILE)["$defs"]

    def tags(union: str) -> list[str]:
        rows = [next(iter(branch["properties"].values())) for branch in found[union]["oneOf"]]
        return [value for row in rows for value in row.get("enum", [row.get("const")])]

    assert tags("fieldShape") == ["string", "integer", "boolean", "null", "array", "object"]
    assert sorted(tags("stateSchema")) == ["array", "boolean", "integer", "null", "object", "string"]
    assert tags("predicate") == ["all", "any", "not", "scalar", "quantified"]
    assert tags("expression") == ["pointer", "binding", "literal"]
    scalar, quantified = found["predicate"]["oneOf"][2:]
    operators = ["EQ", "NE", "LT", "LTE", "GT", "GTE", "IN", "NOT_IN", "MATCHES"]
    assert scalar["properties"]["operator"]["enum"] == operators
    assert quantified["properties"]["quantifier"]["enum"] == ["ALL", "ANY", "NONE"]


def sets_of(schema: Any, path: str = "") -> set[str]:
    """Every path of a set-class array, recursive definitions opened once; `*` is an item or a free name."""
    found: set[str] = set()

    def visit(sub: Any, place: str, opened: tuple[str, ...]) -> None:
        if isinstance(sub, bool):
            return
        if "$ref" in sub:
            name = sub["$ref"].rpartition("/")[2]
            if name in opened:
                found.add(f"{place} -> {name}") if name in RECURSIVE else None
                return
            visit(definition(sub["$ref"]), place, (*opened, name))
            return
        if sub.get("uniqueItems"):
            found.add(place)
        for name, member in sub.get("properties", {}).items():
            visit(member, f"{place}/{name}", opened)
        for branch in sub.get("oneOf", []):
            visit(branch, place, opened)
        if "items" in sub:
            visit(sub["items"], f"{place}/*", opened)
        if isinstance(sub.get("additionalProperties"), dict):
            visit(sub["additionalProperties"], f"{place}/*", opened)

    visit(schema, path, ())
    return found


RECURSIVE = {"fieldShape", "fieldShapeMap", "stateSchema"}


def test_the_sets_of_the_cards_are_these() -> None:
    shape = {
        "/*/shape/enum",
        "/*/shape/items -> fieldShape",
        "/*/shape/fields -> fieldShapeMap",
    }
    maps = (
        "/content/event_contracts/*/required",
        "/content/event_contracts/*/optional",
        "/content/action_contracts/*/required",
        "/content/action_contracts/*/optional",
        "/content/retrieval_contract/catalogue/*/arguments",
    )
    state = "/content/state_contract/initial_state_schema"
    assert sets_of(read(CARD_FILES["operation"])) == {
        f"{state}/enum",
        f"{state}/required",
        f"{state}/items -> stateSchema",
        f"{state}/properties/* -> stateSchema",
        "/content/state_contract/canonical_state_projection",
        "/content/authority_contract/roles",
        "/content/authority_contract/roles/*/authorities",
        "/content/authority_contract/event_authority",
        "/content/authority_contract/action_authority",
        "/content/event_contracts",
        "/content/action_contracts",
        "/content/retrieval_contract/catalogue",
        "/content/retrieval_contract/evidence_requirements",
        "/content/retrieval_contract/evidence_requirements/*/required_tools",
        "/content/transition_contract/reducer_ids",
        "/content/transition_contract/obligation_types",
        "/content/transition_contract/terminal_kinds",
        "/content/transition_contract/common_predicate_inputs",
        *(place + end for place in maps for end in shape),
    }
    assert sets_of(read(CARD_FILES["scenario"])) == {
        "/content/decision_points/*/required_prior_point_ids",
        "/content/decision_points/*/admissible_effect_classes",
        "/content/causal_graph/nodes",
        "/content/causal_graph/edges",
        "/content/authored_hazards",
        "/content/common_outcome_obligations",
        "/content/allowed_variant_dimensions",
    }
    assert sets_of(read(CARD_FILES["variant"])) == {
        "/content/required_checkpoint_types",
        "/content/dispatch_failures",
        "/content/actors",
        "/content/message_fixtures",
    }
