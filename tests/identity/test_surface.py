"""The public surface of the kernel is exactly the identity contract's, section 17, and what we add to it."""

import dataclasses
import inspect
import types
import typing
from typing import Any

import pytest

from operatebench import identity
from operatebench.errors import IdentityValidationError
from operatebench.identity.profile import Profile
from tests.identity import oracle

CONTRACT = {
    "IDENTITY_MANIFEST_SCHEMA": oracle.MANIFEST,
    "COMPONENT_IDENTITY_SCHEMA": oracle.COMPONENT,
    "COMPOSITE_IDENTITY_SCHEMA": oracle.COMPOSITE,
    "COMPATIBILITY_CONTRACT_SCHEMA": oracle.CONTRACT["schema"],
    "IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA": oracle.CENSUS,
    "MANIFEST_DIGEST_DOMAIN": "operatebench.digest.identity_manifest.v1",
    "IDENTITY_SCHEMA_VERSION": 1,
    "OWNED_MUTATION_CONTRACT_VERSION": 1,
}
RECORDS = {
    "RequirementV1",
    "ComponentIdentityV1",
    "CompositeIdentityV1",
    "ValidatedIdentityManifest",
    "RequirementEvaluationV1",
    "OwnedMutation",
}
FUNCTIONS = {
    "recompute_component": ["name", "owned_projection", "requires"],
    "recompute_bundle": ["name", "resolved_member_identities"],
    "recompute_manifest_digest": ["manifest"],
    "identity_to_json": ["identity", "resolved_member_identities"],
    "validate_identity_manifest": ["manifest", "field_census", "owned_projections"],
    "evaluate_component_requirements": ["requirements", "resolved_components"],
    "identity_diff": ["old", "new"],
    "load_identity_schema": [],
    "load_identity_manifest_projection_census_schema": [],
    "load_component_registry": [],
    "load_compatibility_registry": [],
    "load_identity_golden_vectors": [],
}
OURS = {
    "build_identity_manifest": ["owned_projections", "requirements"],
    "build_projection_census": ["owned_projections"],
    "claimed_projections": ["manifest"],
    "parse_json": ["text", "profile", "at"],
}
EXACT = {
    bytes,
    identity.Admitted,
    Profile,
    dict,
    list,
    tuple,
    str,
    int,
    bool,
    types.MappingProxyType,
    types.NoneType,
    Any,
}


def test_all_is_exact() -> None:
    expected = {*CONTRACT, *RECORDS, *FUNCTIONS, "IdentityValidationError"}
    assert len(expected) == 27
    assert set(identity.__all__) == expected | OURS.keys() | {"Admitted"}
    assert len(identity.__all__) == len(set(identity.__all__))
    assert identity.IdentityValidationError is IdentityValidationError


def test_constants_have_their_values() -> None:
    assert {name: getattr(identity, name) for name in CONTRACT} == CONTRACT


@pytest.mark.parametrize("name", [*FUNCTIONS, *OURS])
def test_functions_have_their_parameters_and_a_docstring(name: str) -> None:
    function = getattr(identity, name)
    assert list(inspect.signature(function).parameters) == (FUNCTIONS | OURS)[name]
    assert function.__doc__
    assert "Raises" in function.__doc__ or "Refused with" in function.__doc__


def named(annotation: Any) -> set[Any]:
    """Return every class an annotation is made of."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any or not (origin or arguments):
        return {annotation}
    below = set().union(*map(named, arguments)) if arguments else set()
    return below | (set() if origin in {typing.Union, types.UnionType} else {origin})


@pytest.mark.parametrize("name", [*FUNCTIONS, *OURS])
def test_functions_name_exact_containers_only(name: str) -> None:
    records = {getattr(identity, record) for record in RECORDS}
    for annotation in typing.get_type_hints(getattr(identity, name)).values():
        assert named(annotation) - {(), ...} <= EXACT | records


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_records_name_exact_containers_only(name: str) -> None:
    record = getattr(identity, name)
    records = {getattr(identity, other) for other in RECORDS}
    hints = typing.get_type_hints(record)
    for field in dataclasses.fields(record):
        assert named(hints[field.name]) - {(), ...} <= EXACT | records, field.name


@pytest.mark.parametrize(
    "name",
    ["CompatibilityDecisionV1", "evaluate_compatibility", *oracle.CONTRACT["decision_predicates"]],
)
def test_what_the_contract_leaves_out_is_absent(name: str) -> None:
    assert not hasattr(identity, name)
