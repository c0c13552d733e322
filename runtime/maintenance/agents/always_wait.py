"""Control: waits for one event, whatever happens, and reads nothing."""

from __future__ import annotations

from ...core import decisions
from ...core.decisions import Decision
from ...core.observation import Observation


class AlwaysWait:
    """Never acts."""

    def decide(self, observation: Observation) -> Decision:  # noqa: ARG002 - the engine passes it
        """Return the decision to wait for the operator, whom nobody has asked."""
        return decisions.wait("somebody will see to it", ("operator_exception_resolved",))


def create() -> AlwaysWait:
    """Return a new one, at the start of an episode."""
    return AlwaysWait()
