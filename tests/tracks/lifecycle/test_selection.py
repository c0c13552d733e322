"""A selection is the key that a ledger header states; the instance id follows from what it selects, and from trial."""

import pytest

from operatebench.tracks.lifecycle import Selection
from tests.tracks.lifecycle.episodes import runtime, sha256

SELECTION = Selection("an.operation", "V1", "reference", 3)


def test_the_wire_form_is_that_of_the_contract_and_is_read_back() -> None:
    wire = SELECTION.to_wire()

    assert wire == {
        "track": "lifecycle",
        "pack": "maintenance",
        "operation_id": "an.operation",
        "variant_id": "V1",
        "agent_id": "reference",
        "arm": "full_lifecycle",
        "plan": "none",
        "trial": 3,
    }
    assert Selection.from_wire(wire) == SELECTION
    wire.clear()
    assert len(SELECTION.to_wire()) == 8


def test_the_instance_id_is_derived_from_runtime_bundle_and_trial_as_the_contract_says() -> None:
    identity = runtime().identity("V1", "reference")
    instance = sha256(
        {
            "domain": "operatebench.digest.operation_instance.v1",
            "schema": "operatebench.operation_instance.v1",
            "content": {
                "runtime_bundle_digest_sha256": identity.manifest["composites"]["runtime_bundle"][
                    "bundle_digest_sha256"
                ],
                "trial": 3,
            },
        }
    )
    assert identity.instance_id(3) == f"opinst_{instance[:32]}"


@pytest.mark.parametrize(
    ("variant", "agent", "trial"), [("V2", "reference", 3), ("V1", "always_wait", 3), ("V1", "reference", 4)]
)
def test_another_trial_has_another_id(variant: str, agent: str, trial: int) -> None:
    usual = runtime().identity("V1", "reference").instance_id(3)
    assert runtime().identity(variant, agent).instance_id(trial) != usual
