"""A synthetic operation of any number of events, for measuring how the engine grows; nothing in it has a meaning."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from operatebench.runtime.core import decisions
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.protocol import (
    Dispatch,
    Effect,
    Environment,
    Event,
    Judgement,
    Limits,
    Plan,
    PlannedEvent,
    Proposal,
    Roles,
    Verdict,
)
from operatebench.runtime.core.vocabulary import Authority, Ending

INSTANCE = "opinst_" + "0" * 32
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Ticking:
    """So many events, two a minute; the first wakes the agent, and all are accepted."""

    def __init__(self, events: int) -> None:
        ticks = (
            PlannedEvent(f"tick_{number}", "tick", "clock", number, {"number": number}, number == 0, at=number // 2)
            for number in range(events)
        )
        self.plan = Plan(
            operation_id="ticking",
            starts_at="2040-01-01T00:00:00Z",
            events=tuple(ticks),
            actors={"clock": "clock", "agent": "agent"},
            authority_of_role={"clock": Authority.SYSTEM_EVENT, "agent": Authority.ACTOR_CLAIM},
            policy=_NOTHING,
            message_fixture_ids=(),
            surfaces=_NOTHING,
            action_schemas=_NOTHING,
            wake_event_types=("tock",),
            catalogue=_NOTHING,
            record_suffix="ticking",
            reads=_NOTHING,
            channels=_NOTHING,
            faults={},
            terminals={"done": Ending.SUCCESSFUL_COMPLETION},
            row_types=_NOTHING,
            roles=Roles("tell", "except", "finish", "excepted", "told", "untold", "tell_again", "clock"),
            limits=Limits(
                horizon_minutes=events,
                max_turns_per_invocation=1,
                max_invocations=1,
                max_retrieval_batches_per_invocation=1,
                max_requests_per_batch=1,
                human_checkpoint_budget=0,
            ),
        )

    def initial_state(self) -> dict[str, int]:
        """Return a count of nothing."""
        return {"ticks": 0}

    def canonical_state(self, state: dict[str, int]) -> dict[str, Any]:
        """Return the count."""
        return dict(state)

    def phase(self, state: dict[str, int]) -> str:
        """Return the only phase."""
        del state
        return "TICKING"

    def is_replay_final(self, state: dict[str, int]) -> bool:
        """Never."""
        del state
        return False

    def serve(self, state: dict[str, int], tool: str) -> dict[str, Any]:
        """Refuse: there are no tools."""
        raise LookupError(state, tool)

    def reduce_event(self, state: dict[str, int], event: Event, environment: Environment) -> Verdict:
        """Count the event."""
        del event, environment
        state["ticks"] += 1
        return Verdict(accepted=True)

    def judge(self, state: dict[str, int], proposal: Proposal) -> Judgement:
        """Refuse: there are no actions."""
        del state, proposal
        return Judgement(accepted=False, code="NO_ACTIONS")

    def commit(self, state: dict[str, int], proposal: Proposal, environment: Environment) -> Effect:
        """Refuse: nothing is granted."""
        raise LookupError(state, proposal, environment)

    def attempt_failed(self, state: dict[str, int], dispatch: Dispatch, attempt: int) -> None:
        """Refuse: nothing is sent."""
        raise LookupError(state, dispatch, attempt)

    def dispatch_ended(
        self, state: dict[str, int], dispatch: Dispatch, *, delivered: bool, environment: Environment
    ) -> None:
        """Refuse: nothing is sent."""
        raise LookupError(state, dispatch, delivered, environment)

    def monitor(self, state: dict[str, int]) -> None:
        """Watch nothing."""


class _Sleeper:
    def decide(self, observation: Observation) -> object:
        del observation
        return decisions.wait("nothing to do", ["tock"])


def sleep_through() -> _Sleeper:
    """Return an agent that waits for what never happens."""
    return _Sleeper()
