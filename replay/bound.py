"""What a verifier needs of the runtime that made a run: its identity, and that it can run, replay and grade again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["BoundRuntime", "Execution", "Projections", "RowSink", "Selection", "execution_record_without_provider"]

Projections = dict[str, dict[str, Any]]
"""Component -> pointer -> value, for all eleven components (replay contract, section 4)."""

Selection = Mapping[str, Any]
"""Which run is meant: the ``selection`` of a ledger header. It is only a key into live registries."""

RowSink = Callable[[Sequence[Mapping[str, Any]]], object]
"""Takes the rows of one step of an execution, in order, as soon as they are made; what it raises ends the execution."""


@dataclass(frozen=True, slots=True)
class Execution:
    """What one execution gives; plain JSON that nobody changes.

    Attributes:
        outcome: ``operatebench.episode_outcome.v2``.
        decision_tape: ``operatebench.decision_tape.v1``.
        execution_record: ``operatebench.execution_record.v1``.
        provider_binding: ``operatebench.provider_execution_binding.v1``; None without a provider.
    """

    outcome: dict[str, Any]
    decision_tape: dict[str, Any]
    execution_record: dict[str, Any]
    provider_binding: dict[str, Any] | None


def execution_record_without_provider(outcome_source: str) -> dict[str, Any]:
    """Return ``operatebench.execution_record.v1`` of a run whose decisions no provider was asked for.

    Args:
        outcome_source: ``deterministic`` or ``recorded``.
    """
    return {
        "schema": "operatebench.execution_record.v1",
        "schema_version": 1,
        "outcome_source": outcome_source,
        "model": None,
        "protocol_version": None,
        "max_output_tokens": None,
        "transport_calls": 0,
        "retry_count": 0,
        "attempts": [],
        "excluded": False,
        "exclusion_code": None,
        "exclusion_detail": "",
    }


class BoundRuntime(Protocol):
    """The runtime as a bound component: declared projections and four functions (replay contract, section 5).

    Nothing it is given comes to it unchecked: selection, tape and outcome have the forms of their contracts. What it
    raises is a fault of what is here, and no verdict on a bundle.
    """

    @property
    def source_identity_digest_sha256(self) -> str:
        """The digest of the source that runs."""

    @property
    def spec_sha256(self) -> str | None:
        """SHA-256 of the spec's bytes; None for the packaged one."""

    def live(self, selection: Selection) -> Projections | None:
        """Return what the eleven components project here and now; None if nothing here has that selection.

        As long as nothing changes, it is the same object for the same selection: a verifier keeps what follows from it.
        """

    def execute(self, selection: Selection, instance_id: str, on_rows: RowSink | None = None) -> Execution:
        """Run the selected live agent from the start.

        Args:
            selection: one of which :meth:`live` knows what it projects.
            instance_id: the operation instance id.
            on_rows: is given all rows of the trajectory while they are made.
        """

    def replay(self, selection: Selection, instance_id: str, decision_tape: Mapping[str, Any]) -> Execution:
        """Run with the recorded decisions in the place of the agent.

        The recorded tape may end early or ask for what cannot be; the result then differs, and nothing is raised.
        """

    def outcome_class(self, outcome: Mapping[str, Any]) -> str:
        """Return which kind of ending an outcome is."""

    def evaluate(self, selection: Selection, record: Execution, reproduction: Execution | None) -> dict[str, Any]:
        """Return the grade of a record: the members of ``operatebench.evaluation.v1`` but schema, version and digests.

        Args:
            selection: what was run.
            record: what is graded; it may be damaged or hostile, which gives findings and no exception.
            reproduction: a second execution to compare with, if there is one.
        """
