"""The timeline: every row type is told or knowingly left out, in order, with days and times, whatever a row holds."""

import dataclasses
from datetime import date
from typing import Any

import pytest

from operatebench.runtime.core.rows import ROW_TYPES
from operatebench.runtime.maintenance.operation import MaintenanceOperation
from operatebench.tracks.lifecycle import (
    EpisodeRecord,
    grade_lines,
    head_lines,
    packaged_spec,
    standing,
    timeline,
    timeline_lines,
    verdict_line,
)
from operatebench.tracks.lifecycle.tell import _TELLERS, BOOKKEEPING, ROOM, Kind, Scene, span, tell
from tests.tracks.lifecycle.episodes import record_of

SCENE = Scene(date(2032, 1, 1), {})

HOSTILE: list[Any] = [
    None,
    True,
    -1,
    "",
    "\x1b[31m\u202e<script>&\n\x00",
    "{code} %s {0}",
    "x" * 10_000,
    [],
    [["a"], {"b": None}],
    {},
    {"\x1b": {"deep": [1, 2, {"er": "\u2028"}]}},
]


def test_every_row_type_is_told_or_left_out() -> None:
    assert set(_TELLERS) | BOOKKEEPING == set(ROW_TYPES)
    assert set(_TELLERS).isdisjoint(BOOKKEEPING)


@pytest.mark.parametrize("record_type", [*ROW_TYPES, "of_the_domain"])
def test_a_row_may_hold_anything(record_type: str) -> None:
    for value in HOSTILE:
        fields = dict.fromkeys(ROW_TYPES.get(record_type, ("a", "b")), value)
        kind, text = tell({"index": 0, "at": "2032-01-01T00:00:00Z", "record_type": record_type, **fields}, SCENE)

        assert kind in Kind
        assert text.isprintable()
        assert len(text) < 1_500


def test_a_domain_row_is_told_plainly() -> None:
    row = {"index": 0, "at": "", "record_type": "case_reopened", "cycle_id": "c_2", "reason": None}

    assert tell(row, SCENE) == (Kind.EFFECT, "case reopened (c_2)")


PROPOSAL = {"index": 0, "at": "", "record_type": "action_proposed", "proposal_id": "p_1", "action_type": "act"}


@pytest.mark.parametrize(
    ("payload", "evidence", "text"),
    [
        ({}, [], "proposes act"),
        ({"scope": "s", "currency": "GBP"}, ["e_1"], "proposes act; cites e_1"),
        (
            {"cycle_id": "c_1", "amount_minor": 5, "x_id": "x_1", "decision": "YES"},
            [],
            "(YES, amount_minor 5, x_1, c_1)",
        ),
        ({"valid": True, "visit_id": 7, "more": "text"}, [], "(valid true, visit_id 7, more text)"),
        ({"a_id": "a" * 40, "b_id": "b" * 40}, [], f"({'a' * 40}, …)"),
        ({"due_at": "2032-01-03T09:05:00Z", "until": "2032-01-03"}, [], "(due_at day 3 09:05, until 2032-01-03)"),
    ],
)
def test_an_object_is_told_by_what_matters(payload: dict[str, Any], evidence: list[str], text: str) -> None:
    told = tell({**PROPOSAL, "payload": payload, "evidence_refs": evidence}, SCENE)[1]

    assert told.endswith(text)
    assert len(told) <= ROOM


def test_a_refusal_is_told_with_its_sentence() -> None:
    row = {"index": 0, "at": "", "record_type": "action_rejected", "proposal_id": "p_1", "action_type": "act"}

    assert tell({**row, "code": "NO", "detail": "Not now."}, SCENE) == (Kind.REFUSAL, "act refused: NO: Not now.")


@pytest.mark.parametrize(
    ("basis", "text"), [([], "granted: act"), (["b_1", "b_2"], "granted: act, because of b_1, b_2")]
)
def test_a_grant_names_its_grounds_if_it_has_any(basis: list[str], text: str) -> None:
    row = {"index": 0, "at": "", "record_type": "authority_decided", "proposal_id": "p_1", "authority": "a"}

    assert tell({**row, "action_type": "act", "basis": basis}, SCENE)[1] == text


@pytest.mark.parametrize(
    ("code", "text"), [("ACCEPTED", "done: act (visit_1)"), ("PROVISIONALLY_CLOSED", "done: act: PROVISIONALLY_CLOSED")]
)
def test_an_effect_is_told_by_the_ids_it_made_or_by_what_it_made_of_the_operation(code: str, text: str) -> None:
    bindings = {"related_visit_id": "visit_1", "visit_id": "visit_1"}
    row = {"index": 0, "at": "", "record_type": "effect_accepted", "proposal_id": "p_1", "cycle_id": "c_1"}

    assert tell({**row, "action_type": "act", "code": code, "bindings": bindings}, SCENE)[1] == text


def test_the_domain_declares_no_row_type_that_is_left_out() -> None:
    domain = MaintenanceOperation(packaged_spec(), "V1").plan.row_types
    assert set(domain).isdisjoint({*_TELLERS, *BOOKKEEPING})


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, "0 min"), (59, "59 min"), (60, "1 h"), (1440, "1 d"), (1505, "1 d 1 h 5 min"), (2885, "2 d 5 min")],
)
def test_spans(minutes: int, words: str) -> None:
    assert span(minutes) == words


@pytest.fixture(scope="module")
def record() -> EpisodeRecord:
    return record_of("V1", "reference")


def test_moments_are_in_order_and_cite_each_told_row_once(record: EpisodeRecord) -> None:
    moments = timeline(record)
    rows = record.outcome["trajectory"]

    assert [(moment.day, moment.clock) for moment in moments] == sorted(
        (moment.day, moment.clock) for moment in moments
    )
    cited = [index for moment in moments for index in moment.rows]
    assert cited == [row["index"] for row in rows if row["record_type"] not in BOOKKEEPING]


def test_days_and_times(record: EpisodeRecord) -> None:
    first, last = timeline(record)[0], timeline(record)[-1]

    assert (first.day, first.clock, first.kind) == (1, "08:30", Kind.FRAME)
    start, end = record.outcome["started_at"], record.outcome["ended_at"]
    assert (last.clock, last.kind) == (end[11:16], Kind.FRAME)
    days = date.fromisoformat(end[:10]) - date.fromisoformat(start[:10])
    assert last.day == days.days + 1


def test_reads_of_one_batch_are_one_moment(record: EpisodeRecord) -> None:
    rows = record.outcome["trajectory"]
    reads = [moment for moment in timeline(record) if moment.kind is Kind.READ]

    batches = {
        (row["invocation_index"], row["turn_index"], row["batch_index"])
        for row in rows
        if row["record_type"] == "retrieval_served"
    }
    assert len(reads) == len(batches) > 5
    assert reads[0].text == f"reads {', '.join(rows[index]['tool'] for index in reads[0].rows)}"


def test_a_timeline_shows_every_kind_of_thing(record: EpisodeRecord) -> None:
    kinds = {moment.kind for moment in timeline(record)}
    kinds |= {moment.kind for moment in timeline(record_of("V1", "complete_early"))}

    assert kinds >= set(Kind) - {Kind.VIOLATION}


def test_the_table_has_row_day_time_kind_and_text(record: EpisodeRecord) -> None:
    lines = timeline_lines(record)

    assert lines[0].split()[:6] == ["0", "day", "1", "08:30", "frame", "starts;"]
    assert len(lines) == len(timeline(record))
    wide = [line for line in lines if len(line) > 120]
    assert all(" wait " in line or "; too late: " in line for line in wide)  # what must be said has no room
    assert max(map(len, lines)) < 130


def test_findings_stand_with_the_rows_they_cite() -> None:
    record = record_of("V1", "trust_actor_claim")
    finding = record.evaluation["findings"][0]
    lines = grade_lines(record)

    at = lines.index(f"  {finding['dimension']}: {finding['code']}: {finding['detail']}")
    row = record.outcome["trajectory"][finding["rows"][0]]
    below = next(line for line in lines[at:] if line.startswith("    "))
    assert below.split() == ["row", str(finding["rows"][0]), *tell(row, Scene.of(record.outcome))[1].split()]


def test_findings_that_cite_the_same_rows_stand_together(record: EpisodeRecord) -> None:
    finding = {"dimension": "recovery", "detail": "d", "at": None}
    rows = {"A": [1], "B": [1, 2, 3, 4, 5, 6], "C": [1], "D": []}
    findings = [{**finding, "code": code, "rows": cited} for code, cited in rows.items()]
    lines = grade_lines(dataclasses.replace(record, evaluation={**record.evaluation, "findings": findings}))

    shown = lines[lines.index("findings") + 1 : lines.index("", lines.index("findings"))]
    assert [line.split(":")[1].strip() for line in shown if "recovery" in line] == ["A", "C", "B", "D"]
    assert [" ".join(line.split()[:2]) for line in shown if "recovery" not in line] == [
        *("row 1", "row 1", "row 2", "row 3", "row 4", "and 2")
    ]


def test_autonomy_reliability_and_load_stand_side_by_side(record: EpisodeRecord) -> None:
    found = standing(record)
    load = record.evaluation["load"]

    assert (found.reliable, found.passed, found.dimensions) == (True, 11, 11)
    assert (found.decisions, found.with_human) == (load["decisions"], load["decisions_with_human"])
    names, verdicts, grounds = found.rows()
    assert names == ("autonomy", "reliability", "human load")
    assert verdicts[1:] == ("reliable", f"{sum(found.touches.values())} call upon humans")
    assert grounds[1] == "11 of 11 dimensions in order"
    assert grade_lines(record)[-3].split() == ["autonomy", "reliability", "human", "load"]


@pytest.mark.parametrize(
    ("with_human", "decisions", "share"),
    [
        (1, 23, "95.7 %"),
        (0, 3, "100.0 %"),
        (1, 3, "66.7 %"),
        (3, 3, "0.0 %"),
        (1999, 2000, "0.1 %"),
        (1, 2000, "100.0 %"),
    ],
)
def test_autonomy_is_rounded_to_a_tenth(record: EpisodeRecord, with_human: int, decisions: int, share: str) -> None:
    load = {"decisions": decisions, "decisions_with_human": with_human}
    found = standing(dataclasses.replace(record, evaluation={**record.evaluation, "load": load})).rows()

    assert (found[1][0], found[2][0]) == (share, f"{decisions - with_human} of {decisions} decisions without a human")


def test_an_agent_that_decided_nothing_has_no_autonomy(record: EpisodeRecord) -> None:
    evaluation = {**record.evaluation, "load": {"decisions": 0, "decisions_with_human": 0}, "human_touches": []}
    found = standing(dataclasses.replace(record, evaluation=evaluation)).rows()

    assert found[1][0] == "no decisions"
    assert found[2][2] == "none"


def test_head_and_verdict(record: EpisodeRecord) -> None:
    selection, outcome = record.selection, record.outcome

    assert head_lines(record)[0] == (
        f"operation {selection.operation_id}, variant V1, agent reference, trial {selection.trial}"
    )
    assert record.instance_id in head_lines(record)[1]
    assert head_lines(record)[2].startswith(f"{span(outcome['simulated_minutes'])} simulated, ")
    assert verdict_line(record) == "RELIABLE: completed_successfully (successful_completion)"
    bad = record_of("V1", "always_wait")
    assert verdict_line(bad) == (
        f"UNRELIABLE: {bad.outcome['status']} ({bad.evaluation['outcome_class']}); "
        f"fails {', '.join(bad.failed_dimensions)}"
    )
