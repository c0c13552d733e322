"""The leaves follow from the card schemas: an edited one makes the census stale; what no rule covers is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.cards import CARD_SCHEMAS, load_card_registry, load_schema
from operatebench.cards.resources import DEFINITIONS, load_resource
from operatebench.census import b1, leaves, load_field_census
from operatebench.census.leaves import Surface, derive_surface
from operatebench.errors import CardValidationError
from tests.census.support import VARIANT, judge

OPERATION_CARD, SCENARIO_CARD, VARIANT_CARD = CARD_SCHEMAS


class Documents:
    """Copies of the schemas and the registry, to edit."""

    def __init__(self) -> None:
        self.schemas = {literal: load_schema(literal) for literal in CARD_SCHEMAS}
        self.definitions = load_resource(DEFINITIONS)
        self.registry = load_card_registry()

    def surface(self) -> Surface:
        return derive_surface(self.schemas, self.definitions, self.registry)

    def content(self, literal: str) -> dict[str, Any]:
        members: dict[str, Any] = self.schemas[literal]["properties"]["content"]["properties"]
        return members

    def event(self) -> dict[str, Any]:
        members: dict[str, Any] = self.content(VARIANT_CARD)["events"]["items"]["properties"]
        return members

    def refusal(self) -> tuple[str, str]:
        with pytest.raises(CardValidationError) as caught:
            self.surface()
        return caught.value.code, caught.value.path


@pytest.fixture
def documents() -> Documents:
    return Documents()


def stale(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str]:
    """Return how the packaged census is refused when these are the live documents."""
    surface = documents.surface()
    monkeypatch.setattr(b1, "live_surface", lambda: surface)
    with pytest.raises(CardValidationError) as caught:
        b1.validate_field_census(load_field_census())
    return caught.value.code, caught.value.expected, caught.value.actual


def test_the_packaged_census_has_exactly_the_leaves_of_the_packaged_schemas(documents: Documents) -> None:
    surface = documents.surface()

    entries = load_field_census()["entries"]

    assert dict(surface.owners) == {entry["field_path_pattern"]: entry["owner"] for entry in entries}
    assert len(surface.owners) == len(entries) == 106
    assert surface == leaves.live_surface()
    assert tuple(surface.consumers) == leaves.OWNERS


def test_every_array_of_records_is_known(documents: Documents) -> None:
    arrays = documents.surface().arrays

    assert len(arrays) == 17
    assert {"/variant_card/content/events", "/operation_card/content/authority_contract/roles"} <= arrays
    assert "/variant_card/content/dispatch_failures" not in arrays


def test_a_new_member_makes_the_census_stale(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    documents.event()["mood"] = {"type": "string"}

    assert stale(documents, monkeypatch) == ("census.missing_leaf", "/variant_card/content/events/mood", "no entry")


def test_a_removed_member_makes_the_census_stale(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    del documents.event()["at"]

    assert stale(documents, monkeypatch) == (
        "census.fabricated_leaf",
        "a leaf of the card contract",
        '"/variant_card/content/events/at"',
    )


def test_a_leaf_that_becomes_a_record_makes_the_census_stale(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"type": "object", "additionalProperties": False, "properties": {"a/b~": {"type": "string"}}}
    documents.event()["delay_minutes"] = record

    code, expected, _ = stale(documents, monkeypatch)
    assert (code, expected) == ("census.missing_leaf", "/variant_card/content/events/delay_minutes/a~1b~0")


def test_other_consumers_in_the_registry_make_the_census_stale(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents.registry["census_consumer_tuples_by_owner"][VARIANT].append("reporter")

    assert stale(documents, monkeypatch)[0] == "census.missing_consumer"


def derived(documents: Documents, schema: Any) -> list[str]:
    """Return the leaves that a schema for an event's payload gives, without the path of the payload."""
    documents.event()["payload"] = schema
    root = "/variant_card/content/events/payload"
    return [path.removeprefix(root) for path in documents.surface().owners if path.startswith(root)]


RECORD = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"x": {"type": "string"}, "y": {"type": "null"}},
}
REFERENCE = {"$ref": "card-defs-v1.schema.json#/$defs/operationRef"}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "string"}, [""]),
        ({"type": ["integer", "null"]}, [""]),
        ({"type": "object"}, [""]),
        ({"type": "object", "additionalProperties": RECORD}, [""]),
        ({"type": "array", "items": {"type": "string"}}, [""]),
        ({"type": "array", "items": {"type": "array", "items": RECORD}}, [""]),
        (RECORD, ["/x", "/y"]),
        (RECORD | {"type": ["object", "null"]}, ["/x", "/y"]),
        ({"oneOf": [{"type": "null"}, RECORD]}, ["/x", "/y"]),
        ({"anyOf": [REFERENCE, {"type": "null"}]}, ["/schema", "/id", "/content_digest_sha256"]),
        ({"description": "words", **REFERENCE}, ["/schema", "/id", "/content_digest_sha256"]),
        *(
            ({"$ref": f"card-defs-v1.schema.json#/$defs/{name}"}, [""])
            for name in ("fieldShapeMap", "stateSchema", "predicate", "policyContract", "jsonObject", "names")
        ),
        ({"oneOf": [{"$ref": "card-defs-v1.schema.json#/$defs/predicate"}, {"type": "null"}]}, [""]),
        ({"type": "array", "items": {"$ref": "card-defs-v1.schema.json#/$defs/predicate"}}, [""]),
        ({"type": "array", "items": {"$ref": "card-defs-v1.schema.json#/$defs/policyContract"}}, [""]),
    ],
)
def test_the_rules_of_expansion(documents: Documents, schema: Any, found: list[str]) -> None:
    assert derived(documents, schema) == found


@pytest.mark.parametrize("items", [RECORD, REFERENCE, {"oneOf": [{"type": "null"}, RECORD]}])
@pytest.mark.parametrize(
    ("sets", "ordered", "accepted"), [(0, 0, False), (1, 0, True), (0, 1, True), (1, 1, False), (2, 0, False)]
)
def test_an_array_of_records_is_classified_once(
    documents: Documents, items: Any, sets: int, ordered: int, accepted: bool
) -> None:
    place = "/content/events/payload"
    documents.registry["set_class_array_json_pointers"] += [place] * sets
    documents.registry["ordered_array_json_pointers"] += [place] * ordered
    documents.event()["payload"] = {"type": "array", "items": items}

    if accepted:
        assert f"/variant_card{place}" in documents.surface().arrays
    else:
        assert documents.refusal() == ("census.array_class", f"/variant_card{place}")


def test_an_array_the_registry_forgets_is_refused(documents: Documents) -> None:
    documents.registry["ordered_array_json_pointers"].remove("/content/decision_points")

    assert documents.refusal() == ("census.array_class", "/semantic_scenario_card/content/decision_points")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"type": "string"}}},
        RECORD | {"additionalProperties": {"type": "string"}},
        RECORD | {"patternProperties": {"^y": {"type": "string"}}},
        {"oneOf": [{"type": "string"}, RECORD]},
        {"anyOf": [{"type": "null"}]},
        {"oneOf": [{"type": "null"}, RECORD], "properties": {"z": {"type": "string"}}},
        REFERENCE | {"properties": {"z": {"type": "string"}}},
        {"$ref": "card-defs-v1.schema.json#/$defs/absent"},
        {"$ref": "elsewhere.json#/$defs/name"},
        {"allOf": [RECORD]},
        {"type": "object", "allOf": [RECORD]},
        {"type": "array", "prefixItems": [RECORD]},
        {},
    ],
)
def test_what_no_rule_covers_is_refused(documents: Documents, schema: Any) -> None:
    documents.event()["payload"] = schema

    assert documents.refusal() == ("census.surface", "/variant_card/content/events/payload")


def test_a_record_within_itself_is_refused(documents: Documents) -> None:
    documents.definitions["$defs"]["loop"] = RECORD | {"properties": {"next": {"$ref": "#/$defs/loop"}}}
    documents.event()["payload"] = {"$ref": "card-defs-v1.schema.json#/$defs/loop"}

    assert documents.refusal() == ("census.surface", "/variant_card/content/events/payload/next")


def test_a_reference_to_itself_is_refused(documents: Documents) -> None:
    documents.definitions["$defs"]["name"] = {"$ref": "#/$defs/name"}

    assert documents.refusal()[0] == "census.surface"


def test_an_underivable_surface_is_a_refusal_of_the_census_too(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents.event()["payload"] = {}
    surface: Callable[[], Surface] = documents.surface
    monkeypatch.setattr(b1, "live_surface", surface)

    assert judge(load_field_census()) == ("census.surface", "/variant_card/content/events/payload")
