"""Forged records hold exactly what a case says, in the classes that genuine records use."""

from types import MappingProxyType
from typing import Any

import pytest

from operatebench.conformance.forging import manifest_record, with_fields
from operatebench.conformance.sealing import ManifestInput, documents
from operatebench.errors import DocumentError
from operatebench.identity import (
    ComponentIdentityV1,
    CompositeIdentityV1,
    RequirementV1,
    ValidatedIdentityManifest,
    recompute_component,
    validate_identity_manifest,
)

CARD = "card_schema_content"
CORE = "operation_core_content"


def golden() -> dict[str, Any]:
    return documents(ManifestInput(base="golden"))


def genuine_component() -> ComponentIdentityV1:
    wire = golden()["manifest"]["components"][CORE]
    return recompute_component(CORE, wire["owned_projection"], wire["requires"])


def test_the_unedited_wire_form_gives_the_genuine_record() -> None:
    start = golden()
    genuine = validate_identity_manifest(start["manifest"], start["census"], start["projections"])

    forged = manifest_record(start["manifest"])

    assert forged == genuine
    assert list(forged.components) == list(genuine.components)
    assert type(forged.components) is type(forged.compatibility_contract) is MappingProxyType
    assert type(forged.components[CORE].owned_projection) is MappingProxyType
    assert type(forged.components[CORE].requires[0]) is RequirementV1


def test_member_order_reaches_the_record() -> None:
    wire = golden()["manifest"]
    wire["composites"] = dict(reversed(wire["composites"].items()))

    assert list(manifest_record(wire).composites) == ["experiment_bundle", "runtime_bundle"]


def test_edited_fields_are_kept_as_they_are() -> None:
    wire = golden()["manifest"]
    wire["schema_version"] = 1.0
    wire["components"][CARD]["name"] = CORE
    wire["components"][CORE]["requires"] = [{"component": CARD}, 7]
    wire["composites"]["runtime_bundle"]["members"] = None

    forged = manifest_record(wire)

    assert str(forged.schema_version) == "1.0"
    assert forged.components[CARD].name == CORE
    assert forged.components[CORE].requires == ({"component": CARD}, 7)
    assert forged.composites["runtime_bundle"].members is None
    assert type(forged.composites["runtime_bundle"]) is CompositeIdentityV1
    assert type(forged) is ValidatedIdentityManifest


def test_what_no_record_can_hold_stands_frozen_in_its_place() -> None:
    wire = golden()["manifest"]
    wire["components"][CARD]["extra"] = 1
    del wire["components"][CORE]["excludes"]
    wire["components"]["variant_content"] = [1]
    wire["composites"] = []

    forged = manifest_record(wire)

    assert type(forged.components[CARD]) is MappingProxyType
    assert type(forged.components[CORE]) is MappingProxyType
    assert forged.components["variant_content"] == (1,)
    assert forged.composites == ()


def test_a_cyclic_value_stands_as_it_is() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    wire = golden()["manifest"]
    wire["components"][CARD]["owned_projection"] = {"/x": cycle}

    assert manifest_record(wire).components[CARD].owned_projection["/x"] is cycle


@pytest.mark.parametrize("root", [None, [], {}, {"schema": "x"}])
def test_a_root_that_is_no_manifest_is_handed_over_as_it_is(root: Any) -> None:
    assert manifest_record(root) is root


def test_fields_are_written_over_without_recomputing() -> None:
    genuine = genuine_component()

    forged: Any = with_fields(genuine, {"owned_projection": {"/x": [1]}, "excludes": ["/m"], "requires": []})

    assert (forged.owned_projection, forged.excludes, forged.requires) == ({"/x": (1,)}, ("/m",), ())
    assert type(forged.owned_projection) is MappingProxyType
    assert forged.content_digest_sha256 == genuine.content_digest_sha256
    assert forged.owned_fields == genuine.owned_fields


def test_a_field_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DocumentError) as refused:
        with_fields(genuine_component(), {"colour": 1})

    assert (refused.value.code, refused.value.path) == ("vector_case", "/forge")
    assert refused.value.expected == "fields of a component identity"
