"""What the manifest schema accepts and refuses, both engines always agreeing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.schemas.card_support import at, changed, without

Accepts = Callable[[Any], bool]

MAX = 2**53 - 1
TEXT_LIMIT = 262_144


def object_nodes(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield every object of a manifest with its path, without the free content of projections."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from object_nodes(item, (*path, index))
    if isinstance(value, dict):
        yield path, value
        for name, item in value.items():
            if name != "owned_projection":
                yield from object_nodes(item, (*path, name))


CARD = ("components", "card_schema_content")
VALUE = (*CARD, "owned_projection", "/v")
FIRST_ROW = ("components", "operation_core_content", "requires", 0)
COMPATIBLE = (*FIRST_ROW, "compatible")


def test_golden_manifest_is_accepted(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    assert manifest_accepts(golden_manifest)


def test_every_missing_null_or_extra_member_is_refused(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    judged = 0
    for path, node in object_nodes(golden_manifest):
        for name in node:
            assert not manifest_accepts(without(golden_manifest, (*path, name))), (path, name)
            assert not manifest_accepts(changed(golden_manifest, (*path, name), None)), (path, name)
            judged += 2
        assert not manifest_accepts(changed(golden_manifest, (*path, "extra"), 1)), path
        judged += 1
    # Members: root, the two maps, components, composites, the 18 requirement rows with their conditions, the contract.
    # Objects: the same, one by one.
    assert judged == 2 * (6 + 13 + 11 * 8 + 2 * 5 + 18 * 4 + 13) + (1 + 2 + 11 + 2 + 18 * 2 + 3)


@pytest.mark.parametrize("other", [True, 0, "x", [], 1.5])
def test_every_member_with_a_foreign_value_is_refused(
    manifest_accepts: Accepts, golden_manifest: Any, other: Any
) -> None:
    for path, node in object_nodes(golden_manifest):
        for name, value in node.items():
            unchanged = value == other and type(value) is type(other)
            owns_nothing = name == "owned_fields" and other == []
            if not unchanged and not owns_nothing:
                assert not manifest_accepts(changed(golden_manifest, (*path, name), other)), (path, name)


@pytest.mark.parametrize("root", [None, True, 1, "x", [], {}])
def test_a_root_that_is_no_manifest_is_refused(manifest_accepts: Accepts, root: Any) -> None:
    assert not manifest_accepts(root)


@pytest.mark.parametrize(
    "path",
    [
        ("schema_version",),
        (*CARD, "schema_version"),
        ("composites", "runtime_bundle", "schema_version"),
        ("compatibility_contract", "schema_version"),
        ("compatibility_contract", "requirement_kinds", "exact_digest"),
        ("compatibility_contract", "decision_predicates", "can_pool"),
    ],
)
def test_a_version_may_be_the_number_one_however_written_but_never_true(
    manifest_accepts: Accepts, golden_manifest: Any, path: tuple[str, ...]
) -> None:
    assert manifest_accepts(changed(golden_manifest, path, 1.0))
    for other in (True, 2, 0, "1"):
        assert not manifest_accepts(changed(golden_manifest, path, other)), other


@pytest.mark.parametrize(
    "path",
    [
        ("manifest_digest_sha256",),
        (*CARD, "content_digest_sha256"),
        ("composites", "experiment_bundle", "bundle_digest_sha256"),
        (*COMPATIBLE, "content_digest_sha256"),
    ],
)
def test_digests_are_sixty_four_lowercase_hex_digits(
    manifest_accepts: Accepts, golden_manifest: Any, path: tuple[str | int, ...]
) -> None:
    good = at(golden_manifest, path)
    assert manifest_accepts(changed(golden_manifest, path, "0" * 64)), "any well-shaped digest passes the schema"
    for bad in (good + "\n", good[:-1] + "\n", "\n" + good[1:], good.upper(), good[:-1], good + "0", "g" * 64):
        assert not manifest_accepts(changed(golden_manifest, path, bad)), bad


def exact(digest: Any) -> dict[str, Any]:
    """An exact digest condition."""
    return {"kind": "exact_digest", "content_digest_sha256": digest}


def between(minimum: Any, maximum: Any) -> dict[str, Any]:
    """A closed range condition."""
    return {
        "kind": "closed_schema_version_range",
        "minimum_schema_version": minimum,
        "maximum_schema_version": maximum,
    }


def named(predicate: Any, version: Any) -> dict[str, Any]:
    """A named predicate condition."""
    return {"kind": "named_predicate", "predicate": predicate, "predicate_version": version}


@pytest.mark.parametrize(
    "compatible",
    [exact("0" * 64), between(1, MAX), between(1.0, 2.0), between(3, 2), named("a.b", 1), named("a_b", MAX)],
)
def test_requirement_conditions_accepted(manifest_accepts: Accepts, golden_manifest: Any, compatible: Any) -> None:
    assert manifest_accepts(changed(golden_manifest, COMPATIBLE, compatible))


@pytest.mark.parametrize(
    "compatible",
    [
        {},
        exact("0" * 63),
        exact("0" * 64 + "\n"),
        exact("0" * 64) | {"kind": "future"},
        exact("0" * 64) | {"predicate_version": 1},
        between(0, 2),
        between(1, MAX + 1),
        between("1", 2),
        between(1.5, 2),
        between(1, 2) | {"minimum_schema_version": True},
        between(1, None),
        between(1, 2) | {"kind": "exact_digest"},
        named("a.b\n", 1),
        named("root", 1),
        named("a.b", 0),
        named("a.b", "1"),
        named("a.b", 1) | {"predicate_version": True},
        named("a.b", 1) | {"content_digest_sha256": "0" * 64},
    ],
)
def test_requirement_conditions_refused(manifest_accepts: Accepts, golden_manifest: Any, compatible: Any) -> None:
    assert not manifest_accepts(changed(golden_manifest, COMPATIBLE, compatible))


def test_predicate_length_boundary(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    longest = "a." + "b" * (TEXT_LIMIT - 2)
    assert manifest_accepts(changed(golden_manifest, COMPATIBLE, named(longest, 1)))
    assert not manifest_accepts(changed(golden_manifest, COMPATIBLE, named(longest + "b", 1)))
    assert not manifest_accepts(changed(golden_manifest, COMPATIBLE, named(longest[:-1] + "\n", 1)))


@pytest.mark.parametrize(
    "component", ["semantic_scenario_content", "arm_protocol_content", "provider_run_plan_content"]
)
def test_dependencies_keep_their_fixed_order_and_count(
    manifest_accepts: Accepts, golden_manifest: Any, component: str
) -> None:
    path = ("components", component, "requires")
    rows = at(golden_manifest, path)
    for other in (rows[::-1], rows[:-1], [*rows, rows[-1]], [*rows[:-1], rows[0]], []):
        assert not manifest_accepts(changed(golden_manifest, path, other))


@pytest.mark.parametrize("bundle", ["runtime_bundle", "experiment_bundle"])
def test_bundle_members_keep_their_fixed_order_and_count(
    manifest_accepts: Accepts, golden_manifest: Any, bundle: str
) -> None:
    path = ("composites", bundle, "members")
    members = at(golden_manifest, path)
    for other in (members[::-1], members[:-1], [*members, "card_schema_content"], [*members[:-1], members[0]], []):
        assert not manifest_accepts(changed(golden_manifest, path, other))


def test_a_domain_belongs_to_one_name(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    for kind in ("components", "composites"):
        names = list(golden_manifest[kind])
        for name, other in zip(names, names[1:] + names[:1], strict=True):
            domain = golden_manifest[kind][other]["domain"]
            assert not manifest_accepts(changed(golden_manifest, (kind, name, "domain"), domain)), name


def test_component_lists_that_must_stay_empty(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    assert not manifest_accepts(changed(golden_manifest, (*CARD, "excludes"), ["/x"]))
    named = ("compatibility_contract", "named_requirement_predicates")
    assert not manifest_accepts(changed(golden_manifest, named, ["a.b"]))


def test_owned_fields_are_unique_bounded_paths_in_any_order(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    path = (*CARD, "owned_fields")
    many = [f"/f{index}" for index in range(4097)]
    for accepted in ([], ["/b", "/a"], ["/unrelated"], ["/" + "x" * 1023], ["/" + "\U0001f600" * 1023], many[:4096]):
        assert manifest_accepts(changed(golden_manifest, path, accepted)), accepted[:1]
    for refused in (["/a", "/a"], ["a"], ["/"], ["/a/*"], ["/" + "x" * 1024], ["/\ud800"], [1], many):
        assert not manifest_accepts(changed(golden_manifest, path, refused)), refused[:1]


def test_projection_names_are_paths(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    path = (*CARD, "owned_projection")
    for name in ("/a", "/a\n", "/a~1b", "/" + "x" * 1023):
        assert manifest_accepts(changed(golden_manifest, path, {name: 1})), name
    for name in ("", "/", "a", "/a/", "/a~2", "/*", "/" + "x" * 1024, "/\udfff"):
        assert not manifest_accepts(changed(golden_manifest, path, {name: 1})), ascii(name)


def nested(levels: int, wrap: Callable[[Any], Any]) -> Any:
    """Zero inside `levels` containers."""
    value: Any = 0
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -0.0,
        1.0,
        1e3,
        MAX,
        -MAX,
        float(MAX),
        "",
        "\x00",
        "\ufffe",
        "\U0010ffff",
        [],
        {},
        {"": ""},
        [None, {"k": [1, "x", False]}],
        nested(58, lambda value: [value]),
        nested(58, lambda value: {"k": value}),
    ],
)
def test_strict_values_are_accepted_at_any_depth(manifest_accepts: Accepts, golden_manifest: Any, value: Any) -> None:
    for wrapped in (value, [value], {"k": value}):
        assert manifest_accepts(changed(golden_manifest, VALUE, wrapped))


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        -1.5,
        2**53,
        -(2**53),
        float(2**53),
        -float(2**53),
        2**64,
        1e300,
        -1e300,
        "\ud800",
        "x\udfff",
        "\udc00\ud800",
        {"\ud800": 1},
        {"k\udfff": 1},
    ],
    ids=ascii,
)
def test_values_outside_the_profile_are_refused_at_any_depth(
    manifest_accepts: Accepts, golden_manifest: Any, value: Any
) -> None:
    for wrapped in (value, [value], {"k": value}, [[{"k": [value]}]]):
        assert not manifest_accepts(changed(golden_manifest, VALUE, wrapped))


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600"])
def test_text_length_boundary_counts_code_points(
    manifest_accepts: Accepts, golden_manifest: Any, character: str
) -> None:
    exact, over = character * TEXT_LIMIT, character * (TEXT_LIMIT + 1)
    for make in (lambda text: text, lambda text: [text], lambda text: {text: 1}):
        assert manifest_accepts(changed(golden_manifest, VALUE, make(exact)))
        assert not manifest_accepts(changed(golden_manifest, VALUE, make(over)))


def test_container_width_boundary(manifest_accepts: Accepts, golden_manifest: Any) -> None:
    for width, accepted in ((4096, True), (4097, False)):
        assert manifest_accepts(changed(golden_manifest, VALUE, [0] * width)) is accepted
        assert manifest_accepts(changed(golden_manifest, VALUE, {str(index): 0 for index in range(width)})) is accepted
        fields = {f"/f{index}": 0 for index in range(width)}
        assert manifest_accepts(changed(golden_manifest, (*CARD, "owned_projection"), fields)) is accepted
