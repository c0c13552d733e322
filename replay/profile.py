"""Profiles of strict JSON whose refusals carry the codes of one kind of document."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from ..errors import OperateBenchError
from ..identity.profile import Profile, Rule

_SIZES = (Rule.DEPTH, Rule.WIDTH, Rule.NODES, Rule.STRING, Rule.SIZE)


def coded(profile: Profile, error: type[OperateBenchError], kind: str, **changes: int | bool) -> Profile:
    """Return a profile that refuses as ``error``: ``<kind>_limits`` for what is too much, else ``<kind>_json``.

    Args:
        profile: where the rules come from.
        error: the class of the refusals; it knows both codes.
        kind: what the codes begin with.
        **changes: rules that are others.
    """
    codes = {rule: f"{kind}_limits" if rule in _SIZES else f"{kind}_json" for rule in Rule}
    return replace(profile, error=error, codes=MappingProxyType(codes), **changes)  # type: ignore[arg-type]
