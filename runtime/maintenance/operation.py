"""The Maintenance operation as the engine runs it: one variant of the spec, its guards, and who handles what."""

from __future__ import annotations

from typing import Any

from ..core.protocol import Dispatch, Effect, Environment, Event, Judgement, Plan, Proposal, Verdict
from .actions import ACTIONS
from .actions import messages as dispatches
from .invariants import INVARIANTS
from .payloads import fits
from .plan import plan_of
from .reducers import REDUCERS
from .refusals import RefusalError, require
from .rules import Rules
from .spec.records import OperationSpec
from .state.state import State, thawed


class MaintenanceOperation:
    """Implements :class:`..core.protocol.Operation` (runtime contract, sections 1 and 2).

    A refusal is one code with one fixed sentence; nothing has been written when it is given.

    Attributes:
        plan: the constant part of the variant.
    """

    __slots__ = ("_agent_authorities", "_hidden", "_rules", "_spec", "plan")

    def __init__(self, spec: OperationSpec, variant_id: str) -> None:
        """Set one variant up.

        Raises:
            KeyError: the spec has no such variant.
        """
        self.plan: Plan = plan_of(spec, variant_id)
        self._spec = spec
        self._rules = Rules(spec, self.plan.starts_at)
        self._hidden = spec.variants[variant_id].hidden_initial_values
        self._agent_authorities = spec.roles["agent"].authorities

    def initial_state(self) -> State:
        """Return a fresh state."""
        return State(hidden=thawed(self._hidden))

    def canonical_state(self, state: State) -> dict[str, Any]:
        """Return the whole state as fresh plain JSON."""
        return state.canonical()

    def phase(self, state: State) -> str:
        """Return the one coarse word an observation shows."""
        return state.phase

    def is_replay_final(self, state: State) -> bool:
        """Tell whether nothing can change any more."""
        return state.replay_final

    def serve(self, state: State, tool: str) -> dict[str, Any]:
        """Return the roots of one tool as fresh plain JSON, by root."""
        return {root: state.root(root) for root in self.plan.catalogue[tool].roots}

    def reduce_event(self, state: State, event: Event, environment: Environment) -> Verdict:
        """Check a delivered event and apply it.

        Refusals, in order:
            * ``AFTER_REPLAY_FINAL``
            * ``UNKNOWN_ACTOR``
            * ``UNKNOWN_EVENT_TYPE``
            * ``EVENT_ACTOR_LACKS_AUTHORITY``
            * ``MALFORMED_EVENT_PAYLOAD``
            * those of its reducer
        """
        try:
            self._check_event(state, event)
            return REDUCERS[event.event_type](state, event, self._rules, environment)
        except RefusalError as refusal:
            return Verdict(False, refusal.code, refusal.detail)

    def judge(self, state: State, proposal: Proposal) -> Judgement:
        """Decide on a proposal; the state is only read.

        Refusals, in order:
            * ``OPERATION_IS_REPLAY_FINAL``
            * ``ACTION_OUTSIDE_AGENT_AUTHORITY``: whatever the agent invents ends here
            * ``UNKNOWN_ACTION_TYPE``
            * ``MALFORMED_ACTION_PAYLOAD``
            * ``NON_AUTHORITATIVE_EVIDENCE``: a claim is cited
            * ``UNRESOLVED_EVIDENCE``: something is cited that does not exist
            * ``ALREADY_PROVISIONALLY_CLOSED``: it is the customer's turn alone
            * for actions that take the business further: ``OPERATION_HANDED_OVER``
            * those of its handler
        """
        try:
            authority = self._check_proposal(state, proposal)
            action = ACTIONS[proposal.action_type]
            basis = action.judge(state, proposal, self._rules)
        except RefusalError as refusal:
            return Judgement(False, refusal.code, refusal.detail)
        return Judgement(
            True, authority=authority, basis=tuple(sorted(basis)), opens_checkpoint=action.opens_checkpoint
        )

    def commit(self, state: State, proposal: Proposal, environment: Environment) -> Effect:
        """Carry a granted proposal out."""
        return ACTIONS[proposal.action_type].commit(state, proposal, self._rules, environment)

    def attempt_failed(self, state: State, dispatch: Dispatch, attempt: int) -> None:
        """Note that an attempt failed and another will follow."""
        dispatches.attempt_failed(state, dispatch.work_id, attempt)

    def dispatch_ended(self, state: State, dispatch: Dispatch, *, delivered: bool, environment: Environment) -> None:
        """Apply what a delivery, or its final failure, means for the state."""
        dispatches.dispatch_ended(state, dispatch.work_id, environment, delivered=delivered)

    def monitor(self, state: State) -> str | None:
        """Return the code of an invariant that the state breaks, or null."""
        return next((code for code, is_broken in INVARIANTS.items() if is_broken(state, self._rules)), None)

    def _check_event(self, state: State, event: Event) -> None:
        require(not state.replay_final, "AFTER_REPLAY_FINAL")
        require(event.actor_id in self._spec.actors, "UNKNOWN_ACTOR")
        require(event.event_type in self._spec.events, "UNKNOWN_EVENT_TYPE")
        declared = self._spec.events[event.event_type]
        role = self._spec.roles[self._spec.actors[event.actor_id]]
        require(declared.authority in role.authorities, "EVENT_ACTOR_LACKS_AUTHORITY")
        require(fits(event.payload, declared.required, declared.optional), "MALFORMED_EVENT_PAYLOAD")

    def _check_proposal(self, state: State, proposal: Proposal) -> str:
        require(not state.replay_final, "OPERATION_IS_REPLAY_FINAL")
        declared = self._spec.actions.get(proposal.action_type)
        authority = declared.authority if declared is not None else proposal.action_type
        require(authority in self._agent_authorities, "ACTION_OUTSIDE_AGENT_AUTHORITY")
        if declared is None:
            raise RefusalError("UNKNOWN_ACTION_TYPE")
        require(fits(proposal.payload, declared.required, declared.optional), "MALFORMED_ACTION_PAYLOAD")
        require(state.assertions.keys().isdisjoint(proposal.evidence_refs), "NON_AUTHORITATIVE_EVIDENCE")
        require(all(state.is_citable(ref) for ref in proposal.evidence_refs), "UNRESOLVED_EVIDENCE")
        require(state.provisional_close is None, "ALREADY_PROVISIONALLY_CLOSED")
        require(state.handover is None or not ACTIONS[proposal.action_type].advances, "OPERATION_HANDED_OVER")
        return authority
