"""Says in words and tables what a card says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import escape
from ..contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA, VARIANT_CARD_SCHEMA
from .fields import Field, in_words, of_shape, of_state, rows
from .upstream import KIND_WORDS, UPSTREAM
from .words import leaves, listed, predicate_lines, table

_LONGEST_ID = 255


def explain(card: Mapping[str, Any]) -> list[str]:
    """Return what a card says, in lines for people; texts of the card are escaped, and long ones cut.

    Args:
        card: a card of plain dicts and lists that has passed its schema.
    """
    schema, content = card["schema"], card["content"]
    lines = [f"{KIND_WORDS[schema]} {escape(card['id'], _LONGEST_ID)}", f"digest {card['content_digest_sha256']}"]
    if schema in UPSTREAM:
        member, target = UPSTREAM[schema]
        reference = content[member]
        name = escape(reference["id"], _LONGEST_ID)
        lines.append(f"refers to {KIND_WORDS[target]} {name}, digest {reference['content_digest_sha256']}")
    for title, body in _SECTIONS[schema](content):
        lines += ["", title, *(body or ["  none"])]
    return lines


_Sections = list[tuple[str, list[str]]]


def _operation(content: Mapping[str, Any]) -> _Sections:
    authority, retrieval = content["authority_contract"], content["retrieval_contract"]
    transition = content["transition_contract"]
    return [
        ("what it is", table([("type", content["operation_type"]), ("version", content["operation_version"])])),
        (
            "roles, and what they may do",
            table((row["role_id"], listed(row["authorities"])) for row in authority["roles"]),
        ),
        ("policy", table((name, str(value)) for name, value in content["policy_contract"].items())),
        ("events, and the authority their actor needs", _contracts(content, "event")),
        ("actions, and the authority the agent needs", _contracts(content, "action")),
        ("retrieval tools", _tools(retrieval)),
        (
            f"evidence, records identified by {retrieval['record_identity_algorithm']}",
            table(
                (row["outcome_type"], row["selector_id"], f"tools: {listed(row['required_tools'])}")
                for row in retrieval["evidence_requirements"]
            ),
        ),
        ("state", _state(content["state_contract"])),
        (
            "transitions",
            table(
                [
                    ("terminal kinds", listed(transition["terminal_kinds"])),
                    ("obligation types", listed(transition["obligation_types"])),
                    ("reducers", listed(transition["reducer_ids"])),
                    ("predicates may read", _pointers(transition["common_predicate_inputs"])),
                    ("most audit events", str(transition["declared_max_domain_generated_audit_events"])),
                ]
            ),
        ),
    ]


def _contracts(content: Mapping[str, Any], kind: str) -> list[str]:
    needed = {
        row[f"{kind}_type"]: row["required_authority"] for row in content["authority_contract"][f"{kind}_authority"]
    }
    lines = []
    for row in content[f"{kind}_contracts"]:
        name = row[f"{kind}_type"]
        evidence = f"  evidence {row['evidence_refs']}" if "evidence_refs" in row else ""
        lines.append(f"  {name}  needs {needed.get(name, 'an authority that is not declared')}{evidence}")
        lines += _field_lines(row["required"], row["optional"])
    return lines


def _field_lines(required: Mapping[str, Any], optional: Mapping[str, Any]) -> list[str]:
    # A name may stand in both maps: then it must be there, and its optional shape counts.
    shapes = {name: entry["shape"] for name, entry in {**required, **optional}.items()}
    found = [row for name, shape in shapes.items() for row in rows(name, of_shape(shape), required=name in required)]
    return table(found, "    ") or ["    no fields"]


def _tools(retrieval: Mapping[str, Any]) -> list[str]:
    lines = []
    for row in retrieval["catalogue"]:
        lines.append(f"  {row['tool_id']}  reads {row['source']} as {row['schema_id']}, needs {row['authority']}")
        found = [
            each
            for name, entry in row["arguments"].items()
            for each in rows(name, of_shape(entry["shape"]), required=entry["required"])
        ]
        lines += table(found, "    ")
    return lines


def _state(state: Mapping[str, Any]) -> list[str]:
    root = of_state(state["initial_state_schema"])
    lines = table(
        [
            ("schema", state["schema_id"]),
            ("what counts", _pointers(state["canonical_state_projection"])),
            ("result of a replay", _pointer(state["replay_final_pointer"])),
            ("terminal", _pointer(state["terminal_pointer"])),
        ]
    )
    return [*lines, f"  initial state: {in_words(root)}", *table(_members(root), "    ")]


def _members(root: Field) -> list[tuple[str, str, str]]:
    return [row for name, each in root.members.items() for row in rows(name, each, required=name in root.needed)]


def _pointer(pointer: str) -> str:
    return escape(pointer, 1024) or "the whole state"


def _pointers(pointers: Sequence[str]) -> str:
    return listed(map(_pointer, pointers))


def _scenario(content: Mapping[str, Any]) -> _Sections:
    graph = content["causal_graph"]
    return [
        (
            "what it is",
            table([("construct", content["construct_label"]), ("estimand", content["common_estimand_id"])]),
        ),
        ("decision points, in order", _points(content["decision_points"])),
        ("hazards", _hazards(content["authored_hazards"])),
        (
            "obligations",
            table(
                (
                    row["obligation_id"],
                    f"predicate {row['predicate_id']}",
                    "must hold at the end" if row["terminal_required"] else "need not hold at the end",
                )
                for row in content["common_outcome_obligations"]
            ),
        ),
        (
            "dimensions in which variants may differ",
            table((row["dimension_id"], row["value_type"]) for row in content["allowed_variant_dimensions"]),
        ),
        ("causes", _causes(graph)),
    ]


def _points(points: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for number, point in enumerate(points, 1):
        lines.append(f"  {number}. {point['point_id']}  (order {point['order']})")
        when, *more = predicate_lines(point["reach_predicate"])
        lines += [f"     reached when {when}", *(f"       {line}" for line in more)]
        if point["required_prior_point_ids"]:
            lines.append(f"     after {listed(point['required_prior_point_ids'])}")
        lines.append(f"     obligation {point['common_obligation_id']}")
        lines.append(f"     may {listed(point['admissible_effect_classes'])}")
    return lines


def _hazards(hazards: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for hazard in hazards:
        lines.append(f"  {hazard['hazard_id']}  finding {hazard['expected_common_finding_code']}")
        when, *more = predicate_lines(hazard["predicate"])
        lines += [f"     when {when}", *(f"       {line}" for line in more)]
    return lines


def _causes(graph: Mapping[str, Any]) -> list[str]:
    """Return every node with what it leads to; nodes come in the card's order."""
    effects: dict[str, list[str]] = {node["node_id"]: [] for node in graph["nodes"]}
    reached = set()
    for edge in graph["edges"]:
        effects.setdefault(edge["cause_node_id"], []).append(f"{edge['relation']} {edge['effect_node_id']}")
        reached.add(edge["effect_node_id"])
    kinds = {node["node_id"]: node["semantic_type"] for node in graph["nodes"]}
    lines = []
    for name, edges in effects.items():
        alone = "  alone" if not edges and name not in reached else ""
        lines.append(f"  {name}  ({kinds.get(name, 'not declared')}){alone}")
        lines += [f"    {edge}" for edge in edges]
    return lines


def _variant(content: Mapping[str, Any]) -> _Sections:
    events = content["events"]
    timed = [event for event in events if event["at"] is not None]
    waiting = [event for event in events if event["at"] is None]
    failing = frozenset(content["dispatch_failures"])
    checkpoints = listed(content["required_checkpoint_types"])
    return [
        (
            "what it is",
            table(
                [
                    ("label", content["variant_label"]),
                    ("starts at", content["starts_at"]),
                    ("should end as", content["expected_terminal"]),
                    ("human checkpoints", f"at most {content['human_checkpoint_budget']}; required: {checkpoints}"),
                ]
            ),
        ),
        ("actors", table((row["actor_id"], row["role_id"]) for row in content["actors"])),
        ("events at fixed times", _events(timed, [event["at"] for event in timed])),
        ("events that wait for something", _events(waiting, [_trigger(event) for event in waiting])),
        (
            "events expected to be rejected",
            table((row["event_id"], row["code"]) for row in content["expected_event_rejections"]),
        ),
        (
            "messages",
            table(
                (
                    row["fixture_id"],
                    f"wording {row['surface_content_digest_sha256']}",
                    "sending fails" if row["fixture_id"] in failing else "",
                )
                for row in content["message_fixtures"]
            ),
        ),
        ("hidden initial state", table((place, words) for place, words in leaves(content["hidden_initial_values"]))),
    ]


def _events(events: Sequence[Mapping[str, Any]], times: Sequence[str]) -> list[str]:
    heads = table(
        (
            time,
            f"#{event['authored_sequence']}",
            event["event_id"],
            event["event_type"],
            f"by {event['actor_id']}{_remarks(event)}",
        )
        for event, time in zip(events, times, strict=True)
    )
    lines = []
    for head, event in zip(heads, events, strict=True):
        lines.append(head)
        if event["payload"]:
            lines += table(((place, words) for place, words in leaves(event["payload"])), "      ")
    return lines


def _trigger(event: Mapping[str, Any]) -> str:
    trigger = event["trigger"]
    fields = listed((f"{place} {words}" for place, words in leaves(trigger["correlation"]) if place), "")
    return f"after {trigger['kind']} {trigger['type_name']}{f' with {fields}' if fields else ''}"


def _remarks(event: Mapping[str, Any]) -> str:
    delay = f", {event['delay_minutes']} minutes later" if event["delay_minutes"] else ""
    return f"{delay}{'' if event['triggers_agent'] else ', the agent is not woken'}"


_SECTIONS: Mapping[str, Callable[[Mapping[str, Any]], _Sections]] = {
    OPERATION_CARD_SCHEMA: _operation,
    SEMANTIC_SCENARIO_CARD_SCHEMA: _scenario,
    VARIANT_CARD_SCHEMA: _variant,
}
