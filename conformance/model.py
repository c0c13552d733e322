"""What a vector file and a case look like: strict models, and the reader that refuses every other shape."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ..errors import DocumentError, describe, escape, pointer


class Strict(BaseModel):
    """Base of all models here: no coercion, no unknown member, no change after reading."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Expectation(Strict):
    """What must come out: exactly one of ``ok`` (the exact value) and ``refused`` (an informative label)."""

    ok: Any = None
    refused: str | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Expectation:
        if len(self.model_fields_set) != 1 or ("refused" in self.model_fields_set and self.refused is None):
            raise ValueError("exactly one of ok and refused, and refused is a text")
        return self


class Case(Strict):
    """One case. ``host`` is ``python`` where the input exists only inside a Python process."""

    id: str
    note: str
    kind: str
    input: dict[str, Any]
    expect: Expectation
    host: Literal["python"] | None = None


class VectorFile(Strict):
    """A whole file. ``vectors`` names the language; ``conventions`` are reading hints for people."""

    vectors: str
    about: str
    conventions: list[str]
    count: int
    cases: list[Case]


_Model = TypeVar("_Model", bound=BaseModel)


def read_vector_file(document: object, kinds: Container[str]) -> VectorFile:
    """Read a parsed vector file.

    Args:
        document: the parsed JSON value.
        kinds: the kinds of case the file's language has.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, two cases share an id, or a kind
            is unknown. Nothing of such a file is run: a case nobody understood must not look like one that passed.
    """
    file = read_model(VectorFile, document, "vector_file")
    if file.count != len(file.cases):
        raise DocumentError("vector_file", path="/count", expected=str(len(file.cases)), actual=describe(file.count))
    seen: set[str] = set()
    for index, case in enumerate(file.cases):
        if case.id in seen:
            path = pointer("cases", index, "id")
            raise DocumentError("vector_file", path=path, expected="an id no other case has", actual=describe(case.id))
        if case.kind not in kinds:
            path = pointer("cases", index, "kind")
            expected = "a kind of case of this language"
            raise DocumentError("vector_file", path=path, expected=expected, actual=describe(case.kind))
        seen.add(case.id)
    return file


def read_model(model: type[_Model], value: object, code: str) -> _Model:
    """Return ``value`` as a ``model``, or refuse it at its first fault.

    Raises:
        DocumentError: with the given ``code``.
    """
    try:
        return model.model_validate(value)
    except ValidationError as refusal:
        fault = refusal.errors(include_url=False)[0]
    path = pointer(*fault["loc"])
    raise DocumentError(code, path=path, expected=escape(fault["msg"]), actual=describe(fault["input"]))
