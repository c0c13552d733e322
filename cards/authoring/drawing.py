"""A small SVG drawing: boxes, curves and labels, the same bytes for the same calls, readable without colour."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from itertools import pairwise

from ...errors import escape

BOX_WIDTH, BOX_HEIGHT = 200, 44
_CHARACTERS = 25
"""Characters that fit in a box."""

_MARGIN = 24
_LONGEST = 1024

Place = tuple[float, float]
"""Pixels from the left and from the top."""

_STYLE = (
    "text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px;fill:#1b1f24}"
    ".big{font-size:16px;font-weight:bold}"
    ".strong{font-weight:bold}"
    ".soft{fill:#57606a}"
    ".box{stroke:#1b1f24;stroke-width:1.2}"
    ".plain{fill:#f6f8fa}.blue{fill:#ddeeff}.green{fill:#ddf4e0}.amber{fill:#fff1cc}"
    ".dashed{stroke-dasharray:6 4}"
    ".struck{stroke:#b3261e;stroke-width:2.4}"
    ".line{fill:none;stroke:#57606a;stroke-width:1.2}"
    ".life{stroke:#d0d7de;stroke-width:1}"
)


@dataclass(slots=True)
class Drawing:
    """A drawing in the making. Lengths are pixels from the upper left corner.

    Attributes:
        title: what it is, for people and screen readers.
        about: what is to be seen on it, for screen readers.
    """

    title: str
    about: str
    _ground: list[str] = field(default_factory=list)
    _behind: list[str] = field(default_factory=list)
    _front: list[str] = field(default_factory=list)
    _right: float = 0
    _bottom: float = 0

    def box(self, x: float, y: float, lines: tuple[str, str], *, look: str = "plain", tip: str = "") -> None:
        """Draw a box with two lines of text, its upper left corner at ``x`` and ``y``."""
        tip = tip or " / ".join(filter(None, lines))
        shape = f'<rect class="box {look}" x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>'
        texts = "".join(
            f'<text class="{style}" x="{x + 9:g}" y="{y + offset:g}">{_text(line, _CHARACTERS)}</text>'
            for line, style, offset in zip(lines, ("strong", "soft"), (18 if lines[1] else 26, 35), strict=True)
            if line
        )
        self._front.append(f"<g><title>{_text(tip, _LONGEST)}</title>{shape}{texts}</g>")
        self._extend(x + BOX_WIDTH, y + BOX_HEIGHT)

    def label(
        self, x: float, y: float, text: str, style: str = "soft", *, most: int = 60, anchor: str = "start"
    ) -> None:
        """Write a text, its baseline beginning, or centred, at ``x`` and ``y``."""
        self._front.append(
            f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{_text(text, most)}</text>'
        )
        wide = 10 if style == "big" else 7.4
        self._extend(x + min(len(text), most) * (wide if anchor == "start" else wide / 2), y)

    def across(self, *places: Place, label: str = "") -> None:
        """Draw a curve behind all boxes from the first place to the last, sideways through every place.

        Args:
            *places: two at least.
            label: written on the first part of the curve, nearer to its beginning.
        """
        path = f"M{_at(places[0])}"
        for start, end in pairwise(places):
            middle = (start[0] + end[0]) / 2
            path += f"C{_at((middle, start[1]))} {_at((middle, end[1]))} {_at(end)}"
        self._behind.append(f'<path class="line" d="{path}" marker-end="url(#head)"/>')
        for x, y in places:
            self._extend(x, y)
        if label:
            # The point a third of the way along: where curves cross or meet, their labels still stand apart.
            x, y = (a + share * (b - a) for a, b, share in zip(places[0], places[1], (0.384, 0.282), strict=True))
            wide = 7.4 * len(label)
            self._front.append(
                f'<rect x="{x - wide / 2:g}" y="{y - 9:g}" width="{wide:g}" height="16" fill="#ffffff"/>'
            )
            self.label(x, y + 4, label, anchor="middle")

    def down(self, start: Place, end: Place) -> None:
        """Draw a dashed curve behind all boxes that leaves ``start`` and enters ``end`` from above."""
        bend = min(40.0, (end[1] - start[1]) / 2)
        path = f"M{_at(start)}C{_at((start[0], start[1] + bend))} {_at((end[0], end[1] - bend))} {_at(end)}"
        self._behind.append(f'<path class="line dashed" d="{path}" marker-end="url(#head)"/>')

    def life(self, x: float, top: float, bottom: float) -> None:
        """Draw a faint line from top to bottom behind everything."""
        self._ground.append(f'<path class="life" d="M{x:g} {top:g}V{bottom:g}"/>')

    def _extend(self, right: float, bottom: float) -> None:
        self._right = max(self._right, right)
        self._bottom = max(self._bottom, bottom)

    def svg(self) -> bytes:
        """Return the whole picture in UTF-8."""
        width, height = round(self._right + _MARGIN), round(self._bottom + _MARGIN)
        size = f'width="{width}" height="{height}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}"',
            ' role="img" aria-labelledby="title about">',
            f'<title id="title">{_text(self.title, _LONGEST)}</title>',
            f'<desc id="about">{_text(self.about, _LONGEST)}</desc>',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8"',
            ' orient="auto"><path d="M0 1L9 5L0 9z" fill="#57606a"/></marker></defs>',
            f'<rect {size} fill="#ffffff"/>',
            *self._ground,
            *self._behind,
            *self._front,
            "</svg>",
        ]
        return "\n".join(parts).encode() + b"\n"


def _text(text: str, most: int) -> str:
    """Return text for XML: nothing unprintable, no markup, at most so many characters."""
    return html.escape(escape(text, most))


def _at(place: Place) -> str:
    return f"{place[0]:g} {place[1]:g}"
