"""Pictures: well-formed, the same bytes every time, accessible, escaped, and no bigger than the card deserves."""

import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest

from operatebench.cards.authoring.picture import picture
from tests.cards.authoring.chains import TEXTS, sample_card

SVG = "{http://www.w3.org/2000/svg}"


def drawn(card: Any) -> ET.Element:
    return ET.fromstring(picture(card))  # noqa: S314  (our own output)


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


@pytest.mark.parametrize("name", TEXTS)
def test_a_picture_has_title_and_description_and_holds_what_it_draws(name: str) -> None:
    root = drawn(sample_card(name))

    assert (root.attrib["role"], root.attrib["aria-labelledby"]) == ("img", "title about")
    title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert about is not None
    assert (title.attrib["id"], title.text) == ("title", f"{name} {sample_card(name)['id']}")
    assert (about.attrib["id"], (about.text or "")[-1]) == ("about", ".")
    width, height = number(root, "width"), number(root, "height")
    for box in root.iter(f"{SVG}rect"):
        right = number(box, "width") + float(box.attrib.get("x", 0))
        bottom = number(box, "height") + float(box.attrib.get("y", 0))
        assert (right <= width, bottom <= height) == (True, True)


@pytest.mark.parametrize("name", TEXTS)
def test_equal_cards_give_equal_bytes(name: str) -> None:
    assert picture(sample_card(name)) == picture(sample_card(name))


def test_an_operation_shows_roles_authorities_events_and_actions() -> None:
    shown = texts(drawn(sample_card("operation")))
    assert {"landlord", "approve.spend", "spend.approved", "visit.book", "roles", "authorities"} <= set(shown)


def curves(root: ET.Element) -> list[ET.Element]:
    return [path for path in root.iter(f"{SVG}path") if path.attrib.get("class", "").startswith("line")]


def test_an_operation_has_one_arrow_for_each_grant_and_each_need() -> None:
    content = sample_card("operation")["content"]["authority_contract"]
    wanted = sum(len(role["authorities"]) for role in content["roles"])
    wanted += len(content["event_authority"]) + len(content["action_authority"])
    assert len(curves(drawn(sample_card("operation")))) == wanted


def test_a_scenario_draws_every_cause_left_of_its_effect() -> None:
    scenario = sample_card("scenario")
    root = drawn(scenario)

    left = {}
    for group in root.iter(f"{SVG}g"):
        box, name = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        assert box is not None
        assert name is not None
        left[name.text] = number(box, "x")
    edges = scenario["content"]["causal_graph"]["edges"]
    assert all(left[edge["cause_node_id"]] < left[edge["effect_node_id"]] for edge in edges)
    assert sorted(text for text in texts(root) if text.isupper()) == sorted(edge["relation"] for edge in edges)
    corners = [(number(box, "x"), number(box, "y")) for box in root.iter(f"{SVG}rect") if "rx" in box.attrib]
    assert len(set(corners)) == len(corners)


def test_a_variant_shows_times_triggers_rejections_and_arrows_between_events() -> None:
    root = drawn(sample_card("variant"))
    shown = texts(root)
    assert {"2025-01-15 16:20:00", "after approval.request", "#4 action, +95 min", "rejected: duplicate.repo…"} <= set(
        shown
    )
    assert len(curves(root)) == 1  # the visit leads to the follow-up; what waits for actions has no event to start from
    tips = [title.text for title in root.iter(f"{SVG}title")]
    end = "expected to be rejected with duplicate.report"
    assert f"second-report: outage.reported by resident-ayo, the agent is not woken, {end}" in tips


def test_markup_and_controls_cannot_come_in() -> None:
    variant = sample_card("variant")
    variant["id"] = "<script>\x00&\"'\ufffe"
    assert b"<script>" not in picture(variant)
    drawn(variant)


def test_long_names_are_cut_in_the_box_and_whole_in_its_tip() -> None:
    operation = sample_card("operation")
    operation["content"]["authority_contract"]["roles"][0]["role_id"] = "r" * 255
    root = drawn(operation)
    assert "r" * 24 + "…" in texts(root)
    assert any(title.text == f"{'r' * 255} / role" for title in root.iter(f"{SVG}title"))


def test_what_only_the_references_would_refuse_is_drawn_nevertheless() -> None:
    scenario, variant = sample_card("scenario"), sample_card("variant")
    edges = scenario["content"]["causal_graph"]["edges"]
    edges[0].update(cause_node_id="closure", effect_node_id="triage")
    edges[1].update(effect_node_id="nowhere")
    variant["content"]["events"][0]["actor_id"] = "nobody"
    assert len(curves(drawn(scenario))) == len(edges) - 1
    assert "first-report" in texts(drawn(variant))


def long_chain(count: int) -> Any:
    """Return a scenario whose graph is a chain of nodes, each with a second edge to the last one."""
    scenario = sample_card("scenario")
    names = [f"n{index}" for index in range(count)]
    edge = {"relation": "PRECEDES"}
    edges = [{"cause_node_id": a, "effect_node_id": b, **edge} for a, b in pairwise(names)]
    edges += [{"cause_node_id": name, "effect_node_id": names[-1], **edge} for name in names[:-2]]
    graph = {"nodes": [{"node_id": name, "semantic_type": "decision"} for name in names], "edges": edges}
    scenario["content"]["causal_graph"] = graph
    return scenario


def test_a_picture_grows_with_its_card_and_not_with_its_square() -> None:
    small, big = (len(picture(long_chain(count))) for count in (400, 2_000))
    assert big < 5.5 * small
