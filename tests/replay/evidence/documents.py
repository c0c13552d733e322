"""Evidence to start from, both published goldens among it, and a second implementation of its digests."""

import copy
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.replay.evidence import EvidenceError, ExecutedRuntimeEvidenceV1, build_evidence, validate_evidence

Evidence = dict[str, Any]
Path = tuple[str | int, ...]

RUNTIME_BUNDLE = "251e36a96f2c4cf474d06cef7d3ff3d39aab75211b4b9d191f1c4c4647b9a1bc"
EMPTY_OBJECT = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
EMPTY_ARRAY = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
SELF = "runtime_evidence_digest_sha256"

NULL_DIGEST = "309b01dd7e08c61e1314b972467c922403f38ef097555ab7f762c125a06c2704"
NON_NULL_DIGEST = "970ec85c12c5d9bbf562198a3ab016d66abcec2d4abba628e7a6e161419d393e"


def provider_null() -> Evidence:
    """The published golden of a run without a model (evidence contract, 2.5), as its own literals."""
    return {
        "schema": "operatebench.executed_runtime_evidence.v1",
        "schema_version": 1,
        "identity_manifest_digest_sha256": RUNTIME_BUNDLE,
        "operation_instance_id": "opinst_" + 32 * "0",
        "outcome": {
            "schema": "operatebench.episode_outcome.v2",
            "schema_version": 2,
            "status": "completed_successfully",
            "terminal_outcome": "completed_successfully",
            "replay_final": True,
            "started_at": "2031-03-03T09:00:00Z",
            "ended_at": "2031-03-03T09:00:00Z",
            "simulated_minutes": 0,
            "invocations": 0,
            "final_state": {},
            "final_state_digest_sha256": EMPTY_OBJECT,
            "trajectory": [],
            "trajectory_digest_sha256": EMPTY_ARRAY,
            "events": [],
        },
        "decision_tape": {
            "schema": "operatebench.decision_tape.v1",
            "schema_version": 1,
            "decisions": [],
            "decisions_digest_sha256": EMPTY_ARRAY,
        },
        "execution_record": {
            "schema": "operatebench.execution_record.v1",
            "schema_version": 1,
            "outcome_source": "deterministic",
            "model": None,
            "protocol_version": None,
            "max_output_tokens": None,
            "transport_calls": 0,
            "retry_count": 0,
            "attempts": [],
            "excluded": False,
            "exclusion_code": None,
            "exclusion_detail": "",
        },
        "provider_binding": None,
        SELF: NULL_DIGEST,
    }


def provider_non_null() -> Evidence:
    """The published golden of a run with a model (evidence contract, 2.5), as its own literals."""
    evidence = provider_null()
    evidence["operation_instance_id"] = "opinst_" + 32 * "9"
    evidence["outcome"]["invocations"] = 1
    evidence["decision_tape"]["decisions"] = [
        {
            "invocation_index": 1,
            "turn_index": 0,
            "observation_digest_sha256": 64 * "2",
            "outcome": {"kind": "COMPLETE", "reason": "done", "evidence_refs": []},
        }
    ]
    evidence["decision_tape"]["decisions_digest_sha256"] = (
        "92db5d0ab552f56f72156d1695cb6ff1558895f68ac4c738009e9573ef84b496"
    )
    evidence["execution_record"] |= {
        "outcome_source": "model",
        "model": "synthetic-model",
        "protocol_version": "operatebench.model.v4",
        "max_output_tokens": 4096,
        "transport_calls": 1,
        "attempts": [
            {
                "invocation_index": 1,
                "turn_index": 0,
                "request_digest_sha256": 64 * "3",
                "outcome": "decided",
                "fault": None,
            }
        ],
    }
    evidence["provider_binding"] = {
        "schema": "operatebench.provider_execution_binding.v1",
        "schema_version": 1,
        "execution_run_id": "exec_" + 32 * "4",
        "execution_ledger_version": 2,
        "execution_ledger_digest_sha256": 64 * "5",
        "provider": "openai",
        "api": "responses",
        "model": "synthetic-model",
        "settings_digest_sha256": 64 * "6",
        "pricing_digest_sha256": 64 * "7",
        "provider_calls": 1,
        "attempts": 1,
        "measured_cost_usd": "0",
        "forfeited_reservation_usd": "0",
        "input_tokens": 0,
        "output_tokens": 0,
        "decision_call_index": [0],
    }
    evidence[SELF] = NON_NULL_DIGEST
    return evidence


def event(**members: Any) -> dict[str, Any]:
    """An event that was accepted."""
    return {
        "event_id": "e-1",
        "event_type": "reported",
        "actor_id": "someone",
        "at": "2031-03-03T09:00:00Z",
        "sequence": 0,
        "payload": {},
        "triggers_agent": True,
        "caused_by": None,
        "disposition": "accepted",
        "verdict_code": "ok",
    } | members


def oracle_digest(value: Any) -> str:
    """SHA-256 of the canonical bytes of a value."""
    return hashlib.sha256(encode_canonical_json(value)).hexdigest()


def oracle_wrapper(evidence: Evidence) -> bytes:
    """The bytes that the digest of evidence is of (evidence contract, 2.4)."""
    content = copy.copy(evidence)
    content.pop(SELF, None)
    data: bytes = encode_canonical_json(
        {
            "domain": "operatebench.digest.executed_runtime_evidence.v1",
            "schema": "operatebench.executed_runtime_evidence.v1",
            "content": content,
        }
    )
    return data


def sealed(evidence: Evidence) -> Evidence:
    """Return ``evidence`` with its three section digests and its own digest refreshed, in place."""
    outcome, tape = evidence["outcome"], evidence["decision_tape"]
    outcome["final_state_digest_sha256"] = oracle_digest(outcome["final_state"])
    outcome["trajectory_digest_sha256"] = oracle_digest(outcome["trajectory"])
    tape["decisions_digest_sha256"] = oracle_digest(tape["decisions"])
    evidence[SELF] = hashlib.sha256(oracle_wrapper(evidence)).hexdigest()
    return evidence


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place below the root of a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for token, item in members:
        yield (*path, token)
        yield from paths(item, (*path, token))


def put(evidence: Evidence, place: str, value: Any) -> Evidence:
    """Put a value at a place such as ``outcome/events/0/at``, in place, and seal nothing."""
    *parents, last = (int(token) if token.isdigit() else token for token in place.split("/"))
    holder: Any = evidence
    for token in parents:
        holder = holder[token]
    holder[last] = value
    return evidence


def null(*changes: tuple[str, Any]) -> Evidence:
    """The golden without a model, with values put at places, and sealed."""
    return _changed(provider_null(), changes)


def model(*changes: tuple[str, Any]) -> Evidence:
    """The golden with a model, with values put at places, and sealed."""
    return _changed(provider_non_null(), changes)


def _changed(evidence: Evidence, changes: tuple[tuple[str, Any], ...]) -> Evidence:
    for place, value in changes:
        put(evidence, place, value)
    return sealed(evidence)


def built(evidence: Evidence, **changes: Any) -> ExecutedRuntimeEvidenceV1:
    """Build evidence from the parts of another."""
    parts = ("outcome", "decision_tape", "execution_record", "provider_binding")
    arguments = {
        "manifest_digest": evidence["identity_manifest_digest_sha256"],
        "instance_id": evidence["operation_instance_id"],
        **{name: evidence[name] for name in parts},
    }
    return build_evidence(**{**arguments, **changes})


def holding(value: Any) -> Evidence:
    """Sealed evidence whose trajectory is the one value."""
    return null(("outcome/trajectory", [value]))


def refused(value: object, read: Callable[[Any], Any] = validate_evidence) -> EvidenceError:
    """Return the refusal of a value; its texts are short and printable."""
    with pytest.raises(EvidenceError) as caught:
        read(value)
    error = caught.value
    assert str(error).isprintable()
    assert max(len(error.expected), len(error.actual)) <= 200
    return error
