"""Bundles are computed from the exact closure of recomputed leaves (identity contract, section 8.3)."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import ComponentIdentityV1, CompositeIdentityV1, recompute_bundle, recompute_component
from tests.identity import documents, oracle
from tests.identity.documents import nested
from tests.identity.oracle import CARD, EVALUATOR, LEAVES, PLAN, SCAFFOLD, VARIANT
from tests.identity.refusals import assert_refused, refusal
from tests.identity.test_oracle import BUNDLE_DIGESTS, RANGED_DIGESTS

BUNDLES = ["runtime_bundle", "experiment_bundle"]


def records(requirements: oracle.Requirements | None = None) -> dict[str, ComponentIdentityV1]:
    projections = documents.golden_projections()
    chosen = requirements or {name: oracle.exact_rows(name, projections) for name in projections}
    return {name: recompute_component(name, projections[name], chosen[name]) for name in projections}


def resolver(bundle: str) -> dict[str, Any]:
    return {name: record for name, record in records().items() if name in LEAVES[bundle]}


@pytest.mark.parametrize("name", BUNDLES)
def test_the_golden_bundle_digests(name: str) -> None:
    for holder in (resolver(name), MappingProxyType(resolver(name)), dict(reversed(resolver(name).items()))):
        record = recompute_bundle(name, holder)
        assert record == CompositeIdentityV1(
            name, oracle.bundle_domain(name), oracle.COMPOSITE, 1, oracle.MEMBERS[name], BUNDLE_DIGESTS[name]
        )


def test_requirements_move_the_bundles() -> None:
    ranged = records(oracle.ranges())
    digests = [
        recompute_bundle(name, {leaf: ranged[leaf] for leaf in LEAVES[name]}).bundle_digest_sha256 for name in BUNDLES
    ]
    assert tuple(digests) == RANGED_DIGESTS[:2]


def test_requirement_digests_are_not_compared_with_sibling_leaves() -> None:
    holder = resolver("runtime_bundle")
    holder[SCAFFOLD] = recompute_component(SCAFFOLD, {}, [oracle.exact(oracle.RUNTIME, "f" * 64)])
    assert recompute_bundle("runtime_bundle", holder).bundle_digest_sha256


@pytest.mark.parametrize("name", [None, 1, "", "bundle", "runtime", CARD, "runtime_bundle\n", b"runtime_bundle", []])
def test_a_name_is_one_of_the_two_bundles(name: Any) -> None:
    assert_refused("name", "name#", "runtime_bundle or experiment_bundle", "", recompute_bundle, name, object())


def test_a_name_over_one_mebibyte_is_over_a_limit() -> None:
    assert_refused("resource_limits", "name#", "1048576", "1048577", recompute_bundle, "a" * 1_048_577, {})


@pytest.mark.parametrize("holder", [None, [], (), 1, "x", object()])
def test_a_resolver_is_a_plain_or_read_only_mapping(holder: Any) -> None:
    expected = "exactly the 8 leaves of runtime_bundle"
    assert_refused("leaf_closure", "resolver#", expected, "", recompute_bundle, "runtime_bundle", holder)


@pytest.mark.parametrize("proxy", [False, True])
@pytest.mark.parametrize("name", BUNDLES)
def test_a_resolver_holds_exactly_the_closure(name: str, proxy: bool) -> None:
    expected = f"exactly the {len(LEAVES[name])} leaves of {name}"

    def refuse(holder: dict[Any, Any], actual: str) -> None:
        given = MappingProxyType(holder) if proxy else holder
        assert_refused("leaf_closure", "resolver#", expected, actual, recompute_bundle, name, given)

    full = resolver(name)
    refuse({}, "")
    refuse({**full, CARD: records()[CARD]}, "more" if proxy else "an object with")
    refuse({key: value for key, value in full.items() if key != VARIANT}, "")
    swapped = {key: value for key, value in full.items() if key != VARIANT} | {CARD: records()[CARD]}
    refuse(swapped, f"no {VARIANT}")
    refuse({**{key: value for key, value in full.items() if key != VARIANT}, 1: full[VARIANT]}, "1")
    refuse({index: object() for index in range(100_000)}, "" if proxy else "an object with 100000 members")


def test_the_runtime_bundle_is_no_leaf_of_the_experiment() -> None:
    holder = resolver("experiment_bundle")
    del holder[EVALUATOR]
    holder["runtime_bundle"] = recompute_bundle("runtime_bundle", resolver("runtime_bundle"))
    expected = "exactly the 10 leaves of experiment_bundle"
    actual = f"no {EVALUATOR}"
    assert_refused("leaf_closure", "resolver#", expected, actual, recompute_bundle, "experiment_bundle", holder)
    with_all = {**resolver("experiment_bundle"), "runtime_bundle": holder["runtime_bundle"]}
    assert refusal(recompute_bundle, "experiment_bundle", with_all).code == "leaf_closure"


@pytest.mark.parametrize("value", [None, {}, "x", object()])
def test_a_leaf_is_a_component_record(value: Any) -> None:
    holder = {**resolver("runtime_bundle"), PLAN: value}
    path = f"resolver#/{PLAN}"
    expected = "exactly a ComponentIdentityV1"
    assert_refused("leaf_identity", path, expected, "", recompute_bundle, "runtime_bundle", holder)


def test_a_leaf_is_the_record_of_its_own_name() -> None:
    holder = resolver("runtime_bundle")
    holder[SCAFFOLD] = holder[VARIANT]
    path = f"resolver#/{SCAFFOLD}"
    error = refusal(recompute_bundle, "runtime_bundle", holder)
    assert (error.code, error.path.startswith(path)) == ("leaf_identity", True)
    holder = resolver("runtime_bundle")
    holder[SCAFFOLD] = replace(holder[SCAFFOLD], name=VARIANT)
    path += "/name"
    assert_refused("leaf_identity", path, SCAFFOLD, VARIANT, recompute_bundle, "runtime_bundle", holder)


def test_leaves_too_deep_for_the_wrapper_are_over_a_limit() -> None:
    for levels, accepted in ((58, True), (59, False), (62, False)):
        holder = resolver("runtime_bundle")
        holder[SCAFFOLD] = recompute_component(
            SCAFFOLD, {"/deep": nested(levels)}, [oracle.closed_range(oracle.RUNTIME)]
        )
        if accepted:
            assert recompute_bundle("runtime_bundle", holder).name == "runtime_bundle"
        else:
            expected = "at most 64 nested containers"
            error = refusal(recompute_bundle, "runtime_bundle", holder)
            assert (error.code, error.expected) == ("resource_limits", expected)


def test_a_resolver_changed_while_it_is_read_is_snapshotted_first() -> None:
    class Changing(dict[str, Any]):
        def items(self) -> Any:
            yield from list(super().items())
            self.clear()

    holder = MappingProxyType(Changing(resolver("runtime_bundle")))
    assert recompute_bundle("runtime_bundle", holder).bundle_digest_sha256 == BUNDLE_DIGESTS["runtime_bundle"]


def test_a_read_only_mapping_is_asked_for_one_entry_too_many_at_most() -> None:
    asked = []

    class Endless(dict[str, Any]):
        def items(self) -> Any:
            while True:
                asked.append(1)
                yield f"name_{len(asked)}", None

    holder = MappingProxyType(Endless())
    assert refusal(recompute_bundle, "runtime_bundle", holder).code == "leaf_closure"
    assert len(asked) <= 9


def test_a_read_only_mapping_that_repeats_a_name_is_refused() -> None:
    class Repeating(dict[str, Any]):
        def items(self) -> Any:
            return [*super().items(), *super().items()][:8]

    holder = resolver("runtime_bundle")
    del holder[SCAFFOLD]
    error = refusal(recompute_bundle, "runtime_bundle", MappingProxyType(Repeating(holder)))
    assert error.code == "leaf_closure"
