"""What holds for everything: exact payloads, pure judging, refusals that change nothing, and never an exception."""

import json
from random import Random
from typing import Any

import pytest

from operatebench.runtime.maintenance.actions import ACTIONS as HANDLERS
from operatebench.runtime.maintenance.invariants import INVARIANTS
from operatebench.runtime.maintenance.reducers import REDUCERS
from operatebench.runtime.maintenance.refusals import REFUSALS
from operatebench.runtime.maintenance.rules import APPROVAL_CHECKPOINT, EXCEPTION_CHECKPOINT
from operatebench.runtime.maintenance.state.state import PHASE_OF_TERMINAL
from tests.runtime.maintenance.actions.cases import ACTION_CASES
from tests.runtime.maintenance.operation.simulator import COURSE, Simulator
from tests.runtime.maintenance.operation.situations import at
from tests.runtime.maintenance.operation.usual import ABSENT, ACTIONS, EVENTS, SPEC, changed
from tests.runtime.maintenance.reducers.cases import EVENT_CASES

WRONG_TYPES: tuple[Any, ...] = (None, "", [], ["x"], {}, {"x": 1}, 1.0, ())
WRONG: dict[str, tuple[Any, ...]] = {
    "text": (*WRONG_TYPES, 1, True),
    "integer": (*WRONG_TYPES, "1", True),
    "boolean": (*WRONG_TYPES, "true", 0, 1),
    "words": (*WRONG_TYPES, "OTHER", 0, True),
}


def test_every_event_and_action_of_the_spec_is_handled_and_no_other() -> None:
    assert set(REDUCERS) == set(SPEC.events) == set(EVENTS)
    assert set(HANDLERS) == set(SPEC.actions) == set(ACTIONS)
    assert set(INVARIANTS) == {invariant.code for invariant in SPEC.invariants}
    assert set(PHASE_OF_TERMINAL) == set(SPEC.terminals)
    assert {APPROVAL_CHECKPOINT, EXCEPTION_CHECKPOINT} == set(SPEC.checkpoints)


def test_every_refusal_has_a_case_and_one_sentence() -> None:
    assert {case.code for case in (*EVENT_CASES, *ACTION_CASES)} == set(REFUSALS)
    assert all(detail.endswith(".") and "{" not in detail for detail in REFUSALS.values())


@pytest.mark.parametrize("event_type", sorted(EVENTS))
def test_event_payloads_are_exact(event_type: str) -> None:
    declared = SPEC.events[event_type]
    case = Simulator()
    for field, kind in {**declared.required, **declared.optional}.items():
        for value in WRONG["words" if isinstance(kind, tuple) else kind]:
            assert case.deliver(event_type, **{field: value}).code == "MALFORMED_EVENT_PAYLOAD", (field, value)
    for field in declared.required:
        assert case.deliver(event_type, **{field: ABSENT}).code == "MALFORMED_EVENT_PAYLOAD", field
    assert case.deliver(event_type, unlisted="x").code == "MALFORMED_EVENT_PAYLOAD"


@pytest.mark.parametrize("action_type", sorted(ACTIONS))
def test_action_payloads_are_exact(action_type: str) -> None:
    declared = SPEC.actions[action_type]
    case = Simulator()
    for field, kind in {**declared.required, **declared.optional}.items():
        for value in WRONG["words" if isinstance(kind, tuple) else kind]:
            judgement = case.propose(action_type, evidence=(), **{field: value})
            assert judgement.code == "MALFORMED_ACTION_PAYLOAD", (field, value)
    for field in declared.required:
        judgement = case.propose(action_type, evidence=(), **{field: ABSENT})
        assert judgement.code == "MALFORMED_ACTION_PAYLOAD", field
    assert case.propose(action_type, evidence=(), unlisted="x").code == "MALFORMED_ACTION_PAYLOAD"


@pytest.mark.parametrize("event_type", sorted(EVENTS))
def test_authority_is_checked_again_at_delivery(event_type: str) -> None:
    authority = SPEC.events[event_type].authority
    for actor_id, role in SPEC.actors.items():
        code = Simulator().deliver(event_type, actor_id=actor_id).code
        assert (code == "EVENT_ACTOR_LACKS_AUTHORITY") == (authority not in SPEC.roles[role].authorities)


def _values(case: Simulator) -> list[Any]:
    """Ids and words a random payload can hit upon, and some that fit nowhere."""
    canonical = case.canonical()
    found = [
        value
        for root in canonical.values()
        if isinstance(root, list)
        for record in root
        for value in record.values()
        if type(value) in (str, int, bool)
    ]
    words = [
        word
        for required in [item.required for item in SPEC.events.values()]
        + [item.required for item in SPEC.actions.values()]
        for kind in required.values()
        if isinstance(kind, tuple)
        for word in kind
    ]
    return [*found, *words, *SPEC.actors, *SPEC.channels, *SPEC.message_fixtures, 0, -1, 2, True, "", None, [], 24_600]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_comes_is_accepted_or_refused_and_never_breaks_an_invariant(seed: int) -> None:
    random = Random(seed)
    case = at(random.choice(["", *COURSE]))
    for _ in range(60):
        values = _values(case)
        tried = random.choice([*EVENTS, *ACTIONS])
        table = dict(EVENTS[tried]) if tried in EVENTS else dict(ACTIONS[tried][0])
        fields = random.sample(sorted(table), k=min(len(table), random.randrange(3)))
        payload = changed(table, {field: random.choice([*values, ABSENT]) for field in fields})
        final, before = case.state.replay_final, case.canonical()
        if tried in EVENTS:
            outcome: Any = case.reduce(tried, random.choice([case.emitter(tried)] * 9 + list(SPEC.actors)), payload)
        else:
            refs = (*ACTIONS[tried][1], *(str(value) for value in random.sample(values, k=random.randrange(2))))
            outcome = case.judge(tried, payload, refs)
        assert outcome.accepted or outcome.detail == REFUSALS[outcome.code]
        assert not (final and outcome.accepted)
        assert not final or case.canonical() == before
        assert case.operation.monitor(case.state) is None
        case.advance(random.choice([0, 0, 0, 30, 700, 3_000]))
        canonical = case.canonical()
        assert json.loads(json.dumps(canonical)) == canonical
        assert case.operation.phase(case.state) == canonical["phase"]


@pytest.mark.parametrize(
    ("code", "stage", "damage"),
    [
        (
            "INVARIANT_CLAIM_BECAME_FACT",
            "verified",
            lambda state: state.assertions.update(proof_1=object()),
        ),
        (
            "INVARIANT_PAYMENT_OVER_APPROVED_AMOUNT",
            "payment_requested",
            lambda state: setattr(state.payments["payment_1"], "amount_minor", 29_521),
        ),
        (
            "INVARIANT_PAYMENT_OVER_APPROVED_AMOUNT",
            "payment_requested",
            lambda state: setattr(state.payments["payment_1"], "cycle_id", "work_cycle_1"),
        ),
        (
            "INVARIANT_WORK_WITHOUT_APPROVAL",
            "authorised",
            lambda state: setattr(state.approvals["checkpoint_1"], "status", "REJECTED"),
        ),
        (
            "INVARIANT_WORK_WITHOUT_APPROVAL",
            "came",
            lambda state: setattr(state.quotes["offer_1:v1"], "status", "SUPERSEDED"),
        ),
    ],
)
def test_the_monitor_sees_what_no_guard_lets_happen(code: str, stage: str, damage: Any) -> None:
    case = at(stage)
    assert case.operation.monitor(case.state) is None
    damage(case.state)
    assert case.operation.monitor(case.state) == code
