"""Reads JSON text strictly: UTF-8, unique member names, no lone surrogates, and only values of a profile."""

from __future__ import annotations

import re

import jiter

from ..errors import IdentityValidationError, escape
from .admission import Admitted, admit
from .boundary import public
from .profile import IDENTITY_PROFILE, Profile

_POSITION = re.compile(r"(?P<reason>.*) at (?P<place>line \d+ column \d+)", re.DOTALL)
_DELIMITER = re.compile(rb'[^\\]"')
_TOO_DEEP = "recursion limit exceeded"


@public
def parse_json(text: bytes, profile: Profile = IDENTITY_PROFILE) -> Admitted:
    """Parse and admit one JSON document.

    Numbers with a fraction or exponent are read as the nearest IEEE 754 double, as JSON is read nearly everywhere;
    where the profile admits integral floats, one that equals an integer becomes it.

    Args:
        text: the whole document in UTF-8, without byte order mark.
        profile: the rules the value must keep.

    Returns:
        The normalized value, made of objects nobody else holds, with its canonical bytes and measure.

    Raises:
        IdentityValidationError: ``strict_json`` or ``resource_limits``; the path is ``line L column C`` for text that
            is no JSON and a JSON Pointer for a value outside the profile.
    """
    if len(text) > profile.max_text_bytes:
        limit = profile.max_text_bytes
        raise IdentityValidationError(
            "resource_limits", expected=f"at most {limit} bytes of JSON text", actual=f"{len(text)} bytes"
        )
    try:
        value = jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as fault:
        reason, place = str(fault), ""
    else:
        return admit(value, profile, longest_text=_longest_text(text, profile.max_string_bytes))
    found = _POSITION.fullmatch(reason)
    if found:
        reason, place = found["reason"], found["place"]
    if reason == _TOO_DEEP:
        expected = f"at most {profile.max_depth} nested containers"
        raise IdentityValidationError("resource_limits", path=place, expected=expected, actual="deeper nesting")
    raise IdentityValidationError("strict_json", path=place, expected="strict JSON in UTF-8", actual=escape(reason))


def _longest_text(document: bytes, limit: int) -> int:
    """Return a bound on the UTF-8 bytes of any text or name in a JSON document, without looking at each of them.

    A quote that no backslash precedes stands between texts. A text longer than ``limit`` fills a whole aligned block of
    half of that, so if every such block has such a quote, no text is that long. Escapes only lengthen a document.
    """
    block = limit // 2
    starts = range(0, len(document) - block + 1, block)
    if all(_DELIMITER.search(document, start, start + block) for start in starts):
        return min(len(document), limit)
    return len(document)
