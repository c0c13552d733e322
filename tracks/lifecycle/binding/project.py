"""What the eleven components project, from the installed code and a spec (replay contract, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....cards.projection import CARD_ROOTS, card_pointers
from ....identity.registry import COMPONENTS
from ....runtime.maintenance.spec import OperationSpec
from ..ownership import UNOWNED, owner_of
from . import facts
from .cards import Cards
from .sections import spec_pointers

Projections = dict[str, dict[str, Any]]
"""Component -> pointer -> value."""

SourceFiles = Mapping[str, tuple[int, str]]
"""File of the package -> size and SHA-256."""

_SCHEMAS = "schemas/"
_AGENTS = "runtime/maintenance/agents/"
_SHARED = f"{_AGENTS}_shared/"


def project(
    spec: OperationSpec,
    cards: Cards,
    variant_id: str,
    agent_id: str,
    *,
    source_files: SourceFiles,
) -> Projections:
    """Return the projections of all components, in registry order.

    Args:
        spec: the operation.
        cards: those of the variant.
        variant_id: one of the spec's variants.
        agent_id: an agent. One that did not come with the package has no source here, and its name alone stands for it.
        source_files: the files of the package, as they were when their identity was taken.

    Raises:
        KeyError: there is no such variant; or a file or a section of the spec is missing in the tables of owners.
    """
    projections: Projections = {name: {} for name in COMPONENTS}
    for card in (cards.operation, cards.semantic_scenario, cards.variant):
        owner, _ = CARD_ROOTS[card["schema"]]
        projections[owner] |= card_pointers(card)
    for owner, pointers in spec_pointers(spec.content, variant_id).items():
        projections[owner] |= pointers
    for path, (size, sha256) in source_files.items():
        owner = owner_of(path)
        if owner != UNOWNED and not _is_of_another_agent(path, agent_id):
            projections[owner][_pointer_to(path)] = {"size": size, "sha256": sha256}
    for owner, pointers in {
        "build_provenance_content": facts.build_facts(),
        "runtime_contract_content": facts.engine_facts(),
        "scaffold_content": facts.scaffold_facts(agent_id),
        "arm_protocol_content": facts.arm_facts(),
        "provider_run_plan_content": facts.provider_facts(),
        "evaluator_bundle_content": facts.evaluator_facts(),
        "analysis_contract_content": facts.analysis_facts(),
    }.items():
        projections[owner] |= pointers
    return projections


def _is_of_another_agent(path: str, agent_id: str) -> bool:
    return path.startswith(_AGENTS) and not path.startswith(_SHARED) and path != f"{_AGENTS}{agent_id}.py"


def _pointer_to(path: str) -> str:
    if path.startswith(_SCHEMAS):
        return f"/contract_resources/{path.removeprefix(_SCHEMAS)}"
    return f"/source/{path}"
