"""The evidence schemas are pinned, valid Draft 2020-12, closed and described, and judged alike by all engines."""

import hashlib
import json
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import referencing

from operatebench.conformance.resealing import places, swept
from operatebench.replay.evidence.resources import SCHEMA_FILES
from schemas_gen import evidence
from tests.schemas.card_support import Accepts, linear, one_verdict, read, subschemas

PINS = {
    evidence.EVIDENCE_FILE: "2d08848d5f1194e24f5222c6b7f930e183279ee6f2248346bd1cda12604fbe63",
    evidence.OUTCOME_FILE: "18c3602f1b953507a93254cf52b8aab5eb53b83c75751da706a59ea1231fd3f9",
    evidence.TAPE_FILE: "3ad06210e1da0323cc6a88dc3f38d272d0791e0766435cdf78aa5e556c401f68",
    evidence.EXECUTION_FILE: "08a8e84e2a6e40a68038f927d43484a1ac5ffe65d7e1e223d27a586ae6d6361d",
    evidence.BINDING_FILE: "60c992099c74c9528e3fbbae4a4ccb6bec9f3d8a1dcfad39fbeba8b126dc09ee",
}
INNER = [name for name in PINS if name != evidence.EVIDENCE_FILE]
CASES = json.loads(files("operatebench.vectors").joinpath("evidence", "executed_evidence.json").read_bytes())["cases"]


@pytest.fixture(scope="module")
def accepts() -> Accepts:
    """The joint verdict of `jsonschema`, and of `jsonschema-rs` with both of its pattern engines."""
    documents = {name: read(name) for name in PINS}
    resources = [(each["$id"], referencing.Resource.from_contents(each)) for each in documents.values()]
    second = jsonschema.Draft202012Validator(
        documents[evidence.EVIDENCE_FILE], registry=referencing.Registry().with_resources(resources)
    )
    published = jsonschema_rs.Draft202012Validator(
        documents[evidence.EVIDENCE_FILE],
        registry=jsonschema_rs.Registry([(documents[name]["$id"], documents[name]) for name in INNER]),
        offline=True,
    )
    rewritten = jsonschema_rs.Draft202012Validator(
        linear(evidence.EVIDENCE_FILE),
        registry=jsonschema_rs.Registry([(documents[name]["$id"], linear(name)) for name in INNER]),
        offline=True,
        pattern_options=jsonschema_rs.RegexOptions(),
    )
    return one_verdict(second, published, rewritten)


@pytest.mark.parametrize("name", PINS)
def test_schema_has_its_pinned_bytes(name: str) -> None:
    data = files("operatebench.schemas").joinpath(name).read_bytes()

    assert hashlib.sha256(data).hexdigest() == PINS[name]
    assert data == (json.dumps(json.loads(data), indent=2) + "\n").encode("ascii")
    assert {resource.name: resource.sha256 for resource in SCHEMA_FILES.values()} == PINS


@pytest.mark.parametrize("name", PINS)
def test_schema_is_valid_draft_2020_12_for_both_engines(name: str) -> None:
    schema = read(name)

    assert (schema["$schema"], schema["$id"]) == (
        "https://json-schema.org/draft/2020-12/schema",
        f"https://operatebench.org/schemas/{name}",
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("name", PINS)
def test_records_are_closed_patterns_end_absolutely_and_members_are_described(name: str) -> None:
    closed = 0
    for place, sub in subschemas(read(name)):
        if "additionalProperties" in sub:
            assert sub["additionalProperties"] is False, place
            assert sub["required"] == list(sub["properties"]), place
            closed += 1
            for member, inner in sub["properties"].items():
                assert member == "kind" or inner["description"].endswith("."), f"{place}/{member}"
        if "pattern" in sub:
            assert sub["pattern"].startswith("^"), place
            assert sub["pattern"].endswith(r"(?![\s\S])"), place
        if "$ref" in sub:
            assert sub["$ref"] in INNER, place
        if sub.get("type") == "array":
            assert sub["maxItems"] == 4096, place
    assert closed


@pytest.mark.parametrize("name", [case["name"] for case in CASES if "document" in case])
def test_engines_agree_on_every_case(accepts: Accepts, name: str) -> None:
    case = next(case for case in CASES if case["name"] == name)

    assert accepts(case["document"]) is (case["expect"].get("marker") != "<schema>")


@pytest.mark.parametrize("how", ["delete", "substitute"])
@pytest.mark.parametrize("base", ["solo_base", "duo_base"])
def test_engines_agree_on_every_place(accepts: Accepts, base: str, how: Any) -> None:
    document = next(case for case in CASES if case["name"] == base)["document"]

    verdicts = {place: accepts(swept(document, place, how)) for place in places(document)}

    free = ("/outcome/final_state/", "/outcome/trajectory/", "/payload/", "/arguments/")
    for place, accepted in verdicts.items():
        if any(part in place for part in free):
            assert accepted, place
        elif how == "delete" and not place.rsplit("/", 1)[1].isdigit():
            assert not accepted, place
