"""One trial: execute, execute again with a fresh agent, evaluate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...runtime.core.engine import run_episode
from ...runtime.core.episode import Episode
from ...runtime.core.protocol import Agent, ConversationalAgent
from ...runtime.core.record import RecordBudget
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.evaluator import Evaluation, Evaluator
from ...runtime.maintenance.operation import MaintenanceOperation
from ...runtime.maintenance.spec import OperationSpec
from .selection import Selection, operation_instance_id

RECORD_BUDGET = RecordBudget(rows=4_000, events=4_000, decisions=4_000, nodes=80_000, size=6 * 1024 * 1024)
"""So much of an episode is recorded before it is halted: then all of it fits evidence v1 (runtime contract, 1)."""


AgentFactory = Callable[[], Agent | ConversationalAgent]
"""Makes a new agent for each execution."""


@dataclass(frozen=True, slots=True)
class LifecycleRun:
    """One trial.

    Attributes:
        selection: what was run.
        instance_id: the id the engine was given.
        episode: what happened, the first time.
        evaluation: its grade; the second execution stands in it as reproduced or diverged.
    """

    selection: Selection
    instance_id: str
    episode: Episode
    evaluation: Evaluation


def run_one(
    spec: OperationSpec, variant_id: str, agent_id: str, trial: int = 0, create: AgentFactory | None = None
) -> LifecycleRun:
    """Run one trial.

    Args:
        spec: the operation.
        variant_id: one of its variants.
        agent_id: one of the registered agents, or any name if the agent is given.
        trial: from 0; it changes the instance id and nothing else.
        create: makes the agent, such as its class; without it, the registered one is made.

    Raises:
        KeyError: there is no such variant or agent.
    """
    selection = Selection(spec.operation_id, variant_id, agent_id, trial)
    episode = execute(spec, selection, create)
    evaluation = Evaluator(spec, variant_id).evaluate(
        episode.outcome.to_wire(), reproduction_of(execute(spec, selection, create))
    )
    return LifecycleRun(selection, operation_instance_id(spec.digest_sha256, selection), episode, evaluation)


def execute(spec: OperationSpec, selection: Selection, create: AgentFactory | None = None) -> Episode:
    """Run one episode with a new agent; see :func:`run_one`.

    Raises:
        KeyError: there is no such variant or agent.
    """
    return run_episode(
        MaintenanceOperation(spec, selection.variant_id),
        (create or AGENTS[selection.agent_id])(),
        instance_id=operation_instance_id(spec.digest_sha256, selection),
        budget=RECORD_BUDGET,
    )


def reproduction_of(again: Episode) -> dict[str, str]:
    """Return what the evaluator compares with: the digests of a second execution."""
    return {
        "final_state_digest_sha256": again.outcome.final_state_digest_sha256,
        "trajectory_digest_sha256": again.outcome.trajectory_digest_sha256,
    }
