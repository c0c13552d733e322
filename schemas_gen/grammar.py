"""The grammar of authorable patterns (cards contract, section 9, gate 1) as one pattern.

The pattern decides by the next character where it goes on, so a backtracking engine takes linear time too. Special
characters stand as four-digit escapes: what needs a backslash inside and outside of classes differs between engines.
"""

from collections.abc import Iterable

from .lexical import whole

_PRINTABLE = {chr(code) for code in range(0x20, 0x7F)}
_ALPHANUMERIC = {character for character in _PRINTABLE if character.isalnum()}

_CATEGORIES = set("dDsSwW")
_NOT_LITERAL = set("^$[]\\()|.*+?{}")
_NOT_IN_CLASS = set("[]\\-")
_RANGES = {"0": "9", "A": "Z", "a": "z", " ": "~"}


def _spell(character: str) -> str:
    """Return the spelling of one character that means itself everywhere."""
    return character if character in _ALPHANUMERIC else f"\\u{ord(character):04X}"


def _any_of(characters: Iterable[str]) -> str:
    """Return the class of exactly these characters, runs of three and more as ranges."""
    runs: list[list[str]] = []
    for character in sorted(characters):
        if runs and ord(character) == ord(runs[-1][-1]) + 1:
            runs[-1].append(character)
        else:
            runs.append([character])
    spelled = ("".join(map(_spell, run)) if len(run) < 3 else f"{_spell(run[0])}-{_spell(run[-1])}" for run in runs)
    return f"[{''.join(spelled)}]"


def _members(forbidden: set[str]) -> str:
    """Return one item of a class: an escape, one of the four ranges, or a character that is not ``forbidden``."""
    ranges = (f"{_spell(first)}(?:{_spell('-')}{_spell(last)})?" for first, last in _RANGES.items())
    single = _any_of(_PRINTABLE - _NOT_IN_CLASS - set(_RANGES) - forbidden)
    return f"(?:{single}|{_ESCAPE}|{'|'.join(ranges)})"


def _class() -> str:
    """Return a class: items, a hyphen only at its edges, a caret first only after the negating one or a hyphen."""
    caret, hyphen, item = _spell("^"), _spell("-"), _members(set())
    start = f"(?:{caret}?{hyphen}|{caret}{item}|{_members({'^'})})"
    return f"{_spell('[')}{start}{item}*{hyphen}?{_spell(']')}"


_ESCAPE = _spell("\\") + _any_of(_CATEGORIES | (_PRINTABLE - _ALPHANUMERIC))
_ATOM = f"(?:{_any_of(_PRINTABLE - _NOT_LITERAL)}|{_ESCAPE}|{_class()})"

# Numbers without leading zeros: up to 4096, up to 4095, and those with four digits.
_BELOW_4000 = "[1-3][0-9]{3}"
_FOUR_DIGITS = f"(?:{_BELOW_4000}|40(?:[0-8][0-9]|9[0-6]))"
_FOUR_DIGITS_BELOW_4096 = f"(?:{_BELOW_4000}|40(?:[0-8][0-9]|9[0-5]))"
_UP_TO_4096 = f"(?:0|[1-9][0-9]{{0,2}}|{_FOUR_DIGITS})"
_UP_TO_4095 = f"(?:0|[1-9][0-9]{{0,2}}|{_FOUR_DIGITS_BELOW_4096})"


def _bounds() -> str:
    """Return two bounds ``a,b``, a below b, where a is 0, or b is 4096, or a is shorter, or both have one digit."""
    one_digit = (f"{low},[{low + 1}-9]" if low < 8 else f"{low},9" for low in range(1, 9))
    return "|".join(
        [
            f"0,(?:[1-9][0-9]{{0,2}}|{_FOUR_DIGITS})",
            *one_digit,
            f"[1-9],(?:[1-9][0-9]{{1,2}}|{_FOUR_DIGITS})",
            f"[1-9][0-9],(?:[1-9][0-9]{{2}}|{_FOUR_DIGITS})",
            f"[1-9][0-9]{{2}},{_FOUR_DIGITS}",
            f"{_FOUR_DIGITS_BELOW_4096},4096",
        ]
    )


_OPEN, _CLOSE = _spell("{"), _spell("}")
_FIXED = f"{_OPEN}(?:{_UP_TO_4096}|4096,){_CLOSE}"
_VARIABLE = f"(?:{_any_of('?*+')}|{_OPEN}(?:{_UP_TO_4095},|{_bounds()}){_CLOSE})"


def authored_pattern() -> str:
    """Return the pattern of authorable patterns, without their length of at most 256 characters.

    No two quantified units stand side by side and at most one has a variable quantifier. So there is a run of units in
    which every quantified one is fixed and followed by a plain one; then perhaps a last quantified unit; and if that
    one is variable, a run in which every quantified one is fixed and follows a plain one.
    """
    before = f"(?:{_ATOM}(?:{_FIXED}{_ATOM})?)*"
    after = f"(?:{_ATOM}(?:{_ATOM}{_FIXED})?)*"
    return whole(f"{_spell('^')}?{before}(?:{_ATOM}(?:{_FIXED}|{_VARIABLE}{after}))?{_spell('$')}?")
