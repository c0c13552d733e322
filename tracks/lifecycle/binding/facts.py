"""What the installed code declares of itself, as flat pointers: engine, evaluator, arm, build, plan and analysis."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from ....cards import CARD_SCHEMAS
from ....runtime.core import decisions, endings, queue
from ....runtime.core.observation import Observation
from ....runtime.core.rows import ROW_TYPES
from ....runtime.core.vocabulary import HALTS, Authority, Disposition, Ending, Provenance
from ....runtime.maintenance.evaluator.vocabulary import DIMENSIONS, FINDINGS, TOUCH_KINDS, VERDICTS
from ..budget import RECORD_BUDGET
from ..selection import ARM, PLAN
from .analysis import analysis_contract

Pointers = dict[str, Any]


def engine_facts() -> Pointers:
    """Return what the engine is built with, and how much it records."""
    return {
        "/engine/record_budget": asdict(RECORD_BUDGET),
        "/engine/clock": {"instant": "YYYY-MM-DDTHH:MM:SSZ", "unit": "minute"},
        "/engine/queue": {"order": ["instant", "sequence", "event_id"], "first_armed_sequence": queue.FIRST_ARMED},
        "/engine/authorities": [each.value for each in Authority],
        "/engine/provenance": [each.value for each in Provenance],
        "/engine/dispositions": [each.value for each in Disposition],
        "/engine/endings": [each.value for each in Ending],
        "/engine/halts": list(HALTS),
        "/engine/violations": dict(endings.VIOLATION_DETAILS),
        "/engine/decision_kinds": {kind: list(members) for kind, members in decisions.KINDS.items()},
        "/engine/decision_limits": {
            "bytes": decisions.MAX_BYTES,
            "depth": decisions.MAX_DEPTH,
            "nodes": decisions.MAX_NODES,
        },
        "/engine/observation": [field.name for field in fields(Observation)],
        **{f"/engine/row_types/{name}": list(members) for name, members in ROW_TYPES.items()},
    }


def evaluator_facts() -> Pointers:
    """Return what the evaluator can say."""
    return {
        "/evaluator/dimensions": list(DIMENSIONS),
        "/evaluator/touch_kinds": list(TOUCH_KINDS),
        "/evaluator/opportunity_verdicts": list(VERDICTS),
        **{f"/evaluator/findings/{dimension}": dict(codes) for dimension, codes in FINDINGS.items()},
    }


def arm_facts() -> Pointers:
    """Return the arm and what is done in it."""
    return {
        "/arm/name": ARM,
        "/arm/treatment": {
            "span": "from the first event of the variant to the end of the operation",
            "agent": "one, alone, with all published actions and reads",
            "intervention": "none but the checkpoints that the operation itself has",
        },
    }


def build_facts() -> Pointers:
    """Return what a build means by its documents, wherever it was made."""
    return {
        "/build/distribution": "operatebench",
        "/build/formats/cards": list(CARD_SCHEMAS),
        "/build/formats/evidence": "operatebench.executed_runtime_evidence.v1",
        "/build/formats/ledger": "operatebench.trajectory_ledger.v1",
        "/build/formats/artifact": "operatebench.artifact.v9",
        "/build/canonical_form": "compact JSON in UTF-8, members by code point, integers only (identity contract, 4)",
    }


def provider_facts() -> Pointers:
    """Return the plan by which a provider is asked: agents of this track are deterministic and ask none."""
    return {"/provider/plan": PLAN}


def scaffold_facts(agent_id: str) -> Pointers:
    """Return what stands between the engine and an agent. These agents read observations as they are."""
    return {"/scaffold/agent_id": agent_id, "/scaffold/presentation_templates": {}}


def analysis_facts() -> Pointers:
    """Return the declared analysis, part by part."""
    return {f"/analysis/{part}": value for part, value in analysis_contract().items()}
