"""Every rule refuses with its own code and place, and the first in the contract's order counts."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.errors import EvidenceError
from operatebench.replay.evidence import validate_evidence
from tests.replay.evidence.documents import (
    Evidence,
    event,
    null,
    provider_non_null,
    provider_null,
    put,
    refused,
    sealed,
)

Change = Callable[[Evidence], Any]


def two_turns() -> Evidence:
    """Sealed evidence of a model that decided twice."""
    evidence = provider_non_null()
    decision, attempt = evidence["decision_tape"]["decisions"][0], evidence["execution_record"]["attempts"][0]
    evidence["decision_tape"]["decisions"] = [decision, {**decision, "turn_index": 1}]
    evidence["execution_record"] |= {"attempts": [attempt, {**attempt, "turn_index": 1}], "transport_calls": 2}
    evidence["provider_binding"] |= {"provider_calls": 2, "attempts": 2, "decision_call_index": [0, 1]}
    return sealed(evidence)


MALFORMED = {"kind": "MALFORMED", "code": "MODEL_NO_TOOL_CALL"}


def model(*changes: tuple[str, Any]) -> Evidence:
    """The evidence of two turns of a model, with values put at places, and sealed."""
    evidence = two_turns()
    for place, value in changes:
        put(evidence, place, value)
    return sealed(evidence)


def stale(place: str) -> Evidence:
    """The golden without a model, where one digest of a section is that of something else."""
    return put(provider_null(), place, 64 * "a")


REFUSALS: dict[str, tuple[Evidence, str, str, str, str]] = {
    # label -> evidence, code, path, part of expected, part of actual
    "no terminal": (
        null(("outcome/terminal_outcome", None)),
        "terminal_status_coherence",
        "/outcome/terminal_outcome",
        "completed_successfully",
        "null",
    ),
    "another terminal": (
        null(("outcome/terminal_outcome", "cancelled")),
        "terminal_identity",
        "/outcome/terminal_outcome",
        "completed_successfully",
        '"cancelled"',
    ),
    "not final": (null(("outcome/replay_final", False)), "replay_final", "/outcome/replay_final", "true", "false"),
    "no such start": (
        null(("outcome/started_at", "2031-02-29T09:00:00Z")),
        "calendar_instant",
        "/outcome/started_at",
        "a day",
        "2031-02-29",
    ),
    "no such end": (
        null(("outcome/ended_at", "2031-04-31T09:00:00Z")),
        "calendar_instant",
        "/outcome/ended_at",
        "a day",
        "2031-04-31",
    ),
    "the year nought": (
        null(("outcome/started_at", "0000-01-01T00:00:00Z")),
        "calendar_instant",
        "/outcome/started_at",
        "year 1",
        "0000",
    ),
    "an event on no day": (
        null(("outcome/events", [event(), event(at="2100-02-29T00:00:00Z")])),
        "calendar_instant",
        "/outcome/events/1/at",
        "a day",
        "2100-02-29",
    ),
    "end before start": (
        null(("outcome/ended_at", "2031-03-03T08:59:00Z")),
        "instant_ordering",
        "/outcome/ended_at",
        "not before 2031-03-03T09:00:00Z",
        "08:59",
    ),
    "minutes do not count": (
        null(("outcome/ended_at", "2031-03-03T09:01:00Z")),
        "elapsed_minutes",
        "/outcome/simulated_minutes",
        "60 seconds",
        "0",
    ),
    "seconds remain": (
        null(("outcome/ended_at", "2031-03-03T09:01:30Z"), ("outcome/simulated_minutes", 1)),
        "elapsed_minutes",
        "/outcome/simulated_minutes",
        "90 seconds",
        "1",
    ),
    "stale state": (
        stale("outcome/final_state_digest_sha256"),
        "final_state_digest",
        "/outcome/final_state_digest_sha256",
        "44136fa355b3678a",
        "aaaa",
    ),
    "stale trajectory": (
        stale("outcome/trajectory_digest_sha256"),
        "trajectory_digest",
        "/outcome/trajectory_digest_sha256",
        "4f53cda18c2baa0c",
        "aaaa",
    ),
    "one turn twice": (
        model(("decision_tape/decisions/1/turn_index", 0)),
        "decision_ordering",
        "/decision_tape/decisions/1",
        "(1, 0)",
        "(1, 0)",
    ),
    "stale decisions": (
        stale("decision_tape/decisions_digest_sha256"),
        "decision_digest",
        "/decision_tape/decisions_digest_sha256",
        "4f53cda18c2baa0c",
        "aaaa",
    ),
    **{
        f"a model without {name}": (
            model((f"execution_record/{name}", None)),
            "model_nullability",
            f"/execution_record/{name}",
            "a value",
            "null",
        )
        for name in ("model", "protocol_version", "max_output_tokens")
    },
    **{
        f"no model but {name}": (
            null((f"execution_record/{name}", value), ("execution_record/outcome_source", "recorded")),
            "non_model_nullability",
            f"/execution_record/{name}",
            "null, for the outcome source is recorded",
            str(value),
        )
        for name, value in (("model", "m"), ("protocol_version", "p"), ("max_output_tokens", 1))
    },
    "no model but calls": (
        null(("execution_record/transport_calls", 1)),
        "non_model_transport_calls",
        "/execution_record/transport_calls",
        "0, for the outcome source is deterministic",
        "1",
    ),
    "no model but attempts": (
        null(("execution_record/attempts", two_turns()["execution_record"]["attempts"])),
        "non_model_attempts",
        "/execution_record/attempts",
        "no attempt",
        "an array of 2 items",
    ),
    "excluded": (
        null(("execution_record/excluded", True), ("execution_record/exclusion_code", "x")),
        "excluded_execution",
        "/execution_record/excluded",
        "false",
        "true",
    ),
    "a code without exclusion": (
        null(("execution_record/exclusion_code", "x")),
        "exclusion_coherence",
        "/execution_record/exclusion_code",
        "nothing",
        '"x"',
    ),
    "a detail without exclusion": (
        null(("execution_record/exclusion_detail", " ")),
        "exclusion_coherence",
        "/execution_record/exclusion_detail",
        "nothing",
        '" "',
    ),
    "a failed attempt": (
        model(
            ("execution_record/attempts/1/outcome", "failed"),
            ("execution_record/attempts/1/fault", "provider_budget"),
        ),
        "failed_attempt",
        "/execution_record/attempts/1/outcome",
        "decided or classified",
        '"failed"',
    ),
    "a fault without failure": (
        model(("execution_record/attempts/0/fault", "provider_deadline")),
        "fault_coherence",
        "/execution_record/attempts/0/fault",
        "null",
        "provider_deadline",
    ),
    "fewer invocations than decisions": (
        model(("outcome/invocations", 0)),
        "invocation_coverage",
        "/outcome/invocations",
        "at least 1",
        "0",
    ),
    "fewer invocations than attempts": (
        model(("execution_record/attempts/1/invocation_index", 7)),
        "invocation_coverage",
        "/outcome/invocations",
        "at least 7",
        "1",
    ),
    "a binding without a model": (
        null(("provider_binding", two_turns()["provider_binding"])),
        "non_model_binding_forbidden",
        "/provider_binding",
        "null, for the outcome source is deterministic",
        "an object with 17 members",
    ),
    "a model without binding": (
        model(("provider_binding", None)),
        "model_binding_required",
        "/provider_binding",
        "the binding",
        "null",
    ),
    "another model": (
        model(("provider_binding/model", "other-model")),
        "model_mismatch",
        "/provider_binding/model",
        "synthetic-model",
        '"other-model"',
    ),
    "a call too many": (
        model(("execution_record/transport_calls", 3)),
        "model_cardinality",
        "/execution_record/transport_calls",
        "2, one for each attempt",
        "3",
    ),
    "a decision too few": (
        model(("decision_tape/decisions", two_turns()["decision_tape"]["decisions"][:1])),
        "model_cardinality",
        "/decision_tape/decisions",
        "2 decisions",
        "an array of 1 items",
    ),
    "provider calls": (
        model(("provider_binding/provider_calls", 1)),
        "provider_cardinality",
        "/provider_binding/provider_calls",
        "2, one for each attempt",
        "1",
    ),
    "provider attempts": (
        model(("provider_binding/attempts", 3)),
        "provider_cardinality",
        "/provider_binding/attempts",
        "2, one for each attempt",
        "3",
    ),
    **{
        f"call index {index}": (
            model(("provider_binding/decision_call_index", index)),
            "call_index",
            "/provider_binding/decision_call_index",
            "0 to 1",
            f"an array of {len(index)} items",
        )
        for index in ([0], [1, 0], [0, 0], [0, 2], [0, 1, 2])
    },
    "an attempt of another turn": (
        model(("execution_record/attempts/1/turn_index", 2)),
        "attempt_binding",
        "/execution_record/attempts/1",
        "(1, 1)",
        "(1, 2)",
    ),
    "classified but decided": (
        model(("execution_record/attempts/0/outcome", "classified")),
        "attempt_kind_pairing",
        "/execution_record/attempts/0/outcome",
        "decided, for its decision is COMPLETE",
        '"classified"',
    ),
    "decided but malformed": (
        model(("decision_tape/decisions/1/outcome", MALFORMED)),
        "attempt_kind_pairing",
        "/execution_record/attempts/1/outcome",
        "classified, for its decision is MALFORMED",
        '"decided"',
    ),
}


@pytest.mark.parametrize("label", REFUSALS)
def test_rule(label: str) -> None:
    evidence, code, path, expected, actual = REFUSALS[label]

    error = refused(evidence)

    assert (error.code, error.path) == (code, f"evidence#{path}"), error.diagnostics()
    assert expected in error.expected
    assert actual in error.actual


def test_every_code_but_those_of_text_form_and_generation_is_met_here() -> None:
    met = {code for _, code, *_ in REFUSALS.values()}
    rules = list(EvidenceError.codes)[list(EvidenceError.codes).index("schema") + 1 :]
    assert met == set(rules) - {"runtime_evidence_digest"}


def test_the_checks_come_in_the_contracts_order() -> None:
    """Each evidence breaks a rule and the next one; the first of the two is reported, down to the digest."""
    unsealed: list[tuple[str, Change]] = [
        ("strict_json_type", lambda evidence: evidence["outcome"]["trajectory"].append(1.0)),
        ("schema", lambda evidence: evidence.update(extra=None)),
        ("terminal_status_coherence", lambda evidence: evidence["outcome"].update(terminal_outcome=None)),
        ("decision_ordering", lambda evidence: evidence["decision_tape"]["decisions"].reverse()),
        ("failed_attempt", lambda evidence: evidence["execution_record"]["attempts"][0].update(outcome="failed")),
        ("model_binding_required", lambda evidence: evidence.update(provider_binding=None)),
        ("runtime_evidence_digest", lambda evidence: evidence.update(operation_instance_id="opinst_" + 32 * "b")),
    ]
    for start in range(len(unsealed)):
        evidence = two_turns()
        for _, change in unsealed[start:]:
            change(evidence)
        assert refused(evidence).code == unsealed[start][0]


@pytest.mark.parametrize("status", ["operation_deadlock", "operational_horizon_exhausted"])
@pytest.mark.parametrize("terminal", [None, "completed_successfully"])
@pytest.mark.parametrize("final", [False, True])
def test_under_a_halt_terminal_and_finality_are_free(status: str, terminal: str | None, final: bool) -> None:
    changes = ("outcome/status", status), ("outcome/terminal_outcome", terminal), ("outcome/replay_final", final)

    assert validate_evidence(null(*changes)).outcome["status"] == status


def test_what_nothing_constrains_is_accepted() -> None:
    """Events out of order and outside the run, gaps in turns, more invocations than recorded, repeated requests."""
    events = [event(at="1999-12-31T23:59:59Z", sequence=9), event(at="0001-01-01T00:00:00Z", sequence=9)]
    request = {"tool": "t", "arguments": {}}
    evidence = model(
        ("outcome/events", events),
        ("outcome/invocations", 99),
        ("decision_tape/decisions/1/turn_index", 50),
        ("execution_record/attempts/1/turn_index", 50),
        ("decision_tape/decisions/0/outcome", {"kind": "RETRIEVE", "requests": [request, request]}),
    )

    assert validate_evidence(evidence).outcome["invocations"] == 99


def test_a_recorded_source_is_judged_like_a_deterministic_one() -> None:
    evidence = null(("execution_record/outcome_source", "recorded"))

    assert validate_evidence(evidence).to_wire() == evidence
    assert refused(model(("execution_record/outcome_source", "recorded"))).code == "non_model_nullability"


def test_a_long_run_is_counted_in_minutes() -> None:
    changes = ("outcome/started_at", "0001-01-01T00:00:00Z"), ("outcome/ended_at", "9999-12-31T23:59:00Z")

    evidence = null(*changes, ("outcome/simulated_minutes", 5_258_964_959))

    assert validate_evidence(evidence).to_wire() == evidence


def test_coherently_resealed_lies_pass() -> None:
    """Content conformance only: what evidence says is not thereby true (evidence contract, 2.4)."""
    lied = model(("provider_binding/measured_cost_usd", "0.1"), ("provider_binding/execution_ledger_version", 3))

    assert validate_evidence(lied).to_wire() == lied
