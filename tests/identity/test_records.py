"""Records have the fields of the identity contract, section 17, and a forged one is refused everywhere."""

from dataclasses import FrozenInstanceError, fields
from types import MappingProxyType
from typing import Any

import pytest

from operatebench import identity
from operatebench.identity import recompute_component
from tests.identity import documents, entries
from tests.identity.documents import nested
from tests.identity.oracle import CARD, CORE, SCAFFOLD
from tests.identity.refusals import refusal

FIELDS: dict[Any, list[str]] = {
    identity.RequirementV1: ["component", "compatible"],
    identity.ComponentIdentityV1: [
        "name",
        "domain",
        "schema",
        "schema_version",
        "content_digest_sha256",
        "owned_fields",
        "owned_projection",
        "excludes",
        "requires",
    ],
    identity.CompositeIdentityV1: ["name", "domain", "schema", "schema_version", "members", "bundle_digest_sha256"],
    identity.ValidatedIdentityManifest: [
        "schema",
        "schema_version",
        "components",
        "composites",
        "compatibility_contract",
        "manifest_digest_sha256",
    ],
    identity.RequirementEvaluationV1: ["requirement_contract_version", "satisfied", "reasons"],
    identity.OwnedMutation: [
        "mutation_contract_version",
        "owner",
        "changed_field_paths",
        "changed_requirement_components",
        "old_content_digest_sha256",
        "new_content_digest_sha256",
        "changed_composites",
    ],
}

CODES = {
    "wire": {"component_identity", "composite_identity"},
    "bundle": {"leaf_identity"},
    "bundle/proxy": {"leaf_identity"},
    "evaluate": {"resolved_record"},
    "diff": {"diff_component", "diff_composite"},
    "diff/old": {"diff_envelope", "diff_registry_order", "compatibility_contract", "manifest_digest"},
    "diff/new": {"diff_envelope", "diff_registry_order", "compatibility_contract", "manifest_digest"},
}

WRONG: list[Any] = [
    None,
    True,
    0,
    2,
    1.0,
    "",
    "x",
    "runtime_bundle",
    "0" * 64,
    (),
    (1,),
    ("/a",),
    [],
    [1],
    {},
    {"/a": 1},
    {1: 1},
    object(),
    b"",
    set(),
    MappingProxyType({}),
    MappingProxyType({"/a": 1.5}),
    MappingProxyType({"kind": "exact_digest"}),
    MappingProxyType(dict.fromkeys(range(4097))),
    ("/a",) * 4097,
    "x" * 1_048_577,
]


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_fields_stand_in_order_and_records_are_frozen_and_slotted(kind: Any) -> None:
    assert "__dataclass_fields__" in vars(kind)
    assert [field.name for field in fields(kind)] == FIELDS[kind]
    assert list(kind.__slots__) == FIELDS[kind]
    record = kind(*range(len(FIELDS[kind])))
    assert not hasattr(record, "__dict__")
    with pytest.raises(FrozenInstanceError):
        setattr(record, FIELDS[kind][0], 1)
    with pytest.raises(FrozenInstanceError):
        delattr(record, FIELDS[kind][0])
    assert record == kind(*range(len(FIELDS[kind])))
    assert record != kind(*range(1, len(FIELDS[kind]) + 1))


@pytest.mark.parametrize(("index", "field"), entries.record_fields())
def test_a_record_with_any_wrong_field_is_refused_wherever_it_is_read(index: int, field: str) -> None:
    record = entries.records()[index]
    refused = 0
    for value in WRONG:
        if value == getattr(record, field) and type(value) is type(getattr(record, field)):
            continue
        forged = entries.with_field(record, field, value)
        for place, call, arguments in entries.record_uses(forged):
            error = refusal(call, *arguments)
            assert error.code in CODES[place] | (
                {"strict_json", "resource_limits"} if field == "compatibility_contract" else set()
            )
            refused += 1
    assert refused >= 2 * (len(WRONG) - 1)


@pytest.mark.parametrize(("index", "field"), entries.record_fields())
def test_a_record_with_a_slot_never_filled_is_refused_wherever_it_is_read(index: int, field: str) -> None:
    forged = entries.without_field(entries.records()[index], field)
    for place, call, arguments in entries.record_uses(forged):
        error = refusal(call, *arguments)
        assert error.code in CODES[place], place
        if index != 1 and field != "name":
            assert error.path.endswith("/" + field), place


def test_a_record_that_equals_the_valid_one_in_other_containers_is_taken() -> None:
    scaffold = entries.records()[0]
    plain = {path: dict(value) for path, value in scaffold.owned_projection.items()}
    for projection in (plain, MappingProxyType(plain), {path: {"index": 6.0} for path in plain}):
        for _, call, arguments in entries.record_uses(entries.with_field(scaffold, "owned_projection", projection)):
            call(*arguments)
    row = scaffold.requires[0]
    for _, call, arguments in entries.record_uses(entries.with_field(row, "compatible", dict(row.compatible))):
        call(*arguments)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("owned_fields", ("/fixture/scaffold_content", "/fixture/scaffold_content")),
        ("owned_fields", ["/fixture/scaffold_content"]),
        ("excludes", ("/fixture/scaffold_content",)),
        ("owned_projection", {"/fixture/scaffold_content": {"index": True}}),
        ("owned_projection", {"/fixture/scaffold_content": {"index": 7}}),
        ("owned_projection", {"/fixture/scaffold_content": nested(64)}),
        ("owned_projection", {"/fixture/scaffold_content": nested(2_000)}),
        ("owned_projection", {"/fixture/scaffold_content": ((0,) * 4_000,) * 20}),
        ("schema_version", 2),
        ("domain", "operatebench.digest.component.card_schema_content.v1"),
    ],
)
def test_a_component_record_that_does_not_recompute_is_refused(field: str, value: Any) -> None:
    forged = entries.with_field(entries.records()[0], field, value)
    for place, call, arguments in entries.record_uses(forged):
        error = refusal(call, *arguments)
        assert error.code in CODES[place]
        assert SCAFFOLD in error.path or error.path.startswith("record#/")


def test_a_record_whose_values_run_in_a_circle_is_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    forged = entries.with_field(entries.records()[0], "owned_projection", {"/a": ring})
    for place, call, arguments in entries.record_uses(forged):
        assert refusal(call, *arguments).code in CODES[place]


class Twice(dict[str, Any]):
    """A mapping that gives its only member twice."""

    def items(self) -> Any:
        return [*super().items(), *super().items()]


def test_a_record_whose_mapping_gives_a_name_twice_is_refused() -> None:
    projection = entries.records()[0].owned_projection
    forged = entries.with_field(entries.records()[0], "owned_projection", MappingProxyType(Twice(projection)))
    for place, call, arguments in entries.record_uses(forged):
        error = refusal(call, *arguments)
        assert error.code in CODES[place]
        assert error.expected == "unique member names of exact text"


def test_a_record_whose_values_share_one_another_many_times_over_is_refused_before_they_are_copied() -> None:
    shared: Any = (1, 2)
    for _ in range(50):
        shared = (shared, shared)
    forged = entries.with_field(entries.records()[0], "owned_projection", {"/a": shared})
    for place, call, arguments in entries.record_uses(forged):
        error = refusal(call, *arguments)
        assert error.code in CODES[place]
        assert error.expected == "at most 65536 nodes and 64 nested containers"


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [("owned_fields", ("/a",) * 4_097, "at most 4096 paths"), ("requires", (None,) * 7, "1 rows")],
)
def test_widths_of_a_record_are_judged_before_anything_else_in_it(field: str, value: Any, expected: str) -> None:
    forged = entries.with_field(entries.with_field(entries.records()[0], "domain", "other"), field, value)
    for place, call, arguments in entries.record_uses(forged):
        error = refusal(call, *arguments)
        assert (error.code in CODES[place], error.path.rpartition("/")[2], error.expected) == (True, field, expected)


@pytest.mark.parametrize("member", ["kind", "content_digest_sha256"])
def test_a_requirement_record_of_another_digest_moves_nothing_unseen(member: str) -> None:
    row = entries.records()[1]
    forged = entries.with_field(row, "compatible", {**row.compatible, member: "0" * 64})
    codes = {
        place: refusal(call, *arguments).code
        for place, call, arguments in entries.record_uses(forged)
        if place == "diff"
    }
    assert codes == {"diff": "requirement_digest" if member != "kind" else "diff_component"}


def test_four_members_of_a_requirement_are_one_too_many() -> None:
    row = entries.records()[1]
    forged = entries.with_field(row, "compatible", {**row.compatible, "a": 1, "b": 2})
    for place, call, arguments in entries.record_uses(forged):
        assert refusal(call, *arguments).code in CODES[place]


def test_records_carry_a_name_although_the_wire_does_not() -> None:
    record = recompute_component(CARD, documents.golden_projections()[CARD], [])
    assert record.name == CARD
    assert "name" not in identity.identity_to_json(record)
    assert CORE not in repr(record)
