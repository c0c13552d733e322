"""Names the first place where two admitted JSON values differ."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import IdentityValidationError, describe, escape, pointer

_ABSENT = "nothing there"
_EXCERPT = 60


def refuse_difference(code: str, at: str, expected: Any, actual: Any) -> NoReturn:
    """Refuse ``actual``, which is not strictly equal to ``expected``, at the first differing place below ``at``.

    Members are visited in code-point order of their name and arrays from the front; true differs from 1.

    Args:
        code: the refusal's code.
        at: where both values lie.
        expected: an admitted value.
        actual: an admitted value with other canonical bytes.

    Raises:
        IdentityValidationError: ``code``, always.
    """
    found = first_difference(expected, actual, ())
    if found is None:
        raise AssertionError("values of different canonical bytes differ somewhere")
    tokens, wanted, got = found
    raise IdentityValidationError(code, path=at + pointer(*tokens), expected=wanted, actual=got)


def first_difference(
    expected: Any, actual: Any, tokens: tuple[str | int, ...] = ()
) -> tuple[tuple[str | int, ...], str, str] | None:
    """Return the first place where two admitted values are not strictly equal, and short texts of both.

    Args:
        expected: one value.
        actual: the other.
        tokens: where both lie.
    """
    if type(expected) is dict and type(actual) is dict:
        for name in sorted(expected.keys() | actual.keys()):
            if name not in actual:
                return (*tokens, name), describe(expected[name]), _ABSENT
            if name not in expected:
                return (*tokens, name), _ABSENT, describe(actual[name])
            found = first_difference(expected[name], actual[name], (*tokens, name))
            if found:
                return found
        return None
    if type(expected) is list and type(actual) is list:
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            found = first_difference(left, right, (*tokens, index))
            if found:
                return found
        if len(expected) == len(actual):
            return None
        return tokens, f"{len(expected)} items", f"{len(actual)} items"
    if type(expected) is type(actual) and expected == actual:
        return None
    if type(expected) is str and type(actual) is str and describe(expected) == describe(actual):
        return tokens, *_excerpts(expected, actual)
    return tokens, describe(expected), describe(actual)


def _excerpts(expected: str, actual: str) -> tuple[str, str]:
    """Show two long texts that start alike from the character where they part."""
    pairs = zip(expected, actual, strict=False)
    start = next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(expected), len(actual)))
    wanted, got = (escape(text[start : start + _EXCERPT], _EXCERPT) for text in (expected, actual))
    return f'text with "{wanted}" at character {start}', f'text with "{got}" at character {start}'
