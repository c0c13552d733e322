"""The live manifest: valid, half empty, and moved by a change as far as bundles reach."""

import dataclasses
from typing import Any

import pytest

from operatebench.cards import load_card_chain
from operatebench.errors import SpecError
from operatebench.identity import identity_diff, validate_identity_manifest
from operatebench.identity.component import MAX_COMPONENT_IDENTITY_BYTES, MAX_COMPONENT_IDENTITY_NODES
from operatebench.identity.registry import COMPONENTS
from operatebench.replay.identity import operation_instance_id
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.spec.load import parse_spec
from operatebench.tracks.lifecycle import packaged_spec
from operatebench.tracks.lifecycle.binding import (
    SECTIONS,
    cards_of,
    facts,
    live_identity,
    owner_of_section,
)
from operatebench.tracks.lifecycle.budget import RECORD_BUDGET
from tests.runtime.maintenance.spec.edits import SHIPPED, shipped
from tests.tracks.lifecycle.binding.bound import AGENT, binding, files, moved, projected, reloaded, usual
from tests.tracks.lifecycle.episodes import canonical, sha256

ANOTHER = (1, "f" * 64)
EVALUATOR = "runtime/maintenance/evaluator/recovery.py"
BOTH = ("runtime_bundle", "experiment_bundle")

REACH = {
    "schemas/variant-card-v1.schema.json": ("card_schema_content", ()),
    "identity/canonical.py": ("build_provenance_content", BOTH),
    "runtime/maintenance/operation.py": ("operation_core_content", BOTH),
    "runtime/core/engine.py": ("runtime_contract_content", BOTH),
    "runtime/maintenance/agents/reference.py": ("scaffold_content", BOTH),
    EVALUATOR: ("evaluator_bundle_content", ("experiment_bundle",)),
}
"""File -> owner, and the bundles that hold the owner."""


def nodes(value: Any) -> int:
    """Count the values of plain JSON, names not."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(nodes, inner))


@pytest.mark.parametrize("variant_id", list(packaged_spec().variants))
def test_the_manifest_is_valid_and_every_component_under_half_of_its_limits(variant_id: str) -> None:
    live = usual(variant_id)
    manifest, census = dict(live.manifest), dict(live.census)
    assert validate_identity_manifest(manifest, census, live.projections) == live.validated
    assert live.projections.keys() == COMPONENTS.keys()
    for name, identity in live.manifest["components"].items():
        assert nodes(identity) * 2 <= MAX_COMPONENT_IDENTITY_NODES, name
        assert len(canonical(identity)) * 2 <= MAX_COMPONENT_IDENTITY_BYTES, name


def test_every_agent_stays_under_half_of_the_limits() -> None:
    for agent_id in AGENTS:
        size = len(canonical(binding(agent_id=agent_id).manifest["components"]["scaffold_content"]))
        assert size * 2 <= MAX_COMPONENT_IDENTITY_BYTES, agent_id


@pytest.mark.parametrize("path", REACH)
def test_a_change_reaches_who_requires_it_and_the_bundles_that_hold_it(path: str) -> None:
    owner, bundles = REACH[path]
    rows = {row.owner: row for row in identity_diff(usual().validated, binding(changed={path: ANOTHER}).validated)}
    assert [name for name, row in rows.items() if row.changed_field_paths] == [owner]
    assert rows[owner].changed_composites == bundles
    follow = {name for name, spec in COMPONENTS.items() if owner in spec.requires}
    assert rows.keys() == {owner} | follow


def test_the_evaluator_moves_neither_runtime_bundle_nor_instance() -> None:
    old, new = usual(), binding(changed={EVALUATOR: ANOTHER})
    assert new.runtime_bundle_digest_sha256 == old.runtime_bundle_digest_sha256
    assert new.manifest["manifest_digest_sha256"] != old.manifest["manifest_digest_sha256"]


def test_the_engine_moves_no_content_of_the_evaluator() -> None:
    old, new = usual(), binding(changed={"runtime/core/engine.py": ANOTHER})
    assert new.runtime_bundle_digest_sha256 != old.runtime_bundle_digest_sha256
    name = "evaluator_bundle_content"
    assert new.projections[name] == old.projections[name]


def test_another_record_budget_moves_the_runtime_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    old = usual()
    monkeypatch.setattr(facts, "RECORD_BUDGET", dataclasses.replace(RECORD_BUDGET, rows=3_999))
    assert moved(old.projections, binding().projections) == {"runtime_contract_content": {"/engine/record_budget"}}


def test_variants_and_agents_have_bundles_of_their_own() -> None:
    assert moved(usual("V1").projections, usual("V2").projections).keys() == {"variant_content"}
    other = binding(agent_id="always_wait")
    assert moved(usual().projections, other.projections).keys() == {"scaffold_content"}
    assert len({live.runtime_bundle_digest_sha256 for live in (usual("V1"), usual("V2"), other)}) == 3


def test_an_agent_from_elsewhere_is_bound_by_its_name() -> None:
    own = {path for path in usual().projections["scaffold_content"] if path.endswith("/agents/reference.py")}
    changes = moved(usual().projections, binding(agent_id="somebody").projections)
    assert changes == {"scaffold_content": own | {"/scaffold/agent_id"}}


def test_the_instance_id_is_derived_as_the_contract_says() -> None:
    wrapper = {
        "domain": "operatebench.digest.operation_instance.v1",
        "schema": "operatebench.operation_instance.v1",
        "content": {"runtime_bundle_digest_sha256": "ab" * 32, "trial": 3},
    }
    assert operation_instance_id("ab" * 32, 3) == f"opinst_{sha256(wrapper)[:32]}"
    assert operation_instance_id("ab" * 32, 4) != operation_instance_id("ab" * 32, 3)


def test_the_cards_are_read_from_their_text() -> None:
    live = usual("V2")
    documents = list(live.cards.values())
    chain = load_card_chain([canonical(card) for card in documents])
    assert [card["id"] for card in chain] == [
        "lettings_recurring_leak@1.0.0",
        "lettings_recurring_leak.spend_and_return",
        "lettings_recurring_leak.spend_and_return.v2",
    ]
    references, variant = live.card_refs(), live.cards["variant"]["content"]
    assert references["semantic_scenario"] == variant["semantic_scenario"]
    assert references["operation"] == live.cards["semantic_scenario"]["content"]["operation_core"]
    assert variant["dispatch_failures"] == ["msg_handover_notice"]
    assert variant["events"][0]["at"] == "2032-04-05T08:30:00.000000Z"
    assert variant["events"][-1]["payload"]["decision"] == "TAKE_OWNERSHIP"


def test_no_text_of_a_message_or_event_is_projected() -> None:
    spec, shown = packaged_spec(), canonical(usual().projections).decode()
    for text in (*(fixture.text for fixture in spec.message_fixtures.values()), *spec.surface_fixtures.values()):
        assert text not in shown


def test_sections_are_total_over_the_spec() -> None:
    sections = {entry.split("/")[1] for entry in SECTIONS}
    assert sections == set(packaged_spec().content)
    assert set(SECTIONS.values()) <= COMPONENTS.keys()
    with pytest.raises(KeyError):
        owner_of_section(("another",))


def test_an_unrelated_variant_moves_nothing_old() -> None:
    document = shipped()
    spec = document.value
    fourth = {
        **spec["variants"]["V3"],
        "label": "another_course",
        "hidden_initial_values": dict(spec["variants"]["V2"]["hidden_initial_values"]),
    }
    fourth["events"] = [{**event, "surface_fixture_id": "in_another"} for event in fourth["events"]]
    spec["variants"]["V4"] = fourth
    spec["surface_fixtures"]["in_another"] = "A text that only the fourth course shows."
    more = reloaded(document)
    for variant_id in packaged_spec().variants:
        assert moved(usual(variant_id).projections, projected(more, variant_id)) == {}
    assert moved(usual("V3").projections, projected(more, "V4")).keys() == {"variant_content"}


def test_a_component_that_is_too_large_is_refused() -> None:
    text = SHIPPED.replace(b"provenance: >-\n", b"provenance: >-\n  " + b"Much ado about a leak. " * 14_000 + b"\n")
    spec = parse_spec(text, "s")
    with pytest.raises(SpecError) as caught:
        live_identity(spec, "V1", AGENT, source_files=files())
    error = caught.value
    assert (error.code, error.path) == ("component_too_large", "operation_core_content")
    assert error.expected == "at most 344064 bytes in the complete identity of operation_core_content"
    used = len(canonical(usual().manifest["components"]["operation_core_content"]))
    more = len(spec.content["provenance"]) - len(packaged_spec().content["provenance"])
    assert error.actual == f"{used + more} bytes"


def test_there_is_no_such_variant() -> None:
    with pytest.raises(KeyError):
        cards_of(packaged_spec(), "V9")
