"""A consequential action: proposal, read guard, authority decision, accepted transition, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import guard
from .actors import Outside
from .endings import CHECKPOINT_BUDGET_EXCEEDED, Halted
from .environment import Desk
from .observer import Wake
from .plain import frozen_copy
from .protocol import Effect, Proposal
from .retrieval import Catalogue, Served
from .run import Run
from .work import Work

_TERMINAL_IS_A_DECISION = "TERMINAL_ACTION_IS_A_DECISION"
_TERMINAL_DETAIL = "The operation is completed by the decision COMPLETE, not by an action."


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an agent is told when something it decided is refused.

    Attributes:
        action_type: the action, or the word for another decision.
        code: stable upper-case word.
        detail: one sentence that repeats nothing the agent wrote.
    """

    action_type: str
    code: str
    detail: str


@dataclass(slots=True)
class Holdings:
    """What the agent holds in one invocation.

    Attributes:
        invocation_index: from 1.
        wake: why the agent was called.
        turn_index: calls before the present one.
        served: tool -> result.
    """

    invocation_index: int
    wake: Wake
    turn_index: int = 0
    served: dict[str, Served] = field(default_factory=dict)

    def invalidate(self, run: Run, cause: str, action_type: str | None) -> None:
        """Drop all results, and record it.

        Args:
            run: the episode.
            cause: ``"wake"`` or ``"effect_accepted"``.
            action_type: of the effect; null for a wake.
        """
        run.row(
            "derived_context_invalidated",
            invocation_index=self.invocation_index,
            turn_index=self.turn_index,
            cause=cause,
            action_type=action_type,
            cleared_tools=sorted(self.served),
        )
        self.served = {}


class Proposals:
    """Carries proposals out.

    Attributes:
        seen: tools the agent read at any time in the episode.
    """

    __slots__ = ("_catalogue", "_count", "_desk", "_outside", "_run", "_work", "seen")

    def __init__(self, run: Run, desk: Desk, work: Work, outside: Outside, catalogue: Catalogue) -> None:
        self._run = run
        self._desk = desk
        self._work = work
        self._outside = outside
        self._catalogue = catalogue
        self._count = 0
        self.seen: set[str] = set()

    def act(
        self, action_type: str, payload: dict[str, Any], evidence_refs: list[str], holdings: Holdings
    ) -> Refusal | None:
        """Propose an action, and carry it out if it is granted.

        Returns:
            The refusal, or null when the effect was accepted.

        Raises:
            Halted: the checkpoint budget, or a critical invariant.
        """
        run = self._run
        proposal = self._next(action_type, payload, evidence_refs)
        own = {"proposal_id": proposal.proposal_id, "action_type": action_type}
        run.row("action_proposed", **own, payload=payload, evidence_refs=evidence_refs)
        if action_type == run.plan.roles.terminal_action:
            refusal: Refusal | None = Refusal(action_type, _TERMINAL_IS_A_DECISION, _TERMINAL_DETAIL)
        else:
            refusal = self._decide(proposal, holdings)
        if refusal is not None:
            run.row("action_rejected", **own, code=refusal.code, detail=refusal.detail)
            return refusal
        effect = self._commit(proposal)
        holdings.invalidate(run, "effect_accepted", action_type)
        self._follow(proposal, effect)
        return None

    def complete(self, reason: str, evidence_refs: list[str], holdings: Holdings) -> Refusal | None:
        """Propose the terminal action, as :meth:`act` does any other. What the agent holds stays valid."""
        run = self._run
        proposal = self._next(run.plan.roles.terminal_action, {}, evidence_refs)
        own = {"proposal_id": proposal.proposal_id}
        run.row("terminal_proposed", **own, reason=reason, evidence_refs=evidence_refs)
        refusal = self._decide(proposal, holdings)
        if refusal is not None:
            run.row("terminal_rejected", **own, code=refusal.code, detail=refusal.detail)
            return refusal
        self._follow(proposal, self._commit(proposal))
        return None

    def _next(self, action_type: str, payload: Mapping[str, Any], evidence_refs: list[str]) -> Proposal:
        self._count += 1
        return Proposal(
            proposal_id=f"proposal_{self._count}",
            action_type=action_type,
            payload=frozen_copy(payload),
            evidence_refs=tuple(evidence_refs),
            at=self._run.clock.now,
        )

    def _decide(self, proposal: Proposal, holdings: Holdings) -> Refusal | None:
        run = self._run
        code = self._guard(proposal, holdings)
        if code is not None:
            return Refusal(proposal.action_type, code, guard.REFUSALS[code])
        judgement = run.operation.judge(run.state, proposal)
        if not judgement.accepted:
            return Refusal(proposal.action_type, judgement.code, judgement.detail)
        if judgement.opens_checkpoint and self._desk.checkpoints_opened >= run.plan.limits.human_checkpoint_budget:
            raise Halted(CHECKPOINT_BUDGET_EXCEEDED)
        run.row(
            "authority_decided",
            proposal_id=proposal.proposal_id,
            action_type=proposal.action_type,
            authority=judgement.authority,
            basis=list(judgement.basis),
        )
        return None

    def _guard(self, proposal: Proposal, holdings: Holdings) -> str | None:
        plan = self._run.plan
        contract = plan.reads.get(proposal.action_type)
        if contract is None:
            return None
        wake = holdings.wake
        return guard.refuse_reads(
            [tool for tool, required in contract.tools.items() if required],
            proposal,
            served={tool: result.body.version for tool, result in holdings.served.items()},
            current=lambda tool: self._catalogue.current(tool).version,
            seen=self.seen,
            claim=frozenset(() if wake.is_authoritative else wake.claim_values),
            catalogue=plan.catalogue,
        ) or guard.refuse_evidence(
            contract, proposal, {tool: result.body.records.value for tool, result in holdings.served.items()}
        )

    def _commit(self, proposal: Proposal) -> Effect:
        run = self._run
        effect = run.operation.commit(run.state, proposal, self._desk)
        run.revision += 1
        run.row(
            "effect_accepted",
            proposal_id=proposal.proposal_id,
            action_type=proposal.action_type,
            code=effect.code,
            cycle_id=effect.cycle_id,
            bindings=dict(effect.bindings),
        )
        return effect

    def _follow(self, proposal: Proposal, effect: Effect) -> None:
        self._work.attempt_due(self._desk)
        self._outside.react("action", proposal.action_type, proposal.payload, effect.bindings, effect.cycle_id)
        self._run.watch()
