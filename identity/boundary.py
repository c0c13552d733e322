"""The edge of the package: a refusal that leaves it carries nothing of the caller (identity contract, section 16)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import OperateBenchError

_P = ParamSpec("_P")
_R = TypeVar("_R")


def public(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make ``function`` raise its refusals fresh: without context, and without a frame that holds an argument.

    A cause is kept, without its frames, where the code has chained one on purpose: an error of the operating system,
    for example, which holds nothing of the caller. Whatever is no refusal of ours (a fault of the encoder, an
    interrupt, an exception group out of a caller's mapping) passes through as the same object.
    """

    @wraps(function)
    def entry(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except OperateBenchError as fault:
            fresh, cause = fault.detached(), fault.__cause__
        if cause is not None:
            cause.__traceback__ = cause.__context__ = None
        del args, kwargs  # this frame stays in the traceback of what is raised next
        raise fresh from cause

    return entry
