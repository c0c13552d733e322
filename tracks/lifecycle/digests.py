"""The JSON profile of this track's documents, and their canonical form."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

from ...errors import EpisodeError
from ...identity.admission import admit
from ...identity.canonical import Canonical
from ...identity.profile import IDENTITY_PROFILE, Profile, Rule

MAX_EPISODE_TEXT_BYTES = 24 * 1024 * 1024

_SIZES = (Rule.DEPTH, Rule.WIDTH, Rule.NODES, Rule.STRING, Rule.SIZE)

EPISODE_PROFILE: Profile = dataclasses.replace(
    IDENTITY_PROFILE,
    integral_floats=False,
    nodes_count_keys=True,
    # Several times what outcome and tape may have by evidence v1: the evaluation is linear in the rows.
    max_nodes=400_000,
    max_bytes=MAX_EPISODE_TEXT_BYTES,
    max_items=65_536,
    max_text_bytes=MAX_EPISODE_TEXT_BYTES,
    error=EpisodeError,
    codes=MappingProxyType({rule: "episode_too_large" if rule in _SIZES else "episode_json" for rule in Rule}),
)
"""Evidence v1 in its types and counting, with room for the evaluation."""


def canonical(value: Any) -> Canonical:
    """Return plain JSON in canonical form.

    Raises:
        EpisodeError: ``episode_json`` or ``episode_too_large``.
    """
    return admit(value, EPISODE_PROFILE).canonical
