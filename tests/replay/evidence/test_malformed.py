"""The census of malformed evidence (evidence contract, 2.6): each of the 49 is refused, with its code."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from operatebench.replay.evidence import parse_evidence
from tests.identity.hostile import HostileDict
from tests.replay.evidence.documents import (
    SELF,
    Evidence,
    event,
    holding,
    model,
    null,
    provider_non_null,
    provider_null,
    put,
    refused,
)

IN_TEXT = {
    # what stands in the golden without a model, and what in its place
    "duplicate_key": ('"schema_version": 1', '"schema_version": 1, "schema_version": 1', "duplicate_key"),
    "float": ('"simulated_minutes": 0', '"simulated_minutes": 0.0', "strict_json_type"),
}
NO_FORM: dict[str, tuple[Any, str]] = {
    # a value in the trajectory that has no canonical form
    "lone_surrogate": ("\ud800", "surrogate_code_point"),
    "non_string_key": ({1: None}, "strict_json_type"),
    "tuple_container": ((1,), "strict_json_type"),
    "mapping_subclass_forgery": (HostileDict({}), "strict_json_type"),
    "unsafe_integer": (2**53, "safe_integer"),
}
TOO_MUCH: dict[str, tuple[Callable[[], Any], str]] = {
    "over_depth": (lambda: json.loads("[" * 63 + "]" * 63), "bounded_json_profile"),
    "over_nodes": (lambda: [[None] * 1_024] * 100, "bounded_json_profile"),
    "over_container_members": (lambda: [None] * 4_097, "container_members"),
    "over_string_bytes": (lambda: "a" * (2**20 + 1), "string_utf8_bytes"),
    "over_payload_bytes": (lambda: ["a" * 2**20] * 8, "payload_bytes"),
}
WITHOUT_MODEL: dict[str, tuple[str, Any, str]] = {
    # a place in the golden without a model, and what stands there; resealed
    "unknown_field": ("outcome/extra", None, "schema"),
    "bool_for_integer": ("outcome/simulated_minutes", False, "schema"),
    "newline_suffixed_digest": ("identity_manifest_digest_sha256", 64 * "a" + "\n", "schema"),
    "carriage_return_suffixed_identifier": ("operation_instance_id", "opinst_" + 32 * "0" + "\r", "schema"),
    "line_separator_suffixed_terminal": ("outcome/status", "completed_successfully\u2028", "schema"),
    "terminal_status_mismatch": ("outcome/terminal_outcome", "cancelled", "terminal_identity"),
    "business_terminal_not_replay_final": ("outcome/replay_final", False, "replay_final"),
    "impossible_calendar_date": ("outcome/ended_at", "2031-02-29T09:00:00Z", "calendar_instant"),
    "ended_before_started": ("outcome/ended_at", "2031-03-03T08:00:00Z", "instant_ordering"),
    "elapsed_minutes_mismatch": ("outcome/simulated_minutes", 1, "elapsed_minutes"),
    "event_instant_not_calendar_valid": ("outcome/events", [event(at="2031-02-30T09:00:00Z")], "calendar_instant"),
    "deterministic_source_model_forgery": ("execution_record/model", "synthetic-model", "non_model_nullability"),
    "deterministic_source_transport_calls": ("execution_record/transport_calls", 1, "non_model_transport_calls"),
    "deterministic_source_attempt_present": (
        "execution_record/attempts",
        provider_non_null()["execution_record"]["attempts"],
        "non_model_attempts",
    ),
    "excluded_execution_record": ("execution_record/excluded", True, "excluded_execution"),
    "exclusion_code_without_exclusion": ("execution_record/exclusion_code", "x", "exclusion_coherence"),
    "provider_binding_source_mismatch": (
        "provider_binding",
        provider_non_null()["provider_binding"],
        "non_model_binding_forbidden",
    ),
    "audit_companion_field_on_wire": ("audit", {}, "schema"),
}
WITH_MODEL: dict[str, tuple[str, Any, str]] = {
    # the same in the golden with a model
    "non_increasing_decision_order": (
        "decision_tape/decisions",
        2 * provider_non_null()["decision_tape"]["decisions"],
        "decision_ordering",
    ),
    "model_source_null_protocol": ("execution_record/protocol_version", None, "model_nullability"),
    "model_source_null_token_ceiling": ("execution_record/max_output_tokens", None, "model_nullability"),
    "fault_outcome_mismatch": ("execution_record/attempts/0/fault", "provider_protocol", "fault_coherence"),
    "attempt_outcome_failed": ("execution_record/attempts/0/outcome", "failed", "failed_attempt"),
    "decision_kind_attempt_outcome_mismatch": (
        "execution_record/attempts/0/outcome",
        "classified",
        "attempt_kind_pairing",
    ),
    "invocation_coverage_shortfall": ("outcome/invocations", 0, "invocation_coverage"),
    "provider_binding_missing_for_model": ("provider_binding", None, "model_binding_required"),
    "provider_binding_model_mismatch": ("provider_binding/model", "other", "model_mismatch"),
    "provider_cardinality_mismatch": ("provider_binding/provider_calls", 2, "provider_cardinality"),
    "decision_call_index_not_contiguous": ("provider_binding/decision_call_index", [1], "call_index"),
    "attempt_decision_index_mismatch": ("execution_record/attempts/0/turn_index", 1, "attempt_binding"),
}
STALE: dict[str, tuple[str, Any, str]] = {
    # the same, not resealed
    "stale_section_digest": ("decision_tape/decisions_digest_sha256", 64 * "0", "decision_digest"),
    "stale_runtime_digest": ("outcome/invocations", 2, "runtime_evidence_digest"),
    "self_digest_only_mutation": (SELF, 64 * "0", "runtime_evidence_digest"),
    "swapped_ledger_identity": (
        "provider_binding/execution_ledger_digest_sha256",
        64 * "8",
        "runtime_evidence_digest",
    ),
    "swapped_pricing_or_settings_digest": (
        "provider_binding/pricing_digest_sha256",
        64 * "6",
        "runtime_evidence_digest",
    ),
    "swapped_ledger_totals": ("provider_binding/input_tokens", 1, "runtime_evidence_digest"),
}


def without_binding() -> Evidence:
    """The golden without the member that may be null but not missing."""
    evidence = provider_null()
    del evidence["provider_binding"]
    return evidence


def holding_what(make: Callable[[], Any]) -> Evidence:
    """Sealed evidence around a value that is made when it is needed."""
    return holding(make())


MADE: dict[str, tuple[Callable[[], Evidence], str]] = {
    "missing_field": (without_binding, "schema"),
    **{
        name: (partial(put, provider_null(), "outcome/trajectory", [value]), code)
        for name, (value, code) in NO_FORM.items()
    },
    **{name: (partial(holding_what, make), code) for name, (make, code) in TOO_MUCH.items()},
    **{name: (partial(null, (place, value)), code) for name, (place, value, code) in WITHOUT_MODEL.items()},
    **{name: (partial(model, (place, value)), code) for name, (place, value, code) in WITH_MODEL.items()},
    **{name: (partial(put, provider_non_null(), place, value), code) for name, (place, value, code) in STALE.items()},
}


def test_the_census_is_complete() -> None:
    assert len(MADE) + len(IN_TEXT) == 49


@pytest.mark.parametrize("name", MADE)
def test_malformed(name: str) -> None:
    make, code = MADE[name]

    assert refused(make()).code == code


@pytest.mark.parametrize("name", IN_TEXT)
def test_malformed_text(name: str) -> None:
    found, replacement, code = IN_TEXT[name]
    text = json.dumps(provider_null())

    assert found in text
    assert refused(text.replace(found, replacement, 1).encode(), parse_evidence).code == code
