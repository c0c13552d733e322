"""Every field of every member of a run bundle has one owner and its readers; a new field is refused until it has."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from operatebench.census import load_field_census, load_run_bundle_census, validate_run_bundle_census
from operatebench.census.run_bundle import CONSUMERS
from operatebench.errors import BundleError
from operatebench.identity.registry import COMPONENTS
from tests.replay.bundle.bundles import evaluation, write_bundle
from tests.replay.evidence.documents import provider_non_null
from tests.support import ROOT

SCHEMAS = {path.name: json.loads(path.read_bytes()) for path in (ROOT / "schemas").glob("*.schema.json")}
PACKAGED: dict[str, Any] = json.loads((ROOT / "schemas" / "run-bundle-census-v1.registry.json").read_bytes())


def refusal(census: dict[str, Any], schemas: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(BundleError) as refused:
        validate_run_bundle_census(census, schemas)
    return refused.value.code, refused.value.path


def records(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every closed record in a schema, with its place in the document."""
    for name, item in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if isinstance(item, (dict, list)):
            yield from records(item, f"{place}/{name}")
    if isinstance(schema, dict) and schema.get("additionalProperties") is False:
        yield place, schema


def test_the_packaged_census_covers_the_packaged_schemas() -> None:
    census = load_run_bundle_census()

    cards = [
        entry for entry in census["entries"] if entry["field"].partition("/")[2].partition("/")[0].endswith("_card")
    ]
    leaves = [entry["field_path_pattern"] for entry in load_field_census()["entries"]]
    assert [entry["field"] for entry in cards] == sorted(leaf for leaf in leaves if "contract_resources" not in leaf)
    assert len(census["entries"]) == len(PACKAGED["entries"]) + len(cards)
    fields = [entry["field"] for entry in census["entries"]]
    assert fields == sorted(set(fields))
    for entry in census["entries"]:
        assert entry["owner"] in (*census["owners"], *COMPONENTS)
        assert entry["consumers"]
        assert set(entry["consumers"]) <= set(CONSUMERS)
    assert {consumer for entry in census["entries"] for consumer in entry["consumers"]} == set(CONSUMERS)


@pytest.mark.parametrize("name", PACKAGED["documents"])
def test_a_new_field_anywhere_is_refused(name: str) -> None:
    for place, _ in list(records(SCHEMAS[name])):
        changed = copy.deepcopy(SCHEMAS)
        record: Any = changed[name]
        for step in place.split("/")[1:]:
            record = record[int(step)] if isinstance(record, list) else record[step]
        record["properties"]["brand_new"] = {"type": "string"}
        code, path = refusal(PACKAGED, changed)
        assert (code, path.rpartition("/")[2]) == ("bundle_census", "brand_new"), place


@pytest.mark.parametrize("field", ["/artifact/writer/version", "/evidence/outcome/status", "/ledger/row/body"])
def test_a_field_without_entry_and_an_entry_without_field_are_refused(field: str) -> None:
    entries = [entry for entry in PACKAGED["entries"] if entry["field"] != field]
    entry = next(entry for entry in PACKAGED["entries"] if entry["field"] == field)

    for changed, place in (
        (entries, field),
        ([*entries, entry, entry], field),
        ([*PACKAGED["entries"], {**entry, "field": f"{field}/more"}], f"{field}/more"),
        ([*entries, {**entry, "owner": "nobody"}], field),
        ([*entries, {**entry, "consumers": []}], field),
        ([*entries, {**entry, "consumers": ["show", "show"]}], field),
        ([*entries, {**entry, "consumers": ["somebody"]}], field),
    ):
        assert refusal({**PACKAGED, "entries": changed}, SCHEMAS) == ("bundle_census", place)


def _open(schema: dict[str, Any]) -> None:
    del schema["properties"]["writer"]["additionalProperties"]


def _unclear(schema: dict[str, Any]) -> None:
    schema["properties"]["writer"] = {"properties": {"a": {}, "b": {}}, "allOf": [{"properties": {}}]}


@pytest.mark.parametrize("change", [_open, _unclear])
def test_what_could_hide_a_field_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    changed = copy.deepcopy(SCHEMAS)
    change(changed["artifact-v9.schema.json"])

    assert refusal(PACKAGED, changed) == ("bundle_census", "/artifact/writer")


def leaves(value: Any, place: str, known: set[str]) -> Iterator[str]:
    """Every field of a document, as the census names it, down to the known ones."""
    if place in known:
        yield place
    elif isinstance(value, dict):
        kind = value.get("kind") or value.get("record")
        below = f"{place}/{kind}" if f"{place}/{kind}/kind" in known or f"{place}/{kind}/record" in known else place
        for name, item in value.items():
            yield from leaves(item, f"{below}/{name}", known)
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, place, known)
    elif not isinstance(value, (list, type(None))) or not any(field.startswith(f"{place}/") for field in known):
        yield place


def test_the_fields_of_real_documents_are_in_the_census(tmp_path: Path) -> None:
    write_bundle(tmp_path / "run")
    lines = (tmp_path / "run" / "ledger.ndjson").read_bytes().splitlines()
    known = {entry["field"] for entry in PACKAGED["entries"]}
    documents = {
        "artifact": json.loads((tmp_path / "run" / "artifact.json").read_bytes()),
        "evaluation": evaluation(),
        "evidence": provider_non_null(),
        "ledger": [json.loads(line) for line in lines],
    }
    seen = {field for root, document in documents.items() for field in leaves(document, f"/{root}", known)}

    assert seen <= known
    for root in ("artifact", "evaluation", "ledger"):
        assert {field for field in known if field.startswith(f"/{root}/")} <= seen
