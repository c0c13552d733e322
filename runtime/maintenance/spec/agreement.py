"""That the spec declares exactly the names the code knows: an event needs a reducer, an action a handler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....errors import describe
from ...core.vocabulary import Ending
from . import vocabulary
from .forms import Place
from .records import FieldKind


def check_agreement(spec: Place) -> None:
    """Compare a spec of the right shape with :mod:`.vocabulary`.

    Raises:
        SpecError: ``vocabulary``, at the name or value that one of the two does not know.
    """
    _require_list(spec["topology"], vocabulary.TOPOLOGY)
    _require_keys(spec["roles"], vocabulary.ROLES)
    _check_fixtures(spec["message_fixtures"])
    _require_values(spec["documents"], vocabulary.DOCUMENTS, ("root", "received_by"))
    _require_values(spec["schedules"], vocabulary.SCHEDULES)
    _require_keys(spec["state"]["roots"], vocabulary.STATE_ROOTS)
    for root, place in spec["state"]["roots"].items():
        _require_value(place["initial"], vocabulary.STATE_ROOTS[root])
    _require_keys(spec["retrieval"]["catalogue"], vocabulary.TOOLS)
    for part, contracts in (("events", vocabulary.EVENTS), ("actions", vocabulary.ACTIONS)):
        _require_keys(spec[part], contracts)
        for type_name, place in spec[part].items():
            for fields, names in zip(("required", "optional"), contracts[type_name], strict=True):
                _check_fields(place[fields], names, type_name)
    _require_values(spec["checkpoints"], vocabulary.CHECKPOINTS, ("assignee_role", "opened_by", "resolved_by"))
    _require_values(spec["obligations"], vocabulary.OBLIGATIONS, ("due_policy_field",))
    _require_members([row["code"] for row in spec["invariants"]], vocabulary.INVARIANTS, spec["invariants"])
    _require_values(spec["terminals"], vocabulary.TERMINALS, ("ending",))
    # A domain's terminals are the first three endings; the other four are what stops an operation.
    _require_keys(spec["critical_failures"], list(Ending)[3:])
    _require_list(spec["evaluator"]["dimensions"], vocabulary.DIMENSIONS)
    _require_members(list(spec["human_budget"]["counts"]), vocabulary.CHECKPOINTS, spec["human_budget"]["counts"])


def _check_fixtures(fixtures: Place) -> None:
    purposes = vocabulary.MESSAGE_PURPOSES
    _require_members([place["purpose"] for place in fixtures], purposes, fixtures)
    for place in fixtures:
        _require_value(place["recipient_role"], purposes[place.value["purpose"]])


def _check_fields(fields: Place, names: Iterable[str], type_name: str) -> None:
    _require_keys(fields, names)
    for field, place in fields.items():
        kinds = vocabulary.FIELD_KINDS
        known = kinds.get(f"{type_name}.{field}", kinds.get(field, "text"))
        if not _is_of(place.value, known):
            raise place.refuse("vocabulary", _words(known))


def _is_of(kind: Any, known: FieldKind) -> bool:
    if known == "text":
        return kind == "text" or type(kind) is list
    return sorted(kind) == sorted(known) if type(kind) is list else bool(kind == known)


def _words(kind: FieldKind) -> str:
    return kind if isinstance(kind, str) else f"the words {', '.join(kind)}"


def _require_values(
    place: Place, known: Mapping[str, str | tuple[str, ...]], members: tuple[str, ...] | None = None
) -> None:
    """Require the keys of ``known``, and for each its value, or its values in the named members."""
    _require_keys(place, known)
    for key, each in place.items():
        found = [each] if members is None else [each[member] for member in members]
        wanted = known[key]
        for value, expected in zip(found, [wanted] if isinstance(wanted, str) else wanted, strict=True):
            _require_value(value, expected)


def _require_value(place: Place, known: Any) -> None:
    if type(place.value) is not type(known) or place.value != known:
        raise place.refuse("vocabulary", describe(known))


def _require_keys(place: Place, known: Iterable[str]) -> None:
    wanted = list(known)
    for key in place.value:
        if key not in wanted:
            raise place.refuse("vocabulary", _one_of(wanted), describe(key), step=key)
    for key in wanted:
        if key not in place.value:
            raise place.refuse("vocabulary", f"the name {key}, which the code knows", "no such name", step=key)


def _require_list(place: Place, known: tuple[str, ...]) -> None:
    for each, expected in zip(place, known, strict=False):
        _require_value(each, expected)
    if len(place.value) != len(known):
        raise place.refuse("vocabulary", f"{len(known)} items")


def _require_members(places: list[Place], known: Iterable[str], holder: Place) -> None:
    """Require that texts inside ``holder`` are all known, and that every known one is among them."""
    wanted = list(known)
    for place in places:
        if place.value not in wanted:
            raise place.refuse("vocabulary", _one_of(wanted))
    missing = sorted(set(wanted) - {place.value for place in places})
    if missing:
        raise holder.refuse("vocabulary", f"the name {missing[0]}, which the code knows", "no such name")


def _one_of(names: list[str]) -> str:
    return f"one of {', '.join(names)}"
