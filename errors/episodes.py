"""Refusals of records that cannot be told, and of runs that could not be finished."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class EpisodeError(OperateBenchError, ValueError):
    """What was recorded of an episode cannot be told, or episodes could not be run."""

    codes = MappingProxyType(
        {
            "episode_shape": (
                "A row or a count is not of the form in which an episode can be told.",
                "Run the episode again, or get the bundle as it was written; verify it to see what is wrong.",
            ),
            "worker_lost": (
                "A worker process ended before its episode did.",
                "Run the same command again: finished episodes are kept. Fewer jobs need less memory.",
            ),
        }
    )
