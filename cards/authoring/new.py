"""Writes minimal valid cards to start from; what a card refers to gives the names it must use."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from ..contract import CARD_SCHEMA_VERSION, OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA
from ..envelope import content_digest
from ..library import Entry, Library
from ..operation import Contract, OperationFacts
from ..refusal import refusal
from .examples import example
from .fields import Field, of_shape, of_state
from .upstream import UPSTREAM

_STARTS_AT = "2025-01-06T09:00:00.000000Z"
_EMPTY_MESSAGE = hashlib.sha256(b"").hexdigest()
_CARD_ID = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*(?:@[0-9]+\.[0-9]+\.[0-9]+)?")
_MAX_CARD_ID = 255


def is_card_id(text: str) -> bool:
    """Tell whether a text may be the id of a card (card contract, section 4)."""
    return len(text) <= _MAX_CARD_ID and _CARD_ID.fullmatch(text) is not None


def new_card(schema: str, card_id: str, upstream: Sequence[Any] = ()) -> dict[str, Any]:
    """Return a minimal valid card.

    Args:
        schema: the literal of the card.
        card_id: its id, which keeps the grammar of card ids.
        upstream: admitted cards: the operation for a scenario; the scenario and its operation for a variant.

    Raises:
        CardValidationError: an upstream card is not valid (paths start with ``references/N#``);
            ``references.unresolved`` or ``references.ambiguous`` if not exactly one of the kind needed is there;
            ``semantic.hidden_state_mismatch`` or ``semantic.payload_value`` if no small value keeps the types of the
            operation.
    """
    if schema == OPERATION_CARD_SCHEMA:
        return _sealed(schema, card_id, _operation())
    library = Library()
    entries = [Entry(card, f"references/{index}#") for index, card in enumerate(upstream)]
    for entry in entries:
        library.add(entry)
    target = _only(entries, UPSTREAM[schema].schema)
    facts = library.facts(target)
    card = target.card
    reference = {name: card[name] for name in ("schema", "id", "content_digest_sha256")}
    content = _scenario(facts) if schema == SEMANTIC_SCENARIO_CARD_SCHEMA else _variant(facts, _operation_of(entries))
    made = Entry(_sealed(schema, card_id, {UPSTREAM[schema].member: reference, **content}), "card#")
    library.facts(made)
    made_card: dict[str, Any] = made.card
    return made_card


def _sealed(schema: str, card_id: str, content: dict[str, Any]) -> dict[str, Any]:
    card = {"schema": schema, "schema_version": CARD_SCHEMA_VERSION, "id": card_id, "content": content}
    return {**card, "content_digest_sha256": content_digest(card)}


def _only(entries: list[Entry], schema: str) -> Entry:
    found = [entry for entry in entries if entry.card["schema"] == schema]
    if not found:
        raise refusal("references.unresolved", "", f"a card of {schema} among those given", [e.card for e in entries])
    if len(found) > 1:
        raise refusal("references.ambiguous", f"{found[1].at}/schema", f"one card of {schema}", found[1].card["id"])
    return found[0]


def _operation_of(entries: list[Entry]) -> str:
    """Return the place of the operation among the upstream cards of a valid scenario."""
    return next(entry.at for entry in entries if entry.card["schema"] == OPERATION_CARD_SCHEMA)


def _operation() -> dict[str, Any]:
    text = {"min_length": 1, "max_length": 200, "pattern": None, "enum": None}
    return {
        "operation_type": "lettings.maintenance.synthetic",
        "operation_version": "0.1.0",
        "state_contract": {
            "schema_id": "case-state.v1",
            "initial_state_schema": {
                "type": "object",
                "properties": {
                    "phase": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 40,
                        "pattern": None,
                        "enum": ["closed", "open"],
                    }
                },
                "required": ["phase"],
                "additionalProperties": False,
            },
            "canonical_state_projection": ["/phase"],
            "replay_final_pointer": "/phase",
            "terminal_pointer": "/phase",
        },
        "authority_contract": {
            "roles": [{"role_id": "coordinator", "authorities": ["case.close", "issue.report"]}],
            "event_authority": [{"event_type": "issue.reported", "required_authority": "issue.report"}],
            "action_authority": [{"action_type": "case.close", "required_authority": "case.close"}],
        },
        "policy_contract": {
            "schema": "operatebench.policy.lettings.maintenance.v1",
            "currency": "EUR",
            "issue_classification": "repair.routine",
            "approval_threshold_minor": 25_000,
            "approval_reminder_after_minutes": 720,
            "approval_deadline_after_minutes": 2_880,
            "approval_validity_minutes": 10_080,
            "provisional_close_minutes": 4_320,
            "visit_followup_after_minutes": 1_440,
            "completion_notice_within_minutes": 240,
            "max_turns_per_invocation": 8,
            "horizon_minutes": 20_160,
            "max_retrieval_batches_per_invocation": 3,
        },
        "event_contracts": [
            {
                "event_type": "issue.reported",
                "required": {"summary": {"required": True, "shape": {"kind": "string", **text}}},
                "optional": {},
            }
        ],
        "action_contracts": [
            {"action_type": "case.close", "required": {}, "optional": {}, "evidence_refs": "optional"}
        ],
        "retrieval_contract": {
            "catalogue": [
                {
                    "tool_id": "case.read",
                    "source": "case-records",
                    "authority": "case.read",
                    "schema_id": "case-record.v1",
                    "arguments": {},
                }
            ],
            "record_identity_algorithm": "sha256-canonical",
            "evidence_requirements": [
                {"outcome_type": "case.closed", "selector_id": "case.latest", "required_tools": ["case.read"]}
            ],
        },
        "transition_contract": {
            "reducer_ids": ["case.reducer"],
            "obligation_types": ["answer.report"],
            "terminal_kinds": ["closed"],
            "common_predicate_inputs": ["/phase"],
            "declared_max_domain_generated_audit_events": 100,
        },
    }


def _scenario(facts: OperationFacts) -> dict[str, Any]:
    pointer = min(facts.pointers, key=lambda each: (each == "", each))  # the whole state says little
    return {
        "construct_label": "new-construct",
        "common_estimand_id": "new-estimand",
        "decision_points": [
            {
                "point_id": "first-decision",
                "order": 1,
                "reach_predicate": {
                    "kind": "scalar",
                    "operator": "NE",
                    "left": {"kind": "pointer", "pointer": pointer},
                    "right": {"kind": "literal", "value": None},
                },
                "required_prior_point_ids": [],
                "common_obligation_id": "first-obligation",
                "admissible_effect_classes": ["act"],
            }
        ],
        "causal_graph": {"nodes": [{"node_id": "first-decision", "semantic_type": "decision"}], "edges": []},
        "authored_hazards": [],
        "common_outcome_obligations": [
            {"obligation_id": "first-obligation", "predicate_id": "first-predicate", "terminal_required": True}
        ],
        "allowed_variant_dimensions": [],
    }


def _variant(facts: OperationFacts, operation: str) -> dict[str, Any]:
    found, hidden = example(of_state(facts.state_schema))
    if not found or type(hidden) is not dict:
        place = f"{operation}/content/state_contract/initial_state_schema"
        expected = "a schema that some small object keeps"
        raise refusal("semantic.hidden_state_mismatch", place, expected, dict(facts.state_schema))
    event_type, payload = _event(facts, operation)
    needed = facts.event_authority[event_type]
    role = min(name for name, authorities in facts.roles.items() if needed in authorities)
    return {
        "variant_label": "new-variant",
        "starts_at": _STARTS_AT,
        "expected_terminal": min(facts.terminals),
        "human_checkpoint_budget": 0,
        "required_checkpoint_types": [],
        "dispatch_failures": [],
        "expected_event_rejections": [],
        "actors": [{"actor_id": role, "role_id": role}],
        "hidden_initial_values": hidden,
        "message_fixtures": [{"fixture_id": "first-message", "surface_content_digest_sha256": _EMPTY_MESSAGE}],
        "events": [
            {
                "event_id": "first-event",
                "event_type": event_type,
                "actor_id": role,
                "authored_sequence": 1,
                "at": _STARTS_AT,
                "trigger": None,
                "delay_minutes": 0,
                "triggers_agent": True,
                "payload": payload,
            }
        ],
    }


def _event(facts: OperationFacts, operation: str) -> tuple[str, dict[str, Any]]:
    """Return the first event type for which a small payload was found, and that payload."""
    for event_type, contract in facts.contracts["event"].items():
        found, payload = example(_payload(contract))
        if found:
            return event_type, payload
    expected = "an event type whose required fields take some small values"
    raise refusal(
        "semantic.payload_value", f"{operation}/content/event_contracts", expected, list(facts.contracts["event"])
    )


def _payload(contract: Contract) -> Field:
    needed = tuple(sorted(contract.mandatory))
    return Field("object", members={name: of_shape(contract.shapes[name]) for name in needed}, needed=needed)
