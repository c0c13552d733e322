"""Names that are renamed everywhere at once move whoever says or repeats them, by their case alone too."""

import pytest

from operatebench.runtime.maintenance.spec.load import parse_spec
from tests.runtime.maintenance.spec.edits import SHIPPED
from tests.tracks.lifecycle.binding.bound import moved, projected, usual

CORE, SCENARIO, VARIANT = "operation_core_content", "semantic_scenario_content", "variant_content"


@pytest.mark.parametrize(
    ("old", "new", "owners"),
    [
        ("operation_id: LETTINGS", "operation_id: LEASINGS", {CORE, SCENARIO}),
        ("operation_id: LETTINGS", "operation_id: Lettings", {CORE}),
        ("SPEND_AND_RETURN", "SPEND_AND_REGRET", {SCENARIO, VARIANT}),
        ("SPEND_AND_RETURN", "Spend_And_Return", {SCENARIO}),
        ("plumber_1", "pipefitter_1", {VARIANT}),
        ("plumber_1", "Plumber_1", {VARIANT}),
        ("ev_18", "ev_19", {VARIANT}),
        ("in_claim_2", "in_claim_9", {VARIANT}),
        ("msg_handover_notice", "msg_take_over", {VARIANT}),
        ("leak_source", "source_of_leak", {CORE, VARIANT}),
        ("CRACKED_TRAP", "SPLIT_TRAP", {CORE, VARIANT}),
        ("submit_invoice", "send_bill", {CORE}),
        ("submit_invoice", "Submit_Invoice", {CORE}),
        ("secondary", "fallback", {CORE}),
        ("inbox_service", "letterbox_service", {CORE}),
        ("GBP", "EUR", {CORE, VARIANT}),
        ("NON_EMERGENCY_RECURRING_LEAK", "Non_Emergency_Recurring_Leak", {CORE, VARIANT}),
        ("hold_against_claims", "hold_against_claimants", {SCENARIO}),
        ("landlord_1", "owner_of_home", {VARIANT}),
    ],
)
def test_a_name_is_renamed_everywhere(old: str, new: str, owners: set[str]) -> None:
    text = SHIPPED.decode()
    assert old in text
    assert new not in text
    spec = parse_spec(text.replace(old, new).encode(), "s")
    assert moved(usual().projections, projected(spec, "V1")).keys() == owners


@pytest.mark.parametrize("new", ["V7", "v3"])
def test_a_variant_is_renamed(new: str) -> None:
    spec = parse_spec(SHIPPED.replace(b"\n  V3:\n", f"\n  {new}:\n".encode()), "s")
    assert moved(usual("V3").projections, projected(spec, new)).keys() == {VARIANT}
