"""The shape of an operation spec: which keys each part has, and what may stand there."""

from __future__ import annotations

from ...core.vocabulary import Authority, Ending
from .forms import (
    Form,
    Place,
    anything,
    boolean,
    either,
    integer,
    listing,
    mapping,
    matching,
    name,
    record,
    scalar,
    tagged,
    text,
    word,
)

SCHEMA = "operatebench.operation_spec.v1"
OPERATION_TYPE = "lettings.maintenance.synthetic"
"""The one operation type of cards (card contract, section 1)."""

_KIND = either(
    lambda value: type(value) is list,
    listing(matching("[A-Z][A-Z0-9_]*", "a word in capitals"), at_least=1, unique=True),
    word("text", "integer", "boolean"),
)
_FIELDS = mapping(_KIND, at_least=0)
# A thousand years, so that no duration leads out of the calendar.
_INSTANT = matching(r"2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", "an instant 2YYY-MM-DDTHH:MM:SSZ")
_VERSION = matching(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", "a version N.N.N")
_NAMES = listing(name, at_least=1, unique=True)

# Minutes and counts start at 1, as on a card; none may outgrow what the simulated clock can write down.
_LONG = integer(1, 1_000_000_000)
_POLICY_NUMBERS = (
    *("approval_threshold_minor", "approval_reminder_after_minutes", "approval_deadline_after_minutes"),
    *("approval_validity_minutes", "provisional_close_minutes", "visit_followup_after_minutes"),
    *("completion_notice_within_minutes", "max_turns_per_invocation", "horizon_minutes"),
    *("max_retrieval_batches_per_invocation", "reminder_within_minutes", "handover_notice_within_minutes"),
    *("exception_deadline_after_minutes", "max_invocations", "max_requests_per_batch"),
)
POLICY: dict[str, Form] = {
    "currency": matching("[A-Z]{3}", "three capital letters"),
    "issue_classification": name,
    **dict.fromkeys(_POLICY_NUMBERS, _LONG),
    "vat_percent": integer(0, 100),
}

_SELECTOR = {"name": name, "select": text, "field": name}
_LOOK_UP: dict[str, Form] = {"tool": name, "root": name, "key": name}
_WHEN = {"when": record({"field": name, "values": listing(text, at_least=1, unique=True)})}
_STEP = record({"tool": name, "root": name, "match": name, "take": name})
_EVIDENCE = tagged(
    "select",
    {
        "registry_key": record({**_SELECTOR, **_LOOK_UP}, _WHEN),
        "related_record": record({**_SELECTOR, "steps": listing(_STEP, at_least=1)}, _WHEN),
        "versioned_key": record({**_SELECTOR, **_LOOK_UP, "id_field": name, "version_field": name}, _WHEN),
    },
)

_EVENT_TYPE = record({"stage": name, "authority": name, "required": _FIELDS, "optional": _FIELDS})
_ACTION_TYPE = record(
    {
        "stage": name,
        "authority": name,
        "required": _FIELDS,
        "optional": _FIELDS,
        "reads": mapping(word("required", "optional")),
        "evidence": listing(_EVIDENCE),
        "guidance": mapping(text, at_least=0),
    }
)


def _event(place: Place) -> None:
    """An authored event: it has a time, or a trigger and a delay."""
    _ANY_EVENT(place)
    timed, caused = ("at" in place.value), ("trigger" in place.value)
    if timed == caused or caused != ("delay_minutes" in place.value):
        found = ", ".join(key for key in ("at", "trigger", "delay_minutes") if key in place.value) or "none of them"
        raise place.refuse("event_time", "at, or trigger and delay_minutes", found)


_ANY_EVENT = record(
    {"event_id": name, "event_type": name, "actor_id": name, "triggers_agent": boolean, "payload": mapping(scalar)},
    {
        "at": _INSTANT,
        "trigger": record(
            {"kind": word("action", "event"), "type_name": name, "correlation": mapping(scalar, at_least=0)}
        ),
        "delay_minutes": integer(0, 1_000_000_000),
        "surface_fixture_id": name,
    },
)

_VARIANT = record(
    {
        "label": name,
        "starts_at": _INSTANT,
        "expected_terminal": name,
        "human_checkpoint_budget": integer(0, 1_000_000),
        "required_checkpoint_types": listing(name, unique=True),
        "dispatch_faults": listing(
            record({"message_fixture_id": name, "channel": name, "first_attempts": integer(1, 1_000)})
        ),
        "expected_event_rejections": listing(
            record({"event_id": name, "code": matching("[A-Z][A-Z0-9_]*", "a word in capitals"), "reason": text})
        ),
        "hidden_initial_values": mapping(scalar, at_least=0),
        "events": listing(_event),
    }
)


def _privacy(place: Place) -> None:
    if place.value != "SYNTHETIC_ONLY":
        raise place.refuse("privacy", "SYNTHETIC_ONLY")


_SPEC = record(
    {
        "schema": word(SCHEMA),
        "operation": record(
            {
                "operation_id": name,
                "operation_type": word(OPERATION_TYPE),
                "operation_version": _VERSION,
                "semantic_scenario_id": name,
                "disclaimer": text,
                "declared_max_domain_generated_audit_events": integer(0, 1_000_000),
            }
        ),
        "privacy": _privacy,
        "provenance": text,
        "clock": record({"kind": word("simulated"), "unit": word("minute")}),
        "topology": listing(name),
        "roles": mapping(record({"authority_class": word(*Authority), "authorities": _NAMES})),
        "actors": mapping(name),
        "policy": record(POLICY),
        "human_budget": record({"counts": _NAMES, "guidance": text}),
        "channels": listing(
            record({"channel": name, "max_attempts": integer(1, 1_000), "backoff_minutes": integer(0, 1_000_000)}),
            at_least=1,
        ),
        "message_fixtures": mapping(record({"purpose": name, "recipient_role": name, "text": text})),
        "surface_fixtures": mapping(text, at_least=0),
        "documents": mapping(record({"root": name, "received_by": name})),
        "schedules": mapping(name),
        "state": record(
            {
                "roots": mapping(
                    record({"visibility": word("observable", "authoritative"), "tool": name, "initial": anything})
                ),
                "hidden": mapping(_KIND, at_least=0),
            }
        ),
        "retrieval": record(
            {
                "record_suffix": name,
                "catalogue": mapping(record({"source": name, "authority": word(*Authority), "schema_id": name})),
            }
        ),
        "events": mapping(_EVENT_TYPE),
        "actions": mapping(_ACTION_TYPE),
        "checkpoints": mapping(record({"assignee_role": name, "opened_by": name, "resolved_by": name, "rule": text})),
        "obligations": mapping(record({"due_policy_field": name, "statement": text})),
        "invariants": listing(record({"invariant_id": name, "code": name, "statement": text})),
        "terminals": mapping(record({"ending": word(*Ending), "condition": text})),
        "critical_failures": mapping(text),
        "evaluator": record({"dimensions": _NAMES}),
        "semantic_scenario": anything,  # the card contract has its shape: see scenario.py
        "opening": listing(_event, at_least=1),
        "variants": mapping(_VARIANT),
    }
)


def check_shape(spec: Place) -> None:
    """Check a whole spec value by value, in the order in which it is declared here.

    Raises:
        SpecError: the first value that is not what it must be.
    """
    _SPEC(spec)
