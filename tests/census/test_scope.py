"""A B1 census is refused where a manifest needs its own census: it covers the card contract only."""

import json
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.census import load_field_census, validate_field_census
from operatebench.errors import IdentityValidationError
from operatebench.identity import (
    build_identity_manifest,
    build_projection_census,
    load_identity_manifest_projection_census_schema,
    validate_identity_manifest,
)
from tests.census.support import judge


def projections() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("operatebench.samples").joinpath("projections.json").read_bytes())
    return found


def refused_for_manifest(census: Any) -> tuple[str, str]:
    with pytest.raises(IdentityValidationError) as caught:
        validate_identity_manifest(build_identity_manifest(projections()), census, projections())
    return caught.value.code, caught.value.path


def test_the_packaged_b1_census_is_no_census_of_a_manifest() -> None:
    assert refused_for_manifest(load_field_census()) == ("census_b1_scope", "census#/schema")
    renamed = load_field_census() | {"schema": load_identity_manifest_projection_census_schema()["title"]}
    assert refused_for_manifest(renamed) == ("census_b1_scope", "census#/artifact_schema")


def test_a_validated_b1_census_is_none_either() -> None:
    frozen = validate_field_census(load_field_census())

    assert type(frozen) is MappingProxyType
    assert refused_for_manifest(frozen) == ("root_type", "census#")
    assert refused_for_manifest(dict(frozen))[0] == "strict_json"


def test_a_b1_census_over_the_limits_of_a_document_is_refused_for_that() -> None:
    census = load_field_census()
    census["entries"] *= 50

    assert refused_for_manifest(census) == ("resource_limits", "census#/entries")


def test_the_census_of_a_manifest_is_no_b1_census() -> None:
    assert judge(build_projection_census(projections())) == ("shape.missing_key", "census#")
