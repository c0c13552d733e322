"""The packaged schemas of evidence, each pinned by SHA-256."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...identity.resources import PinnedResource
from .contract import (
    DECISION_TAPE_SCHEMA,
    EPISODE_OUTCOME_SCHEMA,
    EXECUTED_RUNTIME_EVIDENCE_SCHEMA,
    EXECUTION_RECORD_SCHEMA,
    PROVIDER_EXECUTION_BINDING_SCHEMA,
)

SCHEMA_FILES: Mapping[str, PinnedResource] = MappingProxyType(
    {
        literal: PinnedResource("schemas", f"{name}.schema.json", sha256)
        for literal, name, sha256 in (
            (
                EXECUTED_RUNTIME_EVIDENCE_SCHEMA,
                "executed-runtime-evidence-v1",
                "2d08848d5f1194e24f5222c6b7f930e183279ee6f2248346bd1cda12604fbe63",
            ),
            (
                EPISODE_OUTCOME_SCHEMA,
                "episode-outcome-v2",
                "18c3602f1b953507a93254cf52b8aab5eb53b83c75751da706a59ea1231fd3f9",
            ),
            (
                DECISION_TAPE_SCHEMA,
                "decision-tape-v1",
                "3ad06210e1da0323cc6a88dc3f38d272d0791e0766435cdf78aa5e556c401f68",
            ),
            (
                EXECUTION_RECORD_SCHEMA,
                "execution-record-v1",
                "08a8e84e2a6e40a68038f927d43484a1ac5ffe65d7e1e223d27a586ae6d6361d",
            ),
            (
                PROVIDER_EXECUTION_BINDING_SCHEMA,
                "provider-execution-binding-v1",
                "60c992099c74c9528e3fbbae4a4ccb6bec9f3d8a1dcfad39fbeba8b126dc09ee",
            ),
        )
    }
)
"""Literal of a record -> its schema."""
