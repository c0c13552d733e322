"""The content of an operation card, as a spec and its code say it (docs/reference/spec-to-cards.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....identity.profile import MAX_IDENTITY_STRING_BYTES, MAX_INTEROPERABLE_INTEGER
from ....runtime.maintenance.spec import OperationSpec
from .names import name_of

POLICY_SCHEMA = "operatebench.policy.lettings.maintenance.v1"

_POLICY_FIELDS = (
    "currency",
    "issue_classification",
    "approval_threshold_minor",
    "approval_reminder_after_minutes",
    "approval_deadline_after_minutes",
    "approval_validity_minutes",
    "provisional_close_minutes",
    "visit_followup_after_minutes",
    "completion_notice_within_minutes",
    "max_turns_per_invocation",
    "horizon_minutes",
    "max_retrieval_batches_per_invocation",
)
"""The policy fields that a card has a place for (card contract, section 6)."""

_Kind = str | tuple[str, ...]


def operation_content(spec: OperationSpec) -> dict[str, Any]:
    """Return what an operation card says of a spec, as fresh plain JSON; sets are in no particular order.

    Names are in lower case. Values are none: words and texts of payloads stay as they are.
    """
    events, actions, content = spec.events, spec.actions, spec.content
    return {
        "operation_type": spec.operation_type,
        "operation_version": spec.operation_version,
        "state_contract": _state(content["state"]),
        "authority_contract": {
            "roles": [
                {"role_id": name_of(role), "authorities": [name_of(code) for code in row.authorities]}
                for role, row in spec.roles.items()
            ],
            "event_authority": [
                {"event_type": name_of(event), "required_authority": name_of(row.authority)}
                for event, row in events.items()
            ],
            "action_authority": [
                {"action_type": name_of(action), "required_authority": name_of(row.authority)}
                for action, row in actions.items()
            ],
        },
        "policy_contract": _policy(content["policy"]),
        "event_contracts": [
            {"event_type": name_of(event), "required": _fields(row.required), "optional": _fields(row.optional)}
            for event, row in events.items()
        ],
        "action_contracts": [
            {
                "action_type": name_of(action),
                "required": _fields(row.required),
                "optional": _fields(row.optional),
                # Evidence that a required field selects is always called for; the rest may or may not be.
                "evidence_refs": "required" if _always_cites(row.required, content["actions"][action]) else "optional",
            }
            for action, row in actions.items()
        ],
        "retrieval_contract": {
            "catalogue": [
                {
                    "tool_id": name_of(tool),
                    "source": name_of(row.source),
                    "authority": name_of(row.authority),
                    "schema_id": name_of(row.schema_id),
                    "arguments": {},
                }
                for tool, row in spec.tools.items()
            ],
            "record_identity_algorithm": "source_and_record_suffix.v1",
            "evidence_requirements": [
                requirement for action, row in content["actions"].items() for requirement in _evidence(action, row)
            ],
        },
        "transition_contract": {
            # The loader has seen to it that every event has one reducer.
            "reducer_ids": [name_of(event) for event in events],
            "obligation_types": [name_of(kind) for kind in spec.obligations],
            "terminal_kinds": [name_of(terminal) for terminal in spec.terminals],
            "common_predicate_inputs": [f"/{root}" for root in content["state"]["roots"]],
            "declared_max_domain_generated_audit_events": content["operation"][
                "declared_max_domain_generated_audit_events"
            ],
        },
    }


def _state(state: Mapping[str, Any]) -> dict[str, Any]:
    hidden = {name_of(field): _schema(kind) for field, kind in state["hidden"].items()}
    return {
        "schema_id": "maintenance.state.v1",
        "initial_state_schema": {
            "type": "object",
            "properties": hidden,
            "required": list(hidden),
            "additionalProperties": False,
        },
        "canonical_state_projection": [f"/{root}" for root in (*state["roots"], "hidden")],
        "replay_final_pointer": "/replay_final",
        "terminal_pointer": "/terminal",
    }


def _policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    fields = {field: policy[field] for field in _POLICY_FIELDS}
    return {**fields, "schema": POLICY_SCHEMA, "issue_classification": name_of(policy["issue_classification"])}


def _schema(kind: _Kind) -> dict[str, Any]:
    """Return the state schema of a field kind."""
    if kind == "boolean":
        return {"type": "boolean"}
    if kind == "integer":
        return {"type": "integer", "minimum": -MAX_INTEROPERABLE_INTEGER, "maximum": MAX_INTEROPERABLE_INTEGER}
    return {"type": "string", "minLength": 1, "maxLength": MAX_IDENTITY_STRING_BYTES, "pattern": None, **_enum(kind)}


def _shape(kind: _Kind) -> dict[str, Any]:
    """Return the field shape of a field kind."""
    if kind == "boolean":
        return {"kind": "boolean"}
    if kind == "integer":
        return {"kind": "integer", "minimum": -MAX_INTEROPERABLE_INTEGER, "maximum": MAX_INTEROPERABLE_INTEGER}
    return {"kind": "string", "min_length": 1, "max_length": MAX_IDENTITY_STRING_BYTES, "pattern": None, **_enum(kind)}


def _enum(kind: _Kind) -> dict[str, Any]:
    return {"enum": None if kind == "text" else sorted(kind)}


def _fields(fields: Mapping[str, _Kind]) -> dict[str, Any]:
    # The map that a field stands in says whether it is mandatory; its own flag would count inside objects only.
    return {name_of(field): {"required": True, "shape": _shape(kind)} for field, kind in fields.items()}


def _always_cites(required: Iterable[str], action: Mapping[str, Any]) -> bool:
    return any(selector["field"] in required for selector in action["evidence"])


def _evidence(action: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what must have been read for an action, and for each of its citations."""
    outcome = name_of(action)
    reads = [name_of(tool) for tool, need in row["reads"].items() if need == "required"]
    rows = [{"outcome_type": outcome, "selector_id": outcome, "required_tools": reads}]
    for selector in row["evidence"]:
        tools = sorted({name_of(step["tool"]) for step in selector.get("steps", (selector,))})
        selector_id = f"{outcome}.{name_of(selector['name'])}"
        rows.append({"outcome_type": outcome, "selector_id": selector_id, "required_tools": tools})
    return rows
