"""Rows are declared with their exact fields, detached, and digested as they are appended; wrong domains are told."""

import hashlib
from types import MappingProxyType
from typing import Any

import pytest
from canonicaljson import encode_canonical_json
from hypothesis import given, settings
from hypothesis import strategies as st

from operatebench.runtime.core.clock import Clock
from operatebench.runtime.core.decisions import act
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.environment import Desk
from operatebench.runtime.core.plain import Piece, canonical, count_nodes, frozen_copy, thaw
from operatebench.runtime.core.record import Journal, Record
from operatebench.runtime.core.rows import ROW_TYPES
from operatebench.runtime.core.run import Run
from operatebench.runtime.core.work import Work
from tests.identity.strategies import clean_value
from tests.runtime.core.decision_oracle import measure
from tests.runtime.core.licensing import CHECK, PLAN, Licensing, Scripted, run


def integral(value: Any) -> Any:
    """Return a value of the identity profile without floats."""
    if isinstance(value, dict):
        return {name: integral(item) for name, item in value.items()}
    if isinstance(value, list):
        return [integral(item) for item in value]
    return int(value) if isinstance(value, float) else value


objects = st.dictionaries(st.text(max_size=3), clean_value.map(integral), max_size=3)


@given(st.lists(st.tuples(objects, objects), max_size=3))
@settings(max_examples=40)
def test_a_journal_measures_and_digests_the_array_it_holds(items: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    journal = Journal()
    whole = []
    for value, part in items:
        journal.append(value)
        journal.append_composed({"n": 1}, "part", Piece.decode(canonical(part)))
        whole += [value, {"n": 1, "part": part}]
    assert journal.items == whole
    data = encode_canonical_json(whole)
    assert (journal.size, journal.sha256()) == (len(data), hashlib.sha256(data).hexdigest())
    assert journal.nodes == measure(whole)[0]


@given(objects)
@settings(max_examples=40)
def test_nodes_are_values_and_member_names(value: dict[str, Any]) -> None:
    assert count_nodes(value) == measure(value)[0]
    assert count_nodes([value, (1, (2,))]) == measure([value, [1, [2]]])[0]
    frozen = frozen_copy({"a": [value]})
    assert thaw(frozen) == {"a": [value]}
    assert (type(frozen), type(frozen["a"]), type(frozen["a"][0])) == (MappingProxyType, tuple, MappingProxyType)


@pytest.mark.parametrize(
    ("record_type", "payload"),
    [
        ("work_cancelled", {}),
        ("work_cancelled", {"work_id": "w", "more": 1}),
        ("work_cancelled", {"event_id": "w"}),
        ("invented", {}),
        ("note_filed", {}),
    ],
)
def test_a_row_must_be_declared_with_exactly_its_fields(record_type: str, payload: dict[str, Any]) -> None:
    record = Record(Clock(PLAN.starts_at), PLAN.row_types, None)
    with pytest.raises(TypeError, match=f"row '{record_type}' is not declared with exactly"):
        record.row(record_type, payload)
    assert record.rows.items == []


def test_a_domain_cannot_redeclare_a_row_type_of_the_engine() -> None:
    with pytest.raises(ValueError, match="a domain cannot declare a row type of the engine"):
        Record(Clock(PLAN.starts_at), {"agent_invoked": ()}, None)


def test_every_row_of_an_episode_has_its_place_and_exactly_its_fields() -> None:
    episode = run(Scripted(act("file_note", {"text": "a"}), act("request_check", {"application_id": "app_1"})), CHECK)
    declared = {**ROW_TYPES, **PLAN.row_types}
    for index, row in enumerate(episode.outcome.trajectory):
        assert row["index"] == index
        assert sorted(row) == sorted(["index", "at", "record_type", *declared[row["record_type"]]])
    wire = episode.outcome.to_wire()
    for member in ("trajectory", "final_state"):
        digest = hashlib.sha256(encode_canonical_json(wire[member])).hexdigest()
        assert wire[f"{member}_digest_sha256"] == digest
    assert sorted(wire) == sorted(
        [
            "schema",
            "schema_version",
            "status",
            "terminal_outcome",
            "replay_final",
            "started_at",
            "ended_at",
            "simulated_minutes",
            "invocations",
            "final_state",
            "final_state_digest_sha256",
            "trajectory",
            "trajectory_digest_sha256",
            "events",
        ]
    )
    wire["trajectory"][0].clear()
    assert episode.outcome.trajectory[0]["record_type"] == "episode_started"


@pytest.fixture
def desk() -> Desk:
    episode_run = Run(Licensing(), None)
    return Desk(episode_run, Work(episode_run))


def open_review(desk: Desk) -> None:
    desk.open_checkpoint(
        "r", "review", assignee_actor_id="rex", cycle_id=None, deadline_after_minutes=5, evidence_refs=()
    )


def test_a_domain_appends_rows_of_its_own_types_only(desk: Desk) -> None:
    with pytest.raises(TypeError, match="'work_cancelled' is no row type of the domain"):
        desk.record("work_cancelled", work_id="w")


def test_a_checkpoint_opens_once_and_is_resolved_once_by_its_type(desk: Desk) -> None:
    with pytest.raises(ValueError, match="no checkpoint 'r' of type 'review' is open"):
        desk.resolve_checkpoint("r", "review", "GRANT", "rex")
    open_review(desk)
    with pytest.raises(ValueError, match="checkpoint id 'r' is used twice"):
        open_review(desk)
    with pytest.raises(ValueError, match="no checkpoint 'r' of type 'another' is open"):
        desk.resolve_checkpoint("r", "another", "GRANT", "rex")
    assert desk.checkpoints_opened == 1


def test_a_terminal_is_declared_and_comes_once(desk: Desk) -> None:
    with pytest.raises(ValueError, match="'invented' is no terminal of the plan"):
        desk.accept_terminal("invented", None, None)
    desk.accept_terminal("licence_issued", None, None)
    with pytest.raises(ValueError, match="or comes after another"):
        desk.accept_terminal("licence_issued", None, None)


def test_a_timer_id_is_used_once_and_a_duty_closes_in_a_known_way(desk: Desk) -> None:
    desk.set_timer("t", "review_overdue", 5, {})
    with pytest.raises(ValueError, match="event id 't' is used twice"):
        desk.set_timer("t", "review_overdue", 6, {})
    with pytest.raises(TypeError, match="row 'obligation_forgotten' is not declared"):
        desk.close_obligation("o", "ANSWER", None, "forgotten")


def test_a_final_operation_without_an_accepted_terminal_is_a_fault_of_the_domain() -> None:
    class Silent(Licensing):
        def is_replay_final(self, state: dict[str, Any]) -> bool:
            return bool(state["notes"])

    with pytest.raises(TypeError, match="replay-final without an accepted terminal"):
        run_episode(Silent(), Scripted(act("file_note", {"text": "a"})), instance_id="x")
