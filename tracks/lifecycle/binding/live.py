"""The live identity of one variant and agent: what an episode run here and now is bound to."""

from __future__ import annotations

from ....errors import IdentityValidationError, SpecError
from ....replay.identity import RunIdentity
from ....runtime.maintenance.agents import AGENTS
from ....runtime.maintenance.spec import OperationSpec
from .cards import cards_of
from .project import SourceFiles, project


def live_identity(spec: OperationSpec, variant_id: str, agent_id: str, *, source_files: SourceFiles) -> RunIdentity:
    """Return what the trials of an agent in a variant are bound to; see :func:`.project.project`.

    Raises:
        KeyError: there is no such variant.
        CardValidationError: the spec becomes no sound cards.
        SpecError: ``component_too_large``.
    """
    cards = cards_of(spec, variant_id)
    projections = project(spec, cards, variant_id, agent_id, source_files=source_files)
    try:
        return RunIdentity.of(cards.by_name(), projections)
    except IdentityValidationError as fault:
        if fault.code != "resource_limits":
            raise
        component = fault.path.removeprefix("projections#/")
        raise SpecError("component_too_large", path=component, expected=fault.expected, actual=fault.actual) from None


def require_bindable(spec: OperationSpec, *, source_files: SourceFiles) -> None:
    """See that every variant of a spec can be bound; what the spec gives a component is the same for every agent.

    Raises:
        CardValidationError: the spec becomes no sound cards.
        SpecError: ``component_too_large``.
    """
    for variant_id in spec.variants:
        live_identity(spec, variant_id, next(iter(AGENTS)), source_files=source_files)
