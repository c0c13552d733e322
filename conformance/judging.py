"""Runs one case and compares what came out with what the case expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import DocumentError, OperateBenchError, describe, escape, pointer
from .model import Case
from .recipes import expand


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case.

    Attributes:
        id: the case's id.
        failure: why it failed; empty if it passed.
        label: for a case that was rightly refused, the label the case names; else empty.
        code: for such a case, the code it was refused with. Label and code are informative: another code is no failure.
        said: what came out, in a few words, where people want to see it of a case that passed.
    """

    id: str
    failure: str = ""
    label: str = ""
    code: str = ""
    said: str = ""


def judge(case: Case, operation: Callable[[dict[str, Any]], Any], refusal: type[OperateBenchError]) -> Outcome:
    """Run ``operation`` on the expanded input of ``case`` and judge the result.

    A value passes if it is strictly equal to the expected one: types and array order count, member order does not. A
    refusal passes if one is expected and it is a ``refusal``. An input that cannot be built, and any other exception,
    fails the case.

    Args:
        case: the case.
        operation: from input to result; the result must be plain JSON.
        refusal: the one error class that counts as a refusal.
    """
    try:
        actual = operation(expand(case.input))
    except refusal as refused:
        if case.expect.refused is None:
            return Outcome(case.id, f"refused with {refused}")
        return Outcome(case.id, label=case.expect.refused, code=refused.code)
    except DocumentError as misfit:
        return Outcome(case.id, f"cannot be run: {misfit}")
    except Exception as fault:  # noqa: BLE001 - an error that is no refusal, of whatever class, is a finding of the case
        return Outcome(case.id, f"raised {type(fault).__name__}: {escape(str(fault))}")
    if case.expect.refused is not None:
        return Outcome(case.id, f"accepted with {describe(actual)}, expected the refusal {case.expect.refused}")
    return Outcome(case.id, difference(case.expect.ok, actual))


def difference(expected: Any, actual: Any, *place: str | int) -> str:
    """Describe the first difference between two plain JSON values under strict equality; empty if there is none.

    Args:
        expected: the value that should be.
        actual: the value that is.
        place: JSON Pointer tokens of where the two stand.
    """
    if type(expected) is dict and type(actual) is dict and expected.keys() == actual.keys():
        found = (difference(expected[name], actual[name], *place, name) for name in expected)
    elif type(expected) is list and type(actual) is list and len(expected) == len(actual):
        found = (difference(*pair, *place, index) for index, pair in enumerate(zip(expected, actual, strict=True)))
    elif type(expected) is type(actual) and expected == actual:
        return ""
    else:
        where = pointer(*place) or "the result"
        return f"{where}: expected {_shown(expected)}, got {_shown(actual)}"
    return next(filter(None, found), "")


def _shown(value: Any) -> str:
    """Describe a value, an object by its member names."""
    if type(value) is dict:
        return f"an object with the members {escape(', '.join(sorted(value)))}"
    return describe(value)
