"""The Maintenance runtime as a bound component: what it projects here and now, and how it runs, replays and grades."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...replay.bound import Execution, Projections, RowSink, execution_record_without_provider
from ...replay.bound import Selection as Recorded
from ...replay.identity import RunIdentity
from ...runtime.core.endings import outcome_class
from ...runtime.core.engine import run_episode
from ...runtime.core.protocol import Agent, ConversationalAgent
from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.evaluator import Evaluator
from ...runtime.maintenance.operation import MaintenanceOperation
from ...runtime.maintenance.spec import OperationSpec, packaged_spec
from .binding import live_identity
from .budget import RECORD_BUDGET
from .ownership import live_source, live_source_files
from .selection import Selection
from .tape import ConversationalTapeAgent, TapeAgent

AgentFactory = Callable[[], Agent | ConversationalAgent]
"""Makes a new agent for each execution."""


class MaintenanceRuntime:
    """One operation spec, run by the installed code: a :class:`~operatebench.replay.bound.BoundRuntime`.

    What it projects follows from the installed files as they were when :func:`.ownership.live_source` first looked.

    Args:
        spec: the operation; None for the packaged one.
        agents: agent id -> makes one; agents that did not come with the package have no source, and their names alone
            stand for them.
    """

    def __init__(self, spec: OperationSpec | None = None, agents: Mapping[str, AgentFactory] = AGENTS) -> None:
        self.spec = packaged_spec() if spec is None else spec
        self.agents = agents
        self._source = live_source()
        self._files = live_source_files()
        self._identities: dict[tuple[str, str], RunIdentity] = {}

    @property
    def source_identity_digest_sha256(self) -> str:
        """The digest of the installed package."""
        return self._source.identity.digest_sha256

    @property
    def spec_sha256(self) -> str | None:
        """SHA-256 of the bytes of the spec; None for the packaged one."""
        return None if self.spec.sha256 == packaged_spec().sha256 else self.spec.sha256

    def require_unchanged_source(self) -> None:
        """Check at the end of all work that the installed files are still those that were identified before it.

        Raises:
            ProvenanceError: ``source_changed_during_run``.
        """
        self._source.require_unchanged()

    def identity(self, variant_id: str, agent_id: str) -> RunIdentity:
        """Return what every trial of an agent in a variant is bound to here and now; it is made once.

        Raises:
            KeyError: there is no such variant or agent.
            CardValidationError: the spec becomes no sound cards.
            SpecError: ``component_too_large``.
        """
        key = variant_id, agent_id
        if key not in self._identities:
            if agent_id not in self.agents:
                raise KeyError(agent_id)
            self._identities[key] = live_identity(self.spec, *key, source_files=self._files)
        return self._identities[key]

    def live(self, selection: Recorded) -> Projections | None:
        """Return what the eleven components project; None if nothing here has that selection."""
        named = Selection.from_wire(selection)
        known = (
            named.operation_id == self.spec.operation_id
            and named.variant_id in self.spec.variants
            and named.agent_id in self.agents
            and named.to_wire() == selection
        )
        return self.identity(named.variant_id, named.agent_id).projections if known else None

    def execute(self, selection: Recorded, instance_id: str, on_rows: RowSink | None = None) -> Execution:
        """Run the selected agent from the start."""
        return self._run(selection, self.agents[selection["agent_id"]](), instance_id, on_rows)

    def replay(self, selection: Recorded, instance_id: str, decision_tape: Mapping[str, Any]) -> Execution:
        """Run with the decisions of the tape; for a conversational agent, the engine keeps a session as it did."""
        talks = callable(getattr(self.agents[selection["agent_id"]](), "converse", None))
        tape = (ConversationalTapeAgent if talks else TapeAgent)(decision_tape["decisions"])
        return self._run(selection, tape, instance_id, None)

    def outcome_class(self, outcome: Mapping[str, Any]) -> str:
        """Return which of the seven endings an outcome of this runtime is."""
        violations = [row["code"] for row in outcome["trajectory"] if row["record_type"] == "critical_violation"]
        last = violations[-1] if violations else None
        return outcome_class(outcome["status"], outcome["terminal_outcome"], last, self.spec.terminals).value

    def evaluate(self, selection: Recorded, record: Execution, reproduction: Execution | None) -> dict[str, Any]:
        """Return the grade of a record, whatever it holds."""
        digests = None if reproduction is None else reproduction_of(reproduction)
        return Evaluator(self.spec, selection["variant_id"]).evaluate(record.outcome, digests).to_wire()

    def _run(
        self, selection: Recorded, agent: Agent | ConversationalAgent, instance_id: str, on_rows: RowSink | None
    ) -> Execution:
        episode = run_episode(
            MaintenanceOperation(self.spec, selection["variant_id"]),
            agent,
            instance_id=instance_id,
            budget=RECORD_BUDGET,
            on_rows=on_rows,
        )
        return Execution(
            episode.outcome.to_wire(), episode.tape(), execution_record_without_provider("deterministic"), None
        )


def reproduction_of(again: Execution) -> dict[str, str]:
    """Return what the evaluator compares with: the digests of a second execution."""
    return {name: again.outcome[name] for name in ("final_state_digest_sha256", "trajectory_digest_sha256")}
