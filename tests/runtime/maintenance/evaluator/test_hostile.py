"""Whatever is graded, it is graded: findings, never exceptions, and never a clean sheet for a damaged record."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.identity.strategies import any_value
from tests.runtime.maintenance.evaluator.episodes import (
    Forgery,
    Record,
    evaluator,
    grade,
    record_of,
    reproduction_of,
)

SHORT = ("V1", "always_wait")
DIGESTS = tuple(reproduction_of(record_of("V1")))
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    1.5,
    "",
    "x",
    "\ud800",
    "2032-02-30T08:30:00Z",
    [],
    [[]],
    {},
    {"x": []},
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _places(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


def _holder(record: Record, path: tuple[str | int, ...]) -> Any:
    holder: Any = record
    for step in path[:-1]:
        holder = holder[step]
    return holder


def _is_graded(record: Record, variant_id: str) -> None:
    reproduction = {name: record.get(name) for name in DIGESTS}
    evaluation = evaluator(variant_id).evaluate(record, reproduction)
    assert not evaluation.reliable
    assert evaluation.findings
    json.dumps(evaluation.to_wire(), allow_nan=False).encode()


@settings(max_examples=60, deadline=None)
@given(any_value, st.one_of(st.none(), any_value))
def test_any_value_is_graded(record: Any, reproduction: Any) -> None:
    evaluation = evaluator("V1").evaluate(record, reproduction)
    assert "RECORD_FIELDS_BROKEN" in evaluation.finding_codes
    json.dumps(evaluation.to_wire(), allow_nan=False).encode()


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(record_of("V1"))), any_value), st.lists(any_value, max_size=4))
def test_any_fields_are_graded(fields: Record, rows: list[Any]) -> None:
    _is_graded({**record_of(*SHORT), **fields}, "V1")
    _is_graded({**record_of(*SHORT), "trajectory": rows, "events": rows}, "V1")


def test_every_place_of_a_short_record_can_hold_anything() -> None:
    record = record_of(*SHORT)
    for path in list(_places(record)):
        holder, last = _holder(record, path), path[-1]
        kept = holder[last]
        for value in HOSTILE[len(str(path)) % 4 :: 4]:
            holder[last] = value
            _is_graded(record, "V1")
        holder[last] = kept


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(["V1", "V2", "V3"]), st.one_of(st.sampled_from(HOSTILE), any_value))
def test_any_place_of_a_full_record_can_hold_anything(data: st.DataObject, variant_id: str, value: Any) -> None:
    record = record_of(variant_id)
    path = data.draw(st.sampled_from(list(_places(record))))
    holder, last = _holder(record, path), path[-1]
    same = type(holder[last]) is type(value) and holder[last] == value
    holder[last] = value
    if not same:
        _is_graded(record, variant_id)


@pytest.mark.parametrize("variant_id", ["V2", "V3"])
def test_no_row_and_no_event_can_be_lost_repeated_or_moved_unseen(variant_id: str) -> None:
    record = record_of(variant_id)
    for field in ("trajectory", "events"):
        whole = record[field]
        for place in range(len(whole)):
            lost = whole[:place] + whole[place + 1 :]
            repeated = whole[: place + 1] + whole[place:]
            moved = [*lost[: place // 2], whole[place], *lost[place // 2 :]]
            # The first two rows, moved to the front, stay where they are.
            record[field] = (lost, repeated, moved)[place % (3 if place > 1 else 2)]
            _is_graded(record, variant_id)
        record[field] = whole


UNPROVABLE = ("agent_session", "retrieval_served")
"""Losing one of these, digests and numbers made good, may go unseen: nothing else speaks of the last of them."""


def test_a_skilled_forger_cannot_lose_a_row_that_counts() -> None:
    for place in range(len(record_of("V3")["trajectory"])):
        forgery = Forgery(record_of("V3"))
        lost = forgery.rows.pop(place)
        assert not grade(forgery.sealed(), "V3").reliable or lost["record_type"] in UNPROVABLE


def test_a_skilled_forger_cannot_change_a_text_that_counts() -> None:
    unseen = set()
    for variant_id in ("V2", "V3"):
        record = record_of(variant_id)
        texts = [
            path
            for path in _places(record["final_state"])
            if type(_holder(record["final_state"], path)[path[-1]]) is str
        ]
        for path in texts:
            holder = _holder(record["final_state"], path)
            kept, holder[path[-1]] = holder[path[-1]], "other"
            if grade(Forgery(record).sealed(), variant_id).reliable:
                unseen.add(".".join(str(step) for step in path if type(step) is str))
            holder[path[-1]] = kept
    assert unseen == set()


def _kinds_of_leaf(rows: list[Any]) -> dict[tuple[str, ...], tuple[int, tuple[str | int, ...]]]:
    """Return one place for each kind of leaf: record type, kind of decision and names on the way -> row and path."""
    found: dict[tuple[str, ...], tuple[int, tuple[str | int, ...]]] = {}
    for position, row in enumerate(rows):
        kind = row["outcome"]["kind"] if row["record_type"] == "agent_outcome" else ""
        for path in _places(row):
            if not isinstance(_holder(row, path)[path[-1]], dict | list):
                names = (step for step in path if isinstance(step, str))
                found.setdefault((row["record_type"], kind, *names), (position, path))
    return found


def test_any_leaf_can_hold_a_container_or_a_word_beside_a_row_that_is_lost() -> None:
    seen: set[tuple[str, ...]] = set()
    for variant_id in ("V1", "V2", "V3"):
        record = record_of(variant_id)
        rows = record["trajectory"]
        kinds = _kinds_of_leaf(rows)
        for number, kind in enumerate(sorted(kinds.keys() - seen)):
            position, path = kinds[kind]
            holder, last = _holder(rows[position], path), path[-1]
            kept = holder[last]
            record["trajectory"] = rows[: position + 1] + rows[position + 2 :]
            values: tuple[Any, ...] = ([], "x") if number % 2 else ({}, "x")
            for value in values:
                holder[last] = value
                _is_graded(record, variant_id)
            holder[last] = kept
        seen |= kinds.keys()


@pytest.mark.parametrize("record_type", ["checkpoint_opened", "obligation_created", "work_created"])
def test_what_one_commit_brought_can_stand_in_any_other(record_type: str) -> None:
    kinds = [row["record_type"] for row in record_of("V2")["trajectory"]]
    for commit in (place for place, kind in enumerate(kinds) if kind == "authority_decided"):
        for at in (place for place, kind in enumerate(kinds) if kind == record_type):
            forgery = Forgery(record_of("V2"))
            forgery.move(forgery.rows[at], forgery.rows[commit])
            rows = {place for finding in grade(forgery.sealed(), "V2").findings for place in finding.rows}
            assert rows <= set(range(len(kinds)))


class _Stranger(str):
    """A text with an opinion of its own about what it equals."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __ne__(self, other: object) -> bool:
        raise AssertionError

    __hash__ = str.__hash__


def test_a_reproduction_is_read_by_exact_types() -> None:
    record = record_of("V2")
    agreed = reproduction_of(record)
    for reproduction, code in (
        ({name: _Stranger(digest) for name, digest in agreed.items()}, "REPLAY_DIVERGED"),
        ({_Stranger(name): digest for name, digest in agreed.items()}, "REPLAY_NOT_CHECKED"),
        ({**agreed, "more": ""}, "REPLAY_NOT_CHECKED"),
        (list(agreed), "REPLAY_NOT_CHECKED"),
    ):
        assert evaluator("V2").evaluate(record, reproduction).finding_codes == (code,)
