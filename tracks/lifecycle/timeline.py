"""Tells an episode to people: what happened when, which rows a finding rests on, and what it asked of humans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ...cards.authoring.words import listed, table
from ...errors import escape
from .record import EpisodeRecord
from .tell import BOOKKEEPING, Kind, Row, Scene, span, tell, tell_reads, word

_CITED = 4
"""So many rows of a finding are shown; the others are counted."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a timeline.

    Attributes:
        day: simulated day, from 1.
        clock: ``HH:MM`` on that day.
        kind: what kind of thing happened.
        text: what happened; escaped.
        rows: indexes of the rows that tell it: one, or those of a batch of reads.
    """

    day: int
    clock: str
    kind: Kind
    text: str
    rows: tuple[int, ...]


def timeline(record: EpisodeRecord) -> list[Moment]:
    """Return what happened, in order; bookkeeping of the engine is left out.

    Args:
        record: one that was read or has just been run; its rows may hold whatever an agent wrote.
    """
    scene = Scene.of(record.outcome)
    moments: list[Moment] = []
    batch: list[Row] = []
    for row in record.outcome["trajectory"]:
        if row["record_type"] in BOOKKEEPING:
            continue
        instant = scene.day_and_clock(row["at"])
        if row["record_type"] != "retrieval_served":
            batch = []
            moments.append(Moment(*instant, *tell(row, scene), (row["index"],)))
            continue
        if batch and all(row[name] == batch[0][name] for name in ("invocation_index", "turn_index", "batch_index")):
            moments.pop()
        else:
            batch = []
        batch.append(row)
        moments.append(Moment(*instant, *tell_reads(batch), tuple(each["index"] for each in batch)))
    return moments


def head_lines(record: EpisodeRecord) -> list[str]:
    """Return which episode it is, and how long it took."""
    selection, outcome = record.selection, record.outcome
    names = (f"operation {selection.operation_id}", f"variant {selection.variant_id}", f"agent {selection.agent_id}")
    simulated = span(outcome["simulated_minutes"])
    return [
        f"{', '.join(map(word, names))}, trial {selection.trial}",
        f"instance {record.instance_id}",
        f"{simulated} simulated, {outcome['invocations']} invocations, {len(outcome['trajectory'])} rows",
    ]


def verdict_line(record: EpisodeRecord) -> str:
    """Return what was made of the episode, in one line."""
    end = f"{word(record.outcome['status'])} ({word(record.evaluation['outcome_class'])})"
    if record.reliable:
        return f"RELIABLE: {end}"
    return f"UNRELIABLE: {end}; fails {listed(map(word, record.failed_dimensions), 'no dimension')}"


def timeline_lines(record: EpisodeRecord) -> list[str]:
    """Return the timeline as a table: row index, day, time, kind, what happened."""
    moments = timeline(record)
    return table(
        (str(moment.rows[0]), f"day {moment.day}", moment.clock, moment.kind.value, moment.text) for moment in moments
    )


def grade_lines(record: EpisodeRecord) -> list[str]:
    """Return how the episode was graded: ending, dimensions, findings with the rows they cite, the standing."""
    evaluation = record.evaluation
    lines = [f"ending  {word(evaluation['outcome_class'])}", "", "dimensions"]
    lines += table((word(row["dimension"]), "ok" if row["ok"] else "FAILED") for row in evaluation["vector"])
    lines += ["", "findings", *(_finding_lines(record) or ["  none"]), ""]
    return [*lines, *table(standing(record).rows(), "")]


def _finding_lines(record: EpisodeRecord) -> list[str]:
    """Return the findings, those that cite the same rows together, each group with its rows below."""
    scene, rows = Scene.of(record.outcome), record.outcome["trajectory"]
    groups: dict[tuple[int, ...], list[str]] = {}
    for finding in record.evaluation["findings"]:
        line = f"  {word(finding['dimension'])}: {word(finding['code'])}: {word(finding['detail'])}"
        groups.setdefault(tuple(finding["rows"]), []).append(line)
    lines = []
    for cited, findings in groups.items():
        lines += findings
        lines += table(((f"row {index}", tell(rows[index], scene)[1]) for index in cited[:_CITED]), "    ")
        if len(cited) > _CITED:
            lines.append(f"    and {len(cited) - _CITED} more rows")
    return lines


@dataclass(frozen=True, slots=True)
class Standing:
    """Autonomy, reliability and human load of one episode, to be looked at side by side.

    Attributes:
        decisions: what the agent decided, reads included.
        with_human: those of them that called upon a human.
        reliable: what the evaluator says.
        passed: dimensions that are in order.
        dimensions: all of them.
        touches: kind of a call upon a human -> how often.
    """

    decisions: int
    with_human: int
    reliable: bool
    passed: int
    dimensions: int
    touches: Mapping[str, int]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return the three beside one another: names, verdicts, and what the verdicts rest on."""
        alone, count = self.decisions - self.with_human, sum(self.touches.values())
        return [
            ("autonomy", "reliability", "human load"),
            (
                _percent(alone, self.decisions) if self.decisions else "no decisions",
                "reliable" if self.reliable else "unreliable",
                f"{count} {'call' if count == 1 else 'calls'} upon humans",
            ),
            (
                f"{alone} of {self.decisions} decisions without a human",
                f"{self.passed} of {self.dimensions} dimensions in order",
                listed(f"{number} {escape(kind)}" for kind, number in self.touches.items()),
            ),
        ]


def standing(record: EpisodeRecord) -> Standing:
    """Return how autonomous, reliable and demanding an episode was."""
    evaluation = record.evaluation
    return Standing(
        decisions=evaluation["load"]["decisions"],
        with_human=evaluation["load"]["decisions_with_human"],
        reliable=record.reliable,
        passed=sum(row["ok"] for row in evaluation["vector"]),
        dimensions=len(evaluation["vector"]),
        touches=Counter(sorted(touch["kind"] for touch in evaluation["human_touches"])),
    )


def _percent(part: int, whole: int) -> str:
    """Return a share in percent with one decimal; a half is rounded up."""
    tenths = (2_000 * part + whole) // (2 * whole)
    return f"{tenths // 10}.{tenths % 10} %"
