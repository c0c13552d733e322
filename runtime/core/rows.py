"""The record types of a trajectory, each declared once with its exact payload fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_DELIVERY = ("event_id", "event_type", "actor_id", "authority", "provenance", "caused_by", "code")
_CALL = ("invocation_index", "turn_index")
_DISPATCH = (
    "work_id",
    "attempt",
    "channel",
    "recipient_actor_id",
    "message_fixture_id",
    "correlation_id",
    "recovery_of",
)
_DUTY = ("obligation_id", "kind", "cycle_id")

ROW_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # The frame.
        "episode_started": ("starts_at", "horizon_at"),
        "episode_ended": ("status", "terminal_outcome", "invocations"),
        "critical_violation": ("code", "detail"),
        # Deliveries. The first kind can wake the agent, the others cannot.
        "event_observed": (*_DELIVERY, "observational"),
        "event_audit_only": (*_DELIVERY, "observational"),
        "event_rejected": (*_DELIVERY, "detail"),
        "event_after_terminal": (*_DELIVERY, "mutating"),
        # The agent's calls.
        "agent_invoked": (
            "invocation_index",
            "trigger_event_id",
            "trigger_event_type",
            "trigger_event_authority",
            "trigger_is_authoritative",
            "trigger_claim_values",
        ),
        "agent_outcome": (*_CALL, "outcome"),
        "outcome_rejected": (*_CALL, "code", "detail"),
        "agent_session": (*_CALL, "events_digest_sha256", "count"),
        # Waiting.
        "wait_declared": (*_CALL, "reason", "wake_on", "fallback_at"),
        "wait_rejected": (*_CALL, "code", "detail"),
        "wait_fallback_fired": ("reason", "wake_on", "fallback_at"),
        "wait_interrupted": ("event_id", "event_type", "code", "wake_on"),
        "wait_unresolved_at_horizon": ("reason", "wake_on", "horizon_at"),
        # Reading.
        "retrieval_served": (
            *_CALL,
            "batch_index",
            "request_index",
            "tool",
            "source",
            "authority",
            "schema_id",
            "record_id",
            "record_version",
            "as_of",
            "records",
        ),
        "retrieval_refused": (*_CALL, "request_count", "requested_tools", "code", "detail"),
        "derived_context_invalidated": (*_CALL, "cause", "action_type", "cleared_tools"),
        # A consequential action: proposal, authority decision, accepted transition, side effect.
        "action_proposed": ("proposal_id", "action_type", "payload", "evidence_refs"),
        "action_rejected": ("proposal_id", "action_type", "code", "detail"),
        "terminal_proposed": ("proposal_id", "reason", "evidence_refs"),
        "terminal_rejected": ("proposal_id", "code", "detail"),
        "authority_decided": ("proposal_id", "action_type", "authority", "basis"),
        "effect_accepted": ("proposal_id", "action_type", "code", "cycle_id", "bindings"),
        "side_effect": (*_DISPATCH, "status"),
        "side_effect_failed": (*_DISPATCH, "retry_at", "committed_decision_preserved"),
        # Scheduled work and timers.
        "work_created": ("work_id", "channel", "max_attempts", "backoff_minutes"),
        "work_cancelled": ("work_id",),
        "work_completed": ("work_id", "attempts"),
        "work_failed": ("work_id", "attempts"),
        "timer_scheduled": ("event_id", "event_type", "due_at"),
        "timer_cancelled": ("event_id",),
        # Humans and duties.
        "checkpoint_opened": (
            "checkpoint_id",
            "checkpoint_type",
            "assignee_actor_id",
            "cycle_id",
            "deadline_at",
            "exception_type",
            "evidence_refs",
        ),
        "checkpoint_resolved": ("checkpoint_id", "checkpoint_type", "resolution", "resolved_by"),
        "obligation_created": (*_DUTY, "due_at"),
        "obligation_discharged": _DUTY,
        "obligation_cancelled": _DUTY,
        "obligation_breached": _DUTY,
        "terminal_accepted": ("outcome", "replay_final", "cycle_id", "actor_id"),
    }
)
"""Record type -> payload fields. A domain may add types of its own; every row also has index, at and record_type."""
