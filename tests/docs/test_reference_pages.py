"""The reference pages of the cards say what their schemas say: each member once, with type, rule and description."""

import re
from typing import Any

import pytest

from docs.generate import CARD_PAGES, card_page
from operatebench.cards import load_schema
from operatebench.cards.resources import DEFINITIONS, load_resource
from tests.support import ROOT


@pytest.mark.parametrize("name", CARD_PAGES)
def test_the_page_is_what_the_schema_says(name: str) -> None:
    page = ROOT / "docs" / "reference" / f"{name}.md"
    assert page.read_text(encoding="utf-8") == card_page(name), "run `make docs`"


def rows(page: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]


def names_in(schema: Any) -> list[str]:
    """Return the member names that a schema declares itself, at any depth."""
    if isinstance(schema, list):
        return [name for item in schema for name in names_in(item)]
    if not isinstance(schema, dict):
        return []
    inside = [name for key, item in schema.items() if key not in ("if", "then", "else") for name in names_in(item)]
    own = list(schema.get("properties", {})) if isinstance(schema.get("properties"), dict) else []
    return [name for name in (*own, *inside) if isinstance(name, str)]


@pytest.mark.parametrize(("name", "literal"), CARD_PAGES.items())
def test_every_member_of_the_schema_has_a_row(name: str, literal: str) -> None:
    members = [row[0].strip("`") for row in rows(card_page(name).partition("## Types")[0])]
    assert len(set(members)) == len(members)
    last = {re.split(r"[/\[]", member.removesuffix("[]"))[-1] for member in members}
    assert set(names_in(load_schema(literal))) <= last
    assert f'exactly `"{literal}"`' in card_page(name)


@pytest.mark.parametrize("name", CARD_PAGES)
def test_every_row_is_full_and_every_type_is_explained_below(name: str) -> None:
    page = card_page(name)
    assert [row for row in rows(page) if len(row) != 4 or not row[1]] == []
    linked = set(re.findall(r"\]\(#(\w+)\)", page))
    titles = re.findall(r"^### (\w+)$", page, re.MULTILINE)
    assert linked == {title.lower() for title in titles}
    assert len(set(titles)) == len(titles)
    definitions = load_resource(DEFINITIONS)["$defs"]
    flat = " ".join(page.split())
    assert [title for title in titles if " ".join(definitions[title]["description"].split()) not in flat] == []


def test_a_closed_value_a_bound_and_a_nullable_object_are_said() -> None:
    page = card_page("variant-card")
    assert "| `content/events[]/trigger` | object or null |  |" in page
    assert '| `content/events[]/trigger/kind` | text | one of `"action"`, `"event"` |' in page
    assert "| `content/actors` | set of objects | at least 1 |" in page
    assert "### count\n\nAn integer of 64 bits, not negative.\n\nInteger, 0 to 2^63-1.\n" in page
    assert "### digest\n" in page
    assert "Text, 64 characters." in page


def test_a_union_has_its_kinds() -> None:
    page = card_page("semantic-scenario-card").partition("### predicate\n")[2]
    assert '`kind` one of `"all"`, `"any"`: ' in page
    assert "| `operands` | list of [predicate](#predicate) | at least 2 |" in page
