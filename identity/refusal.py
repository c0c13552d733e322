"""Makes the refusals of this package: what was expected at a place, and the value found there, described."""

from __future__ import annotations

from ..errors import IdentityValidationError, describe


def refusal(code: str, path: str, expected: str, found: object) -> IdentityValidationError:
    """Return the refusal of the value ``found`` at ``path``.

    Args:
        code: one of the codes of :class:`~operatebench.errors.IdentityValidationError`.
        path: the root's name, ``#`` and a JSON Pointer, such as ``manifest#/components``.
        expected: what the rule asks for.
        found: any object; only a new, escaped text about it is kept.
    """
    return IdentityValidationError(code, path=path, expected=expected, actual=describe(found))
