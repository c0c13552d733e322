"""Applying a forgery: each edit does what it says to the place it names, and nothing to the honest record."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest

from operatebench.runtime.maintenance.forged import Forgery, forge, load_forgeries
from operatebench.tracks.lifecycle import packaged_spec
from operatebench.tracks.lifecycle.gate import gate_cases

Json = dict[str, Any]

HONEST: Json = {
    "status": "done",
    "final_state": {"phase": "OVER", "items": [{"id": "a"}, {"id": "b"}]},
    "final_state_digest_sha256": "0" * 64,
    "trajectory_digest_sha256": "1" * 64,
    "events": [{"event_id": "first", "payload": {"n": 1}}, {"event_id": "second", "payload": {"n": 2}}],
    "trajectory": [
        {"index": 0, "at": "t0", "record_type": "start"},
        {"index": 1, "at": "t1", "record_type": "read", "body": {"n": 1}},
        {"index": 2, "at": "t2", "record_type": "read", "body": {"n": 2}},
        {"index": 3, "at": "t3", "record_type": "end"},
    ],
}


def forgery(*edits: Json, renumbered: bool = True, reproduction: str = "agrees") -> Forgery:
    return Forgery("lie", "V1", "reference", "a lie", edits, renumbered, reproduction, ("first",), ("CODE",))


def forged(*edits: Json, renumbered: bool = True) -> Json:
    return forge(HONEST, forgery(*edits, renumbered=renumbered))[0]


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def rows(record: Json) -> list[str]:
    return [f"{row['record_type']}@{row['at']}" for row in record["trajectory"]]


READ_2 = {"record_type": "read", "/body/n": 2}

MOVES = {
    "drop_row": (
        {"edit": "drop_row", "row": {"record_type": "read"}},
        ["start@t0", "read@t2", "end@t3"],
    ),
    "drop_row nth": (
        {"edit": "drop_row", "row": {"record_type": "read", "nth": 1}},
        ["start@t0", "read@t1", "end@t3"],
    ),
    "drop_row last": (
        {"edit": "drop_row", "row": {"record_type": "read", "nth": -1}},
        ["start@t0", "read@t1", "end@t3"],
    ),
    "drop_row by pointer": (
        {"edit": "drop_row", "row": READ_2},
        ["start@t0", "read@t1", "end@t3"],
    ),
    "copy_row": (
        {"edit": "copy_row", "row": {"record_type": "start"}, "after": READ_2},
        ["start@t0", "read@t1", "read@t2", "start@t0", "end@t3"],
    ),
    "move_row down": (
        {"edit": "move_row", "row": {"record_type": "start"}, "after": READ_2},
        ["read@t1", "read@t2", "start@t0", "end@t3"],
    ),
    "move_row up": (
        {"edit": "move_row", "row": {"record_type": "end"}, "after": {"record_type": "start"}},
        ["start@t0", "end@t3", "read@t1", "read@t2"],
    ),
    "insert_row": (
        {"edit": "insert_row", "after": READ_2, "record_type": "write", "payload": {"n": 3}},
        ["start@t0", "read@t1", "read@t2", "write@t2", "end@t3"],
    ),
}


@pytest.mark.parametrize(("edit", "wanted"), MOVES.values(), ids=MOVES)
def test_rows_are_taken_out_copied_moved_and_put_in(edit: Json, wanted: list[str]) -> None:
    record = forged(edit)

    assert rows(record) == wanted
    assert [row["index"] for row in record["trajectory"]] == list(range(len(wanted)))


def test_an_inserted_row_has_its_payload() -> None:
    edit = {"edit": "insert_row", "after": READ_2, "record_type": "write", "payload": {"n": 3}}

    assert forged(edit)["trajectory"][3] == {"index": 3, "at": "t2", "record_type": "write", "n": 3}


def test_a_copied_row_is_a_row_of_its_own() -> None:
    record = forged(
        {"edit": "copy_row", "row": READ_2, "after": {"record_type": "end"}},
        {"edit": "set_row", "row": {"record_type": "read", "nth": -1}, "pointer": "/body/n", "value": 9},
    )

    assert [row["body"]["n"] for row in record["trajectory"] if row["record_type"] == "read"] == [1, 2, 9]


SETS = {
    "set_row": (
        {"edit": "set_row", "row": READ_2, "pointer": "/body/n", "value": "two"},
        ("trajectory", 2, "body", "n"),
        "two",
    ),
    "replace_row": (
        {"edit": "replace_row", "row": READ_2, "value": ["no", "row"]},
        ("trajectory", 2),
        ["no", "row"],
    ),
    "set_event": (
        {"edit": "set_event", "event": {"event_id": "second"}, "pointer": "/payload/n", "value": None},
        ("events", 1, "payload", "n"),
        None,
    ),
    "drop_event": (
        {"edit": "drop_event", "event": {"event_id": "first"}},
        ("events",),
        [HONEST["events"][1]],
    ),
    "set_state": (
        {"edit": "set_state", "pointer": "/items/1/id", "value": {"deep": [1]}},
        ("final_state", "items", 1, "id"),
        {"deep": [1]},
    ),
    "append_state": (
        {"edit": "append_state", "pointer": "/items", "value": {"id": "c"}},
        ("final_state", "items"),
        [{"id": "a"}, {"id": "b"}, {"id": "c"}],
    ),
    "drop_state": (
        {"edit": "drop_state", "pointer": "/phase"},
        ("final_state",),
        {"items": HONEST["final_state"]["items"]},
    ),
    "drop_state in a list": (
        {"edit": "drop_state", "pointer": "/items/0"},
        ("final_state", "items"),
        [{"id": "b"}],
    ),
    "set_outcome": (
        {"edit": "set_outcome", "pointer": "/status", "value": "undone"},
        ("status",),
        "undone",
    ),
}


@pytest.mark.parametrize(("edit", "path", "wanted"), SETS.values(), ids=SETS)
def test_an_edit_changes_its_place_and_no_other(edit: Json, path: tuple[str | int, ...], wanted: object) -> None:
    record = forged(edit)

    *steps, last = path
    expected = copy.deepcopy(HONEST)
    holder: Any = expected
    for step in steps:
        holder = holder[step]
    holder[last] = wanted
    for name, part in (("final_state_digest_sha256", "final_state"), ("trajectory_digest_sha256", "trajectory")):
        expected[name] = digest(expected[part])
    assert record == expected


@pytest.mark.parametrize("edit", [edit for edit, *_ in (*MOVES.values(), *SETS.values())], ids=[*MOVES, *SETS])
def test_honest_record_and_forgery_are_never_changed(edit: Json) -> None:
    honest, lie = copy.deepcopy(HONEST), copy.deepcopy(edit)

    record, _ = forge(honest, forgery(lie))
    for part in ("final_state", "events", "trajectory"):
        record[part].clear()

    assert honest == HONEST
    assert lie == edit


def test_what_an_edit_puts_in_is_no_part_of_the_forgery() -> None:
    value = {"id": "c"}
    lie = forgery({"edit": "append_state", "pointer": "/items", "value": value})

    forge(HONEST, lie)[0]["final_state"]["items"][2]["id"] = "changed"

    assert value == {"id": "c"}


NOWHERE = {"record_type": "nothing"}

OUT_OF_DATE = {
    "no such row to drop": {"edit": "drop_row", "row": NOWHERE},
    "not so many rows": {"edit": "drop_row", "row": {"record_type": "read", "nth": 2}},
    "no such value in the row": {"edit": "drop_row", "row": {"record_type": "read", "/body/n": 3}},
    "no such place in the row": {"edit": "drop_row", "row": {"record_type": "read", "/body/m/n": 1}},
    "no such row to copy": {"edit": "copy_row", "row": NOWHERE, "after": READ_2},
    "nowhere to copy it to": {"edit": "copy_row", "row": READ_2, "after": NOWHERE},
    "no such row to move": {"edit": "move_row", "row": NOWHERE, "after": READ_2},
    "not after itself": {"edit": "move_row", "row": READ_2, "after": READ_2},
    "nowhere to put it": {"edit": "insert_row", "after": NOWHERE, "record_type": "write", "payload": {}},
    "no such row to replace": {"edit": "replace_row", "row": NOWHERE, "value": None},
    "no such row to set": {"edit": "set_row", "row": NOWHERE, "pointer": "/at", "value": "t9"},
    "no such field of the row": {"edit": "set_row", "row": READ_2, "pointer": "/body/m", "value": 1},
    "no container in the row": {"edit": "set_row", "row": READ_2, "pointer": "/at/t", "value": 1},
    "no such event to set": {"edit": "set_event", "event": {"event_id": "third"}, "pointer": "/at", "value": 1},
    "no such field of the event": {"edit": "set_event", "event": {"event_id": "first"}, "pointer": "/at", "value": 1},
    "no such event to drop": {"edit": "drop_event", "event": {"event_id": "third"}},
    "no such root": {"edit": "set_state", "pointer": "/nothing", "value": 1},
    "no such item": {"edit": "set_state", "pointer": "/items/2", "value": 1},
    "no such item before": {"edit": "set_state", "pointer": "/items/-3/id", "value": 1},
    "an item has no name": {"edit": "set_state", "pointer": "/items/id", "value": 1},
    "no such list": {"edit": "append_state", "pointer": "/nothing", "value": 1},
    "not a list": {"edit": "append_state", "pointer": "/phase", "value": 1},
    "nothing to drop": {"edit": "drop_state", "pointer": "/items/0/name"},
    "no such field of the outcome": {"edit": "set_outcome", "pointer": "/nothing", "value": 1},
}


@pytest.mark.parametrize("edit", OUT_OF_DATE.values(), ids=OUT_OF_DATE)
def test_an_edit_of_something_that_is_not_there_is_out_of_date(edit: Json) -> None:
    with pytest.raises(LookupError):
        forged(edit)


def test_edits_are_applied_in_order() -> None:
    drop = {"edit": "drop_row", "row": {"record_type": "read"}}

    assert rows(forged(drop, drop)) == ["start@t0", "end@t3"]
    with pytest.raises(LookupError):
        forged(drop, drop, drop)


def test_rows_keep_their_numbers_where_the_forger_forgot_them() -> None:
    record = forged({"edit": "drop_row", "row": {"record_type": "read"}}, renumbered=False)

    assert [row["index"] for row in record["trajectory"]] == [0, 2, 3]


def test_a_row_that_is_none_is_passed_over_afterwards() -> None:
    record = forged(
        {"edit": "replace_row", "row": {"record_type": "start"}, "value": "a remark"},
        {"edit": "drop_row", "row": {"record_type": "read"}},
    )

    assert record["trajectory"][0] == "a remark"
    assert [row["index"] for row in record["trajectory"][1:]] == [1, 2]


@pytest.mark.parametrize("kind", ["agrees", "differs", "missing"])
def test_digests_are_those_of_the_forged_parts_and_the_reproduction_is_as_stated(kind: str) -> None:
    lie = forgery({"edit": "set_state", "pointer": "/phase", "value": "NEW"}, reproduction=kind)

    record, reproduction = forge(HONEST, lie)

    state, trajectory = digest(record["final_state"]), digest(record["trajectory"])
    assert (record["final_state_digest_sha256"], record["trajectory_digest_sha256"]) == (state, trajectory)
    if kind == "missing":
        assert reproduction is None
        return
    assert reproduction is not None
    assert list(reproduction) == ["final_state_digest_sha256", "trajectory_digest_sha256"]
    assert reproduction["final_state_digest_sha256"] == state
    assert (reproduction["trajectory_digest_sha256"] == trajectory) == (kind == "agrees")


def test_every_packaged_forgery_finds_what_it_edits_and_changes_something() -> None:
    cases = {case.name: case for case in gate_cases(packaged_spec())}

    for lie in load_forgeries():
        record = cases[f"forgery {lie.forgery_id}"].record
        honest = cases.get(f"{lie.agent_id} on {lie.variant_id}")
        if honest is not None:
            assert (record == honest.record) == (not lie.edits), lie.forgery_id
            assert lie.edits or lie.reproduction != "agrees", lie.forgery_id
