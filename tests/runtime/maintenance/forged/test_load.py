"""The files of forged records: how they are read, how they are refused, and what they may speak of."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path

import pytest

import operatebench.runtime.maintenance.forged as package
from operatebench.errors import SpecError
from operatebench.runtime.maintenance.agents import AGENTS
from operatebench.runtime.maintenance.evaluator import DIMENSIONS, FINDINGS
from operatebench.runtime.maintenance.forged import Forgery, load_forgeries
from operatebench.runtime.maintenance.forged.load import read_forgeries
from operatebench.runtime.maintenance.spec import packaged_spec

ROOT = Path(str(files(package)))
FILES = sorted(ROOT.glob("*.yaml"))

SMALL = """\
schema: operatebench.forged_records.v1
provenance: written by us
forgeries:
  - forgery_id: one_row_less
    variant_id: V1
    agent_id: reference
    lie: it never happened
    edits:
      - {edit: drop_row, row: {record_type: wait_declared, nth: -1}}
      - {edit: set_state, pointer: /phase, value: null}
    expected_failed_dimensions: [second, first]
    required_finding_codes: [B_FOUND, A_FOUND]
  - forgery_id: nothing_shown
    variant_id: V2
    agent_id: idle
    lie: it was shown
    edits: []
    renumbered: no
    reproduction: differs
    expected_failed_dimensions: [third]
    required_finding_codes: [C_FOUND]
"""


def refusal(old: str, new: str) -> tuple[str, str]:
    """Return code and place of the refusal of the small file with one text replaced."""
    assert old in SMALL
    with pytest.raises(SpecError) as caught:
        read_forgeries(SMALL.replace(old, new, 1).encode(), "small.yaml")
    return caught.value.code, caught.value.path


def test_forgeries_are_read_as_they_are_written() -> None:
    assert read_forgeries(SMALL.encode(), "small.yaml") == (
        Forgery(
            forgery_id="one_row_less",
            variant_id="V1",
            agent_id="reference",
            lie="it never happened",
            edits=(
                {"edit": "drop_row", "row": {"record_type": "wait_declared", "nth": -1}},
                {"edit": "set_state", "pointer": "/phase", "value": None},
            ),
            renumbered=True,
            reproduction="agrees",
            expected_failed_dimensions=("second", "first"),
            required_finding_codes=("A_FOUND", "B_FOUND"),
        ),
        Forgery(
            forgery_id="nothing_shown",
            variant_id="V2",
            agent_id="idle",
            lie="it was shown",
            edits=(),
            renumbered=False,
            reproduction="differs",
            expected_failed_dimensions=("third",),
            required_finding_codes=("C_FOUND",),
        ),
    )


DROP = "{edit: drop_row, row: {record_type: wait_declared, nth: -1}}"
SET = "{edit: set_state, pointer: /phase, value: null}"
FIRST, EDIT, SECOND_EDIT = "/forgeries/0", "/forgeries/0/edits/0", "/forgeries/0/edits/1"


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("records.v1", "records.v2", "closed_value", "small.yaml:1 /schema"),
        ("provenance: written by us\n", "", "missing_key", "small.yaml:1 /provenance"),
        ("written by us", "' '", "empty_text", "small.yaml:2 /provenance"),
        ("written by us", "x\nnote: x", "unknown_key", "small.yaml:3 /note"),
        ("one_row_less", "One-Row", "lexical", f"small.yaml:4 {FIRST}/forgery_id"),
        ("nothing_shown", "one_row_less", "duplicate", "small.yaml:13 /forgeries/1/forgery_id"),
        ("variant_id: V1", "variant_id: 1", "wrong_type", f"small.yaml:5 {FIRST}/variant_id"),
        ("agent_id: reference", "agent_id: Reference", "lexical", f"small.yaml:6 {FIRST}/agent_id"),
        ("    lie: it never happened\n", "", "missing_key", f"small.yaml:4 {FIRST}/lie"),
        ("it never happened", "''", "empty_text", f"small.yaml:7 {FIRST}/lie"),
        ("    edits: []\n", "    edits: {}\n", "wrong_type", "small.yaml:17 /forgeries/1/edits"),
        ("edit: drop_row", "edit: drop_column", "closed_value", f"small.yaml:9 {EDIT}/edit"),
        ("edit: drop_row, ", "", "missing_key", f"small.yaml:9 {EDIT}/edit"),
        (DROP, "{edit: drop_row}", "missing_key", f"small.yaml:9 {EDIT}/row"),
        (DROP, "{edit: drop_row, row: 3}", "wrong_type", f"small.yaml:9 {EDIT}/row"),
        (DROP, "{edit: drop_row, row: {}, after: {}}", "unknown_key", f"small.yaml:9 {EDIT}/after"),
        (DROP, "{edit: copy_row, row: {}, after: []}", "wrong_type", f"small.yaml:9 {EDIT}/after"),
        (DROP, "{edit: drop_event, event: x}", "wrong_type", f"small.yaml:9 {EDIT}/event"),
        (
            DROP,
            "{edit: insert_row, after: {}, record_type: X, payload: {}}",
            "lexical",
            f"small.yaml:9 {EDIT}/record_type",
        ),
        (
            DROP,
            "{edit: insert_row, after: {}, record_type: x, payload: []}",
            "wrong_type",
            f"small.yaml:9 {EDIT}/payload",
        ),
        (DROP, "drop_row", "wrong_type", f"small.yaml:9 {EDIT}"),
        (SET, "{edit: set_state, pointer: /phase}", "missing_key", f"small.yaml:10 {SECOND_EDIT}/value"),
        ("pointer: /phase", "pointer: phase", "lexical", f"small.yaml:10 {SECOND_EDIT}/pointer"),
        ("pointer: /phase", "pointer: /", "lexical", f"small.yaml:10 {SECOND_EDIT}/pointer"),
        ("[second, first]", "[]", "too_few", f"small.yaml:11 {FIRST}/expected_failed_dimensions"),
        ("[second, first]", "[first, first]", "duplicate", f"small.yaml:11 {FIRST}/expected_failed_dimensions/1"),
        ("[B_FOUND, A_FOUND]", "[]", "too_few", f"small.yaml:12 {FIRST}/required_finding_codes"),
        ("[B_FOUND, A_FOUND]", "[a_found]", "lexical", f"small.yaml:12 {FIRST}/required_finding_codes/0"),
        ("[B_FOUND, A_FOUND]", "[A, A]", "duplicate", f"small.yaml:12 {FIRST}/required_finding_codes/1"),
        ("renumbered: no", "renumbered: yes", "closed_value", "small.yaml:18 /forgeries/1/renumbered"),
        ("renumbered: no", "renumbered: false", "wrong_type", "small.yaml:18 /forgeries/1/renumbered"),
        ("reproduction: differs", "reproduction: agrees", "closed_value", "small.yaml:19 /forgeries/1/reproduction"),
        ("forgeries:\n", "forgeries: []\nrest:\n", "unknown_key", "small.yaml:4 /rest"),
        ("lie: it was shown", "lie: &it it was shown", "yaml_alias", "small.yaml:16"),
        ("lie: it was shown", "lie: x\n    lie: y", "yaml_duplicate_key", "small.yaml:17 /forgeries/1/lie"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_at_its_place(old: str, new: str, code: str, place: str) -> None:
    assert refusal(old, new) == (code, place)


def test_a_file_without_forgeries_is_refused() -> None:
    empty = SMALL.partition("forgeries:")[0] + "forgeries: []\n"
    with pytest.raises(SpecError) as caught:
        read_forgeries(empty.encode(), "small.yaml")
    assert (caught.value.code, caught.value.path) == ("too_few", "small.yaml:3 /forgeries")


def test_every_packaged_file_is_loaded_in_the_order_of_the_names() -> None:
    read = [forgery for file in FILES for forgery in read_forgeries(file.read_bytes(), file.name)]
    assert list(load_forgeries()) == read
    assert len(read) >= len(FILES) > 1


def test_a_file_is_named_for_a_dimension_that_each_of_its_forgeries_fails() -> None:
    for file in FILES:
        assert file.stem in DIMENSIONS
        for forgery in read_forgeries(file.read_bytes(), file.name):
            assert file.stem in forgery.expected_failed_dimensions, forgery.forgery_id


def test_ids_and_lies_are_told_once() -> None:
    forgeries = load_forgeries()
    assert len({forgery.forgery_id for forgery in forgeries}) == len(forgeries)
    assert len({forgery.lie for forgery in forgeries}) == len(forgeries)


def test_no_two_forgeries_must_be_found_for_the_same_reasons() -> None:
    seen: dict[object, str] = {}
    for forgery in load_forgeries():
        signature = forgery.expected_failed_dimensions, forgery.required_finding_codes
        assert seen.setdefault(signature, forgery.forgery_id) == forgery.forgery_id


@pytest.mark.parametrize("forgery", load_forgeries(), ids=lambda forgery: forgery.forgery_id)
def test_a_forgery_speaks_of_what_there_is(forgery: Forgery) -> None:
    assert forgery.variant_id in packaged_spec().variants
    assert forgery.agent_id in AGENTS
    dimensions = [name for name in DIMENSIONS if not FINDINGS[name].keys().isdisjoint(forgery.required_finding_codes)]
    assert list(forgery.expected_failed_dimensions) == dimensions
    assert set(forgery.required_finding_codes) <= {code for name in dimensions for code in FINDINGS[name]}


def test_a_forgery_without_edits_lies_about_its_reproduction() -> None:
    for forgery in load_forgeries():
        assert forgery.edits or forgery.reproduction != "agrees", forgery.forgery_id


def test_the_package_knows_neither_agents_nor_evaluator() -> None:
    for source in ROOT.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not {"agents", "evaluator"} & set((node.module or "").split(".")), source.name
                assert not {"agents", "evaluator"} & {alias.name for alias in node.names}, source.name
