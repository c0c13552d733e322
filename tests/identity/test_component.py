"""Components are built with the digests, limits and order of checks of the identity contract, section 8.1."""

from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import ComponentIdentityV1, identity_to_json, recompute_component
from operatebench.identity.component import MAX_COMPONENT_IDENTITY_BYTES
from tests.identity import documents, oracle
from tests.identity.documents import nested
from tests.identity.oracle import ARM, CARD, COMPONENTS, CORE, SCENARIO
from tests.identity.refusals import assert_refused, refusal
from tests.identity.test_oracle import COMPONENT_DIGESTS

DIGEST = "0" * 64
PATHS = "'/'-led tokens, none empty, '~' only as ~0 or ~1, no '*', at most 1,024 characters"


def build(name: str, projection: Any, requires: Any = None) -> ComponentIdentityV1:
    rows = [oracle.exact(other, DIGEST) for other in oracle.EDGES[name]] if requires is None else requires
    return recompute_component(name, projection, rows)


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_golden_content_digests(name: str) -> None:
    record = build(name, documents.golden_projections()[name])
    assert record.content_digest_sha256 == COMPONENT_DIGESTS[name]
    assert (record.name, record.domain, record.schema) == (name, oracle.component_domain(name), oracle.COMPONENT)
    assert (record.schema_version, type(record.schema_version)) == (1, int)
    assert (record.excludes, record.owned_fields) == ((), (f"/fixture/{name}",))


SIZES = [
    (361, 12),
    (376, 12),
    (533, 17),
    (709, 22),
    (682, 22),
    (706, 22),
    (520, 17),
    (862, 27),
    (877, 27),
    (875, 27),
    (548, 17),
]
EMPTY_SIZES = [289, 294, 455, 625, 618, 624, 454, 788, 793, 793, 463]


@pytest.mark.parametrize(("name", "size", "empty"), [*zip(COMPONENTS, SIZES, EMPTY_SIZES, strict=True)])
def test_the_sizes_of_complete_identities(name: str, size: tuple[int, int], empty: int) -> None:
    projections = documents.golden_projections()
    wire = identity_to_json(build(name, projections[name], oracle.exact_rows(name, projections)))
    nodes, length = oracle.measure(wire)
    assert (length, nodes) == size
    assert oracle.measure(identity_to_json(build(name, {})))[1] == empty
    assert oracle.measure(identity_to_json(build(name, {})))[0] == 9 + 5 * len(oracle.EDGES[name])


def test_fields_are_sorted_by_code_point() -> None:
    record = build(CARD, {"/\U00010000": 1, "/\ue000": 2, "/b": 3, "/a/b": 4, "/a": 5, "/a~1b": 6})
    expected = ("/a", "/a/b", "/a~1b", "/b", "/\ue000", "/\U00010000")
    assert record.owned_fields == expected
    assert tuple(record.owned_projection) == expected


def test_requirements_do_not_move_the_content_digest() -> None:
    rows = [oracle.exact(CARD, "1" * 64)], [oracle.closed_range(CARD)], [oracle.named(CARD)]
    assert len({build(CORE, {"/a": 1}, row).content_digest_sha256 for row in rows}) == 1


def test_integral_floats_and_integers_are_one_value() -> None:
    assert build(CARD, {"/a": [1.0, -0.0]}) == build(CARD, {"/a": [1, 0]})
    assert build(CARD, {"/a": True}) != build(CARD, {"/a": 1})
    assert build(CARD, {"/a": None}) != build(CARD, {})


def test_the_record_is_detached_and_frozen_at_every_level() -> None:
    projection: dict[str, Any] = {"/a": {"b": [1, {"c": []}]}}
    rows = [oracle.exact(CARD, DIGEST)]
    record = build(CORE, projection, rows)
    before = repr(record)
    projection["/a"]["b"][1]["c"].append(5)
    projection["/a"]["x"] = 1
    projection["/y"] = 2
    rows[0]["compatible"]["kind"] = "named_predicate"
    rows.clear()
    assert repr(record) == before
    inner = record.owned_projection["/a"]
    assert (type(record.owned_projection), type(inner)) == (MappingProxyType, MappingProxyType)
    assert (type(inner["b"]), type(inner["b"][1]), inner["b"][1]["c"]) == (tuple, MappingProxyType, ())


@pytest.mark.parametrize(
    "name",
    [None, 1, "", "root", "card", "CARD_SCHEMA_CONTENT", "card_schema_content\n", "unknown_content", "runtime_bundle",
     "a\ud800_b", b"card_schema_content", [], {}],
)  # fmt: skip
def test_a_name_is_a_registered_component(name: Any) -> None:
    assert_refused("name", "name#", CARD, "", recompute_component, name, object(), object())


def test_a_name_over_one_mebibyte_is_over_a_limit() -> None:
    expected = "a name of at most 1048576 bytes"
    assert_refused("resource_limits", "name#", expected, "1048577", recompute_component, "a" * 1_048_577, {}, [])
    assert_refused("name", "name#", CARD, "1048576", recompute_component, "a" * 1_048_576, {}, [])


@pytest.mark.parametrize("projection", [None, [], (), "", 1, MappingProxyType({})])
def test_a_projection_is_a_plain_object(projection: Any) -> None:
    expected = "a plain object of at most 4096 fields"
    assert_refused("projection_shape", "projection#", expected, "", build, CARD, projection)


@pytest.mark.parametrize("name", [1, None, b"/a", ("/a",)])
def test_field_names_are_exact_text(name: Any) -> None:
    assert_refused("projection_shape", "projection#", "names of exact text", "", build, CARD, {"/a": 1, name: 1})


@pytest.mark.parametrize("path", ["", "/", "/a/", "/a//b", "a", "/a~", "/a~2b", "/a/*", "/" + "a" * 1024])
def test_field_names_are_field_paths(path: str) -> None:
    error = refusal(build, CARD, {"/ok": 1, path: 1})
    assert (error.code, error.expected) == ("field_path", PATHS)
    assert error.path.startswith("projection#/")


def test_a_field_path_may_have_1024_code_points() -> None:
    for character in ("a", "\U0001f600"):
        path = "/" + character * 1023
        assert build(CARD, {path: 1}).owned_fields == (path,)


def test_paths_are_opaque_names() -> None:
    assert build(CARD, {"/a": 1, "/a/b": 2, "/a~1b": 3, "/a/b\n": 4}).owned_fields == ("/a", "/a/b", "/a/b\n", "/a~1b")


@pytest.mark.parametrize(("value", "path"), [(1.5, "/~1a/0/k"), ("\ud800", "/~1a/0/k"), ((), "/~1a/0/k")])
def test_values_are_strict_json(value: Any, path: str) -> None:
    error = refusal(build, CARD, {"/a": [{"k": value}]})
    assert (error.code, error.path) == ("strict_json", "projection#" + path)


# The order of checks: of two faults, the one of the earlier step is named.
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("bad", {"/": 1.5}, None), "name"),
        ((CORE, {"/": 1.5}, []), "requirement_shape"),
        ((CORE, (), [{}]), "requirement_shape"),
        ((CARD, {1: 1.5}, []), "projection_shape"),
        ((CARD, {"bad": 1.5}, []), "strict_json"),
        ((CARD, {"bad": nested(64)}, []), "resource_limits"),
        ((CARD, {"bad": nested(63)}, []), "field_path"),
        ((CARD, dict.fromkeys(map(str, range(4097)), 1.5), []), "projection_shape"),
        ((CARD, dict.fromkeys(map(str, range(4096)), 0), []), "field_path"),
        ((CARD, {f"/{index}": 0 for index in range(4096)}, []), "resource_limits"),
    ],
)  # fmt: skip
def test_the_earlier_step_is_named(arguments: tuple[Any, Any, Any], code: str) -> None:
    assert refusal(recompute_component, *arguments).code == code


@pytest.mark.parametrize(
    ("name", "requirement", "most"),
    [
        (CARD, "exact", 2795), (CARD, "range", 2795), (CORE, "exact", 2793), (CORE, "range", 2792),
        (CORE, "named", 2792), (SCENARIO, "exact", 2790), (SCENARIO, "range", 2789), (ARM, "exact", 2788),
        (ARM, "range", 2786), (ARM, "named", 2786),
    ],
)  # fmt: skip
def test_nodes_stop_a_component_at_its_number_of_fields(name: str, requirement: str, most: int) -> None:
    make = {"exact": lambda other: oracle.exact(other, DIGEST), "range": oracle.closed_range, "named": oracle.named}
    rows = [make[requirement](other) for other in oracle.EDGES[name]]
    projection = {f"/{index}": 0 for index in range(most)}
    assert len(build(name, projection, rows).owned_fields) == most
    expected = f"at most 5600 nodes in the complete identity of {name}"
    projection["/more"] = 0
    assert_refused("resource_limits", "projection#", expected, "nodes", build, name, projection, rows)


@pytest.mark.parametrize("character", ["a", "é", "\U0001f600", "\n"])
def test_336_kibibytes_are_the_largest_complete_identity(character: str) -> None:
    room = MAX_COMPONENT_IDENTITY_BYTES - oracle.measure(identity_to_json(build(CARD, {"/a": ""})))[1]
    width = oracle.measure(character)[1] - 2
    text = character * (room // width) + "a" * (room % width)
    assert oracle.measure(identity_to_json(build(CARD, {"/a": text})))[1] == 344_064
    expected = f"at most 344064 bytes in the complete identity of {CARD}"
    assert_refused("resource_limits", "projection#", expected, "344065 bytes", build, CARD, {"/a": text + "a"})


def test_a_value_nested_62_deep_is_the_deepest_of_a_component() -> None:
    assert build(CARD, {"/a": nested(62)}).owned_fields == ("/a",)
    expected = "at most 64 nested containers"
    assert_refused("resource_limits", "projection#", expected, "65", build, CARD, {"/a": nested(63)})
    assert refusal(build, CARD, {"/a": nested(64)}).code == "resource_limits"


def test_wide_requirements_and_projections_are_refused_unread() -> None:
    assert refusal(recompute_component, CORE, {}, [object()] * 100_000).code == "requirement_shape"
    assert refusal(recompute_component, CARD, {object(): 0 for _ in range(100_000)}, []).code == "projection_shape"
