"""A fault of form is told at the first place that has one, in words."""

from typing import Any

import pytest

from tests.replay.evidence.documents import model, null, provider_null, refused

HALTS = 'neither "operation_deadlock" nor "operational_horizon_exhausted"'
ACT = {"kind": "ACT", "action_type": "x", "payload": {}, "evidence_refs": [], "rationale": ""}
FAULTS: dict[str, tuple[str, Any, str, str, str]] = {
    # label -> where a value is put, the value, and path, expected and actual of the refusal
    "constant": ("schema_version", 2, "/schema_version", "1", "2"),
    "type": ("outcome/replay_final", 1, "/outcome/replay_final", "boolean", "1"),
    "types": ("provider_binding", [], "/provider_binding", "null or object", "an array of 0 items"),
    "choice": ("execution_record/outcome_source", "human", "/execution_record/outcome_source", '"recorded"', '"human"'),
    "halt": ("outcome/terminal_outcome", "operation_deadlock", "/outcome/terminal_outcome", HALTS, '"operation_dead'),
    "member": ("outcome/extra", None, "/outcome/extra", "no undeclared member", "null"),
    "missing": ("outcome/events", [{}], "/outcome/events/0", "the member event_id", "an object with 0 members"),
    "no kind": (
        "decision_tape/decisions/0/outcome",
        {},
        "/decision_tape/decisions/0/outcome",
        "the member kind",
        "an object with 0 members",
    ),
    "kind": (
        "decision_tape/decisions/0/outcome",
        ACT | {"kind": "PONDER"},
        "/decision_tape/decisions/0/outcome/kind",
        '"ACT" or "WAIT"',
        '"PONDER"',
    ),
    "branch": (
        "decision_tape/decisions/0/outcome",
        ACT | {"rationale": None},
        "/decision_tape/decisions/0/outcome/rationale",
        "string",
        "null",
    ),
    "member of another branch": (
        "decision_tape/decisions/0/outcome",
        ACT | {"reason": ""},
        "/decision_tape/decisions/0/outcome/reason",
        "no undeclared member",
        '""',
    ),
    "wait within": (
        "decision_tape/decisions/0/outcome",
        {
            "kind": "ASK",
            "recipient_actor_id": "x",
            "message_fixture_id": "y",
            "correlation_id": None,
            "wait": {"kind": "ASK", "reason": "", "wake_on": [], "fallback_after_minutes": None},
        },
        "/decision_tape/decisions/0/outcome/wait/kind",
        '"WAIT"',
        '"ASK"',
    ),
    "item": (
        "provider_binding/decision_call_index",
        [0, "1"],
        "/provider_binding/decision_call_index/1",
        "integer",
        '"1"',
    ),
}


@pytest.mark.parametrize("label", FAULTS)
def test_fault(label: str) -> None:
    place, value, path, expected, actual = FAULTS[label]

    error = refused(model((place, value)))

    assert (error.code, error.path) == ("schema", f"evidence#{path}")
    assert expected in error.expected
    assert actual in error.actual


def test_the_first_place_counts() -> None:
    """A fault of an object itself comes before those within it, and places in the order of member names."""
    several = null(("outcome/status", 1), ("execution_record/model", 1), ("execution_record/excluded", None), ("a", 1))

    assert refused(several).path == "evidence#/a"
    del several["a"]
    assert refused(several).path == "evidence#/execution_record/excluded"
    several["execution_record"]["excluded"] = False
    assert refused(several).path == "evidence#/execution_record/model"


def test_many_faults_are_told_as_one() -> None:
    evidence = null(("outcome/events", [{"n": index} for index in range(4_096)]))

    assert refused(evidence).path == "evidence#/outcome/events/0"


@pytest.mark.parametrize("value", [[], None, "", 1, True])
def test_a_root_of_another_type(value: Any) -> None:
    error = refused(value)

    assert (error.code, error.path, error.expected) == ("schema", "evidence#", "object")


def test_names_in_paths_are_escaped_as_pointers() -> None:
    assert refused(provider_null() | {"a/b~c": 0}).path == "evidence#/a~1b~0c"
