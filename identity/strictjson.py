"""Reads JSON text strictly: UTF-8, unique member names, no lone surrogates, and only values of a profile."""

from __future__ import annotations

import re
from typing import Any

import jiter

from ..errors import escape
from .admission import Admitted, admit, require_structure
from .boundary import public
from .profile import IDENTITY_PROFILE, Profile, Rule

_POSITION = re.compile(r"(?P<reason>.*) at (?P<place>line \d+ column \d+)", re.DOTALL)
_BACKSLASH = ord("\\")
_FEW = 64
_TOO_DEEP = "recursion limit exceeded"
_DUPLICATE = "Detected duplicate key"
_SURROGATE = ("lone leading surrogate in hex escape", "unexpected end of hex escape")


@public
def parse_json(text: bytes, profile: Profile = IDENTITY_PROFILE, *, at: str = "") -> Admitted:
    """Parse and admit one JSON document.

    Numbers with a fraction or exponent are read as the nearest IEEE 754 double, as JSON is read nearly everywhere;
    where the profile admits integral floats, one that equals an integer becomes it.

    Args:
        text: the whole document in UTF-8, without byte order mark.
        profile: the rules the value must keep.
        at: what the path of a refusal starts with, such as ``manifest#``.

    Returns:
        The normalized value, made of objects nobody else holds, with its canonical bytes and measure.

    Raises:
        OperateBenchError: of the profile; the path is ``line L column C`` for text that is no JSON and a JSON Pointer
            for a value outside the profile.
    """
    value = _parsed(text, profile, at)
    return admit(value, profile, at=at, longest_text=_longest_text(text, profile.max_string_bytes))


@public
def parse_values(text: bytes, profile: Profile) -> Any:
    """Parse one JSON document that needs no canonical form, so that its integers may have any size.

    Returns:
        The value, otherwise of the profile, made of objects nobody else holds.

    Raises:
        OperateBenchError: as :func:`parse_json`.
    """
    value = _parsed(text, profile, "")
    require_structure(value, profile, longest_text=_longest_text(text, profile.max_string_bytes))
    return value


def _parsed(text: bytes, profile: Profile, at: str) -> Any:
    if type(text) is not bytes:
        raise TypeError("JSON text is read from exact bytes")
    if len(text) > profile.max_text_bytes:
        expected = f"at most {profile.max_text_bytes} bytes of JSON text"
        raise profile.refusal(Rule.SIZE, at, expected, f"{len(text)} bytes")
    try:
        return jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as fault:
        message = str(fault)
    found = _POSITION.fullmatch(message)
    reason, place = (found["reason"], f"{at} {found['place']}".lstrip()) if found else (message, at)
    if reason == _TOO_DEEP:
        expected = f"at most {profile.max_depth} nested containers"
        raise profile.refusal(Rule.DEPTH, place, expected, "deeper nesting")
    if reason.startswith(_DUPLICATE):
        name = reason.removeprefix(_DUPLICATE).strip()
        raise profile.refusal(Rule.DUPLICATE, place, "unique member names", f"{escape(name, 100)} twice")
    if reason in _SURROGATE:
        raise profile.refusal(Rule.SURROGATE, place, "text without surrogates", escape(reason))
    rule = Rule.SYNTAX if _is_utf8(text) else Rule.UTF8
    raise profile.refusal(rule, place, "strict JSON in UTF-8", escape(reason))


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _longest_text(document: bytes, limit: int) -> int:
    """Return a bound on the UTF-8 bytes of any text or name in a JSON document, without looking at each of them.

    A quote that no backslash precedes stands between texts. A text longer than ``limit`` fills a whole aligned block of
    half of that, so if every such block has such a quote, no text is that long. Escapes only lengthen a document.
    """
    block = limit // 2
    if all(_has_delimiter(document, start, start + block) for start in range(0, len(document) - block + 1, block)):
        return min(len(document), limit)
    return len(document)


def _has_delimiter(document: bytes, start: int, end: int) -> bool:
    """Tell whether one of the first quotes of a block is a delimiter; a block full of escaped ones is not searched."""
    position = start
    for _ in range(_FEW):
        position = document.find(b'"', position + 1, end)
        if position < 0:
            return False
        if document[position - 1] != _BACKSLASH:
            return True
    return False
