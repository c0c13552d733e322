"""That a record has the form its schema asks for, or the first place where not (evidence contract, 2.2 and 2.3)."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema_rs

from ...cards.engine import WORDS, compiled
from ...errors import EvidenceError, pointer
from ...identity.resources import load_pinned
from .contract import EXECUTED_RUNTIME_EVIDENCE_SCHEMA
from .refusal import refusal
from .resources import SCHEMA_FILES

_RANKS = {keyword: rank for rank, keyword in enumerate(WORDS)}
"""Of faults at one place the one whose keyword comes first counts."""


def require_shape(schema: str, record: Any, at: str) -> None:
    """Refuse an admitted value that the schema of a record refuses.

    Args:
        schema: the literal of the record it should be.
        record: the value.
        at: what the path of a refusal starts with.

    Raises:
        EvidenceError: ``schema``.
        IdentityValidationError: ``resource_…``: an installed schema is not the pinned one.
    """
    engine = _engine(schema)
    if not engine.is_valid(record):
        raise _first_fault(engine, record, at)


@cache
def _engine(schema: str) -> jsonschema_rs.Draft202012Validator:
    others = SCHEMA_FILES.keys() - {schema} if schema == EXECUTED_RUNTIME_EVIDENCE_SCHEMA else ()
    return compiled(load_pinned(SCHEMA_FILES[schema]), *(load_pinned(SCHEMA_FILES[other]) for other in others))


def _first_fault(engine: jsonschema_rs.Draft202012Validator, record: Any, at: str) -> EvidenceError:
    faults: Any = engine.iter_errors(record)
    # Steps at one place of two paths are both names or both indices, for they are below the same value.
    fault = min(faults, key=lambda fault: (fault.instance_path, _RANKS[fault.kind.name]))
    path: list[str | int] = list(fault.instance_path)
    if fault.kind.name == "additionalProperties":
        path.append(min(fault.kind.unexpected))
    found = record
    for step in path:
        found = found[step]
    return refusal("schema", at + pointer(*path), WORDS[fault.kind.name](fault.kind), found)
