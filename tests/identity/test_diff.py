"""The diff names owners, paths, requirements and bundles as the identity contract, section 13, lists them."""

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.identity import (
    OwnedMutation,
    ValidatedIdentityManifest,
    build_identity_manifest,
    identity_diff,
    recompute_component,
    validate_identity_manifest,
)
from tests.identity import documents, oracle
from tests.identity.documents import Triple
from tests.identity.oracle import (
    ANALYSIS,
    ARM,
    BUILD,
    CARD,
    COMPONENTS,
    CORE,
    EVALUATOR,
    PLAN,
    RUNTIME,
    SCAFFOLD,
    SCENARIO,
    VARIANT,
)
from tests.identity.refusals import assert_refused, refusal
from tests.identity.strategies import projection_sets, requirement_plans

BOTH = ("runtime_bundle", "experiment_bundle")
DEPENDENTS = {
    CARD: [CORE, SCENARIO, VARIANT, RUNTIME, EVALUATOR],
    BUILD: [PLAN],
    CORE: [SCENARIO, RUNTIME, EVALUATOR],
    SCENARIO: [VARIANT, ARM],
    VARIANT: [ARM],
    RUNTIME: [SCAFFOLD, ARM, PLAN, EVALUATOR],
    SCAFFOLD: [PLAN],
    EVALUATOR: [ANALYSIS],
    ARM: [],
    PLAN: [],
    ANALYSIS: [],
}


def valid(projections: dict[str, Any], requirements: oracle.Requirements | None = None) -> ValidatedIdentityManifest:
    triple = documents.triple(projections, requirements)
    return validate_identity_manifest(triple.manifest, triple.census, triple.projections)


def plain(requirements: oracle.Requirements | None = None, **changed: Any) -> ValidatedIdentityManifest:
    """Return the plain fixture with some components' projections replaced."""
    return valid({**documents.plain_projections(), **changed}, requirements)


def short(rows: tuple[OwnedMutation, ...]) -> list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    return [
        (row.owner, row.changed_field_paths, row.changed_requirement_components, row.changed_composites) for row in rows
    ]


def test_identical_manifests_give_nothing() -> None:
    assert identity_diff(plain(), plain()) == ()
    assert type(identity_diff(plain(), plain())) is tuple


@pytest.mark.parametrize("owner", COMPONENTS)
def test_a_changed_value_under_ranges_moves_its_owner_alone(owner: str) -> None:
    path = f"/fixture/{owner}"
    old, new = plain(oracle.ranges()), plain(oracle.ranges(), **{owner: {path: 99}})
    expected = OwnedMutation(
        1,
        owner,
        (path,),
        (),
        old.components[owner].content_digest_sha256,
        new.components[owner].content_digest_sha256,
        oracle.POSSIBLE_BUNDLES[owner],
    )
    assert identity_diff(old, new) == (expected,)
    assert [field.name for field in fields(OwnedMutation)] == [
        "mutation_contract_version",
        "owner",
        "changed_field_paths",
        "changed_requirement_components",
        "old_content_digest_sha256",
        "new_content_digest_sha256",
        "changed_composites",
    ]


@pytest.mark.parametrize("owner", COMPONENTS)
def test_a_changed_value_under_exact_digests_reaches_direct_dependents_only(owner: str) -> None:
    path = f"/fixture/{owner}"
    rows = identity_diff(plain(), plain(None, **{owner: {path: 99}}))
    bundles = oracle.POSSIBLE_BUNDLES
    followers = [(name, (), (owner,), bundles[name]) for name in DEPENDENTS[owner]]
    assert short(rows) == [(owner, (path,), (), bundles[owner]), *followers]
    for row in rows[1:]:
        assert row.old_content_digest_sha256 == row.new_content_digest_sha256


@pytest.mark.parametrize("owner", COMPONENTS)
def test_a_path_that_holds_null_can_be_added_and_removed(owner: str) -> None:
    path = f"/fixture/{owner}"
    index = COMPONENTS.index(owner)
    old, new = plain(oracle.ranges()), plain(oracle.ranges(), **{owner: {path: index, "/null": None}})
    expected = [(owner, ("/null",), (), oracle.POSSIBLE_BUNDLES[owner])]
    assert short(identity_diff(old, new)) == expected
    assert short(identity_diff(new, old)) == expected


def test_values_are_compared_by_type_and_order_and_paths_are_sorted() -> None:
    old = {"/z": True, "/a": [[1, 2], {"x": 1, "y": 2}], "/same": 1, "/\U00010000": 1, "/\ue000": 1, "/n": None}
    new = {"/z": 1, "/a": [[2, 1], {"y": 2, "x": 1}], "/same": 1, "/\U00010000": "1", "/\ue000": False, "/n": None}
    rows = identity_diff(plain(oracle.ranges(), **{CARD: old}), plain(oracle.ranges(), **{CARD: new}))
    assert short(rows) == [(CARD, ("/a", "/z", "/\ue000", "/\U00010000"), (), ())]
    reordered = {"/a": {"x": 1, "y": [1]}}, {"/a": {"y": [1], "x": 1}}
    assert identity_diff(*(plain(oracle.ranges(), **{CARD: value}) for value in reordered)) == ()


@pytest.mark.parametrize(
    ("owner", "dependency"), [(owner, name) for owner in COMPONENTS for name in oracle.EDGES[owner]]
)
def test_a_changed_requirement_alone_makes_a_row(owner: str, dependency: str) -> None:
    rows = oracle.exact_rows(owner, documents.plain_projections())
    place = oracle.EDGES[owner].index(dependency)
    rows[place] = oracle.closed_range(dependency)
    found = identity_diff(plain(), plain({owner: rows}))
    assert short(found) == [(owner, (), (dependency,), oracle.POSSIBLE_BUNDLES[owner])]
    assert found[0].old_content_digest_sha256 == found[0].new_content_digest_sha256


def test_changed_requirements_stand_in_requirement_order() -> None:
    found = identity_diff(plain(), plain(oracle.ranges()))
    assert {row.owner: row.changed_requirement_components for row in found} == {
        name: edges for name, edges in oracle.EDGES.items() if edges
    }


@settings(max_examples=50)
@given(st.data())
def test_rows_of_random_pairs_equal_those_of_the_oracle(data: st.DataObject) -> None:
    old = {name: oracle.normalize(value) for name, value in data.draw(projection_sets()).items()}
    new = {name: dict(value) for name, value in old.items()}
    owners = st.sampled_from(COMPONENTS)
    for name in data.draw(st.lists(owners, max_size=3)):
        new[name][f"/new/{name}"] = data.draw(st.sampled_from([None, 1, "x", [1], {"a": True}]))
    for name in data.draw(st.lists(owners, max_size=3)):
        if new[name]:
            path = data.draw(st.sampled_from(sorted(new[name])))
            new[name] = {key: value for key, value in new[name].items() if key != path}
    documents_of = []
    records = []
    for projections in (old, new):
        plan = {name: oracle.normalize(rows) for name, rows in data.draw(requirement_plans(projections)).items()}
        triple = documents.triple(projections, plan)
        documents_of.append(triple.manifest)
        records.append(validate_identity_manifest(triple.manifest, triple.census, triple.projections))
    rows = identity_diff(records[0], records[1])
    assert [{name: getattr(row, name) for name in OwnedMutation.__slots__} for row in rows] == oracle.diff(
        *documents_of
    )


def test_a_path_may_not_change_its_owner() -> None:
    new = plain(None, **{CARD: {}, BUILD: {"/fixture/card_schema_content": 0}})
    path = "new#/~1fixture~1card_schema_content"
    assert_refused("diff_reassignment", path, CARD, BUILD, identity_diff, plain(), new)


class _Sub(ValidatedIdentityManifest):
    pass


def subclass() -> Any:
    return _Sub(**{name: getattr(plain(), name) for name in ValidatedIdentityManifest.__slots__})


@pytest.mark.parametrize("make", [lambda: None, dict, lambda: documents.golden().manifest, subclass], ids=range(4))
def test_both_inputs_are_exactly_validated_manifests(make: Any) -> None:
    expected = "exactly a ValidatedIdentityManifest"
    assert_refused("diff_input", "old#", expected, "", identity_diff, make(), plain())
    assert_refused("diff_input", "new#", expected, "", identity_diff, plain(), make())


def forged(**members: Any) -> Any:
    return replace(plain(), **members)


def with_component(name: str, /, **members: Any) -> Any:
    base = plain()
    return forged(components=MappingProxyType({**base.components, name: replace(base.components[name], **members)}))


def with_bundle(name: str, /, **members: Any) -> Any:
    base = plain()
    return forged(composites=MappingProxyType({**base.composites, name: replace(base.composites[name], **members)}))


@pytest.mark.parametrize(
    ("make", "code", "path"),
    [
        (lambda: forged(schema="x"), "diff_envelope", "/schema"),
        (lambda: forged(schema=None), "diff_envelope", "/schema"),
        (lambda: forged(schema_version=1.0), "diff_envelope", "/schema_version"),
        (lambda: forged(schema_version=True), "diff_envelope", "/schema_version"),
        (lambda: forged(schema_version=2), "diff_envelope", "/schema_version"),
        (lambda: forged(manifest_digest_sha256=None), "diff_envelope", "/manifest_digest_sha256"),
        (lambda: forged(manifest_digest_sha256="0" * 64), "manifest_digest", "/manifest_digest_sha256"),
        (lambda: forged(components=dict(plain().components)), "diff_registry_order", "/components"),
        (lambda: forged(components=None), "diff_registry_order", "/components"),
        (lambda: forged(components=MappingProxyType({})), "diff_registry_order", "/components"),
        (
            lambda: forged(components=MappingProxyType(dict(list(plain().components.items())[::-1]))),
            "diff_registry_order",
            "/components",
        ),
        (
            lambda: forged(composites=MappingProxyType(dict(list(plain().composites.items())[::-1]))),
            "diff_registry_order",
            "/composites",
        ),
        (lambda: forged(composites=MappingProxyType({1: 2})), "diff_registry_order", "/composites"),
        (
            lambda: forged(composites=MappingProxyType(dict.fromkeys(range(100_000)))),
            "diff_registry_order",
            "/composites",
        ),
        (
            lambda: forged(compatibility_contract=MappingProxyType({})),
            "compatibility_contract",
            "/compatibility_contract",
        ),
        (lambda: forged(compatibility_contract=None), "compatibility_contract", "/compatibility_contract"),
        (
            lambda: forged(compatibility_contract=oracle.CONTRACT | {"schema_version": True}),
            "compatibility_contract",
            "/compatibility_contract",
        ),
        (
            lambda: forged(components=MappingProxyType({**plain().components, CORE: None})),
            "diff_component",
            f"/components/{CORE}",
        ),
        (lambda: with_component(CORE, schema_version=1.0), "diff_component", f"/components/{CORE}/schema_version"),
        (
            lambda: with_component(CORE, content_digest_sha256="0" * 64),
            "diff_component",
            f"/components/{CORE}/content_digest_sha256",
        ),
        (
            lambda: forged(composites=MappingProxyType({**plain().composites, "runtime_bundle": None})),
            "diff_composite",
            "/composites/runtime_bundle",
        ),
        (
            lambda: with_bundle("experiment_bundle", bundle_digest_sha256="0" * 64),
            "diff_composite",
            "/composites/experiment_bundle/bundle_digest_sha256",
        ),
        (
            lambda: with_bundle("experiment_bundle", members=()),
            "diff_composite",
            "/composites/experiment_bundle/members",
        ),
        (
            lambda: with_bundle("experiment_bundle", name="runtime_bundle"),
            "diff_composite",
            "/composites/experiment_bundle/",
        ),
    ],
    ids=range(24),
)
def test_a_forged_manifest_is_refused_on_either_side(make: Any, code: str, path: str) -> None:
    for side, arguments in (("old#", (make(), plain())), ("new#", (plain(), make()))):
        error = refusal(identity_diff, *arguments)
        assert error.code == code
        assert error.path == side + path or (path.endswith("/") and error.path.startswith(side + path))


def test_the_old_manifest_is_judged_first() -> None:
    error = refusal(identity_diff, forged(manifest_digest_sha256="0" * 64), forged(schema="x"))
    assert (error.code, error.path) == ("manifest_digest", "old#/manifest_digest_sha256")


def test_a_path_owned_twice_is_refused() -> None:
    path = "/fixture/card_schema_content"
    double = recompute_component(BUILD, {path: 1}, [])
    manifest = forged(components=MappingProxyType({**plain().components, BUILD: double}))
    error = refusal(identity_diff, manifest, plain())
    place = f"old#/components/{BUILD}/~1fixture~1card_schema_content"
    assert (error.code, error.path, error.actual) == ("diff_duplicate_owner", place, BUILD)
    assert CARD in error.expected


def test_an_unmet_requirement_is_refused() -> None:
    unmet = recompute_component(SCAFFOLD, {f"/fixture/{SCAFFOLD}": 6}, [oracle.named(RUNTIME)])
    manifest = forged(components=MappingProxyType({**plain().components, SCAFFOLD: unmet}))
    error = refusal(identity_diff, plain(), manifest)
    place = f"new#/components/{SCAFFOLD}/requires/0/compatible/predicate"
    assert (error.code, error.path) == ("requirement_named", place)


def test_a_manifest_that_was_built_diffs_like_one_that_was_validated() -> None:
    projections = documents.plain_projections()
    built = build_identity_manifest(projections)
    census = documents.triple(projections).census
    triple = Triple(built, census, projections)
    assert identity_diff(validate_identity_manifest(triple.manifest, triple.census, triple.projections), plain()) == ()
