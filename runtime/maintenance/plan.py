"""Turns a spec and one of its variants into the engine's plan: the part of an episode that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ...identity.records import freeze_owned
from ..core.contract import RegistryKey, RelatedRecord, Selector
from ..core.protocol import Limits, Plan, Roles
from .spec.records import FieldKind, OperationSpec

ROW_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "provisional_close_entered": ("cycle_id", "reopen_until"),
        "operation_reopened": ("reopened_cycle_id", "warranty_cycle_id", "reason"),
    }
)
"""The operation's own row types -> their payload fields."""

_EXECUTION_LIMITS = (
    "horizon_minutes",
    "max_invocations",
    "max_requests_per_batch",
    "max_retrieval_batches_per_invocation",
    "max_turns_per_invocation",
)
"""Policy fields that bind the engine and are not shown; what is left of the reads stands in each observation."""


@lru_cache(maxsize=64)  # every episode, and every grade, asks for one
def plan_of(spec: OperationSpec, variant_id: str) -> Plan:
    """Return the plan of one variant; equal arguments may share one.

    Nothing in it names the variant, its label, what it expects or what it hides, so none of that can be observed.

    Args:
        spec: the operation.
        variant_id: one of ``spec.variants``.

    Raises:
        KeyError: the spec has no such variant.
    """
    variant = spec.variants[variant_id]
    roles = Roles(
        communication_action="send_message",
        exception_action="request_exception_resolution",
        terminal_action="complete",
        exception_resolved_event="operator_exception_resolved",
        work_completed_event="message_delivered",
        work_failed_event="message_failed",
        retry_event="dispatch_retry_due",
        scheduler_actor_id=spec.actor_of_role("system_scheduler"),
    )
    policy = asdict(spec.policy)
    limits = {name: policy.pop(name) for name in _EXECUTION_LIMITS}
    shown = {
        **policy,
        "channels": list(spec.channels),
        "human_checkpoint_budget": variant.human_checkpoint_budget,
        "human_checkpoint_guidance": spec.human_checkpoint_guidance,
    }
    # Only this variant's own, so that the texts of another one change nothing here.
    shown_surfaces = {event.surface_fixture_id for event in variant.events if event.surface_fixture_id is not None}
    return Plan(
        operation_id=spec.operation_id,
        starts_at=variant.starts_at,
        events=variant.events,
        actors=spec.actors,
        authority_of_role=MappingProxyType({role: row.authority_class for role, row in spec.roles.items()}),
        policy=freeze_owned(shown),
        message_fixture_ids=tuple(sorted(spec.message_fixtures)),
        surfaces=MappingProxyType({name: spec.surface_fixtures[name] for name in shown_surfaces}),
        action_schemas=freeze_owned({name: _published(name, spec, roles) for name in spec.actions}),
        # A retry is the environment's own affair and wakes nobody, so waiting for it would be waiting for ever.
        wake_event_types=tuple(sorted(spec.events.keys() - {roles.retry_event})),
        catalogue=spec.tools,
        record_suffix=spec.record_suffix,
        reads=MappingProxyType({name: action.reads for name, action in spec.actions.items()}),
        channels=spec.channels,
        faults=MappingProxyType(
            {(fault.message_fixture_id, fault.channel): fault.first_attempts for fault in variant.dispatch_faults}
        ),
        terminals=spec.terminals,
        row_types=ROW_TYPES,
        roles=roles,
        limits=Limits(**limits, human_checkpoint_budget=variant.human_checkpoint_budget),
    )


def _published(action_type: str, spec: OperationSpec, roles: Roles) -> dict[str, Any]:
    """Return what an agent is told of an action, as fresh plain JSON."""
    action = spec.actions[action_type]
    # The terminal action is a decision of its own, with no payload.
    optional = {} if action_type == roles.terminal_action else action.optional
    guidance: dict[str, Any] = dict(action.guidance)
    if "message_fixture_id" in action.required:
        guidance["message_fixture_id"] = {
            name: {"purpose": fixture.purpose, "recipient_role": fixture.recipient_role}
            for name, fixture in spec.message_fixtures.items()
        }
    return {
        "required": {field: _kind(kind) for field, kind in action.required.items()},
        "optional": {field: _kind(kind) for field, kind in optional.items()},
        "reads": {tool: "required" if needed else "optional" for tool, needed in action.reads.tools.items()},
        "evidence_refs": {selector.name: _citation(selector) for selector in action.reads.evidence},
        "field_guidance": guidance,
    }


def _kind(kind: FieldKind) -> str | list[str]:
    return kind if isinstance(kind, str) else list(kind)


def _citation(selector: Selector) -> dict[str, str]:
    """Return where a citation is found, and which one it is, in words."""
    field = f"payload.{selector.payload_field}"
    if isinstance(selector, RelatedRecord):
        source = f"{selector.steps[-1].tool}.{selector.steps[-1].root}"
        looked = "; then ".join(
            f"in {step.tool}.{step.root} the record whose {step.match} is that, take its {step.take}"
            for step in selector.steps
        )
        text = f"start from {field}; {looked}; cite the last"
    else:
        source = f"{selector.tool}.{selector.root}"
        record = f"of the record whose {selector.key} is {field}"
        key = (
            selector.key if isinstance(selector, RegistryKey) else f"<{selector.id_field}>:v<{selector.version_field}>"
        )
        text = f"cite {key} {record}"
    if selector.when:
        text += f"; only when payload.{selector.when.payload_field} is {' or '.join(selector.when.values)}"
    return {"from": source, "select": text}
