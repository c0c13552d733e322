"""The oracle file: what it must say, how it is refused, and whom it must not know."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path

import pytest

import operatebench.runtime.maintenance.oracle as package
from operatebench.errors import SpecError
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.oracle import load_oracle, packaged_oracle
from operatebench.runtime.maintenance.spec import packaged_spec

ROOT = Path(str(files(package)))
NOT_CONTROLS = {"conversational", "reference"}

SMALL = """\
schema: operatebench.negative_control_oracle.v1
oracle_id: small
oracle_version: 1.0.0
operation_id: LETTINGS
semantic_scenario_id: LETTINGS.S
authored_against_operation_version: 1.0.0
provenance: {authored_by: us, independence: apart, evidence_class: expectation, review_status: none}
result_vector_dimensions: [first, second, third]
controls:
  - agent_id: idle
    variant_id: V1
    intervention: does nothing
    guarantee_attacked: something is done
    expected_failed_dimensions: [first, third]
    required_finding_codes: [NOTHING_DONE]
    must_pass_dimensions: [second]
    rationale: it does nothing
  - agent_id: rash
    variant_id: V1
    intervention: does everything
    guarantee_attacked: only what is needed is done
    expected_failed_dimensions: [third]
    required_finding_codes: [TOO_MUCH_DONE]
    must_pass_dimensions: [first, second]
    rationale: it does everything
"""


def refusal(old: str, new: str) -> tuple[str, str]:
    """Return code and place of the refusal of the small oracle with one text replaced."""
    assert old in SMALL
    with pytest.raises(SpecError) as caught:
        load_oracle(SMALL.replace(old, new, 1).encode(), "small.yaml")
    return caught.value.code, caught.value.path


def test_an_oracle_is_read_as_it_is_written() -> None:
    oracle = load_oracle(SMALL.encode(), "small.yaml")
    assert oracle.result_vector_dimensions == ("first", "second", "third")
    assert list(oracle.controls) == ["idle", "rash"]
    idle = oracle.controls["idle"]
    assert (idle.expected_failed_dimensions, idle.must_pass_dimensions) == (("first", "third"), ("second",))
    assert idle.required_finding_codes == ("NOTHING_DONE",)
    assert oracle.provenance["review_status"] == "none"


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("oracle_id: small", "oracle_id: Small One", "lexical", "small.yaml:2 /oracle_id"),
        ("oracle_version: 1.0.0\n", "", "missing_key", "small.yaml:1 /oracle_version"),
        ("oracle.v1", "oracle.v2", "closed_value", "small.yaml:1 /schema"),
        ("authored_by: us", "written_by: us", "unknown_key", "small.yaml:7 /provenance/written_by"),
        ("    rationale: it does nothing\n", "", "missing_key", "small.yaml:10 /controls/0/rationale"),
        ("variant_id: V1", "variant_id: V1\n    note: x", "unknown_key", "small.yaml:12 /controls/0/note"),
        ("intervention: does nothing", "intervention: ' '", "empty_text", "small.yaml:12 /controls/0/intervention"),
        ("[NOTHING_DONE]", "[]", "too_few", "small.yaml:15 /controls/0/required_finding_codes"),
        ("[NOTHING_DONE]", "[nothing]", "lexical", "small.yaml:15 /controls/0/required_finding_codes/0"),
        ("[NOTHING_DONE]", "[A, A]", "duplicate", "small.yaml:15 /controls/0/required_finding_codes/1"),
        ("[NOTHING_DONE]", "NOTHING_DONE", "wrong_type", "small.yaml:15 /controls/0/required_finding_codes"),
        ("agent_id: rash", "agent_id: idle", "duplicate", "small.yaml:18 /controls/1/agent_id"),
        ("[second]", "[]", "inconsistent", "small.yaml:14 /controls/0/expected_failed_dimensions"),
        ("[second]", "[second, third]", "inconsistent", "small.yaml:14 /controls/0/expected_failed_dimensions"),
        ("[second]", "[second, fourth]", "inconsistent", "small.yaml:16 /controls/0/must_pass_dimensions"),
        ("[first, third]", "[third, first]", "inconsistent", "small.yaml:14 /controls/0/expected_failed_dimensions"),
        ("oracle_id: small", "oracle_id: small\noracle_id: small", "yaml_duplicate_key", "small.yaml:3 /oracle_id"),
    ],
)
def test_what_breaks_a_rule_is_refused_where_it_stands(old: str, new: str, code: str, place: str) -> None:
    assert refusal(old, new) == (code, place)


def test_two_controls_that_fail_alike_are_refused() -> None:
    alike = SMALL.replace("TOO_MUCH_DONE", "NOTHING_DONE")
    load_oracle(alike.encode(), "small.yaml")  # the codes are shared, the dimensions are not
    again = alike.replace("dimensions: [third]", "dimensions: [first, third]").replace(
        ": [first, second]\n", ": [second]\n"
    )
    with pytest.raises(SpecError) as caught:
        load_oracle(again.encode(), "small.yaml")
    assert caught.value.code == "duplicate"
    assert caught.value.path == "small.yaml:23 /controls/1/required_finding_codes"
    assert caught.value.expected.endswith("those of idle")


def test_the_digest_is_of_what_is_said_not_of_how_it_is_laid_out() -> None:
    digest = load_oracle(SMALL.encode(), "small.yaml").digest_sha256
    assert load_oracle(("# a comment\n" + SMALL).encode(), "other.yaml").digest_sha256 == digest
    assert load_oracle(SMALL.replace("apart", "together").encode(), "small.yaml").digest_sha256 != digest


def test_the_packaged_oracle_speaks_of_the_packaged_operation() -> None:
    oracle, spec = packaged_oracle(), packaged_spec()
    assert oracle.operation_id == spec.operation_id
    assert oracle.semantic_scenario_id == spec.semantic_scenario_id
    assert oracle.authored_against_operation_version == spec.operation_version
    assert oracle.result_vector_dimensions == spec.dimensions
    assert {control.variant_id for control in oracle.controls.values()} <= spec.variants.keys()


def test_every_agent_but_the_reference_and_the_conversational_one_is_a_control() -> None:
    assert packaged_oracle().controls.keys() == AGENTS.keys() - NOT_CONTROLS
    assert list(packaged_oracle().controls) == sorted(packaged_oracle().controls)


def test_its_loader_imports_neither_agents_nor_evaluator() -> None:
    for path in ROOT.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                named = ast.unparse(node)
                assert "agents" not in named
                assert "evaluator" not in named
