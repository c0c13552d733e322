"""The packaged schemas, registries and golden document have exactly the bytes everybody else computes with."""

import hashlib
import json
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

SCHEMAS = files("operatebench.schemas")
VECTORS = files("operatebench.vectors").joinpath("identity")

PUBLISHED = [
    (
        SCHEMAS.joinpath("identity-component-registry-v1.json"),
        "852690707e5864ba3d15591094a9c1872dbce2ec4458483c2523ea554553db5f",
    ),
    (
        SCHEMAS.joinpath("identity-compatibility-v1.registry.json"),
        "bcb84fdac5a545e34f002113eed1ac7231d7387c0cd61a6043acc6895282ba44",
    ),
    (
        VECTORS.joinpath("identity-manifest-digest-v1.golden.json"),
        "01bceeb07cf195415d519f570e13c697b80f0c4ab4ae7945763fcc1a83225948",
    ),
]
OURS = [
    (
        SCHEMAS.joinpath("identity-manifest-v1.schema.json"),
        "2cc36cdffa5baa5218aabfd60ac3f84295dfb35b2ca48824b2ffb934594b151c",
    ),
    (
        SCHEMAS.joinpath("identity-manifest-projection-census-v1.schema.json"),
        "cb4201b75cd6f8ca30d52a01e73d030bb87b86e42697e8a433c9245d2c480e2d",
    ),
]
FOURTEEN_DIGESTS = {
    "card_schema_content": "6ea65e919b821f70bcd52825e58b398d1ff532143fef21122ded8434a499a99b",
    "build_provenance_content": "3bd17b1465a01f24831230441bcd32993d7b7adcc6963d9641bdbba3a9bb45c7",
    "operation_core_content": "fb1f8e065c89c00aab83ebf201dc22e78d168617ff51c12d54a95d08b404fac0",
    "semantic_scenario_content": "1b689ec623535ecdbd16ca5d9ee1f51f0aa6759ae217eb3bcb986eb2ca6e9bf8",
    "variant_content": "0add47d249cd6e8a55dfb79d29356dd0f6ece3a4e372236d98fb3a9b48146781",
    "runtime_contract_content": "4e4cf36e4eb708e52185dd61ac2988ac0f83c73c9cbfd545d65b34d972e1e2d0",
    "scaffold_content": "d383710341102d6549c236803329acd202e31ad4f646ccef43098f35c4451060",
    "arm_protocol_content": "21cf80a871163365202943612dfe8c3be0f752e8d0da1bae3a383eb9c47c3826",
    "provider_run_plan_content": "9bcc863d148afe1a81d558ad0cec1a22b8ec2bc17efacade5ec3abc6ce092b4d",
    "evaluator_bundle_content": "e197fea41f20c7780d0592f8ddde5cbae0a823b1ead09603fc6608752af2402d",
    "analysis_contract_content": "506519362dc50e3dbd506e311e2bf33062f95d1e474a6b002a4b9dc94715ff90",
    "runtime_bundle": "251e36a96f2c4cf474d06cef7d3ff3d39aab75211b4b9d191f1c4c4647b9a1bc",
    "experiment_bundle": "dea1f4bed6860d3a5e78ee2e2e7386d6aa67b84878a6eb8be8d7d9beb6efe80e",
    "manifest": "44a47e0c8229e14ed96b176223d6e798885ed5289e4375aa3d9e6b1cda4d444c",
}


@pytest.mark.parametrize(("resource", "pin"), PUBLISHED, ids=lambda value: getattr(value, "name", None))
def test_registries_and_golden_have_their_published_bytes(resource: Traversable, pin: str) -> None:
    assert hashlib.sha256(resource.read_bytes()).hexdigest() == pin


@pytest.mark.parametrize(("resource", "pin"), OURS, ids=lambda value: getattr(value, "name", None))
def test_our_schemas_have_their_own_pinned_bytes(resource: Traversable, pin: str) -> None:
    assert hashlib.sha256(resource.read_bytes()).hexdigest() == pin


@pytest.mark.parametrize("resource", [resource for resource, _ in PUBLISHED + OURS], ids=lambda value: value.name)
def test_documents_are_two_space_json_with_a_final_newline(resource: Traversable) -> None:
    data = resource.read_bytes()
    assert data == (json.dumps(json.loads(data), indent=2) + "\n").encode("ascii")


def test_golden_document_holds_the_fourteen_published_digests() -> None:
    golden = json.loads(VECTORS.joinpath("identity-manifest-digest-v1.golden.json").read_bytes())
    manifest = golden["manifest"]["manifest"]
    digests = {name: identity["content_digest_sha256"] for name, identity in manifest["components"].items()}
    digests |= {name: identity["bundle_digest_sha256"] for name, identity in manifest["composites"].items()}
    digests["manifest"] = manifest["manifest_digest_sha256"]
    assert digests == FOURTEEN_DIGESTS
    assert golden["component"]["digest_sha256"] == digests["card_schema_content"]
    assert golden["composite"]["digest_sha256"] == digests["runtime_bundle"]
    assert golden["manifest"]["digest_sha256"] == digests["manifest"]


@pytest.mark.parametrize(("part", "size"), [("component", 166), ("composite", 5758), ("manifest", 8649)])
def test_golden_bytes_are_the_wrapper_and_hash_to_the_digest(part: str, size: int) -> None:
    golden = json.loads(VECTORS.joinpath("identity-manifest-digest-v1.golden.json").read_bytes())[part]
    data = bytes.fromhex(golden["canonical_utf8_hex"])
    assert len(data) == size
    assert json.loads(data) == golden["wrapper"]
    assert hashlib.sha256(data).hexdigest() == golden["digest_sha256"]
