"""The content of a variant card but for its scenario: one variant with the shared opening before its own events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....runtime.maintenance.spec import OperationSpec
from .names import name_of, text_digest, timestamp_of


def events_of(content: Mapping[str, Any], variant_id: str) -> Sequence[Mapping[str, Any]]:
    """Return the authored events of a variant, the opening first, as the spec has them.

    Args:
        content: the parsed content of a spec.
        variant_id: one of its variants.

    Raises:
        KeyError: the spec has no such variant.
    """
    return (*content["opening"], *content["variants"][variant_id]["events"])


def surfaces_of(content: Mapping[str, Any], variant_id: str) -> dict[str, str]:
    """Return the digests of the texts that accompany the events of a variant: fixture id -> SHA-256, sorted."""
    shown = {event["surface_fixture_id"] for event in events_of(content, variant_id) if "surface_fixture_id" in event}
    return {fixture_id: text_digest(content["surface_fixtures"][fixture_id]) for fixture_id in sorted(shown)}


def variant_content(spec: OperationSpec, variant_id: str) -> dict[str, Any]:
    """Return what a variant card says of a variant, as fresh plain JSON; sets are in no particular order.

    Raises:
        KeyError: the spec has no such variant.
    """
    content = spec.content
    variant = content["variants"][variant_id]
    said = {fixture_id: text_digest(row["text"]) for fixture_id, row in content["message_fixtures"].items()}
    return {
        "variant_label": name_of(variant["label"]),
        "starts_at": timestamp_of(variant["starts_at"]),
        "expected_terminal": name_of(variant["expected_terminal"]),
        "human_checkpoint_budget": variant["human_checkpoint_budget"],
        "required_checkpoint_types": [name_of(each) for each in variant["required_checkpoint_types"]],
        # A fixture can fail on several channels; the card says only that it fails.
        "dispatch_failures": sorted({name_of(fault["message_fixture_id"]) for fault in variant["dispatch_faults"]}),
        "expected_event_rejections": [
            {"event_id": name_of(row["event_id"]), "code": name_of(row["code"])}
            for row in variant["expected_event_rejections"]
        ],
        "actors": [{"actor_id": name_of(actor), "role_id": name_of(role)} for actor, role in content["actors"].items()],
        "hidden_initial_values": {name_of(field): value for field, value in variant["hidden_initial_values"].items()},
        "message_fixtures": [
            {"fixture_id": name_of(fixture_id), "surface_content_digest_sha256": digest}
            for fixture_id, digest in {**said, **surfaces_of(content, variant_id)}.items()
        ],
        "events": [_event(event, sequence) for sequence, event in enumerate(events_of(content, variant_id))],
    }


def _event(event: Mapping[str, Any], sequence: int) -> dict[str, Any]:
    return {
        "event_id": name_of(event["event_id"]),
        "event_type": name_of(event["event_type"]),
        "actor_id": name_of(event["actor_id"]),
        "authored_sequence": sequence,
        "at": timestamp_of(event["at"]) if "at" in event else None,
        "trigger": _trigger(event["trigger"]) if "trigger" in event else None,
        "delay_minutes": event.get("delay_minutes", 0),
        "triggers_agent": event["triggers_agent"],
        "payload": _named(event["payload"]),
    }


def _trigger(trigger: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": trigger["kind"],
        "type_name": name_of(trigger["type_name"]),
        "correlation": _named(trigger["correlation"]),
    }


def _named(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name_of(field): value for field, value in fields.items()}
