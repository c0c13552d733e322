"""The reference knows roles, purposes and published rules, not names: all ids can be others."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

import operatebench.runtime.maintenance.spec as package
from operatebench.runtime.maintenance.spec import OperationSpec, load_spec, packaged_spec
from tests.runtime.maintenance.agents.episodes import episode, run

# Ids that the environment allocates in series; a spec has to guess them, so they keep their names.
ALLOCATED = re.compile(r"(visit|checkpoint|payment|message)_\d+|work_cycle_3")


def authored_ids() -> set[str]:
    """Return the ids of actors, messages, surfaces, channels and of everything payloads speak of."""
    spec = packaged_spec()
    payload_ids = {
        value
        for variant in spec.variants.values()
        for event in variant.events
        for name, value in event.payload.items()
        if name.endswith("_id") and not ALLOCATED.fullmatch(value)
    }
    actors = spec.actors.keys() - spec.roles.keys()
    surfaces = {event.surface_fixture_id for variant in spec.variants.values() for event in variant.events}
    return {*actors, *spec.message_fixtures, *spec.channels, *payload_ids, *filter(None, surfaces)}


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> OperationSpec:
    """Return the packaged operation with every authored id renamed."""
    text = Path(str(files(package))).joinpath("maintenance.yaml").read_text("utf-8")
    pattern = re.compile(r"\b(" + "|".join(sorted(authored_ids())) + r")\b")
    path = tmp_path_factory.mktemp("renamed") / "renamed.yaml"
    path.write_text(pattern.sub(lambda found: f"{found[1]}_x", text), "utf-8")
    return load_spec(path)


def test_every_id_has_another_name(renamed: OperationSpec) -> None:
    assert len(authored_ids()) > 30
    assert renamed.actors.keys() & packaged_spec().actors.keys() == {"agent"}
    assert not renamed.message_fixtures.keys() & packaged_spec().message_fixtures.keys()
    assert not renamed.channels.keys() & packaged_spec().channels.keys()


@pytest.mark.parametrize("variant_id", ["V1", "V2", "V3"])
def test_the_reference_does_the_same_under_other_names(renamed: OperationSpec, variant_id: str) -> None:
    other, same = run(renamed, "reference", variant_id), episode("reference", variant_id)
    assert other.outcome.status == same.outcome.status
    assert other.outcome.replay_final
    assert [entry["outcome"]["kind"] for entry in other.decisions] == [
        entry["outcome"]["kind"] for entry in same.decisions
    ]
    assert [row["record_type"] for row in other.outcome.trajectory] == [
        row["record_type"] for row in same.outcome.trajectory
    ]
