"""One way to assert a refusal: its code, its place, and what was expected and found."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.errors import IdentityValidationError
from operatebench.errors.texts import MAX_PATH, MAX_TEXT


def refusal(call: Callable[..., Any], *arguments: Any, **named: Any) -> IdentityValidationError:
    """Call and return the refusal, which is well formed; anything but a refusal fails the test."""
    with pytest.raises(IdentityValidationError) as caught:
        call(*arguments, **named)
    assert_well_formed(caught.value)
    return caught.value


def assert_refused(code: str, path: str, expected: str, actual: str, call: Callable[..., Any], *arguments: Any) -> None:
    """Assert a refusal with these facts; ``expected`` and ``actual`` need only contain the given text."""
    error = refusal(call, *arguments)
    assert (error.code, error.path) == (code, path), error.diagnostics()
    assert expected in error.expected, error.diagnostics()
    assert actual in error.actual, error.diagnostics()


def assert_well_formed(error: IdentityValidationError) -> None:
    """Every text of a refusal is exact, printable and short."""
    for text, limit in (
        (error.code, 40),
        (error.path, MAX_PATH),
        (error.expected, MAX_TEXT),
        (error.actual, MAX_TEXT),
        (error.hint, 512),
    ):
        assert type(text) is str
        assert len(text) <= limit, text
        assert text.isprintable(), ascii(text)
    for argument in error.args:
        assert type(argument) is str
        assert len(argument) <= 512, argument
    assert "\n" not in str(error)
