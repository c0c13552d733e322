"""What a card says in words: nothing of it is left out, and nothing in it can disturb a terminal."""

from typing import Any

import pytest

from operatebench.cards.authoring.explain import explain
from tests.cards.authoring.chains import TEXTS, sample_card


def section(lines: list[str], title: str) -> list[str]:
    """Return the lines below a title."""
    below = lines[lines.index(title) + 1 :]
    return below[: below.index("")] if "" in below else below


def names_in(value: Any) -> list[str]:
    """Return every text in a value."""
    if isinstance(value, dict):
        return [name for item in value.values() for name in names_in(item)]
    if isinstance(value, list):
        return [name for item in value for name in names_in(item)]
    return [value] if isinstance(value, str) else []


# Words that an explanation says otherwise: kinds of predicates, expressions, shapes and schemas, and the operators.
_SAID_OTHERWISE = {
    *("all", "any", "not", "scalar", "quantified", "pointer", "binding", "literal", "string", "integer", "action"),
    *("EQ", "NE", "LT", "IN", "GT", "ANY", "NONE", "ALL"),
    *(f"operatebench.{kind}_card.v1" for kind in ("operation", "semantic_scenario", "variant")),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_of_the_card_is_said(name: str) -> None:
    said = "\n".join(explain(sample_card(name)))

    assert [text for text in names_in(sample_card(name)) if text not in said and text not in _SAID_OTHERWISE] == []


def test_an_operation() -> None:
    lines = explain(sample_card("operation"))

    assert lines[0] == "operation heating.repair@1.0.0"
    assert section(lines, "roles, and what they may do")[1] == (
        "  coordinator  book.visit, close.case, message.resident, request.approval"
    )
    assert "  approval_threshold_minor              20000" in section(lines, "policy")
    events = section(lines, "events, and the authority their actor needs")
    start = events.index("  outage.reported  needs report.outage")
    room = "text of 2 to 24 characters matching ^[a-z-]+$"
    assert events[start + 1 : start + 7] == [
        "    indoor_celsius      required  integer, -10 to 35",
        "    summary             required  text of 1 to 400 characters",
        f"    rooms               optional  array of 1 to 8 different items, each: {room}",
        "    household           optional  object",
        "    household/adults    required  integer, 0 to 12",
        "    household/children  optional  integer, 0 to 12",
    ]
    actions = section(lines, "actions, and the authority the agent needs")
    assert "  case.close  needs close.case  evidence required" in actions
    assert '    outcome  required  text of 1 to 20 characters, one of "no-fault", "repaired"' in actions
    assert section(lines, "retrieval tools") == [
        "  quote.read  reads quote.records as quote.record.v1, needs request.approval",
        "    quote_ref  required  text of 7 characters matching ^HQ-[0-9]{4}$",
        "  case.read  reads case.records as case.record.v1, needs close.case",
    ]
    assert "  terminal kinds       closed.no-fault, closed.repaired, escalated" in section(lines, "transitions")


def test_a_field_in_both_maps_must_be_there_in_its_optional_shape() -> None:
    operation = sample_card("operation")
    row = operation["content"]["event_contracts"][0]
    row["required"]["x"] = {"required": False, "shape": {"kind": "null"}}
    row["optional"]["x"] = {"required": False, "shape": {"kind": "boolean"}}

    lines = section(explain(operation), "events, and the authority their actor needs")

    assert lines[lines.index("  followup.due  needs tick") + 1] == "    x  required  boolean"


def test_a_scenario() -> None:
    lines = explain(sample_card("scenario"))

    assert lines[2].startswith("refers to operation heating.repair@1.0.0, digest ")
    points = section(lines, "decision points, in order")
    assert points[4:9] == [
        "  2. approval  (order 2)",
        "     reached when for some quote in /quotes: quote/amount_minor is more than 20000",
        "     after triage",
        "     obligation obl.approved",
        "     may request-approval, wait",
    ]
    assert section(lines, "hazards")[:2] == [
        "  haz.unapproved  finding booked.without-approval",
        '     when /phase is "booked" and (not (for some quote in /quotes: quote/approved is true))',
    ]
    assert section(lines, "causes")[-5:] == [
        "  haz.unapproved  (hazard)",
        "    CAUSES booking",
        "  triage  (decision)",
        "    PRECEDES approval",
        "    ENABLES closure",
    ]
    assert section(lines, "dimensions in which variants may differ") == [
        "  dim.quote-time  TIMESTAMP",
        "  dim.wording     FIXTURE_DIGEST",
    ]


def test_a_node_without_any_edge_is_alone() -> None:
    scenario = sample_card("scenario")
    graph = scenario["content"]["causal_graph"]
    graph["edges"] = [edge for edge in graph["edges"] if "haz.unapproved" not in edge.values()]

    assert "  haz.unapproved  (hazard)  alone" in explain(scenario)


def test_a_variant() -> None:
    lines = explain(sample_card("variant"))

    timed = [line for line in section(lines, "events at fixed times") if not line.startswith("      ")]
    assert timed == [
        "  2025-01-14T07:40:00.000000Z  #1  first-report   outage.reported  by resident-ayo",
        "  2025-01-14T09:05:00.000000Z  #2  second-report  outage.reported  by resident-ayo, the agent is not woken",
        "  2025-01-15T16:20:00.000000Z  #3  quote          quote.received   by engineer-ines",
    ]
    waiting = section(lines, "events that wait for something")
    assert waiting[0] == (
        '  after action approval.request with /quote_ref "HQ-0412"  #4  approval  spend.approved  '
        "by landlord-ode, 95 minutes later"
    )
    assert section(lines, "events expected to be rejected") == ["  second-report  duplicate.report"]
    assert [line.split()[-2:] for line in section(lines, "messages")][1] == ["sending", "fails"]
    assert '  /boiler/model           "Tarn 30"' in section(lines, "hidden initial state")


def test_times_are_shown_in_the_order_authored() -> None:
    variant = sample_card("variant")
    variant["content"]["events"].reverse()
    shown = [line.split()[2] for line in explain(variant) if line.startswith("  2025-")]
    assert shown == ["quote", "second-report", "first-report"]


def test_hostile_texts_are_escaped_and_cut() -> None:
    variant = sample_card("variant")
    variant["content"]["hidden_initial_values"] = {"a": "\x1b[2J\u202e\n" + "x" * 1000, "b": {"\x1b": 1}}
    variant["content"]["events"][0]["payload"] = {"summary": "\r\x07"}

    lines = explain(variant)

    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 260
