"""Matches authored patterns in time linear in the text (card contract, section 9).

Every atom of the grammar takes exactly one character and at most one quantifier is variable. So the length of the text
alone says how often the variable unit repeats, and the match falls apart into three matches without any choice: what
stands before that unit, the unit, and what stands behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..errors import CardValidationError
from .refusal import refusal

MAX_PATTERN_LENGTH = 256
MAX_SUBJECT_LENGTH = 4_096
MAX_REPEAT = 4_096

_TOKEN = re.compile(
    r"(?P<atom>\\[!-~ ]|\[\^?+(?:\\[!-~ ]|[^\\\[\]])+\]|[^\\\[\](){}|.*+?^$])"
    r"(?P<quantifier>[?*+]|\{(?P<low>[0-9]{1,4})(?P<open>,(?P<high>[0-9]{1,4})?)?\})?"
)
_MEMBER = re.compile(r"(?P<low>\\[!-~ ]|[ -~])(?:-(?P<high>[ -~]))?")
_CATEGORIES = frozenset("dDsSwW")


@dataclass(frozen=True, slots=True)
class Matcher:
    """A compiled authored pattern.

    Attributes:
        before: the units before the variable one; all have one length.
        before_length: the characters they take.
        unit: the variable unit, any number of times; it never gives a character back.
        low: fewest repetitions of it.
        high: most repetitions of it.
        after: the units behind it.
        after_length: the characters they take.
    """

    before: re.Pattern[str]
    before_length: int
    unit: re.Pattern[str]
    low: int
    high: int
    after: re.Pattern[str]
    after_length: int

    def matches(self, text: str) -> bool:
        """Tell whether the whole of ``text`` matches."""
        end = len(text) - self.after_length
        return (
            self.low <= end - self.before_length <= self.high
            and self.before.fullmatch(text, 0, self.before_length) is not None
            and self.unit.fullmatch(text, self.before_length, end) is not None
            and self.after.fullmatch(text, end) is not None
        )


def matches(pattern: str, text: str, at: str) -> bool:
    """Tell whether the whole of ``text`` matches an authored pattern, with the Unicode categories of Python's ``re``.

    Raises:
        CardValidationError: ``semantic.pattern_subject_too_long`` for more than 4,096 characters;
            ``semantic.pattern_unsafe`` for a pattern outside the grammar.
    """
    if len(text) > MAX_SUBJECT_LENGTH:
        expected = f"at most {MAX_SUBJECT_LENGTH} characters under a pattern"
        raise CardValidationError(
            "semantic.pattern_subject_too_long", path=at, expected=expected, actual=f"{len(text)} characters"
        )
    try:
        matcher = compile_pattern(pattern)
    except ValueError:
        raise refusal("semantic.pattern_unsafe", at, "a pattern of the safe-regex grammar", pattern) from None
    return matcher.matches(text)


@lru_cache(maxsize=4_096)
def compile_pattern(pattern: str) -> Matcher:
    """Compile an authored pattern.

    Raises:
        ValueError: the pattern is outside the grammar.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise ValueError("not an authored pattern")
    units = pattern_units(pattern.removeprefix("^"))
    variable = [index for index, (_, low, high) in enumerate(units) if low != high]
    if len(variable) > 1:
        raise ValueError("not an authored pattern")
    split = variable[0] if variable else len(units)
    atom, low, high = units[split] if variable else ("", 0, 0)
    before, before_length = _fixed(units[:split])
    after, after_length = _fixed(units[split + 1 :])
    return Matcher(before, before_length, re.compile(f"(?:{atom})*+"), low, high, after, after_length)


def _fixed(units: list[tuple[str, int, int]]) -> tuple[re.Pattern[str], int]:
    return re.compile("".join(f"{atom}{{{low}}}" for atom, low, _ in units)), sum(low for _, low, _ in units)


def pattern_units(body: str) -> list[tuple[str, int, int]]:
    """Return the units of a pattern's body: an expression for one character, fewest and most repetitions."""
    units = []
    position = 0
    while body[position:] not in ("", "$"):
        token = _TOKEN.match(body, position)
        if token is None:
            raise ValueError("not an authored pattern")
        units.append((_atom(token["atom"]), *_bounds(token)))
        position = token.end()
    return units


def _bounds(token: re.Match[str]) -> tuple[int, int]:
    quantifier = token["quantifier"]
    if quantifier is None:
        return 1, 1
    if quantifier in "?*+":
        return (1 if quantifier == "+" else 0), (1 if quantifier == "?" else MAX_REPEAT)
    low = int(token["low"])
    high = int(token["high"]) if token["high"] else MAX_REPEAT if token["open"] else low
    if not low <= high <= MAX_REPEAT:
        raise ValueError("not an authored pattern")
    return low, high


def _atom(atom: str) -> str:
    if not atom.startswith("["):
        return _character(atom)
    negated = atom.startswith("[^")
    members = []
    inside = atom[2:-1] if negated else atom[1:-1]
    position = 0
    while position < len(inside):
        member = _MEMBER.match(inside, position)
        if member is None:
            raise ValueError("not an authored pattern")
        low, high = _character(member["low"]), member["high"]
        if high is None or member["low"] == "-" or (high == "-" and member.end() == len(inside)):
            # A hyphen at an edge of the class stands for itself.
            members.append(low)
            position = member.end("low")
            continue
        if len(member["low"]) == 1 and member["low"] > high:
            raise ValueError("not an authored pattern")
        members.append(f"{low}-{re.escape(high)}")
        position = member.end()
    return f"[{'^' if negated else ''}{''.join(members)}]"


def _character(written: str) -> str:
    """Return one character or category as an expression in which nothing has a second meaning."""
    if written.startswith("\\") and len(written) == 2:
        return written if written[1] in _CATEGORIES else re.escape(written[1])
    return re.escape(written)
