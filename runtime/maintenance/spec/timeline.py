"""What happens in each variant: events, who causes them, what they carry, when; and what a variant expects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from ..refusals import REFUSALS
from .forms import Form, Place, boolean, integer, record, require_unique, text, word
from .references import require_declared, require_distinct
from .yaml import MAX_INTEGER

_POLICY_WORDS = {"currency": "currency", "classification": "issue_classification"}
"""Payload field -> the policy field that it must repeat."""


def form_of(kind: str | list[str]) -> Form:
    """Return the form of a value of a field kind."""
    if isinstance(kind, str):
        return {"text": text, "integer": integer(-MAX_INTEGER), "boolean": boolean}[kind]
    return word(*kind)


def minutes_between(start: str, instant: str) -> int | None:
    """Return the whole minutes from ``start`` to ``instant``, or null if there is no such number, or an instant.

    Args:
        start: ``YYYY-MM-DDTHH:MM:SSZ``.
        instant: likewise.
    """
    try:
        seconds = int((_moment(instant) - _moment(start)).total_seconds())
    except ValueError:
        return None
    return seconds // 60 if seconds >= 0 and seconds % 60 == 0 else None


def _moment(instant: str) -> datetime:
    return datetime.strptime(instant, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def check_variants(spec: Place) -> None:
    """Check the opening and every variant; the operation's own parts are sound.

    Raises:
        SpecError: the first fault; one in the opening is named there.
    """
    hidden = record({field: form_of(kind) for field, kind in spec["state"]["hidden"].value.items()})
    for variant in spec["variants"]:
        if minutes_between(variant.value["starts_at"], variant.value["starts_at"]) is None:
            raise variant["starts_at"].refuse("instant", "an instant of the calendar")
        events = [*spec["opening"], *variant["events"]]
        _check_events(events, variant, spec)
        hidden(variant["hidden_initial_values"])
        _check_expectations(events, variant, spec)
    _check_surfaces(spec)


def _check_surfaces(spec: Place) -> None:
    events = chain(spec.value["opening"], *(variant["events"] for variant in spec.value["variants"].values()))
    shown = {event.get("surface_fixture_id") for event in events}
    for fixture_id, place in spec["surface_fixtures"].items():
        if fixture_id not in shown:
            raise place.refuse("inconsistent", "a text that an event shows", f"the unused {fixture_id}")


def _check_events(events: list[Place], variant: Place, spec: Place) -> None:
    ids = [event["event_id"] for event in events]
    require_unique(variant, ids)
    require_distinct((place.value, place) for place in ids)
    clock = 0
    unseen = 0
    for event in events:
        _check_event(event, spec)
        if "at" in event.value:
            minute = minutes_between(variant.value["starts_at"], event.value["at"])
            if minute is None:
                raise event["at"].refuse("instant", f"whole minutes after {variant.value['starts_at']}")
            if minute < clock:
                raise event["at"].refuse("order", "a time not before that of an earlier event")
            clock = minute
        unseen += not event.value["triggers_agent"]
        declared = spec.value["operation"]["declared_max_domain_generated_audit_events"]
        if unseen > declared:
            raise event["triggers_agent"].refuse("audit_budget", f"at most {declared} events that wake nobody")


def _check_event(event: Place, spec: Place) -> None:
    events, actions = spec.value["events"], spec.value["actions"]
    require_declared(event["event_type"], events, "a declared event")
    require_declared(event["actor_id"], spec.value["actors"], "a declared actor")
    contract = events[event.value["event_type"]]
    role = spec.value["actors"][event.value["actor_id"]]
    if contract["authority"] not in spec.value["roles"][role]["authorities"]:
        raise event["actor_id"].refuse("authority_missing", f"an actor whose role holds {contract['authority']}")
    _check_payload(event["payload"], contract)
    for field in _POLICY_WORDS.keys() & event.value["payload"].keys():
        known = spec.value["policy"][_POLICY_WORDS[field]]
        if event.value["payload"][field] != known:
            raise event["payload"][field].refuse("inconsistent", f"{known}, as the policy says")
    if "surface_fixture_id" in event.value:
        require_declared(event["surface_fixture_id"], spec.value["surface_fixtures"], "a declared surface fixture")
    if "trigger" in event.value:
        trigger = event["trigger"]
        causes = events if trigger.value["kind"] == "event" else actions
        require_declared(trigger["type_name"], causes, f"a declared {trigger.value['kind']}")
        cause = causes[trigger.value["type_name"]]
        fields = {**cause["required"], **cause["optional"]}
        record({}, {field: form_of(kind) for field, kind in fields.items()})(trigger["correlation"])


def _check_payload(payload: Place, contract: Mapping[str, Any]) -> None:
    required, optional = (
        {field: form_of(kind) for field, kind in contract[part].items()} for part in ("required", "optional")
    )
    record(required, optional)(payload)


def _check_expectations(events: list[Place], variant: Place, spec: Place) -> None:
    require_declared(variant["expected_terminal"], spec.value["terminals"], "a declared terminal")
    types = variant["required_checkpoint_types"]
    for place in types:
        require_declared(place, spec.value["checkpoints"], "a declared checkpoint type")
    if variant.value["human_checkpoint_budget"] < len(types.value):
        expected = "room for every required checkpoint type"
        raise variant["human_checkpoint_budget"].refuse("inconsistent", expected)
    for rejection in variant["expected_event_rejections"]:
        require_declared(rejection["code"], REFUSALS, "a code by which events are refused")
    rejections = [rejection["event_id"] for rejection in variant["expected_event_rejections"]]
    for place in rejections:
        require_declared(place, {event.value["event_id"] for event in events}, "an event of the variant")
    require_unique(variant["expected_event_rejections"], rejections)
    faults: set[tuple[str, str]] = set()
    channels = [channel["channel"] for channel in spec.value["channels"]]
    for fault in variant["dispatch_faults"]:
        require_declared(fault["message_fixture_id"], spec.value["message_fixtures"], "a declared message fixture")
        require_declared(fault["channel"], channels, "a declared channel")
        key = (fault.value["message_fixture_id"], fault.value["channel"])
        if key in faults:
            raise fault.refuse("duplicate", "one fault for each fixture and channel", " on ".join(key))
        faults.add(key)
