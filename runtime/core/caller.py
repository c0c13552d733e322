"""The agent, asked in a way that nothing it does reaches the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .observation import Observation
from .protocol import Agent, ConversationalAgent
from .session import Session


class Caller:
    """One agent for one episode.

    Attributes:
        session: the session of a conversational agent; null for others.
    """

    __slots__ = ("_agent", "session")

    def __init__(self, agent: Agent | ConversationalAgent) -> None:
        self._agent: Any = agent
        self.session = Session() if _attempt(lambda: callable(self._agent.converse)) is True else None

    def ask(self, observation: Observation) -> object:
        """Return what the agent returns, or null when it raises; neither is a decision yet."""
        session = self.session
        if session is None:
            return _attempt(lambda: self._agent.decide(observation))
        return _attempt(lambda: self._agent.converse(observation, session.view))


def _attempt(call: Callable[[], object]) -> object:
    try:
        return call()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - an agent may raise anything; none of it may stop an episode
        return None
