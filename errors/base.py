"""The base of the error tree: what every refusal says, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

from .texts import MAX_PATH, MAX_TEXT, describe, escape


class OperateBenchError(Exception):
    """A refusal. Subclasses say which part refused and declare their codes.

    Attributes:
        code: stable snake_case name of the rule that refused; one of :attr:`codes`.
        path: where: a JSON Pointer, or a file name or position; empty for the whole input.
        expected: what the rule asks for, as text.
        actual: what was found instead, as text.
        hint: what to do next.
    """

    codes: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType({})
    """code -> (cause, remedy)."""

    def __init__(self, code: str, *, path: str = "", expected: str = "", actual: str = "", hint: str = "") -> None:
        if code not in self.codes:
            raise TypeError(f"{type(self).__name__} declares no code {code!r}")
        super().__init__(code)
        self.code = code
        # Whoever raised it has escaped what it shows of a caller; this is for whoever forgot.
        self.path = escape(path, MAX_PATH)
        self.expected = escape(expected, MAX_TEXT)
        self.actual = escape(actual, MAX_TEXT)
        self.hint = hint or self.codes[code][1]

    @classmethod
    def found(cls, code: str, path: str, expected: str, value: object) -> Self:
        """Return the refusal of ``value`` at ``path``; only a new, escaped text about the value is kept."""
        return cls(code, path=path, expected=expected, actual=describe(value))

    @property
    def cause(self) -> str:
        """The one-sentence cause that belongs to the code."""
        return self.codes[self.code][0]

    def moved_to(self, path: str) -> Self:
        """Return the same refusal at another place, with no traceback, cause or context."""
        return type(self)(self.code, path=path, expected=self.expected, actual=self.actual, hint=self.hint)

    def detached(self) -> Self:
        """Return an equal error with no traceback, cause or context, so that nothing of a caller hangs on it."""
        return self.moved_to(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how to copy and pickle a refusal; the default way knows no keyword arguments."""
        texts = {"path": self.path, "expected": self.expected, "actual": self.actual, "hint": self.hint}
        return partial(type(self), **texts), (self.code,)

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        found = f": expected {self.expected}, got {self.actual}" if self.expected else f": {self.cause}"
        return f"{self.code}{place}{found}"

    def diagnostics(self) -> str:
        """Return the refusal for people: one fact a line, aligned, without a trailing newline."""
        facts = {
            "refused": f"{self.code}: {self.cause}",
            "where": self.path or "the whole input",
            "expected": self.expected,
            "actual": self.actual,
            "remedy": self.hint,
        }
        return "\n".join(f"{name:<9} {fact}" for name, fact in facts.items() if fact)

    def to_json(self) -> dict[str, Any]:
        """Return the refusal as a fresh plain object: code, cause, path, expected, actual, hint."""
        return {
            "code": self.code,
            "cause": self.cause,
            "path": self.path,
            "expected": self.expected,
            "actual": self.actual,
            "hint": self.hint,
        }
