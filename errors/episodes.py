"""Refusals of episode files, and of runs that could not be finished."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class EpisodeError(OperateBenchError, ValueError):
    """An episode file is not one that this package wrote, or episodes could not be run."""

    codes = MappingProxyType(
        {
            "episode_json": ("The file is no strict JSON.", "Run the episode again; nothing else writes such a file."),
            "episode_too_large": ("The episode is over a limit of its format.", "Run the episode again."),
            "episode_shape": (
                "A member is missing, unknown, or of another type than the format says.",
                "Run the episode again; nothing else writes such a file.",
            ),
            "episode_text": (
                "The file is not in canonical form with one line end.",
                "Run the episode again; a file that was laid out anew is not what was written.",
            ),
            "episode_instance": (
                "The instance id does not follow from spec, variant, agent and trial.",
                "Run the episode again; the file was put together from several.",
            ),
            "episode_digest": (
                "A digest in the file is not that of what it stands for.",
                "Run the episode again; the file was changed after it was written.",
            ),
            "worker_lost": (
                "A worker process ended before its episode did.",
                "Run the same command again: finished episodes are kept. Fewer jobs need less memory.",
            ),
        }
    )
