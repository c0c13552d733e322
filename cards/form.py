"""That a record has the form its packaged schema asks for, or the first place where not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema_rs

from ..errors import OperateBenchError, pointer
from ..identity.resources import PinnedResource, load_pinned
from .engine import WORDS, compiled

_RANKS = {keyword: rank for rank, keyword in enumerate(WORDS)}
"""Of faults at one place the one whose keyword comes first counts."""


def require_form(
    record: Any, at: str, refuse: Callable[[str, str, Any], OperateBenchError], *schemas: PinnedResource
) -> None:
    """Refuse an admitted value that a schema refuses.

    Args:
        record: the value.
        at: what the path of a refusal starts with.
        refuse: makes the refusal of a value out of its place, what is expected there, and the value.
        schemas: the schema, and those it refers to.

    Raises:
        OperateBenchError: what ``refuse`` returned.
        IdentityValidationError: ``resource_…``: an installed schema is not the pinned one.
    """
    engine = _engine(*schemas)
    if not engine.is_valid(record):
        raise refuse(*_first_fault(engine, record, at))


@cache
def _engine(*schemas: PinnedResource) -> jsonschema_rs.Draft202012Validator:
    return compiled(*map(load_pinned, schemas))


def _first_fault(engine: jsonschema_rs.Draft202012Validator, record: Any, at: str) -> tuple[str, str, Any]:
    faults: Any = engine.iter_errors(record)
    # Steps at one place of two paths are both names or both indices, for they are below the same value.
    fault = min(faults, key=lambda fault: (fault.instance_path, _RANKS[fault.kind.name]))
    path: list[str | int] = list(fault.instance_path)
    if fault.kind.name == "additionalProperties":
        path.append(min(fault.kind.unexpected))
    found = record
    for step in path:
        found = found[step]
    return at + pointer(*path), WORDS[fault.kind.name](fault.kind), found
