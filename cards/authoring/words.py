"""Puts pieces of cards into words: predicates, JSON values, aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import describe, escape, pointer

_LINE = 90
"""A predicate of at most so many characters stands on one line."""

_COLUMN = 44
"""A longer cell does not widen its column."""

_LONGEST = 1024

_OPERATORS = {
    "EQ": "is",
    "NE": "is not",
    "LT": "is less than",
    "LTE": "is at most",
    "GT": "is more than",
    "GTE": "is at least",
    "IN": "is in",
    "NOT_IN": "is not in",
    "MATCHES": "matches",
}
_QUANTIFIERS = {"ALL": "for every", "ANY": "for some", "NONE": "for no"}
_JOINTS = {"all": "and", "any": "or"}


def predicate_lines(predicate: Mapping[str, Any], indent: str = "") -> list[str]:
    """Return a predicate in words: on one line if it is short, else as an outline."""
    text = _sentence(predicate)
    if text is not None:
        return [indent + text]
    deeper = f"{indent}  "
    if predicate["kind"] == "not":
        return [f"{indent}not:", *predicate_lines(predicate["operand"], deeper)]
    if predicate["kind"] == "quantified":
        return [f"{indent}{_quantifier(predicate)}:", *predicate_lines(predicate["predicate"], deeper)]
    lines = [f"{indent}{predicate['kind']} of:"]
    for operand in predicate["operands"]:
        lines += predicate_lines(operand, deeper)
    return lines


def _sentence(predicate: Mapping[str, Any]) -> str | None:
    """Return a predicate as one sentence, or None as soon as it is longer than a line; a comparison always is one."""
    text = ""
    for piece in _pieces(predicate):
        text += piece
        if len(text) > _LINE and predicate["kind"] != "scalar":
            return None
    return text


def _pieces(predicate: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of a predicate from left to right; inside another one, whatever has parts stands in brackets."""
    kind = predicate["kind"]
    if kind == "scalar":
        left, right = (_expression(predicate[side]) for side in ("left", "right"))
        yield f"{left} {_OPERATORS[predicate['operator']]} {right}"
    elif kind == "not":
        yield "not "
        yield from _inner(predicate["operand"])
    elif kind == "quantified":
        yield f"{_quantifier(predicate)}: "
        yield from _inner(predicate["predicate"])
    else:
        for index, operand in enumerate(predicate["operands"]):
            yield f" {_JOINTS[kind]} " if index else ""
            yield from _inner(operand)


def _inner(predicate: Mapping[str, Any]) -> Iterator[str]:
    if predicate["kind"] == "scalar":
        yield from _pieces(predicate)
        return
    yield "("
    yield from _pieces(predicate)
    yield ")"


def _quantifier(predicate: Mapping[str, Any]) -> str:
    return f"{_QUANTIFIERS[predicate['quantifier']]} {predicate['binding']} in {_place(predicate['collection'])}"


def _expression(expression: Mapping[str, Any]) -> str:
    if expression["kind"] == "literal":
        return describe(expression["value"])
    if expression["kind"] == "binding":
        return f"{expression['binding']}{escape(expression['pointer'], _LONGEST)}"
    return _place(expression["pointer"])


def _place(found: str) -> str:
    return escape(found, _LONGEST) or "the whole state"


def leaves(value: Any, tokens: tuple[str | int, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield place and words for every scalar and every empty array or object in a value."""
    if type(value) not in (dict, list) or not value:
        yield pointer(*tokens), describe(value)
        return
    for token, child in value.items() if type(value) is dict else enumerate(value):
        yield from leaves(child, (*tokens, token))


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows in aligned columns, two spaces between them; the last column is as wide as it likes."""
    kept = [tuple(row) for row in rows]
    widths: dict[int, int] = {}
    for row in kept:
        for column, cell in enumerate(row[:-1]):
            if len(cell) <= _COLUMN:
                widths[column] = max(widths.get(column, 0), len(cell))
    return [
        indent
        + "  ".join([*(f"{cell:<{widths.get(column, 0)}}" for column, cell in enumerate(row[:-1])), row[-1]]).rstrip()
        for row in kept
    ]


def listed(names: Iterable[str], none: str = "none") -> str:
    """Return names joined by commas, or ``none``."""
    return ", ".join(names) or none
