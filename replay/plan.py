"""How a run comes by its decisions, as its provider plan declares it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["MODEL", "PLAN", "PROVIDER_PLAN", "declared_source"]

PROVIDER_PLAN = "provider_run_plan_content"
"""The component that owns the plan."""
MODEL = "model"
"""The source of decisions that a provider is asked for."""

PLAN = "/provider/plan"
"""Where it names the plan."""

_WITHOUT_PROVIDER: Mapping[str, str] = MappingProxyType({"none": "deterministic", "recorded": "recorded"})
"""Plan that asks no provider -> where its decisions come from; those of every other plan come from a model."""


def declared_source(projection: Mapping[str, Any]) -> str:
    """Return the ``outcome_source`` that the projection of :data:`PROVIDER_PLAN` declares."""
    plan = projection.get(PLAN)
    return _WITHOUT_PROVIDER.get(plan, MODEL) if type(plan) is str else MODEL
