"""The engine's closed vocabularies: authorities, dispositions, provenance, decision kinds, endings, halts."""

from __future__ import annotations

from enum import StrEnum


class Authority(StrEnum):
    """What a source's word is worth."""

    ACTOR_CLAIM = "actor_claim"
    AUTHORITATIVE_VERIFICATION = "authoritative_verification"
    COMMUNICATION = "communication"
    SYSTEM_EVENT = "system_event"
    SYSTEM_OF_RECORD = "system_of_record"


AUTHORITATIVE = frozenset({Authority.AUTHORITATIVE_VERIFICATION, Authority.SYSTEM_EVENT, Authority.SYSTEM_OF_RECORD})
"""The authorities whose word is a fact; what the others say is a claim."""


class Provenance(StrEnum):
    """Where an event comes from."""

    AUTHORED = "authored"
    CONDITIONAL = "conditional"
    TIMER = "timer"
    RETRY = "retry"


class Disposition(StrEnum):
    """What became of a delivered event."""

    ACCEPTED = "accepted"
    AUDIT = "audit"
    REJECTED = "rejected"
    POST_TERMINAL = "post_terminal"


class Ending(StrEnum):
    """The seven ways an episode ends. The first three are a domain's terminals."""

    SUCCESSFUL_COMPLETION = "successful_completion"
    AUTHORISED_CANCELLATION_OR_TRANSFER = "authorised_cancellation_or_transfer"
    IRREVERSIBLE_BUSINESS_FAILURE = "irreversible_business_failure"
    CRITICAL_INVARIANT_VIOLATION = "critical_invariant_violation"
    OPERATIONAL_HORIZON_EXHAUSTED = "operational_horizon_exhausted"
    OPERATION_DEADLOCK = "operation_deadlock"
    HUMAN_INTERVENTION_BUDGET_EXCEEDED = "human_intervention_budget_exceeded"


HORIZON_EXHAUSTED = "operational_horizon_exhausted"
DEADLOCK = "operation_deadlock"
HALTS = (DEADLOCK, HORIZON_EXHAUSTED)
"""The two halt words of the evidence wire; every other status is a domain terminal."""
