"""The instance id follows from spec, variant, agent and trial, as the contract says, and from nothing else."""

import dataclasses

import pytest

from operatebench.tracks.lifecycle.selection import Selection, operation_instance_id
from tests.tracks.lifecycle.episodes import sha256

SPEC = "ab" * 32
SELECTION = Selection("an.operation", "V1", "reference", 3)


def test_the_id_is_derived_as_the_contract_says() -> None:
    bundle = sha256({"spec_digest_sha256": SPEC, "variant_id": "V1", "agent_id": "reference"})
    instance = sha256(
        {
            "domain": "operatebench.digest.operation_instance.v1",
            "schema": "operatebench.operation_instance.v1",
            "content": {"runtime_bundle_digest_sha256": bundle, "trial": 3},
        }
    )
    assert operation_instance_id(SPEC, SELECTION) == f"opinst_{instance[:32]}"


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(SELECTION, variant_id="V2"),
        dataclasses.replace(SELECTION, agent_id="always_wait"),
        dataclasses.replace(SELECTION, trial=4),
    ],
)
def test_another_trial_has_another_id(other: Selection) -> None:
    assert operation_instance_id(SPEC, other) != operation_instance_id(SPEC, SELECTION)


def test_another_spec_has_another_id() -> None:
    assert operation_instance_id("cd" * 32, SELECTION) != operation_instance_id(SPEC, SELECTION)


def test_the_wire_form_is_that_of_the_ledger() -> None:
    assert SELECTION.to_wire() == {
        "track": "lifecycle",
        "pack": "maintenance",
        "operation_id": "an.operation",
        "variant_id": "V1",
        "agent_id": "reference",
        "arm": "full_lifecycle",
        "plan": "none",
        "trial": 3,
    }
