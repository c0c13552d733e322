"""Generations never mix, and the next one is refused by name (evidence contract, 2.7)."""

from typing import Any

import pytest

from tests.replay.evidence.documents import Evidence, provider_null, refused

V2, V3 = ("operatebench.episode_outcome.v2", 2), ("operatebench.episode_outcome.v3", 3)
FIRST, SECOND = ("operatebench.executed_runtime_evidence.v1", 1), ("operatebench.executed_runtime_evidence.v2", 2)


def of(evidence: tuple[str, Any], outcome: tuple[str, Any]) -> Evidence:
    """Evidence that says it and its outcome are of these schemas and versions."""
    made = provider_null()
    made["schema"], made["schema_version"] = evidence
    made["outcome"]["schema"], made["outcome"]["schema_version"] = outcome
    return made


@pytest.mark.parametrize(
    ("evidence", "outcome", "code", "path"),
    [
        (FIRST, V3, "unsupported_outcome_schema_version", "/outcome/schema"),
        (SECOND, V2, "outcome_evidence_generation_mismatch", "/outcome/schema"),
        (SECOND, V3, "unsupported_evidence_schema_version", "/schema"),
        # What is of no generation at all is a fault of form.
        (FIRST, ("operatebench.episode_outcome.v3", 2), "schema", "/outcome/schema"),
        (FIRST, ("operatebench.episode_outcome.v2", 3), "schema", "/outcome/schema_version"),
        (FIRST, ("operatebench.episode_outcome.v2", True), "schema", "/outcome/schema_version"),
        (("operatebench.executed_runtime_evidence.v1", 2), V2, "schema", "/schema_version"),
        (("operatebench.executed_runtime_evidence.v2", 1), V2, "schema", "/schema"),
        (("operatebench.artifact.v8", 8), V2, "schema", "/schema"),
    ],
)
def test_generation(evidence: tuple[str, Any], outcome: tuple[str, Any], code: str, path: str) -> None:
    error = refused(of(evidence, outcome))

    assert (error.code, error.path) == (code, f"evidence#{path}")


def test_an_execution_record_of_the_next_generation_is_a_fault_of_form() -> None:
    evidence = provider_null()
    evidence["execution_record"] |= {"schema": "operatebench.execution_record.v2", "schema_version": 2}

    error = refused(evidence)

    assert (error.code, error.path) == ("schema", "evidence#/execution_record/schema")


@pytest.mark.parametrize("value", [None, [], "operatebench.executed_runtime_evidence.v2", 2, {}, {"outcome": []}])
def test_what_is_no_evidence_is_a_fault_of_form(value: Any) -> None:
    assert refused(value).code == "schema"
