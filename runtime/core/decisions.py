"""The seven decisions: plain JSON objects, one builder for each, and how a returned value is admitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from .plain import Piece, canonical

Decision = dict[str, Any]
"""The form the decision tape records: a closed object with ``kind`` (evidence contract, 2.3)."""


def act(
    action_type: str, payload: Mapping[str, Any], evidence_refs: Iterable[str] = (), rationale: str = ""
) -> Decision:
    """Return the decision to propose an action."""
    return {
        "kind": "ACT",
        "action_type": action_type,
        "payload": dict(payload),
        "evidence_refs": list(evidence_refs),
        "rationale": rationale,
    }


def wait(reason: str, wake_on: Iterable[str] = (), fallback_after_minutes: int | None = None) -> Decision:
    """Return the decision to wait for events of the named types, for so many minutes, or for whichever comes first."""
    return {
        "kind": "WAIT",
        "reason": reason,
        "wake_on": list(wake_on),
        "fallback_after_minutes": fallback_after_minutes,
    }


def ask(
    recipient_actor_id: str, message_fixture_id: str, then: Decision, correlation_id: str | None = None
) -> Decision:
    """Return the decision to send a message and then wait; ``then`` is a :func:`wait`."""
    return {
        "kind": "ASK",
        "recipient_actor_id": recipient_actor_id,
        "message_fixture_id": message_fixture_id,
        "correlation_id": correlation_id,
        "wait": then,
    }


def escalate(
    checkpoint_id: str,
    exception_type: str,
    evidence_refs: Iterable[str],
    deadline_after_minutes: int,
    rationale: str = "",
) -> Decision:
    """Return the decision to ask a human for an exception about ``checkpoint_id``, and wait for the answer."""
    return {
        "kind": "ESCALATE",
        "checkpoint_id": checkpoint_id,
        "exception_type": exception_type,
        "evidence_refs": list(evidence_refs),
        "deadline_after_minutes": deadline_after_minutes,
        "rationale": rationale,
    }


def complete(reason: str, evidence_refs: Iterable[str] = ()) -> Decision:
    """Return the decision to propose that the operation is complete."""
    return {"kind": "COMPLETE", "reason": reason, "evidence_refs": list(evidence_refs)}


def retrieve(*tools: str) -> Decision:
    """Return the decision to read: a batch of tools, none of which takes arguments."""
    return {"kind": "RETRIEVE", "requests": [{"tool": tool, "arguments": {}} for tool in tools]}


MALFORMED_OUTCOME = "MALFORMED_AGENT_OUTCOME"
WAIT_CONTRACT_BROKEN = "WAIT_CONTRACT_BROKEN"
DEADLINE_NOT_POSITIVE = "DEADLINE_NOT_POSITIVE"
DEADLINE_BEYOND_CALENDAR = "DEADLINE_BEYOND_CALENDAR"

REFUSED_SHAPES: Mapping[str, str] = MappingProxyType(
    {
        WAIT_CONTRACT_BROKEN: "A wait needs an event type to wake on, a positive fallback, or both.",
        DEADLINE_NOT_POSITIVE: "A deadline is a positive number of minutes.",
        DEADLINE_BEYOND_CALENDAR: "The instant is beyond the last one that can be written.",
    }
)
"""Code of a decision that is well formed but refused as it stands -> its fixed detail."""

MALFORMED_DETAILS: Mapping[str, str] = MappingProxyType(
    {
        "MODEL_MALFORMED_ARGUMENTS": "The arguments of the model's tool call could not be read.",
        "MODEL_MULTIPLE_TOOL_CALLS": "The model called more than one tool.",
        "MODEL_NO_TOOL_CALL": "The model called no tool.",
        "MODEL_OUTPUT_LIMIT_EXCEEDED": "The model's output was over the limit.",
        "MODEL_OUTPUT_TRUNCATED": "The model's output was cut off.",
        "MODEL_OUTPUT_UNCLASSIFIED": "What was returned or raised is no decision.",
        "MODEL_UNKNOWN_TOOL": "The model called a tool that does not exist.",
    }
)
"""Code of a malformed decision -> its fixed detail. Nothing an agent says is ever echoed in a detail."""

MAX_BYTES = 64 * 1024
MAX_NODES = 2_000
MAX_DEPTH = 32
_MAX_ID = 256
_MAX_LONG_TEXT = 262_144

_Check = Callable[[Any], bool]


def admit(value: object) -> Piece:
    """Return the tape form of whatever an agent returned: detached, encoded, measured.

    What fits the closed union of the evidence contract, 2.3, at the limits of a decision, stays as it is. Everything
    else becomes ``MALFORMED`` / ``MODEL_OUTPUT_UNCLASSIFIED``. No method of ``value`` runs.
    """
    nodes = _count_exact(value)
    try:
        data = canonical(value) if nodes else b""
    except TypeError:  # a surrogate, or an integer beyond 53 bits
        return MALFORMED
    if not 0 < len(data) <= MAX_BYTES:
        return MALFORMED
    detached = orjson.loads(data)
    return Piece(detached, data, nodes) if _is_decision(detached) else MALFORMED


def _count_exact(root: object) -> int:
    """Count nodes, names included, of a value of exactly JSON's types within the limits; 0 for any other.

    The general walker of the identity contract says where and why it refuses; a decision needs neither, and is admitted
    at every call of an agent.
    """
    nodes, characters, depth = 1, 0, 0
    level: list[Any] = [[root]]
    while level:
        below: list[Any] = []
        for container in level:
            values: Iterable[Any] = container
            if type(container) is dict:
                for name in container:
                    if type(name) is not str:
                        return 0
                    characters += len(name)
                values = container.values()
                nodes += len(container)
            for value in values:
                kind = type(value)
                if kind is str:
                    characters += len(value)
                elif kind is dict or kind is list:
                    below.append(value)
                    nodes += len(value)
                elif not (kind is int or kind is bool or value is None):
                    return 0
            if nodes > MAX_NODES or characters > MAX_BYTES:
                return 0
        depth += 1
        level = below
    return nodes if depth <= MAX_DEPTH + 1 else 0


def refuse_shape(decision: Decision, minutes_left: int) -> str | None:
    """Return the code for a WAIT, ASK or ESCALATE that no domain needs to look at, or null.

    Args:
        decision: an admitted one.
        minutes_left: minutes from now to the last instant that can be written.
    """
    kind = decision["kind"]
    if kind == "ESCALATE":
        deadline = decision["deadline_after_minutes"]
        if deadline == 0:
            return DEADLINE_NOT_POSITIVE
        return DEADLINE_BEYOND_CALENDAR if deadline > minutes_left else None
    if kind == "ASK":
        return refuse_shape(decision["wait"], minutes_left)
    if kind == "WAIT":
        fallback = decision["fallback_after_minutes"]
        if fallback == 0 or (fallback is None and not decision["wake_on"]):
            return WAIT_CONTRACT_BROKEN
        return DEADLINE_BEYOND_CALENDAR if fallback is not None and fallback > minutes_left else None
    return None


def _is_id(value: Any) -> bool:
    return type(value) is str and 1 <= len(value) <= _MAX_ID


def _is_long_text(value: Any) -> bool:
    return type(value) is str and len(value) <= _MAX_LONG_TEXT


def _are_long_texts(value: Any) -> bool:
    return type(value) is list and all(map(_is_long_text, value))


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_object(value: Any) -> bool:
    return type(value) is dict


def _is_malformed_code(value: Any) -> bool:
    return type(value) is str and value in MALFORMED_DETAILS


def _is_wait(value: Any) -> bool:
    return type(value) is dict and value.get("kind") == "WAIT" and _is_decision(value)


def _are_requests(value: Any) -> bool:
    return type(value) is list and all(
        type(request) is dict
        and request.keys() == {"tool", "arguments"}
        and _is_id(request["tool"])
        and _is_object(request["arguments"])
        for request in value
    )


def _or_null(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


_UNION: Mapping[str, Mapping[str, _Check]] = MappingProxyType(
    {
        "ACT": {
            "action_type": _is_id,
            "payload": _is_object,
            "evidence_refs": _are_long_texts,
            "rationale": _is_long_text,
        },
        "WAIT": {
            "reason": _is_long_text,
            "wake_on": _are_long_texts,
            "fallback_after_minutes": _or_null(_is_count),
        },
        "ASK": {
            "recipient_actor_id": _is_id,
            "message_fixture_id": _is_id,
            "correlation_id": _or_null(_is_id),
            "wait": _is_wait,
        },
        "ESCALATE": {
            "checkpoint_id": _is_id,
            "exception_type": _is_id,
            "evidence_refs": _are_long_texts,
            "deadline_after_minutes": _is_count,
            "rationale": _is_long_text,
        },
        "COMPLETE": {"reason": _is_long_text, "evidence_refs": _are_long_texts},
        "RETRIEVE": {"requests": _are_requests},
        "MALFORMED": {"code": _is_malformed_code},
    }
)
"""Kind -> the exact other members and what each must be."""

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType({kind: tuple(members) for kind, members in _UNION.items()})
"""Kind -> the exact other members."""


def _is_decision(value: Any) -> bool:
    if type(value) is not dict or type(value.get("kind")) is not str:
        return False
    members = _UNION.get(value["kind"])
    return (
        members is not None
        and value.keys() == {"kind", *members}
        and all(check(value[name]) for name, check in members.items())
    )


_UNCLASSIFIED = {"kind": "MALFORMED", "code": "MODEL_OUTPUT_UNCLASSIFIED"}
MALFORMED = Piece.decode(canonical(_UNCLASSIFIED))
"""The tape form of everything that is no decision."""
