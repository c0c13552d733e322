"""Draws a card: who may cause what, what leads to what, or what happens when."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from ..contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA
from .drawing import BOX_HEIGHT, BOX_WIDTH, Drawing, Place
from .upstream import KIND_WORDS

_LEFT, _TOP = 24, 84
_ROW = 64
_COLUMN = BOX_WIDTH + 130
_MOST_ROOM = 2_000


def picture(card: Mapping[str, Any]) -> bytes:
    """Return a card as an SVG picture in UTF-8; equal cards give equal bytes.

    Args:
        card: a card of plain dicts and lists that has passed its schema.
    """
    kind, about = KIND_WORDS[card["schema"]], _ABOUT[card["schema"]]
    drawing = Drawing(f"{kind} {card['id']}", about)
    drawing.label(_LEFT, 34, f"{kind} {card['id']}", "big", most=90)
    drawing.label(_LEFT, 54, f"{about} Digest {card['content_digest_sha256'][:12]}.", most=160)
    _DRAWN[card["schema"]](drawing, card["content"])
    return drawing.svg()


def _operation(drawing: Drawing, content: Mapping[str, Any]) -> None:
    """Roles on the left, what they grant in the middle, events and actions on the right."""
    authority = content["authority_contract"]
    contracts = [
        (row[f"{kind}_type"], kind, row["required_authority"])
        for kind in ("event", "action")
        for row in authority[f"{kind}_authority"]
    ]
    granted = [name for role in authority["roles"] for name in role["authorities"]]
    places = {name: index for index, name in enumerate(dict.fromkeys([*granted, *(row[2] for row in contracts)]))}
    middle, right = _LEFT + _COLUMN, _LEFT + 2 * _COLUMN
    for x, title in ((_LEFT, "roles"), (middle, "authorities"), (right, "events and actions")):
        drawing.label(x, _TOP, title, "strong")
    for name, index in places.items():
        drawing.box(middle, _line(index), (name, ""))
    for index, role in enumerate(authority["roles"]):
        drawing.box(_LEFT, _line(index), (role["role_id"], "role"), look="blue")
        for name in role["authorities"]:
            drawing.across(_exit((_LEFT, _line(index))), _entry((middle, _line(places[name]))))
    for index, (name, kind, needed) in enumerate(contracts):
        look = "green" if kind == "event" else "amber"
        drawing.box(right, _line(index), (name, kind), look=look, tip=f"{kind} {name} needs {needed}")
        drawing.across(_exit((middle, _line(places[needed]))), _entry((right, _line(index))))


def _scenario(drawing: Drawing, content: Mapping[str, Any]) -> None:
    """The causal graph from left to right, every node right of all its causes."""
    points = {point["point_id"]: number for number, point in enumerate(content["decision_points"], 1)}
    hazards = {row["hazard_id"]: row["expected_common_finding_code"] for row in content["authored_hazards"]}
    graph = content["causal_graph"]
    layers = _layers(graph)
    edges = [edge for edge in graph["edges"] if edge["cause_node_id"] in layers and edge["effect_node_id"] in layers]
    rows: dict[int, int] = {}
    places = {name: _corner(layer, rows) for name, layer in layers.items()}
    for name, (x, y) in places.items():
        if name in points:
            drawing.box(x, y, (name, f"decision {points[name]}"), look="blue")
        else:
            drawing.box(x, y, (name, "hazard"), look="amber dashed", tip=f"{name}: finding {hazards.get(name, 'none')}")
    # Room for every long edge in each column it passes would grow with the square of the graph.
    roomy = sum(abs(layers[edge["effect_node_id"]] - layers[edge["cause_node_id"]]) for edge in edges) <= _MOST_ROOM
    for edge in edges:
        cause, effect = edge["cause_node_id"], edge["effect_node_id"]
        passed = [_corner(layer, rows) for layer in range(layers[cause] + 1, layers[effect])] if roomy else []
        through = [end for corner in passed for end in (_entry(corner), _exit(corner))]
        drawing.across(_exit(places[cause]), *through, _entry(places[effect]), label=edge["relation"])


def _layers(graph: Mapping[str, Any]) -> dict[str, int]:
    """Return the column of every node: the one after the last of its causes; what a cycle holds stays in the first."""
    names = list(dict.fromkeys(node["node_id"] for node in graph["nodes"]))
    effects: dict[str, list[str]] = {name: [] for name in names}
    causes = dict.fromkeys(names, 0)
    for edge in graph["edges"]:
        if edge["cause_node_id"] in effects and edge["effect_node_id"] in effects:
            effects[edge["cause_node_id"]].append(edge["effect_node_id"])
            causes[edge["effect_node_id"]] += 1
    layer = dict.fromkeys(names, 0)
    free = deque(name for name in names if not causes[name])
    while free:
        name = free.popleft()
        for effect in effects[name]:
            layer[effect] = max(layer[effect], layer[name] + 1)
            causes[effect] -= 1
            if not causes[effect]:
                free.append(effect)
    return layer


def _corner(layer: int, rows: dict[int, int]) -> Place:
    """Return the upper left corner of the next free box in a column."""
    row = rows.get(layer, 0)
    rows[layer] = row + 1
    return _LEFT + layer * _COLUMN, _line(row) - 20


def _variant(drawing: Drawing, content: Mapping[str, Any]) -> None:
    """A column for each actor, time running down: first what happens at fixed times, then what waits for something."""
    rejected = {row["event_id"]: row["code"] for row in content["expected_event_rejections"]}
    events = sorted(content["events"], key=lambda event: event["at"] is None)
    gutter = 250
    names = [row["actor_id"] for row in content["actors"]]
    columns = {name: _LEFT + gutter + index * (BOX_WIDTH + 24) for index, name in enumerate(names)}
    for row in content["actors"]:
        x = columns[row["actor_id"]]
        drawing.box(x, _TOP - 8, (row["actor_id"], row["role_id"]), look="blue")
        drawing.life(x + BOX_WIDTH / 2, _TOP + BOX_HEIGHT - 8, _line(len(events)) + 30)
    first: dict[str, Place] = {}
    for index, event in enumerate(events):
        x, y = columns.get(event["actor_id"], _LEFT + gutter), _line(index) + 36
        when, more = _when(event)
        drawing.label(_LEFT, y + 18, when, "strong", most=32)
        drawing.label(_LEFT, y + 35, more, most=32)
        code = rejected.get(event["event_id"])
        look = f"{'green' if event['at'] else 'amber dashed'}{'' if code is None else ' struck'}"
        below = event["event_type"] if code is None else f"rejected: {code}"
        drawing.box(x, y, (event["event_id"], below), look=look, tip=_tip(event, code))
        trigger = event["trigger"] or {"kind": None}
        if trigger["kind"] == "event" and trigger["type_name"] in first:
            source = first[trigger["type_name"]]
            drawing.down((source[0] + 60, source[1] + BOX_HEIGHT), (x + 60, y))
        first.setdefault(event["event_type"], (x, y))


def _when(event: Mapping[str, Any]) -> tuple[str, str]:
    number = f"#{event['authored_sequence']}"
    delay = f", +{event['delay_minutes']} min" if event["delay_minutes"] else ""
    if event["trigger"] is None:
        return event["at"].replace("T", " ").removesuffix(".000000Z"), number + delay
    return f"after {event['trigger']['type_name']}", f"{number} {event['trigger']['kind']}{delay}"


def _tip(event: Mapping[str, Any], code: str | None) -> str:
    end = "" if code is None else f", expected to be rejected with {code}"
    woken = "" if event["triggers_agent"] else ", the agent is not woken"
    return f"{event['event_id']}: {event['event_type']} by {event['actor_id']}{woken}{end}"


def _line(index: int) -> int:
    return _TOP + 20 + index * _ROW


def _entry(corner: Place) -> Place:
    return corner[0], corner[1] + BOX_HEIGHT / 2


def _exit(corner: Place) -> Place:
    return corner[0] + BOX_WIDTH, corner[1] + BOX_HEIGHT / 2


_ABOUT = {
    OPERATION_CARD_SCHEMA: "Which role grants which authority, and which events and actions need it.",
    SEMANTIC_SCENARIO_CARD_SCHEMA: "Decision points and hazards, and what leads to what.",
    VARIANT_CARD_SCHEMA: "Time runs down; one column for each actor. Dashed boxes wait for an event or action.",
}

_DRAWN: Mapping[str, Callable[[Drawing, Mapping[str, Any]], None]] = {
    OPERATION_CARD_SCHEMA: _operation,
    SEMANTIC_SCENARIO_CARD_SCHEMA: _scenario,
    VARIANT_CARD_SCHEMA: _variant,
}
