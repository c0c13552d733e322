"""The agents' common frame: read, then decide; and the one for agents that go wrong once."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....core.decisions import Decision
from ....core.observation import Observation
from .case import Case
from .reading import read_then
from .rules import next_step


class CaseAgent:
    """Reads what its rules need and decides by them; as it stands, by the reference rules.

    Attributes:
        insists: makes a proposal again that was just refused.
    """

    insists = False

    def decide(self, observation: Observation) -> Decision:
        """Return a decision; the reference's depends on the observation alone."""
        return read_then(observation, self.step, insist=self.insists)

    def step(self, case: Case) -> Decision:
        """Return what to do next on what was read.

        Raises:
            UnreadError: something that decides has not been read.
        """
        return next_step(case)


class DeviatesOnce(CaseAgent, ABC):
    """Decides by the reference rules, but for one decision in an episode: the first that ``deviation`` names."""

    def __init__(self) -> None:
        self._deviation: Decision | None = None
        self._deviated = False

    def decide(self, observation: Observation) -> Decision:
        """Return a decision, and note whether it is the one that goes wrong."""
        decision = super().decide(observation)
        self._deviated = self._deviated or decision is self._deviation
        return decision

    def step(self, case: Case) -> Decision:
        """Return the deviation if it is due, else what the reference rules say.

        Raises:
            UnreadError: something that decides has not been read.
        """
        self._deviation = None if self._deviated else self.deviation(case)
        return self._deviation or next_step(case)

    @abstractmethod
    def deviation(self, case: Case) -> Decision | None:
        """Return the wrong decision when its moment has come, else null.

        Raises:
            UnreadError: something that decides has not been read.
        """
