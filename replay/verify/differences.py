"""Refuses a value that differs from another one, at the first place."""

from __future__ import annotations

from typing import Any

from ...cards.contract import CARD_PROFILE
from ...errors import VerificationError, pointer
from ...identity.canonical import encode
from ...identity.compare import first_difference


def require_equal(code: str, at: str, expected: Any, actual: Any) -> None:
    """Refuse a value that is not strictly equal to another one; true is not 1.

    Args:
        code: of the refusal.
        at: where the value is, with a ``#`` at its end if it is a document.
        expected: plain JSON.
        actual: plain JSON.

    Raises:
        VerificationError: ``code``, at the first place that differs.
    """
    # Nearly always they are equal, and the encoder sees that faster than a walk. Of all members of a bundle cards have
    # the widest integers, so their profile encodes whatever comes here.
    if encode(expected, CARD_PROFILE) == encode(actual, CARD_PROFILE):
        return
    found = first_difference(expected, actual)
    if found is not None:
        tokens, wanted, got = found
        raise VerificationError(code, path=at + pointer(*tokens), expected=wanted, actual=got)
