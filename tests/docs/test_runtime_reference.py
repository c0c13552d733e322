"""The reference pages of the runtime say what the code says: every row type, finding, refusal and module, once."""

import re

import pytest

from docs.generate import PAGES
from operatebench.runtime.core import decisions, endings, guard, retrieval
from operatebench.runtime.core.rows import ROW_TYPES
from operatebench.runtime.maintenance import plan, refusals
from operatebench.runtime.maintenance.evaluator import DIMENSIONS, FINDINGS
from operatebench.runtime.maintenance.oracle import packaged_oracle
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.support import ROOT


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of the rows whose first cell is a name."""
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:3] == "| `"]


@pytest.mark.parametrize("name", ["findings", "live-binding", "modules", "refusals", "rows"])
def test_the_page_is_what_the_code_says(name: str) -> None:
    page = ROOT / "docs" / "reference" / f"{name}.md"
    assert page.read_text(encoding="utf-8") == PAGES[f"reference/{name}.md"](), "run `make docs`"


def test_every_row_type_has_a_meaning_and_its_fields_in_order() -> None:
    rows = rows_of(PAGES["reference/rows.md"]())
    fields = {row[0].strip("`"): re.findall(r"`(\w+)`", row[2]) for row in rows}
    assert fields == {name: list(payload) for name, payload in (*ROW_TYPES.items(), *plan.ROW_TYPES.items())}
    assert all(re.fullmatch(r"[A-Z].+\.", row[1]) for row in rows)


def test_every_finding_stands_under_its_dimension_with_those_it_is_demanded_of() -> None:
    page = PAGES["reference/findings.md"]()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(DIMENSIONS)
    rows = {row[0].strip("`"): row for row in rows_of(page)}
    assert list(rows) == [code for codes in FINDINGS.values() for code in codes]
    for control in packaged_oracle().controls.values():
        shown = {code for code, row in rows.items() if f"`{control.agent_id}`" in row[-1]}
        assert shown == set(control.required_finding_codes), control.agent_id


def test_every_refusal_has_its_sentence() -> None:
    tables = (
        decisions.MALFORMED_DETAILS,
        decisions.REFUSED_SHAPES,
        retrieval.REFUSED_BATCHES,
        guard.REFUSALS,
        refusals.REFUSALS,
        endings.VIOLATION_DETAILS,
    )
    rows = {row[0].strip("`") for row in rows_of(PAGES["reference/refusals.md"]())}
    assert rows == {code for table in tables for code in table}


def test_every_module_has_its_line() -> None:
    rows = {row[0].strip("`"): row[1] for row in rows_of(PAGES["reference/modules.md"]())}
    paths = [path for name in ("runtime", "tracks") for path in (ROOT / name).rglob("*.py")]
    assert set(rows) == {path.relative_to(ROOT).as_posix() for path in paths if path.name != "__init__.py"}
    assert [name for name, line in rows.items() if not re.fullmatch(r"[a-zA-Z].+[.?]", line)] == []


def test_every_section_of_the_spec_has_its_place_among_the_cards() -> None:
    page = (ROOT / "docs" / "reference" / "spec-to-cards.md").read_text(encoding="utf-8")
    rows = rows_of(page.partition("## Section by section")[2])
    sections = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(sections) == sorted(packaged_spec().content)
