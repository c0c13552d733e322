"""That a record has the form its schema asks for, or the first place where not (evidence contract, 2.2 and 2.3)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...cards.form import require_form
from .contract import EXECUTED_RUNTIME_EVIDENCE_SCHEMA
from .refusal import refusal
from .resources import SCHEMA_FILES


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
    others = SCHEMA_FILES.keys() - {schema} if schema == EXECUTED_RUNTIME_EVIDENCE_SCHEMA else set()
    needed = (SCHEMA_FILES[schema], *(SCHEMA_FILES[other] for other in sorted(others)))
    require_form(record, at, partial(refusal, "schema"), *needed)
