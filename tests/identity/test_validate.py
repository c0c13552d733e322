"""The validator refuses in the order of the identity contract, section 11, and keeps nothing of what it was given."""

import copy
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.identity import ValidatedIdentityManifest, recompute_component, validate_identity_manifest
from tests.identity import documents, oracle
from tests.identity.documents import Tokens, Triple, nested, put, remove
from tests.identity.oracle import ARM, CARD, COMPONENTS, CORE, EVALUATOR, RUNTIME, SCAFFOLD
from tests.identity.refusals import assert_refused, refusal
from tests.identity.strategies import projection_sets, requirement_plans
from tests.identity.test_oracle import EMPTY_MANIFEST_DIGEST, MANIFEST_DIGEST, RANGED_DIGESTS

FIELD = f"/fixture/{CARD}"
MANIFEST_KEYS = "exactly schema, schema_version, components, composites, compatibility_contract, manifest_digest_sha256"


def validate(triple: Triple) -> ValidatedIdentityManifest:
    return validate_identity_manifest(triple.manifest, triple.census, triple.projections)


def refuse(code: str, path: str, expected: str, actual: str, triple: Triple) -> None:
    assert_refused(code, path, expected, actual, validate, triple)


def edited(root: str, tokens: Tokens, value: Any) -> Triple:
    triple = documents.golden()
    put(triple.root(root), tokens, value)
    return triple


def resealed(tokens: Tokens, value: Any) -> Triple:
    """Edit a golden manifest coherently: bundles and self-digest follow."""
    triple = edited("manifest", tokens, value)
    oracle.reseal(triple.manifest)
    return triple


def test_the_golden_manifests_are_valid() -> None:
    assert validate(documents.golden()).manifest_digest_sha256 == MANIFEST_DIGEST
    ranged = documents.triple(documents.golden_projections(), oracle.ranges())
    assert validate(ranged).manifest_digest_sha256 == RANGED_DIGESTS[2]
    empty = documents.triple(documents.empty_projections())
    assert validate(empty).manifest_digest_sha256 == EMPTY_MANIFEST_DIGEST


def test_the_result_is_fresh_ordered_and_frozen() -> None:
    triple = documents.rich()
    found = validate(triple)
    assert list(found.components) == list(COMPONENTS)
    assert list(found.composites) == list(oracle.MEMBERS)
    assert (found.schema, found.schema_version) == (oracle.MANIFEST, 1)
    assert {type(found.components), type(found.composites), type(found.compatibility_contract)} == {MappingProxyType}
    for name in COMPONENTS:
        rows = triple.manifest["components"][name]["requires"]
        assert found.components[name] == recompute_component(name, triple.projections[name], rows)


def test_later_changes_of_the_inputs_do_not_reach_the_result() -> None:
    triple = documents.rich()
    found = validate(triple)
    before = repr(found)
    triple.projections[CARD]["/a"][1][1]["k"] = "later"
    triple.manifest["components"][CARD]["owned_projection"]["/a"].clear()
    triple.manifest["compatibility_contract"]["requirement_kinds"].clear()
    triple.manifest["components"][CORE]["requires"][0]["compatible"].clear()
    triple.census["entries"].clear()
    assert repr(found) == before


def test_the_inputs_stay_as_they_were() -> None:
    triple = documents.rich()
    before = repr(triple)
    validate(triple)
    assert repr(triple) == before


def test_member_order_is_irrelevant_everywhere() -> None:
    def reversed_members(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: reversed_members(item) for name, item in reversed(value.items())}
        return [reversed_members(item) for item in value] if isinstance(value, list) else value

    triple = documents.rich()
    turned = Triple(*(reversed_members(root) for root in (triple.manifest, triple.census, triple.projections)))
    assert validate(turned) == validate(triple)


def test_integral_floats_are_integers_in_all_three_roots() -> None:
    def floats(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: floats(item) for name, item in value.items()}
        if isinstance(value, list):
            return [floats(item) for item in value]
        return float(value) if type(value) is int else value

    triple = documents.rich()
    turned = Triple(*(floats(root) for root in (triple.manifest, triple.census, triple.projections)))
    assert repr(validate(turned)) == repr(validate(triple))


@settings(max_examples=60)
@given(st.data())
def test_random_valid_triples_are_valid_with_the_digests_of_the_oracle(data: st.DataObject) -> None:
    projections = data.draw(projection_sets())
    plan = data.draw(requirement_plans(projections))
    normal = {name: oracle.normalize(value) for name, value in projections.items()}
    manifest = oracle.build(normal, {name: oracle.normalize(rows) for name, rows in plan.items()})
    found = validate_identity_manifest(manifest, oracle.census(normal), projections)
    assert found.manifest_digest_sha256 == manifest["manifest_digest_sha256"]
    for name, record in found.components.items():
        assert record.content_digest_sha256 == manifest["components"][name]["content_digest_sha256"]
    for name, bundle in found.composites.items():
        assert bundle.bundle_digest_sha256 == manifest["composites"][name]["bundle_digest_sha256"]


@pytest.mark.parametrize("root", ["manifest", "census", "projections"])
@pytest.mark.parametrize(
    "value", [None, [], (), "x", 1, MappingProxyType({}), set()], ids=lambda value: type(value).__name__
)
def test_step_1_every_root_is_a_plain_object(root: str, value: Any) -> None:
    triple = documents.golden()
    setattr(triple, root, value)
    refuse("root_type", f"{root}#", "a plain object", "", triple)


@pytest.mark.parametrize(("root", "expected"), [("manifest", "6"), ("census", "4 or 5"), ("projections", "11")])
def test_step_2_every_root_has_its_width(root: str, expected: str) -> None:
    for width in (0, 3, 7, 10, 12, 100_000):
        triple = documents.golden()
        setattr(triple, root, {index: object() for index in range(width)})
        refuse("root_cardinality", f"{root}#", f"{expected} members", f"{width} members", triple)


def test_step_3_every_root_is_strict_json_within_its_own_limits() -> None:
    deep, wide = nested(64), [0] * 4097
    for root, tokens in (
        ("manifest", ("schema",)),
        ("census", ("schema",)),
        ("projections", (CARD, FIELD)),
    ):
        path = f"{root}#" + ("/schema" if root != "projections" else f"/{CARD}/~1fixture~1{CARD}")
        refuse("strict_json", path, "an integer", "1.5", edited(root, tokens, 1.5))
        refuse("strict_json", path, "text without surrogates", "", edited(root, tokens, "\ud800"))
        refuse("resource_limits", path, "at most 4096 direct items", "4097", edited(root, tokens, wide))
        assert refusal(validate, edited(root, tokens, deep)).code == "resource_limits"
        assert refusal(validate, edited(root, tokens, [[0] * 4000] * 17)).code == "resource_limits"
        assert refusal(validate, edited(root, tokens, "x" * 1_048_577)).code == "resource_limits"
        assert refusal(validate, edited(root, tokens, ["x" * 1_048_576] * 4)).code == "resource_limits"


def test_step_3_the_limits_hold_for_all_projections_together() -> None:
    triple = documents.golden()
    for name in COMPONENTS:
        triple.projections[name] = {"/a": [[0] * 2900] * 2}
    assert refusal(validate, triple).code == "ownership_join"
    triple.projections[CARD] = {"/a": [[0] * 2900] * 4}
    refuse("resource_limits", "projections#", "at most 65536 nodes", "nodes", triple)
    triple = documents.golden()
    for name in COMPONENTS:
        triple.projections[name] = {"/a": "x" * 400_000}
    refuse("resource_limits", "projections#", "at most 4194304 canonical bytes", "canonical bytes", triple)


def test_step_4_maps_have_their_widths_before_the_census_is_read() -> None:
    broken = edited("census", ("schema",), "x")
    for member, count in (("components", 11), ("composites", 2)):
        for value in ({}, {str(index): 0 for index in range(count + 1)}):
            triple = broken.copy()
            triple.manifest[member] = value
            refuse("map_cardinality", f"manifest#/{member}", f"{count} records", "members", triple)
    triple = broken.copy()
    triple.projections[CORE] = []
    refuse("projection_shape", f"projections#/{CORE}", "a plain object", "an array", triple)


@pytest.mark.parametrize(
    ("tokens", "value", "code"),
    [
        (("schema",), None, "manifest_header"),
        (("schema",), oracle.CENSUS, "manifest_header"),
        (("schema_version",), True, "manifest_header"),
        (("schema_version",), 2, "manifest_header"),
        (("schema_version",), None, "manifest_header"),
        (("components",), None, "map_type"),
        (("composites",), [], "map_type"),
        (("compatibility_contract",), None, "compatibility_contract"),
        (("compatibility_contract", "schema_version"), True, "compatibility_contract"),
        (("compatibility_contract", "requirement_kinds", "exact_digest"), True, "compatibility_contract"),
        (("compatibility_contract", "decision_predicates", "can_pool"), True, "compatibility_contract"),
        (("compatibility_contract", "named_requirement_predicates"), ["x.y"], "compatibility_contract"),
        (("manifest_digest_sha256",), None, "manifest_digest"),
        (("manifest_digest_sha256",), "0" * 64, "manifest_digest"),
        (("composites", "runtime_bundle", "bundle_digest_sha256"), "0" * 64, "composite_identity"),
        (("composites", "experiment_bundle", "schema_version"), True, "composite_identity"),
        (("components", SCAFFOLD, "schema_version"), True, "component_identity"),
        (("components", SCAFFOLD, "domain"), oracle.component_domain(CARD), "component_identity"),
        (("components", SCAFFOLD, "excludes"), None, "component_identity"),
    ],
)
def test_steps_7_to_15_name_the_member(tokens: Tokens, value: Any, code: str) -> None:
    path = "manifest#/" + "/".join(map(str, tokens))
    error = refusal(validate, edited("manifest", tokens, value))
    assert (error.code, error.path) == (code, path)
    assert error.expected != error.actual


def test_step_7_the_members_are_exactly_six() -> None:
    triple = documents.golden()
    documents.rename(triple.manifest, ("composites",), "bundles")
    refuse("manifest_keys", "manifest#", MANIFEST_KEYS, '"bundles"', triple)


@pytest.mark.parametrize(("member", "name"), [("components", CARD), ("composites", "runtime_bundle")])
def test_step_8_the_names_are_the_registered_ones(member: str, name: str) -> None:
    triple = documents.golden()
    documents.rename(triple.manifest, (member, name), "other")
    refuse("map_names", f"manifest#/{member}", "exactly the registered names", '"other"', triple)


def test_step_10_the_projections_have_the_registered_names() -> None:
    triple = documents.golden()
    documents.rename(triple.projections, (CARD,), "other")
    refuse("map_names", "projections#", "exactly the registered names", '"other"', triple)


def test_step_11_joins_census_projection_and_component() -> None:
    at = f"manifest#/components/{CARD}"
    place = "/~1fixture~1card_schema_content"
    triple = documents.golden()
    triple.projections[CARD]["/more"] = 1
    refuse("ownership_join", f"projections#/{CARD}/~1more", "a path that the census gives", "without census", triple)
    triple = documents.golden()
    triple.projections[CARD] = {}
    refuse("ownership_join", f"projections#/{CARD}{place}", "a value for this path", "a census row", triple)
    triple = documents.golden()
    triple.projections[CARD] = {"/a//b": 1}
    error = refusal(validate, triple)
    assert (error.code, error.path) == ("field_path", f"projections#/{CARD}/~1a~1~1b")
    value: Any
    for value, wanted, found in ((True, "0", "true"), ("0", "0", '"0"'), (None, "0", "null"), (7, "0", "7")):
        triple = resealed(("components", CARD, "owned_projection", FIELD, "index"), value)
        refuse("ownership_join", f"{at}/owned_projection{place}/index", wanted, found, triple)
    for value in (None, [], {}, [FIELD, FIELD], [None]):
        error = refusal(validate, resealed(("components", CARD, "owned_fields"), value))
        assert error.code == "ownership_join"
        assert error.path.startswith(f"{at}/owned_fields")
    for value in (None, [], "x"):
        triple = resealed(("components", CARD, "owned_projection"), value)
        refuse("ownership_join", f"{at}/owned_projection", "an object", "", triple)
    error = refusal(validate, resealed(("components", CARD), None))
    assert error.path == at


def test_step_11_a_missing_path_and_a_null_value_are_different() -> None:
    projections = documents.golden_projections()
    projections[CARD]["/null"] = None
    triple = documents.triple(projections)
    assert validate(triple).components[CARD].owned_fields == (FIELD, "/null")
    del triple.projections[CARD]["/null"]
    refuse("ownership_join", f"projections#/{CARD}/~1null", "a value for this path", "a census row", triple)


def test_a_coherently_resealed_change_of_a_value_is_refused() -> None:
    projections = documents.golden_projections()
    projections[CARD][FIELD]["index"] = True
    moved = documents.triple(projections)
    given = documents.golden()
    triple = Triple(moved.manifest, given.census, given.projections)
    path = f"manifest#/components/{CARD}/owned_projection/~1fixture~1{CARD}/index"
    refuse("ownership_join", path, "0", "true", triple)


def test_step_12_a_component_has_exactly_eight_members() -> None:
    for name in ("schema", "requires", "excludes"):
        triple = documents.golden()
        remove(triple.manifest, ("components", CARD, name))
        refuse("component_keys", f"manifest#/components/{CARD}", "exactly schema", '"domain"', triple)
    triple = resealed(("components", CARD, "name"), CARD)
    refuse("component_keys", f"manifest#/components/{CARD}", "exactly schema", '"', triple)


@pytest.mark.parametrize(
    ("row", "code", "member"),
    [
        (oracle.exact(RUNTIME, "0" * 64), "requirement_digest", "/content_digest_sha256"),
        (oracle.closed_range(RUNTIME, 2, 3), "requirement_range", "/minimum_schema_version"),
        (oracle.named(RUNTIME), "requirement_named", "/predicate"),
    ],
)
def test_step_13_every_requirement_is_met(row: dict[str, Any], code: str, member: str) -> None:
    triple = resealed(("components", SCAFFOLD, "requires"), [row])
    error = refusal(validate, triple)
    path = f"manifest#/components/{SCAFFOLD}/requires/0/compatible{member}"
    assert (error.code, error.path) == (code, path)


def test_step_13_goes_in_registry_order_and_then_in_requirement_order() -> None:
    triple = documents.golden()
    for name in (EVALUATOR, ARM):
        triple.manifest["components"][name]["requires"] = [oracle.named(other) for other in oracle.EDGES[name]]
    oracle.reseal(triple.manifest)
    error = refusal(validate, triple)
    assert error.path == f"manifest#/components/{ARM}/requires/0/compatible/predicate"


STEPS: list[tuple[str, str, Tokens, Any]] = [
    ("root_type", "projections", (), None),
    ("strict_json", "manifest", ("manifest_digest_sha256",), 1.5),
    ("strict_json", "census", ("manifest_schema",), 1.5),
    ("strict_json", "projections", (CORE,), 1.5),
    ("map_cardinality", "manifest", ("composites",), {}),
    ("projection_shape", "projections", (CORE,), None),
    ("census_b1_scope", "census", ("schema",), "operatebench.identity_field_census.v1"),
    ("census_entry", "census", ("entries", 0), None),
    ("manifest_header", "manifest", ("schema_version",), 2),
    ("map_type", "manifest", ("composites",), None),
    ("compatibility_contract", "manifest", ("compatibility_contract",), {}),
    ("ownership_join", "manifest", ("components", oracle.ANALYSIS, "owned_fields"), []),
    ("component_keys", "manifest", ("components", CARD, "x"), 1),
    ("requirement_shape", "manifest", ("components", CORE, "requires"), []),
    ("component_identity", "manifest", ("components", EVALUATOR, "excludes"), [1]),
    ("requirement_named", "manifest", ("components", SCAFFOLD, "requires"), [oracle.named(RUNTIME)]),
    ("composite_identity", "manifest", ("composites", "runtime_bundle", "members"), []),
    ("manifest_digest", "manifest", ("manifest_digest_sha256",), ""),
]


@pytest.mark.parametrize("first", range(len(STEPS)), ids=lambda index: f"{index}-{STEPS[index][0]}")
def test_of_two_faults_the_one_of_the_earlier_step_is_named(first: int) -> None:
    code, root, tokens, value = STEPS[first]
    for _, other_root, other_tokens, other in STEPS[first + 1 :]:
        if (root, tokens) == (other_root, other_tokens):
            continue
        triple = documents.golden()
        put(triple.root(other_root), other_tokens, copy.deepcopy(other))
        if tokens:
            put(triple.root(root), tokens, copy.deepcopy(value))
        else:
            setattr(triple, root, value)
        assert refusal(validate, triple).code == code, (other_root, other_tokens)


@pytest.mark.parametrize(("name", "levels"), [(CARD, 59), (SCAFFOLD, 58), (CORE, 58)])
def test_nesting_of_one_value_in_a_whole_manifest(name: str, levels: int) -> None:
    for depth, accepted in ((levels, True), (levels + 1, False), (62, False)):
        projections = documents.golden_projections()
        projections[name] = {"/deep": nested(depth)}
        triple = documents.triple(projections)
        if accepted:
            assert validate(triple).manifest_digest_sha256 == triple.manifest["manifest_digest_sha256"]
        else:
            error = refusal(validate, triple)
            assert (error.code, error.expected) == ("resource_limits", "at most 64 nested containers")


def test_eleven_components_near_their_budget_fit_one_manifest() -> None:
    projections = {name: {f"/{name}": "x" * 343_000} for name in COMPONENTS}
    triple = documents.triple(projections)
    assert validate(triple).manifest_digest_sha256 == triple.manifest["manifest_digest_sha256"]
    wide = {name: {f"/{name}/{index}": [0] * 13 for index in range(300)} for name in COMPONENTS}
    triple = documents.triple(wide)
    assert validate(triple).manifest_digest_sha256 == triple.manifest["manifest_digest_sha256"]
