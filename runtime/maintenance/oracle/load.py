"""Reads an oracle file: strict YAML, closed mappings, and result sets that partition the dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ....identity.canonical import encode
from ....identity.profile import IDENTITY_PROFILE
from ..spec.forms import Place, listing, matching, record, require_unique, text, word
from ..spec.yaml import read_yaml

_CODE = matching(r"[A-Z][A-Z0-9_]*", "a code of capitals, digits and underscores")
_NAME = matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_DIMENSIONS = listing(_NAME, unique=True)

_CONTROL = record(
    {
        "agent_id": _NAME,
        "variant_id": text,
        "intervention": text,
        "guarantee_attacked": text,
        "expected_failed_dimensions": listing(_NAME, at_least=1, unique=True),
        "required_finding_codes": listing(_CODE, at_least=1, unique=True),
        "must_pass_dimensions": _DIMENSIONS,
        "rationale": text,
    }
)
_ORACLE = record(
    {
        "schema": word("operatebench.negative_control_oracle.v1"),
        "oracle_id": _NAME,
        "oracle_version": text,
        "operation_id": text,
        "semantic_scenario_id": text,
        "authored_against_operation_version": text,
        "provenance": record(
            {"authored_by": text, "independence": text, "evidence_class": text, "review_status": text}
        ),
        "result_vector_dimensions": listing(_NAME, at_least=1, unique=True),
        "controls": listing(_CONTROL, at_least=1),
    }
)


@dataclass(frozen=True, slots=True)
class Control:
    """What is expected of one control on one variant.

    Attributes:
        intervention: how its behaviour differs from the reference's.
        guarantee_attacked: what the evaluator must not let pass.
        expected_failed_dimensions: exactly those that fail, in the order of the vector.
        required_finding_codes: exactly those found, sorted.
        must_pass_dimensions: all the others.
    """

    agent_id: str
    variant_id: str
    intervention: str
    guarantee_attacked: str
    expected_failed_dimensions: tuple[str, ...]
    required_finding_codes: tuple[str, ...]
    must_pass_dimensions: tuple[str, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class Oracle:
    """An oracle file.

    Attributes:
        digest_sha256: of the canonical JSON of the parsed content; layout and comments do not change it.
        provenance: who wrote it, apart from what, as what kind of evidence, and whether it was reviewed.
        result_vector_dimensions: the dimensions, in order.
        controls: agent id -> what is expected of it, in the order of the file.
    """

    digest_sha256: str
    oracle_id: str
    oracle_version: str
    operation_id: str
    semantic_scenario_id: str
    authored_against_operation_version: str
    provenance: Mapping[str, str]
    result_vector_dimensions: tuple[str, ...]
    controls: Mapping[str, Control]


def load_oracle(data: bytes, name: str) -> Oracle:
    """Read an oracle file.

    Args:
        data: the file's bytes.
        name: what refusals call the file.

    Raises:
        SpecError: the file breaks a rule; the path is file, line and field.
    """
    document = read_yaml(data, name)
    root = Place(document, (), document.value)
    _ORACLE(root)
    dimensions = list(root.value["result_vector_dimensions"])
    controls = list(root["controls"])
    require_unique(root["controls"], [control["agent_id"] for control in controls])
    signatures: dict[tuple[frozenset[str], ...], str] = {}
    for control in controls:
        _require_partition(control, dimensions)
        _require_own_signature(control, signatures)
    fields = {key: value for key, value in root.value.items() if key not in {"schema", "provenance", "controls"}}
    fields["result_vector_dimensions"] = tuple(dimensions)
    return Oracle(
        digest_sha256=sha256(encode(root.value, IDENTITY_PROFILE)).hexdigest(),
        provenance=MappingProxyType(dict(root.value["provenance"])),
        controls=MappingProxyType({each.value["agent_id"]: _control(each.value) for each in controls}),
        **fields,
    )


@cache
def packaged_oracle() -> Oracle:
    """Return the oracle that comes with the pack."""
    return load_oracle((files(__package__) / "oracle.yaml").read_bytes(), "oracle.yaml")


def _control(value: Mapping[str, Any]) -> Control:
    sets = ("expected_failed_dimensions", "must_pass_dimensions")
    fields: dict[str, Any] = {key: tuple(item) if key in sets else item for key, item in value.items()}
    return Control(**fields | {"required_finding_codes": tuple(sorted(value["required_finding_codes"]))})


def _require_partition(control: Place, dimensions: list[str]) -> None:
    """Refuse a control whose failed and passed dimensions are not, together, each dimension once, in order."""
    failed, passed = (control[key] for key in ("expected_failed_dimensions", "must_pass_dimensions"))
    for side, other in ((failed, passed), (passed, failed)):
        expected = [dimension for dimension in dimensions if dimension not in other.value]
        if side.value != expected:
            raise side.refuse("inconsistent", f"the dimensions left, in order: {', '.join(expected)}")


def _require_own_signature(control: Place, seen: dict[tuple[frozenset[str], ...], str]) -> None:
    """Refuse a control that fails just as an earlier one does: it would show nothing more."""
    codes = control["required_finding_codes"]
    signature = (frozenset(control.value["expected_failed_dimensions"]), frozenset(codes.value))
    if signature in seen:
        raise codes.refuse("duplicate", f"other dimensions or codes than those of {seen[signature]}")
    seen[signature] = control.value["agent_id"]
