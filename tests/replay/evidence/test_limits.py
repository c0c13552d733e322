"""Each limit of the profile, met exactly and passed by one (evidence contract, 2.1 and 2.2)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from operatebench.replay.evidence import content_digest, parse_evidence, validate_evidence
from operatebench.replay.evidence.contract import EVIDENCE_PROFILE
from tests.replay.evidence.documents import (
    Evidence,
    event,
    holding,
    model,
    null,
    oracle_digest,
    provider_null,
    refused,
    sealed,
)

LARGEST = 2**53 - 1


def read_text(evidence: Evidence) -> Any:
    """Read evidence as text."""
    return parse_evidence(json.dumps(evidence).encode())


READERS = pytest.mark.parametrize("read", [validate_evidence, read_text])
Reader = Callable[[Evidence], Any]


def nested(levels: int, wrap: Callable[[Any], Any], leaf: Any) -> Any:
    """``leaf`` inside so many containers."""
    for _ in range(levels):
        leaf = wrap(leaf)
    return leaf


def padded(size: int) -> Evidence:
    """Evidence of exactly so many canonical bytes, its own digest included."""
    evidence = holding(["a" * 2**20] * 7 + [""])
    bare = len(json.dumps(evidence, separators=(",", ":")))
    evidence["outcome"]["trajectory"][0][-1] = "a" * (size - bare)
    return sealed(evidence)


def rows(*counts: int) -> Evidence:
    """Evidence whose trajectory is arrays of so many nulls."""
    return null(("outcome/trajectory", [[None] * count for count in counts]))


def nodes(total: int) -> Evidence:
    """Evidence of exactly so many nodes: every value and every member name is one."""

    def count(value: Any) -> int:
        if isinstance(value, dict):
            return 1 + len(value) + sum(map(count, value.values()))
        return 1 + sum(map(count, value)) if isinstance(value, list) else 1

    missing = total - count(provider_null())
    full, rest = divmod(missing, 4_097)
    evidence = rows(*[4_096] * full, rest - 1)
    assert count(evidence) == total
    return evidence


BOUNDARIES: dict[str, tuple[Callable[[], Evidence], Callable[[], Evidence], str]] = {
    # label -> at the limit, beyond it, the code for being beyond
    "largest integer": (lambda: holding(LARGEST), lambda: holding(LARGEST + 1), "safe_integer"),
    "smallest integer": (lambda: holding(-LARGEST), lambda: holding(-LARGEST - 1), "safe_integer"),
    "items": (lambda: rows(4_096), lambda: rows(4_097), "container_members"),
    "members": (
        lambda: holding({str(name): 0 for name in range(4_096)}),
        lambda: holding({str(name): 0 for name in range(4_097)}),
        "container_members",
    ),
    "text": (lambda: holding("é" * 2**19), lambda: holding("é" * 2**19 + "a"), "string_utf8_bytes"),
    "name": (lambda: holding({"é" * 2**19: 0}), lambda: holding({"é" * 2**19 + "a": 0}), "string_utf8_bytes"),
    "nodes": (lambda: nodes(100_000), lambda: nodes(100_001), "bounded_json_profile"),
    "payload": (lambda: padded(8 * 2**20), lambda: padded(8 * 2**20 + 1), "payload_bytes"),
    # Three containers stand around what the trajectory holds.
    "arrays": (
        lambda: holding(nested(61, lambda value: [value], 0)),
        lambda: holding(nested(62, lambda value: [value], 0)),
        "bounded_json_profile",
    ),
    "objects": (
        lambda: holding(nested(61, lambda value: {"n": value}, 0)),
        lambda: holding(nested(62, lambda value: {"n": value}, 0)),
        "bounded_json_profile",
    ),
    # A decision of ours: the 65th container is refused although it is empty.
    "innermost empty": (
        lambda: holding(nested(60, lambda value: [value], [])),
        lambda: holding(nested(61, lambda value: [value], [])),
        "bounded_json_profile",
    ),
}


@READERS
@pytest.mark.parametrize("label", BOUNDARIES)
def test_limit(label: str, read: Reader) -> None:
    within, beyond, code = BOUNDARIES[label]

    assert read(within()).to_wire() == within()
    assert refused(beyond(), read).code == code


def test_the_self_digest_counts_and_the_wrapper_does_not() -> None:
    assert len(validate_evidence(padded(8 * 2**20)).to_bytes()) == EVIDENCE_PROFILE.max_bytes


def with_event(**members: Any) -> Evidence:
    """Evidence with one event."""
    return null(("outcome/events", [event(**members)]))


def bound(name: str, value: Any) -> Evidence:
    """Evidence whose binding, and with ``model`` its execution record too, holds a value."""
    both = [("execution_record/model", value)] if name == "model" else []
    return model((f"provider_binding/{name}", value), *both)


def decided(**decision: Any) -> Evidence:
    """Evidence with one decision."""
    attempt = "classified" if decision["kind"] == "MALFORMED" else "decided"
    return model(("decision_tape/decisions/0/outcome", decision), ("execution_record/attempts/0/outcome", attempt))


def waiting(minutes: Any) -> Evidence:
    """Evidence with a wait."""
    return decided(kind="WAIT", reason="", wake_on=[], fallback_after_minutes=minutes)


def status(name: str) -> Evidence:
    """Evidence of an episode that ended so."""
    return null(("outcome/status", name), ("outcome/terminal_outcome", name))


FIELDS: dict[str, tuple[Callable[[Any], Evidence], list[Any], list[Any]]] = {
    # label -> evidence around a value, values that are accepted, values that are refused
    "id": (lambda value: with_event(event_id=value), ["x", "\U0001f600" * 256, "\n"], ["", "x" * 257, None, 1]),
    "id or null": (lambda value: with_event(caused_by=value), [None, "x" * 256], ["", "x" * 257, False]),
    "long text": (
        lambda value: decided(kind="COMPLETE", reason=value, evidence_refs=[value]),
        ["", "\U0001f600" * 131_072, "a" * 262_144],
        ["a" * 262_145, None],
    ),
    "count": (lambda value: with_event(sequence=value), [0, LARGEST], [-1, "0", True, None]),
    "minutes or null": (waiting, [None, 0, LARGEST], [-1, False]),
    "terminal": (
        status,
        ["a", "a1.b2_c3-d4", "a" * 255],
        ["", "A", "1a", "a.", "a..b", "a_-b", ".a", "a" * 256, "é", "operation_deadlock", "a\n"],
    ),
    "money": (
        lambda value: bound("measured_cost_usd", value),
        ["0", "0.1", "10", "10.01", "1" * 256, "0." + "1" * 254],
        ["", "00", "01", "1.", "1.0", ".1", "-1", "+1", "1e3", "1" * 257, " 1", "1\n", "\u0663", 0, 0.1],
    ),
    "binding model": (lambda value: bound("model", value), ["m", "m" * 256], ["", "m" * 257]),
    "ledger version": (lambda value: bound("execution_ledger_version", value), [2, 3], [1, 4, "2", True]),
    "at least one": (lambda value: bound("provider_calls", value), [1], [0, -1]),
    "run": (
        lambda value: bound("execution_run_id", value),
        ["exec_" + 32 * "f"],
        ["exec_" + 31 * "f", "exec_" + 33 * "f", "EXEC_" + 32 * "f", "exec_" + 32 * "F", "opinst_" + 32 * "f"],
    ),
    "digest": (
        lambda value: bound("settings_digest_sha256", value),
        [64 * "0"],
        [63 * "0", 65 * "0", 64 * "F", 64 * "\u0660", 64 * "0" + "\u2029", "sha256:" + 57 * "0"],
    ),
    "instant": (
        lambda value: with_event(at=value),
        ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2000-02-29T00:00:00Z"],
        [
            "2031-03-03T24:00:00Z",
            "2031-03-03T09:60:00Z",
            "2031-03-03T09:00:60Z",
            "2031-00-03T09:00:00Z",
            "2031-03-00T09:00:00Z",
            "2031-3-03T09:00:00Z",
            "2031-03-03 09:00:00Z",
            "2031-03-03t09:00:00z",
            "2031-03-03T09:00:00.0Z",
            "2031-03-03T09:00:00+00:00",
            "203\u0661-03-03T09:00:00Z",
            "1900-02-29T00:00:00Z",
        ],
    ),
    "malformed code": (
        lambda value: decided(kind="MALFORMED", code=value),
        ["MODEL_OUTPUT_TRUNCATED", "MODEL_UNKNOWN_TOOL"],
        ["MODEL_REFUSED", "model_unknown_tool", None],
    ),
    "retry count": (lambda value: null(("execution_record/retry_count", value)), [0], [1, False, None]),
}
CODES = {"schema", "calendar_instant", "strict_json_type", "provider_cardinality"}


@pytest.mark.parametrize("label", FIELDS)
def test_field(label: str) -> None:
    around, accepted, refusals = FIELDS[label]

    for value in accepted:
        assert validate_evidence(around(value)).to_wire() == around(value)
    for value in refusals:
        assert refused(around(value)).code in CODES, value


@pytest.mark.parametrize(
    ("provider", "apis"),
    [
        ("openai", {"responses"}),
        ("anthropic", {"messages"}),
        ("xai", {"chat_completions", "responses"}),
        ("mistral", {"chat_completions"}),
    ],
)
def test_every_provider_has_its_interfaces(provider: str, apis: set[str]) -> None:
    for api in ("responses", "messages", "chat_completions", "completions"):
        evidence = bound("provider", provider)
        evidence["provider_binding"]["api"] = api
        sealed(evidence)
        if api in apis:
            assert validate_evidence(evidence).to_wire() == evidence
        else:
            assert refused(evidence).path == "evidence#/provider_binding/api"
    assert refused(bound("provider", "other")).path == "evidence#/provider_binding/provider"


def test_a_call_index_has_at_most_4096_numbers_from_nought() -> None:
    assert refused(bound("decision_call_index", [])).expected == "at least 1 items"
    assert refused(bound("decision_call_index", [-1])).path == "evidence#/provider_binding/decision_call_index/0"


@pytest.mark.parametrize("value", [{}, [], "", 0, None, True, {"a": ["é", -1, {"b": None}]}, '\x00\x1f\x7f\u2028/\\"'])
def test_bare_digests_are_those_of_another_encoder(value: Any) -> None:
    assert content_digest(value) == oracle_digest(value)
