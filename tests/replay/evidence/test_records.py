"""Records are frozen copies, wire forms are fresh, and building seals what validates."""

import copy
import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.errors import EvidenceError
from operatebench.replay.evidence import (
    ExecutedRuntimeEvidenceV1,
    content_digest,
    parse_evidence,
    recompute_evidence_digest,
    validate_decision_tape,
    validate_episode_outcome,
    validate_evidence,
    validate_execution_record,
    validate_provider_binding,
)
from tests.replay.evidence.documents import (
    NON_NULL_DIGEST,
    NULL_DIGEST,
    Evidence,
    built,
    holding,
    provider_non_null,
    provider_null,
    refused,
)

PARTS = ("outcome", "decision_tape", "execution_record", "provider_binding")
GOLDENS = pytest.mark.parametrize(
    ("golden", "digest"), [(provider_null, NULL_DIGEST), (provider_non_null, NON_NULL_DIGEST)]
)


def frozen(value: Any) -> bool:
    """Whether a value is read-only at every depth."""
    if type(value) is MappingProxyType:
        return all(map(frozen, value.values()))
    return all(map(frozen, value)) if type(value) is tuple else type(value) in {str, int, bool, type(None)}


def scrambled(value: Any) -> None:
    """Empty every container of a plain value, from the inside."""
    items: list[Any] = list(value.values() if isinstance(value, dict) else value)
    for item in items:
        if isinstance(item, dict | list):
            scrambled(item)
    value.clear()


@GOLDENS
def test_built_evidence_is_the_golden(golden: Callable[[], Evidence], digest: str) -> None:
    parts = golden()

    evidence = built(parts)

    assert evidence.runtime_evidence_digest_sha256 == digest
    assert evidence == validate_evidence(golden()) == parse_evidence(evidence.to_bytes())
    assert parts == golden()


@pytest.mark.parametrize("make", [built, validate_evidence, lambda given: ExecutedRuntimeEvidenceV1(**given)])
def test_a_record_is_read_only_and_shares_nothing(make: Callable[[Evidence], ExecutedRuntimeEvidenceV1]) -> None:
    given = provider_non_null()
    evidence = make(given)
    scrambled(given)

    assert all(frozen(getattr(evidence, name)) for name in PARTS)
    assert evidence.to_wire() == provider_non_null()
    with pytest.raises(dataclasses.FrozenInstanceError):
        evidence.schema = "x"  # type: ignore[misc]  # the refusal is the point


def test_a_wire_form_is_fresh() -> None:
    evidence = validate_evidence(provider_non_null())
    scrambled(evidence.to_wire())

    assert evidence.to_wire() == provider_non_null()
    assert evidence.to_bytes() == encode_canonical_json(provider_non_null())


def test_sharing_a_part_changes_no_byte() -> None:
    part = {"a": [1, 2]}
    shared, apart = holding([part, part]), holding([copy.deepcopy(part), copy.deepcopy(part)])

    assert validate_evidence(shared).to_bytes() == validate_evidence(apart).to_bytes()


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"manifest_digest": "x"}, "schema", "/identity_manifest_digest_sha256"),
        ({"instance_id": None}, "schema", "/operation_instance_id"),
        ({"outcome": None}, "schema", "/outcome"),
        ({"decision_tape": provider_non_null()["decision_tape"]}, "invocation_coverage", "/outcome/invocations"),
        (
            {"outcome": provider_null()["outcome"] | {"final_state": {"a": 1}}},
            "final_state_digest",
            "/outcome/final_state_digest_sha256",
        ),
        ({"provider_binding": MappingProxyType({})}, "strict_json_type", "/provider_binding"),
    ],
)
def test_nothing_is_built_that_would_not_validate(changes: dict[str, Any], code: str, path: str) -> None:
    error = refused(changes, lambda changes: built(provider_null(), **changes))

    assert (error.code, error.path) == (code, f"evidence#{path}")


def test_only_the_digest_is_recomputed_and_nothing_else_looked_at() -> None:
    assert recompute_evidence_digest(provider_null() | {"runtime_evidence_digest_sha256": None}) == NULL_DIGEST
    assert recompute_evidence_digest({}) == recompute_evidence_digest({"runtime_evidence_digest_sha256": []})
    for value in (None, "x", 1):
        assert refused(value, recompute_evidence_digest).code == "schema"
    assert refused({"a": 1.0}, recompute_evidence_digest).path == "evidence#/a"
    assert refused([1.0], content_digest).code == "strict_json_type"


@pytest.mark.parametrize(
    ("validate", "part", "name", "value", "code"),
    [
        (validate_episode_outcome, "outcome", "replay_final", False, "replay_final"),
        (validate_decision_tape, "decision_tape", "decisions", [], "decision_digest"),
        (validate_execution_record, "execution_record", "model", None, "model_nullability"),
        (validate_provider_binding, "provider_binding", "api", "messages", "schema"),
    ],
)
def test_each_record_is_validated_by_itself(
    validate: Callable[[object], Mapping[str, Any]], part: str, name: str, value: Any, code: str
) -> None:
    given = provider_non_null()[part]
    record = validate(given)

    assert frozen(record)
    assert record == getattr(validate_evidence(provider_non_null()), part)
    assert given == provider_non_null()[part]
    error = refused(given | {name: value}, validate)
    assert error.code == code
    assert error.path.startswith(f"{part}#/")
    assert refused(given | {"extra": 0}, validate).path == f"{part}#/extra"
    assert refused(None, validate).code == "schema"


def test_refusals_are_value_errors_with_a_declared_code() -> None:
    error = refused(b"{", parse_evidence)

    assert isinstance(error, ValueError)
    assert (error.code, error.path) == ("evidence_json", "evidence# line 1 column 1")
    assert error.hint == EvidenceError.codes["evidence_json"][1]


@pytest.mark.parametrize("text", ["{}", bytearray(b"{}"), None])
def test_text_is_read_from_bytes_only(text: Any) -> None:
    with pytest.raises(TypeError):
        parse_evidence(text)
