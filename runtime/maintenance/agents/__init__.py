"""The agents that come with the pack: the reference, a conversational one, and the controls that must fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ....errors import SpecError
from ...core.protocol import Agent
from . import (
    abandon_case,
    always_act,
    always_escalate,
    always_wait,
    believes_contradictory_claim,
    complete_early,
    context_loss,
    conversational,
    duplicate_after_wake,
    duplicate_send,
    escalate_without_context,
    exceed_authority,
    forget_notice,
    ignore_failed_dispatch,
    ignore_new_events,
    ignore_reopen,
    invent_evidence,
    premature_completion,
    premature_follow_up,
    recover_too_soon,
    reference,
    skip_approval,
    speak_nonsense,
    stale_after_wake,
    stale_evidence,
    trust_actor_claim,
    unnecessary_escalation,
    wait_for_invented_event,
)

AGENTS: Mapping[str, Callable[[], Agent]] = MappingProxyType(
    {
        "abandon_case": abandon_case.create,
        "always_act": always_act.create,
        "always_escalate": always_escalate.create,
        "always_wait": always_wait.create,
        "believes_contradictory_claim": believes_contradictory_claim.create,
        "complete_early": complete_early.create,
        "context_loss": context_loss.create,
        "conversational": conversational.create,
        "duplicate_after_wake": duplicate_after_wake.create,
        "duplicate_send": duplicate_send.create,
        "escalate_without_context": escalate_without_context.create,
        "exceed_authority": exceed_authority.create,
        "forget_notice": forget_notice.create,
        "ignore_failed_dispatch": ignore_failed_dispatch.create,
        "ignore_new_events": ignore_new_events.create,
        "ignore_reopen": ignore_reopen.create,
        "invent_evidence": invent_evidence.create,
        "premature_completion": premature_completion.create,
        "premature_follow_up": premature_follow_up.create,
        "recover_too_soon": recover_too_soon.create,
        "reference": reference.create,
        "skip_approval": skip_approval.create,
        "speak_nonsense": speak_nonsense.create,
        "stale_after_wake": stale_after_wake.create,
        "stale_evidence": stale_evidence.create,
        "trust_actor_claim": trust_actor_claim.create,
        "unnecessary_escalation": unnecessary_escalation.create,
        "wait_for_invented_event": wait_for_invented_event.create,
    }
)
"""Agent id -> makes a new agent, for one episode. Sorted; what is expected of each stands in the oracle."""


def create(agent_id: str) -> Agent:
    """Return a new agent.

    Raises:
        SpecError: ``closed_value``, there is no such agent.
    """
    if agent_id not in AGENTS:
        raise SpecError.found("closed_value", "agent_id", " or ".join(AGENTS), agent_id)
    return AGENTS[agent_id]()
