"""Draws an episode: time runs down, a column for each kind of thing, red frames where a finding points."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from ...cards.authoring.drawing import BOX_HEIGHT, BOX_WIDTH, Drawing
from .record import EpisodeRecord
from .tell import Kind, word
from .timeline import Moment, standing, timeline

_ABOUT = (
    "Time runs down. What happens at one instant runs from left to right, if it can. "
    "A red frame: a finding cites this. Dashed: refused, or waiting."
)
_COLUMNS = {
    "the world": {Kind.FRAME: "plain", Kind.EVENT: "blue", Kind.WAKE: "plain", Kind.VIOLATION: "amber struck"},
    "reads": {Kind.READ: "plain"},
    "proposals": {Kind.PROPOSAL: "amber", Kind.REFUSAL: "amber dashed"},
    "effects": {Kind.EFFECT: "green", Kind.MESSAGE: "green", Kind.HUMAN: "blue", Kind.DUTY: "plain"},
    "waits": {Kind.WAIT: "plain dashed"},
}
_COLUMN_OF = {kind: column for column, kinds in enumerate(_COLUMNS.values()) for kind in kinds}
_LOOK = {kind: look for kinds in _COLUMNS.values() for kind, look in kinds.items()}

_LEFT, _TOP = 24, 150
_GUTTER = 110
_STEP = BOX_WIDTH + 24
_ROW = BOX_HEIGHT + 16
_LINE = 25
"""Characters that fit in a line of a box."""


def picture(record: EpisodeRecord) -> bytes:
    """Return an episode as an SVG picture in UTF-8; equal records give equal bytes.

    Args:
        record: one that was read or has just been run.
    """
    selection = record.selection
    title = f"{selection.agent_id} in {selection.operation_id} {selection.variant_id}, trial {selection.trial}"
    drawing = Drawing(title, _ABOUT)
    drawing.label(_LEFT, 34, title, "big", most=90)
    drawing.label(_LEFT, 54, _ABOUT, most=160)
    for column, cells in enumerate(zip(*standing(record).rows(), strict=True)):
        for line, (text, style) in enumerate(zip(cells, ("strong", "strong", "soft"), strict=True)):
            drawing.label(_LEFT + column * 2 * _STEP, 80 + 16 * line, text, style)
    for column, name in enumerate(_COLUMNS):
        drawing.label(_x(column), _TOP - 8, name, "strong")
    cited = {index for finding in record.evaluation["findings"] for index in finding["rows"]}
    y, instant = _TOP, None
    for moments in _lines(timeline(record)):
        if instant != (moments[0].day, moments[0].clock):
            instant = moments[0].day, moments[0].clock
            drawing.label(_LEFT, y + 18, f"day {moments[0].day}", "strong")
            drawing.label(_LEFT, y + 35, moments[0].clock)
        for moment in moments:
            _draw(drawing, moment, y, struck=not cited.isdisjoint(moment.rows))
        y += _ROW
    for column in range(len(_COLUMNS)):
        drawing.life(_x(column) + BOX_WIDTH / 2, _TOP, y)
    _list_findings(drawing, record, y + 24)
    return drawing.svg()


def _lines(moments: Iterable[Moment]) -> Iterator[list[Moment]]:
    """Yield runs of moments that fit beside one another: of one instant, each in a column right of the last one's."""
    run: list[Moment] = []
    for moment in moments:
        if run and (
            (run[-1].day, run[-1].clock) != (moment.day, moment.clock)
            or _COLUMN_OF[run[-1].kind] >= _COLUMN_OF[moment.kind]
        ):
            yield run
            run = []
        run.append(moment)
    if run:
        yield run


def _draw(drawing: Drawing, moment: Moment, y: int, *, struck: bool) -> None:
    first, *rest = textwrap.wrap(moment.text, _LINE, break_long_words=False, break_on_hyphens=False) or [""]
    rows = f"row {moment.rows[0]}" if len(moment.rows) == 1 else f"rows {moment.rows[0]} to {moment.rows[-1]}"
    look = f"{_LOOK[moment.kind]}{' struck' if struck else ''}"
    drawing.box(
        _x(_COLUMN_OF[moment.kind]), y, (first, " ".join(rest)), look=look, tip=f"{moment.text} ({moment.kind}, {rows})"
    )


def _list_findings(drawing: Drawing, record: EpisodeRecord, top: int) -> None:
    findings = record.evaluation["findings"]
    drawing.label(_LEFT, top, "findings" if findings else "no findings", "strong")
    for index, finding in enumerate(findings, 1):
        rows = f" (rows {word(finding['rows'])})" if finding["rows"] else ""
        text = f"{word(finding['dimension'])}: {word(finding['code'])}: {word(finding['detail'])}{rows}"
        drawing.label(_LEFT, top + 18 * index, text, most=200)


def _x(column: int) -> int:
    return _LEFT + _GUTTER + column * _STEP
