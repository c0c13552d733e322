"""Evaluates requirement rows against resolved components and says why not (identity contract, section 12)."""

from __future__ import annotations

from typing import Any

from .admission import admit
from .boundary import public
from .component import rebuild_component
from .records import ComponentIdentityV1, RequirementEvaluationV1
from .refusal import refusal
from .registry import COMPONENTS, IDENTITY_SCHEMA_VERSION
from .requirements import REQUIREMENT_EVALUATION_REASON_ORDER, read_requirement, unmet

MAX_EVALUATED_REQUIREMENTS = 4_096
_LONGEST_NAME = max(map(len, COMPONENTS))


@public
def evaluate_component_requirements(
    requirements: list[Any], resolved_components: dict[str, ComponentIdentityV1]
) -> RequirementEvaluationV1:
    """Tell whether every requirement row is met, and if not, for which reasons.

    Malformed input is an error, never a reason: the roots and their widths first, then the rows as strict JSON, then
    every resolved record, used or not, then the shape of each row. Reasons are gathered over all rows and given once
    each, in :data:`operatebench.identity.requirements.REQUIREMENT_EVALUATION_REASON_ORDER`. Rows may repeat a component
    and come in any order; the targets' own requirements are not evaluated. No rows are satisfied, and that authorizes
    nothing.

    Args:
        requirements: wire rows ``{component, compatible}``, at most 4,096.
        resolved_components: component name -> its record, at most eleven.

    Raises:
        IdentityValidationError: ``requirements_type``, ``resolved_type``, ``resolved_names``, ``resource_limits``,
            ``strict_json``, ``resolved_record``, ``requirement_shape`` or ``requirement_component``.
    """
    if type(requirements) is not list:
        raise refusal("requirements_type", "requirements#", "an array", requirements)
    if type(resolved_components) is not dict:
        raise refusal("resolved_type", "resolved#", "a plain dict", resolved_components)
    if len(resolved_components) > len(COMPONENTS):
        raise refusal("resolved_names", "resolved#", f"at most {len(COMPONENTS)} components", resolved_components)
    for name in resolved_components:
        if type(name) is not str or len(name) > _LONGEST_NAME or name not in COMPONENTS:
            raise refusal("resolved_names", "resolved#", "a component name", name)
    if len(requirements) > MAX_EVALUATED_REQUIREMENTS:
        raise refusal("resource_limits", "requirements#", f"at most {MAX_EVALUATED_REQUIREMENTS} rows", requirements)
    rows = admit(requirements, at="requirements#").value
    digests = {
        name: rebuild_component(resolved_components[name], name, "resolved_record", f"resolved#/{name}").digest
        for name in sorted(resolved_components)
    }
    found: set[str] = set()
    for index, row in enumerate(rows):
        requirement = read_requirement(row, f"requirements#/{index}", registered=True)
        found.update(unmet(requirement, digests.get(requirement.component)))
    reasons = tuple(reason for reason in REQUIREMENT_EVALUATION_REASON_ORDER if reason in found)
    return RequirementEvaluationV1(IDENTITY_SCHEMA_VERSION, not reasons, reasons)
