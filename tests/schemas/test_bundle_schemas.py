"""The schemas of run bundles are pinned, valid and closed, judged alike by all engines, and as the code has them."""

import copy
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import referencing

from operatebench.replay.bundle.contract import ARTIFACT_RESOURCE, PLACES
from operatebench.replay.evaluation import EVALUATION_RESOURCE
from operatebench.replay.ledger.contract import HEADER_FIELDS, ROW_FIELDS, TERMINAL_FIELDS
from schemas_gen import bundle
from tests.replay.bundle.bundles import evaluation, write_bundle
from tests.schemas.card_support import linear, read, read_text, subschemas

PINS = {
    bundle.ARTIFACT_FILE: "c7797dd43a80a872d046e1329fd2877da6b991a7a6b1d4ce8d9f0299ee164557",
    bundle.EVALUATION_FILE: "309ba814a632f2e261faca6d0ae5723c350bedf18449aa922d6f44d8028e8048",
    bundle.LEDGER_FILE: "dee63c9ed55c96139ffdbe6b5fe0ebdb084941e8db167c55ce7faa0877629d38",
    bundle.REGRADE_FILE: "66b4bf6db2acd955577cc814ee8576abcdeb2ab7c97efff859e690038f052801",
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Documents of each kind, as they are written."""
    run: Path = tmp_path_factory.mktemp("bundles") / "run"
    write_bundle(run)
    regrade = {
        "schema": "operatebench.regrade.v1",
        "schema_version": 1,
        "artifact_digest_sha256": "a" * 64,
        "old_evaluator_content_digest_sha256": "b" * 64,
        "new_evaluator_content_digest_sha256": "c" * 64,
        "evaluation": evaluation(),
        "regrade_digest_sha256": "d" * 64,
    }
    return {
        bundle.ARTIFACT_FILE: [json.loads((run / "artifact.json").read_bytes())],
        bundle.EVALUATION_FILE: [evaluation()],
        bundle.LEDGER_FILE: [json.loads(line) for line in (run / "ledger.ndjson").read_bytes().splitlines()],
        bundle.REGRADE_FILE: [regrade],
    }


def verdicts(name: str, document: Any) -> set[bool]:
    """Return what two engines, one of them also in linear time, say of a document."""
    inner = read(bundle.EVALUATION_FILE)
    resources = [(inner["$id"], referencing.Resource.from_contents(inner))]
    second = jsonschema.Draft202012Validator(read(name), registry=referencing.Registry().with_resources(resources))
    published = jsonschema_rs.Draft202012Validator(
        read(name), registry=jsonschema_rs.Registry([(inner["$id"], inner)]), offline=True
    )
    ours = jsonschema_rs.Draft202012Validator(
        linear(name),
        registry=jsonschema_rs.Registry([(inner["$id"], linear(bundle.EVALUATION_FILE))]),
        offline=True,
        pattern_options=jsonschema_rs.RegexOptions(),
    )
    return {engine.is_valid(document) for engine in (second, published, ours)}


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    for token, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, token)
        if isinstance(item, (dict, list)) and (*path, token) != ("body",):
            yield from places(item, (*path, token))


@pytest.mark.parametrize("name", PINS)
def test_a_schema_has_its_pinned_bytes_and_is_valid(name: str) -> None:
    assert hashlib.sha256(read_text(name).encode()).hexdigest() == PINS[name]
    jsonschema.Draft202012Validator.check_schema(read(name))
    for _, schema in subschemas(read(name)):
        if "properties" in schema and "allOf" not in schema and "if" not in schema:
            assert schema.get("additionalProperties") is False or set(schema["properties"]) == {"record"}


def test_the_code_names_the_same_pins() -> None:
    for resource in (ARTIFACT_RESOURCE, EVALUATION_RESOURCE):
        assert resource.sha256 == PINS[resource.name]


@pytest.mark.parametrize("name", PINS)
def test_all_engines_accept_what_is_written_and_refuse_any_null_or_missing_member(
    name: str, documents: dict[str, list[Any]]
) -> None:
    nullable = {"checkpoint_type", "checkpoint_id", "at", "opened_at", "due_at", "spec_sha256"}
    nullable |= {"authorization_digest_sha256", "lock_digest_sha256"}
    for document in documents[name]:
        assert verdicts(name, document) == {True}
        seen = set()
        for place in places(document):
            kind = tuple(token for token in place if isinstance(token, str))
            free = kind[-1] in ("decisions", "orjson") or kind[0] == "body"  # names of maps
            if kind in seen or (free and len(kind) > 1) or isinstance(place[-1], int):
                continue
            seen.add(kind)
            for change in ("null", "missing"):
                changed = copy.deepcopy(document)
                holder = changed
                for token in place[:-1]:
                    holder = holder[token]
                if change == "null":
                    holder[place[-1]] = None
                else:
                    del holder[place[-1]]
                lawful = change == "null" and kind[-1] in nullable and name != bundle.LEDGER_FILE
                assert verdicts(name, changed) == {lawful}, (place, change)


def test_the_ledger_schema_has_the_fields_of_the_reader() -> None:
    branches = read(bundle.LEDGER_FILE)["allOf"]
    found = {part["if"]["properties"]["record"]["const"]: sorted(part["then"]["properties"]) for part in branches}

    assert found == {
        "header": sorted(HEADER_FIELDS),
        "row": sorted(ROW_FIELDS),
        "terminal": sorted(TERMINAL_FIELDS),
    }


def test_the_artifact_schema_knows_the_members_of_the_code() -> None:
    assert sorted(bundle.ROLES) == sorted(PLACES)
    assert sorted(bundle.PATHS) == sorted(place.path for place in PLACES.values())
    assert max(place.limit for place in PLACES.values()) == bundle.LARGEST_MEMBER
    assert [place.path for place in PLACES.values()] == sorted(place.path for place in PLACES.values())
