"""Which decision allows what, and that it agrees with the evaluator of requirements."""

from dataclasses import FrozenInstanceError, replace
from types import MappingProxyType
from typing import Any

import pytest

from operatebench.identity import ComponentIdentityV1, RequirementV1, evaluate_component_requirements
from operatebench.identity.registry import COMPONENTS
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.decisions import can_evaluator_regrade, can_runtime_replay
from operatebench.replay.identity import RunIdentity
from operatebench.replay.ledger import exact_requirements
from tests.conformance.automata import AUTOMATON, automaton

NINE = [name for name in COMPONENTS if name not in ("evaluator_bundle_content", "analysis_contract_content")]


def identity_of(document: dict[str, Any]) -> RunIdentity:
    bound = AutomatonRuntime(Automaton.model_validate(document))
    projections = bound.live(bound.selection("careful", 0))
    assert projections is not None
    return RunIdentity.of(bound.cards, projections)


IDENTITY = identity_of(AUTOMATON).validated
ROWS = exact_requirements(IDENTITY)
LIVE = IDENTITY.components


def with_other(*names: str) -> dict[str, ComponentIdentityV1]:
    """Return the live components, of which some have another digest, as a decision sees them."""
    return {
        name: replace(component, content_digest_sha256="0" * 64) if name in names else component
        for name, component in LIVE.items()
    }


def test_what_has_the_nine_digests_can_replay_and_regrade() -> None:
    replay, regrade = can_runtime_replay(ROWS, LIVE), can_evaluator_regrade(ROWS, LIVE)

    assert (replay.predicate, replay.predicate_version, replay.allowed, replay.reasons) == (
        "can_runtime_replay", 1, True, ()
    )  # fmt: skip
    assert (regrade.predicate, regrade.predicate_version, regrade.allowed, regrade.reasons) == (
        "can_evaluator_regrade", 1, True, ()
    )  # fmt: skip
    with pytest.raises(FrozenInstanceError):
        replay.allowed = False  # type: ignore[misc]  # that it cannot be assigned is the point


@pytest.mark.parametrize("name", NINE)
def test_each_of_the_nine_that_differs_is_named(name: str) -> None:
    assert can_runtime_replay(ROWS, with_other(name)).reasons == (f"{name}_differs",)


def test_reasons_come_once_each_in_registry_order_whatever_the_order_of_rows() -> None:
    decision = can_runtime_replay([*reversed(ROWS), *ROWS], with_other(*NINE))

    assert decision.reasons == tuple(f"{name}_differs" for name in NINE)
    assert not decision.allowed


def test_no_rows_allow_nothing_and_a_missing_one_is_not_met() -> None:
    assert can_runtime_replay([], LIVE).reasons == tuple(f"{name}_differs" for name in NINE)
    assert not can_evaluator_regrade([], LIVE).allowed
    assert can_runtime_replay(ROWS[1:], LIVE).reasons == (f"{NINE[0]}_differs",)


@pytest.mark.parametrize(
    "compatible",
    [
        {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 1},
        {"kind": "named_predicate", "predicate": "any.thing", "predicate_version": 1},
    ],
)
def test_nothing_weaker_than_a_digest_is_met(compatible: dict[str, Any]) -> None:
    rows = [{"component": NINE[3], "compatible": compatible}, *ROWS]

    assert can_runtime_replay(rows, LIVE).reasons == (f"{NINE[3]}_differs",)


def test_evaluator_and_analysis_have_no_part_in_a_replay() -> None:
    other = with_other("evaluator_bundle_content", "analysis_contract_content")

    assert can_runtime_replay(ROWS, other).allowed


@pytest.mark.parametrize("runtime", ["reference", "other_evaluator", "other_engine", "other_spec", "recorded"])
def test_it_agrees_with_the_evaluator_of_requirements(runtime: str) -> None:
    live = identity_of(automaton(runtime)).validated.components

    expected = evaluate_component_requirements(ROWS, dict(live)).satisfied
    assert can_runtime_replay(ROWS, live).allowed is expected


def test_another_evaluator_may_regrade_another_engine_may_not() -> None:
    for runtime, reasons in (
        ("other_evaluator", ()),
        ("other_engine", ("runtime_contract_content_differs",)),
        ("recorded", ("provider_run_plan_content_differs",)),
    ):
        decision = can_evaluator_regrade(ROWS, identity_of(automaton(runtime)).validated.components)
        assert (decision.allowed, decision.reasons) == (not reasons, reasons)


def test_an_evaluator_whose_own_requirements_are_not_met_may_not_regrade() -> None:
    wrong = MappingProxyType({"kind": "exact_digest", "content_digest_sha256": "0" * 64})
    evaluator = LIVE["evaluator_bundle_content"]
    rows = tuple(
        RequirementV1(row.component, wrong if row.component != "card_schema_content" else row.compatible)
        for row in evaluator.requires
    )
    live = {**LIVE, "evaluator_bundle_content": replace(evaluator, requires=rows)}

    assert can_runtime_replay(ROWS, live).allowed
    assert can_evaluator_regrade(ROWS, live).reasons == (
        "requirements_unsatisfied:operation_core_content",
        "requirements_unsatisfied:runtime_contract_content",
    )
