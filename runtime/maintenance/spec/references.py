"""That what the spec refers to is declared, and that names stay different when cards write them in lower case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from .forms import Place, require_unique
from .vocabulary import RECORD_FIELDS, SOLE_ROLES


def check_references(spec: Place) -> None:
    """Check the operation's own parts against one another; the spec has the right shape and the code's names.

    Raises:
        SpecError: ``name_collision``, ``unknown_reference``, ``authority_…``, ``actor_count`` or ``inconsistent``.
    """
    _check_names(spec)
    _check_people(spec)
    _check_stages(spec)
    _check_state(spec)
    for action_type, action in spec["actions"].items():
        _check_action(action_type, action, spec)


def require_declared(place: Place, declared: Iterable[str], what: str) -> None:
    """Refuse a text that is none of ``declared``.

    Raises:
        SpecError: ``unknown_reference``.
    """
    if place.value not in declared:
        raise place.refuse("unknown_reference", what)


def require_distinct(places: Iterable[tuple[str, Place]]) -> None:
    """Refuse a code that an earlier one equals once both are in lower case.

    Raises:
        SpecError: ``name_collision``.
    """
    seen: dict[str, str] = {}
    for code, place in places:
        first = seen.setdefault(code.lower(), code)
        if first != code:
            raise place.refuse("name_collision", f"a name that differs from {first} by more than its case", code)


def _check_names(spec: Place) -> None:
    fixtures = chain(spec["message_fixtures"].items(), spec["surface_fixtures"].items())
    for fixture_id, place in spec["surface_fixtures"].items():
        if fixture_id in spec["message_fixtures"].value:
            raise place.refuse("duplicate", "an id that no message fixture has", fixture_id)
    require_distinct(fixtures)
    tables = ("roles", "actors", "message_fixtures", "documents", "events", "actions", "checkpoints", "obligations")
    for part in (*(spec[table] for table in tables), spec["terminals"], spec["variants"]):
        require_distinct(part.items())
    require_distinct(spec["state"]["hidden"].items())
    require_distinct(_authorities(spec))
    channels = [channel["channel"] for channel in spec["channels"]]
    require_unique(spec["channels"], channels)
    require_unique(spec["invariants"], [row["invariant_id"] for row in spec["invariants"]])
    require_unique(spec["invariants"], [row["code"] for row in spec["invariants"]])
    require_distinct((place.value, place) for place in channels)


def _authorities(spec: Place) -> Iterator[tuple[str, Place]]:
    for role in spec["roles"]:
        yield from ((place.value, place) for place in role["authorities"])


def _check_people(spec: Place) -> None:
    roles = spec["roles"].value
    for role in spec["actors"]:
        require_declared(role, roles, "a declared role")
    held = list(spec["actors"].value.values())
    for role_id in roles:
        count = held.count(role_id)
        if count != 1 if role_id in SOLE_ROLES else count < 1:
            expected = f"{'exactly' if role_id in SOLE_ROLES else 'at least'} one actor whose role is {role_id}"
            raise spec["actors"].refuse("actor_count", expected, f"{count}")
    granted = {code for code, _ in _authorities(spec)}
    needed: set[str] = set()
    for part in ("events", "actions"):
        for contract in spec[part]:
            require_declared(contract["authority"], granted, "an authority that a role holds")
            needed.add(contract.value["authority"])
            if part == "actions" and contract.value["authority"] not in roles["agent"]["authorities"]:
                raise contract["authority"].refuse("authority_missing", "an authority that the role agent holds")
    for code, place in _authorities(spec):
        if code not in needed:
            raise place.refuse("authority_unused", "an authority that an event or action needs")


def _check_stages(spec: Place) -> None:
    """The stages partition events and actions: each of these names one, and no stage is left empty."""
    used: set[str] = set()
    for part in ("events", "actions"):
        for contract in spec[part]:
            require_declared(contract["stage"], spec["topology"].value, "a stage of the topology")
            used.add(contract.value["stage"])
    for stage in spec["topology"]:
        if stage.value not in used:
            raise stage.refuse("inconsistent", "a stage that an event or action belongs to")


def _check_state(spec: Place) -> None:
    """Every root names its one tool, so tools cannot share it; what a tool is worth says how visible its roots are."""
    catalogue = spec["retrieval"]["catalogue"]
    served: set[str] = set()
    for root in spec["state"]["roots"]:
        require_declared(root["tool"], catalogue.value, "a tool of the catalogue")
        tool = root.value["tool"]
        served.add(tool)
        verified = catalogue.value[tool]["authority"] == "authoritative_verification"
        visibility = "authoritative" if verified else "observable"
        if root.value["visibility"] != visibility:
            raise root["visibility"].refuse("inconsistent", f"{visibility}, as {tool} serves it")
    for tool, place in catalogue.items():
        if tool not in served:
            raise place.refuse("inconsistent", "a tool that serves a root of the state", tool)


def _check_action(action_type: str, action: Place, spec: Place) -> None:
    fields = {**action.value["required"], **action.value["optional"]}
    for tool, place in action["reads"].items():
        require_declared(_named(place, tool), spec["retrieval"]["catalogue"].value, "a tool of the catalogue")
    for field, place in action["guidance"].items():
        require_declared(_named(place, field), {**fields, action_type: None}, "the action or a field of its payload")
    names = [selector["name"] for selector in action["evidence"]]
    require_unique(action["evidence"], names)
    require_distinct((place.value, place) for place in names)
    for selector in action["evidence"]:
        require_declared(selector["field"], fields, "a field of the action's payload")
        if "when" in selector.value:
            condition = selector["when"]
            require_declared(condition["field"], fields, "a field of the action's payload")
            words = fields[condition.value["field"]]
            for value in condition["values"]:
                require_declared(value, words if type(words) is list else (), "a word of the condition's field")
        steps = list(selector["steps"]) if "steps" in selector.value else [selector]
        for step in steps:
            _check_step(step, action, spec)


def _check_step(step: Place, action: Place, spec: Place) -> None:
    if action.value["reads"].get(step.value["tool"]) != "required":
        raise step["tool"].refuse("unknown_reference", "a tool whose read the action requires")
    roots = spec["state"]["roots"].value
    require_declared(step["root"], RECORD_FIELDS, "a root of the state that is a list")
    if roots[step.value["root"]]["tool"] != step.value["tool"]:
        raise step["root"].refuse("inconsistent", f"a root that {step.value['tool']} serves")
    for member in ("key", "match", "take", "id_field", "version_field"):
        if member in step.value:
            require_declared(step[member], RECORD_FIELDS[step.value["root"]], f"a field of {step.value['root']}")


def _named(place: Place, key: str) -> Place:
    """Return the key of a member as a value that can be refused where the member stands."""
    return Place(place.document, place.steps, key)
