"""The methodology names dimensions, variants, controls and what they fail as the code does."""

from operatebench.runtime.maintenance.evaluator import DIMENSIONS
from operatebench.runtime.maintenance.forged import load_forgeries
from operatebench.runtime.maintenance.oracle import packaged_oracle
from operatebench.runtime.maintenance.spec import packaged_spec
from tests.support import ROOT

PAGE = (ROOT / "docs" / "METHODOLOGY.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("<!-- capabilities -->\n")[2].partition("<!-- /capabilities -->")[0]

CAPABILITIES = [
    "state_dependency",
    "insufficient_information",
    "authority_change",
    "wait_required",
    "late_event",
    "reopen",
    "human_checkpoint",
    "duplicate_event",
    "post_commit_failure",
    "disclosure_boundary",
]
FAILURES = [
    "forgotten action",
    "duplicate send",
    "stale evidence",
    "context loss",
    "contradictory claim",
    "premature completion",
    "ignored reopen",
]


def table(text: str) -> list[list[str]]:
    """Return the cells of all table rows, heads and rulers aside."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    rulers = [index for index, row in enumerate(rows) if row[0] == "---"]
    return [row for index, row in enumerate(rows) if index not in rulers and index + 1 not in rulers]


def test_every_capability_and_every_failure_has_its_place() -> None:
    assert [row[0].strip("`") for row in table(TABLE) if row[0]] == [*CAPABILITIES, *FAILURES]


def test_every_control_fails_what_the_oracle_says_where_it_says() -> None:
    rejected = {each.agent_id: each for each in packaged_oracle().controls.values()}
    forged = {each.forgery_id: each for each in load_forgeries()}
    wrong = {}
    for *_, dimensions, control in table(TABLE):
        if control == "tests only":
            assert dimensions == "none"
            continue
        name = control.partition("`")[2].partition("`")[0]
        found = rejected.get(name) or forged[name]
        right = ", ".join(f"`{each}`" for each in found.expected_failed_dimensions), f"`{name}` on {found.variant_id}"
        if (dimensions, control) != right:
            wrong[name] = right
    assert wrong == {}


def test_the_dimensions_stand_in_their_order() -> None:
    rows = table(PAGE.partition("## What is measured")[2].partition("## From capability")[0])
    assert [row[0].strip("`") for row in rows] == list(DIMENSIONS)


def test_each_variant_has_its_end() -> None:
    rows = table(PAGE.partition("## What is modelled")[2].partition("## What is measured")[0])
    ends = {variant_id: variant.expected_terminal for variant_id, variant in packaged_spec().variants.items()}
    assert {row[0].strip("`"): row[-1].strip("`") for row in rows} == ends
