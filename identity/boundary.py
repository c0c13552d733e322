"""The edge of the package: a refusal that leaves it carries nothing of the caller (identity contract, section 16)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import OperateBenchError

_P = ParamSpec("_P")
_R = TypeVar("_R")


def public(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make ``function`` raise its refusals fresh: no cause, no context, and no frame that holds an argument.

    Whatever is no refusal of ours (a fault of the encoder, an interrupt, an exception group out of a caller's mapping)
    passes through as the same object.
    """

    @wraps(function)
    def entry(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except OperateBenchError as fault:
            fresh = fault.detached()
        del args, kwargs  # this frame stays in the traceback of what is raised next
        raise fresh from None

    return entry
