"""Applies the edits of a forgery to a record: rows, delivered events, final state, and what the outcome claims."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from ...core.plain import canonical
from .load import Forgery

Record = dict[str, Any]
Edit = Mapping[str, Any]


def forge(record: Mapping[str, Any], forgery: Forgery) -> tuple[Record, dict[str, str] | None]:
    """Return the forged record and its reproduction, which agrees unless the forgery says otherwise.

    Args:
        record: an episode outcome in wire form; it is not changed.
        forgery: what to do to it.

    Raises:
        LookupError: an edit names a row, event or place that the record does not have. The forgery is out of date.
    """
    forged = copy.deepcopy(dict(record))
    for edit in forgery.edits:
        _EDITS[edit["edit"]](forged, edit)
    if forgery.renumbered:
        for index, row in enumerate(forged["trajectory"]):
            if type(row) is dict:
                row["index"] = index
    for digest, of in (("final_state_digest_sha256", "final_state"), ("trajectory_digest_sha256", "trajectory")):
        forged[digest] = sha256(canonical(forged[of])).hexdigest()
    if forgery.reproduction == "missing":
        return forged, None
    agreed = {name: forged[name] for name in ("final_state_digest_sha256", "trajectory_digest_sha256")}
    if forgery.reproduction == "differs":
        agreed["trajectory_digest_sha256"] = record["final_state_digest_sha256"]
    return forged, agreed


def _position(items: list[Any], wanted: Edit) -> int:
    """Return the position of the one item whose fields equal ``wanted``; its member ``nth`` picks among several."""
    fields = {name: value for name, value in wanted.items() if name != "nth"}
    found = [
        at
        for at, item in enumerate(items)
        if type(item) is dict and all(_holds(item, name, value) for name, value in fields.items())
    ]
    return found[wanted.get("nth", 0)]


def _holds(item: Mapping[str, Any], name: str, value: Any) -> bool:
    """Compare one field, named by a plain name or by a JSON Pointer into the item."""
    if not name.startswith("/"):
        return bool(item.get(name) == value)
    try:
        holder, last = _place(item, name)
        return bool(holder[last] == value)
    except LookupError:
        return False


def _place(root: Any, pointer: str) -> tuple[Any, Any]:
    """Return the container a JSON Pointer ends in, and the last member or index."""
    *tokens, last = pointer.removeprefix("/").split("/")
    holder = root
    for token in tokens:
        holder = holder[_token(holder, token)]
    return holder, _token(holder, last)


def _token(holder: Any, token: str) -> Any:
    if type(holder) is list and token.isdecimal():
        return int(token)
    if type(holder) is dict:
        return token
    message = f"nothing is called {token} here"
    raise LookupError(message)


def _drop_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    del rows[_position(rows, edit["row"])]


def _copy_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    copied = copy.deepcopy(rows[_position(rows, edit["row"])])
    rows.insert(_position(rows, edit["after"]) + 1, copied)


def _move_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    moved = rows.pop(_position(rows, edit["row"]))
    rows.insert(_position(rows, edit["after"]) + 1, moved)


def _insert_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    after = _position(rows, edit["after"])
    added = {"index": after + 1, "at": rows[after]["at"], "record_type": edit["record_type"], **edit["payload"]}
    rows.insert(after + 1, added)


def _set_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    _set(rows[_position(rows, edit["row"])], edit)


def _replace_row(record: Record, edit: Edit) -> None:
    rows = record["trajectory"]
    rows[_position(rows, edit["row"])] = copy.deepcopy(edit["value"])


def _set_event(record: Record, edit: Edit) -> None:
    events = record["events"]
    _set(events[_position(events, edit["event"])], edit)


def _drop_event(record: Record, edit: Edit) -> None:
    events = record["events"]
    del events[_position(events, edit["event"])]


def _set_state(record: Record, edit: Edit) -> None:
    _set(record["final_state"], edit)


def _append_state(record: Record, edit: Edit) -> None:
    holder, last = _place(record["final_state"], edit["pointer"])
    if type(holder[last]) is not list:
        message = f"no list is called {last} here"
        raise LookupError(message)
    holder[last].append(copy.deepcopy(edit["value"]))


def _drop_state(record: Record, edit: Edit) -> None:
    holder, last = _place(record["final_state"], edit["pointer"])
    del holder[last]


def _set_outcome(record: Record, edit: Edit) -> None:
    _set(record, edit)


def _set(root: Any, edit: Edit) -> None:
    holder, last = _place(root, edit["pointer"])
    holder[last]  # a place that is not there is not made: the forgery would be out of date
    holder[last] = copy.deepcopy(edit["value"])


_EDITS: Mapping[str, Callable[[Record, Edit], None]] = MappingProxyType(
    {
        "append_state": _append_state,
        "copy_row": _copy_row,
        "drop_event": _drop_event,
        "drop_row": _drop_row,
        "drop_state": _drop_state,
        "insert_row": _insert_row,
        "move_row": _move_row,
        "replace_row": _replace_row,
        "set_event": _set_event,
        "set_outcome": _set_outcome,
        "set_row": _set_row,
        "set_state": _set_state,
    }
)
