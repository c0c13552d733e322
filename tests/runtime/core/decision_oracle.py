"""A second opinion on decisions: a JSON Schema of the tape's union, a slow walk over the limits, hostile values."""

import json
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.identity.strategies import any_text, any_value, clean_value

_ID = {"type": "string", "minLength": 1, "maxLength": 256}
_LONG = {"type": "string", "maxLength": 262_144}
_LONGS = {"type": "array", "items": _LONG}
_COUNT = {"type": "integer", "minimum": 0}


def _closed(kind: str, **members: Any) -> dict[str, Any]:
    properties = {"kind": {"const": kind}, **members}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_WAIT = _closed("WAIT", reason=_LONG, wake_on=_LONGS, fallback_after_minutes={"anyOf": [_COUNT, {"type": "null"}]})
_REQUEST = {
    "type": "object",
    "properties": {"tool": _ID, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
    "additionalProperties": False,
}
_CODE = {
    "enum": [
        "MODEL_MALFORMED_ARGUMENTS",
        "MODEL_MULTIPLE_TOOL_CALLS",
        "MODEL_NO_TOOL_CALL",
        "MODEL_OUTPUT_LIMIT_EXCEEDED",
        "MODEL_OUTPUT_TRUNCATED",
        "MODEL_OUTPUT_UNCLASSIFIED",
        "MODEL_UNKNOWN_TOOL",
    ]
}
_UNION = Draft202012Validator(
    {
        "oneOf": [
            _closed("ACT", action_type=_ID, payload={"type": "object"}, evidence_refs=_LONGS, rationale=_LONG),
            _WAIT,
            _closed(
                "ASK",
                recipient_actor_id=_ID,
                message_fixture_id=_ID,
                correlation_id={"anyOf": [_ID, {"type": "null"}]},
                wait=_WAIT,
            ),
            _closed(
                "ESCALATE",
                checkpoint_id=_ID,
                exception_type=_ID,
                evidence_refs=_LONGS,
                deadline_after_minutes=_COUNT,
                rationale=_LONG,
            ),
            _closed("COMPLETE", reason=_LONG, evidence_refs=_LONGS),
            _closed("RETRIEVE", requests={"type": "array", "items": _REQUEST}),
            _closed("MALFORMED", code=_CODE),
        ]
    }
)


def measure(value: Any) -> tuple[int, int]:
    """Return nodes, names counted, and nested containers of plain JSON, one value at a time."""
    if isinstance(value, dict):
        below = [measure(item) for item in value.values()]
        return 1 + len(value) + sum(nodes for nodes, _ in below), 1 + max((depth for _, depth in below), default=0)
    if isinstance(value, list):
        below = [measure(item) for item in value]
        return 1 + sum(nodes for nodes, _ in below), 1 + max((depth for _, depth in below), default=0)
    return 1, 0


def _is_exact(value: Any) -> bool:
    if type(value) is dict:
        return all(type(name) is str and _is_exact(name) and _is_exact(item) for name, item in value.items())
    if type(value) is list:
        return all(map(_is_exact, value))
    if type(value) is str:
        return not any(0xD800 <= ord(character) <= 0xDFFF for character in value)
    return value is None or type(value) is bool or (type(value) is int and abs(value) < 2**53)


def is_taped_as_it_is(value: Any) -> bool:
    """Tell whether an acyclic value of bounded depth is a decision of the tape's union within its limits."""
    if not _is_exact(value) or not _UNION.is_valid(value):
        return False
    nodes, depth = measure(value)
    return (
        nodes <= 2_000
        and depth <= 32
        and len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) <= 65_536
    )


_texts = st.one_of(st.sampled_from(["", "a", "x" * 256, "x" * 257, "\U0001f600" * 256, "\U0001f600" * 257]), any_text)
_counts = st.one_of(st.sampled_from([0, 1, 2**53 - 1, 2**53, -1, True, 1.0, None]), st.integers(0, 9_999))
_lists = st.lists(_texts, max_size=3)
_waits = st.fixed_dictionaries(
    {"kind": st.just("WAIT"), "reason": _texts, "wake_on": _lists, "fallback_after_minutes": _counts}
)
_objects = st.one_of(st.dictionaries(_texts, clean_value, max_size=3), any_value)

near_decisions = st.one_of(
    _waits,
    st.fixed_dictionaries(
        {
            "kind": st.just("ACT"),
            "action_type": st.one_of(st.sampled_from(["file_note", "request_review", "issue_licence"]), _texts),
            "payload": st.one_of(st.just({"text": "a"}), _objects),
            "evidence_refs": _lists,
            "rationale": _texts,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("ASK"),
            "recipient_actor_id": _texts,
            "message_fixture_id": _texts,
            "correlation_id": st.one_of(st.none(), _texts),
            "wait": st.one_of(_waits, any_value),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("ESCALATE"),
            "checkpoint_id": _texts,
            "exception_type": _texts,
            "evidence_refs": _lists,
            "deadline_after_minutes": _counts,
            "rationale": _texts,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("COMPLETE"), "reason": _texts, "evidence_refs": _lists}),
    st.fixed_dictionaries(
        {
            "kind": st.just("RETRIEVE"),
            "requests": st.lists(
                st.fixed_dictionaries(
                    {
                        "tool": st.one_of(st.sampled_from(["read_file", "read_post"]), _texts),
                        "arguments": st.one_of(st.just({}), _objects),
                    }
                ),
                max_size=4,
            ),
        }
    ),
    st.fixed_dictionaries(
        {"kind": st.just("MALFORMED"), "code": st.one_of(st.sampled_from([*_CODE["enum"], "MODEL_OTHER"]), any_value)}
    ),
)


@st.composite
def _bent(draw: st.DrawFn) -> Any:
    decision = dict(draw(near_decisions))
    name = draw(st.sampled_from(sorted(decision)))
    match draw(st.sampled_from(["drop", "replace", "add"])):
        case "drop":
            del decision[name]
        case "replace":
            decision[name] = draw(any_value)
        case "add":
            decision[draw(any_text)] = draw(any_value)
    return decision


any_return = st.one_of(near_decisions, _bent(), any_value)
"""Decisions, near misses and any JSON-like values."""
