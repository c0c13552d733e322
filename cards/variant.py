"""The rules of a variant card against its operation (card contract, section 13)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..identity.canonical import encode
from .contract import CARD_PROFILE
from .operation import Contract, OperationFacts, require_unique
from .refusal import refusal
from .shapes import require_shape
from .state import require_state


def check_variant(content: Mapping[str, Any], operation: OperationFacts, at: str) -> None:
    """Check a variant's content that has passed its schema.

    Rules, in the order in which they are checked: V1 the start is a real instant; V2 fixtures are unique, V3 dispatch
    failures among them; V4 actors are unique; V5 to V7 events are unique, by a listed actor, timed ones at real
    instants in order; V8 events of one trigger are in order; V9 expected rejections name events, each once; V10 hidden
    values keep the state schema; V11 the terminal and V12 all roles are the operation's; V13 to V18 every event keeps
    its contract.

    Raises:
        CardValidationError: ``semantic.…``.
    """
    _require_instant(content["starts_at"], f"{at}/starts_at")
    require_unique(content["message_fixtures"], "fixture_id", "semantic.fixture_collision", f"{at}/message_fixtures")
    fixtures = {row["fixture_id"] for row in content["message_fixtures"]}
    for index, failure in enumerate(content["dispatch_failures"]):
        if failure not in fixtures:
            raise refusal("semantic.fixture_unresolved", f"{at}/dispatch_failures/{index}", "a listed fixture", failure)
    require_unique(content["actors"], "actor_id", "semantic.actor_collision", f"{at}/actors")
    roles = {row["actor_id"]: row["role_id"] for row in content["actors"]}
    events = content["events"]
    _check_timed(events, roles, f"{at}/events")
    _check_conditional(events, f"{at}/events")
    _check_rejections(content["expected_event_rejections"], events, f"{at}/expected_event_rejections")
    require_state(content["hidden_initial_values"], operation.state_schema, f"{at}/hidden_initial_values")
    terminal = content["expected_terminal"]
    if terminal not in operation.terminals:
        expected = "a terminal kind of the operation"
        raise refusal("semantic.terminal_not_declared", f"{at}/expected_terminal", expected, terminal)
    for index, row in enumerate(content["actors"]):
        if row["role_id"] not in operation.roles:
            place = f"{at}/actors/{index}/role_id"
            raise refusal("semantic.role_not_declared", place, "a role of the operation", row["role_id"])
    for index, event in enumerate(events):
        _check_event(event, roles[event["actor_id"]], operation, f"{at}/events/{index}")


def _require_instant(text: str, at: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise refusal("semantic.not_a_calendar_instant", at, "an instant that exists", text) from None


def _check_timed(events: list[Mapping[str, Any]], roles: Mapping[str, str], at: str) -> None:
    ids: set[str] = set()
    sequences: set[int] = set()
    latest: tuple[str, int, str] | None = None
    for index, event in enumerate(events):
        place = f"{at}/{index}"
        for member, seen in (("event_id", ids), ("authored_sequence", sequences)):
            if event[member] in seen:
                expected = "a value no earlier event has"
                raise refusal("semantic.event_id_or_sequence_collision", f"{place}/{member}", expected, event[member])
        ids.add(event["event_id"])
        sequences.add(event["authored_sequence"])
        if event["actor_id"] not in roles:
            raise refusal("semantic.actor_unresolved", f"{place}/actor_id", "a listed actor", event["actor_id"])
        if event["at"] is None:
            continue
        _require_instant(event["at"], f"{place}/at")
        # The grammar fixes the width of every part, so the order of the texts is the order of the times.
        order = (event["at"], event["authored_sequence"], event["event_id"])
        if latest is not None and order < latest:
            raise refusal("semantic.absolute_event_order", f"{place}/at", f"not before {latest[0]}", event["at"])
        latest = order


def _check_conditional(events: list[Mapping[str, Any]], at: str) -> None:
    latest: dict[bytes, tuple[int, str]] = {}
    for index, event in enumerate(events):
        if event["trigger"] is None:
            continue
        owner = encode(event["trigger"], CARD_PROFILE)
        order = (event["authored_sequence"], event["event_id"])
        if owner in latest and order < latest[owner]:
            place = f"{at}/{index}/authored_sequence"
            raise refusal("semantic.conditional_event_order", place, f"more than {latest[owner][0]}", order[0])
        latest[owner] = order


def _check_rejections(rows: list[Mapping[str, Any]], events: list[Mapping[str, Any]], at: str) -> None:
    ids = {event["event_id"] for event in events}
    named: set[str] = set()
    for index, row in enumerate(rows):
        name, place = row["event_id"], f"{at}/{index}/event_id"
        if name not in ids:
            raise refusal("semantic.rejection_unresolved", place, "an event of this card", name)
        if name in named:
            raise refusal("semantic.rejection_duplicate", place, "an event that no earlier row names", name)
        named.add(name)


def _check_event(event: Mapping[str, Any], role: str, operation: OperationFacts, at: str) -> None:
    kind = event["event_type"]
    contract = operation.contracts["event"].get(kind)
    if contract is None:
        raise refusal("semantic.event_type_not_declared", f"{at}/event_type", "a declared event type", kind)
    needed = operation.event_authority[kind]
    if needed not in operation.roles[role]:
        expected = f"an actor whose role has {needed}"
        raise refusal("semantic.actor_lacks_authority", f"{at}/actor_id", expected, event["actor_id"])
    _check_payload(event["payload"], contract, f"{at}/payload")
    if event["trigger"] is not None:
        _check_trigger(event["trigger"], operation, f"{at}/trigger")


def _check_payload(payload: Mapping[str, Any], contract: Contract, at: str) -> None:
    for name in sorted(contract.mandatory - payload.keys()):
        raise refusal("semantic.payload_fields", at, f"the field {name}", payload)
    for name in payload:
        if name not in contract.shapes:
            raise refusal("semantic.payload_fields", f"{at}/{name}", "no undeclared field", payload[name])
    for name, value in payload.items():
        require_shape(value, contract.shapes[name], "semantic.payload_value", f"{at}/{name}")


def _check_trigger(trigger: Mapping[str, Any], operation: OperationFacts, at: str) -> None:
    contract = operation.contracts[trigger["kind"]].get(trigger["type_name"])
    if contract is None:
        expected = f"a declared {trigger['kind']} type"
        raise refusal("semantic.trigger_type_not_declared", f"{at}/type_name", expected, trigger["type_name"])
    for name, value in trigger["correlation"].items():
        place = f"{at}/correlation/{name}"
        if name not in contract.shapes:
            raise refusal("semantic.correlation_field", place, "a field of the contract", value)
        require_shape(value, contract.shapes[name], "semantic.correlation_value", place)
