"""Builds the evidence of recipes and sweeps, and reseals it, with code of its own.

Nothing here calls the code under test: canonical bytes come from the ``canonicaljson`` package and digests are put
together from sections 1 and 2.4 of the evidence contract, so a wrong digest cannot hide by being wrong on both sides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import canonicaljson
from pydantic import Field

from ..errors import DocumentError
from .model import Strict
from .patching import Remove, Replace, patched

How = Literal["delete", "substitute"]

_MAX_VALUES = 1_000_000
"""Values a recipe may give. The contract's limits end at 100,000 nodes, so more shows nothing."""

_Count = Annotated[int, Field(ge=0, le=_MAX_VALUES)]


class _Recipe(Strict):
    """A value to put at a path of the document of the case ``<base>_base``, which is resealed then."""

    base: str
    path: str

    @property
    def base_case(self) -> str:
        """The name of the case it starts from."""
        return f"{self.base}_base"


class Nulls(_Recipe):
    """An array of nulls."""

    kind: Literal["nulls"]
    count: _Count

    def value(self) -> Any:
        """Make the value."""
        return [None] * self.count


class Text(_Recipe):
    """An object whose member ``s`` is a text, again and again."""

    kind: Literal["string"]
    unit: str
    count: Annotated[int, Field(ge=0, le=64 * 1024 * 1024)]

    def value(self) -> Any:
        """Make the value."""
        return {"s": self.unit * self.count}


class Nest(_Recipe):
    """An empty object, wrapped again and again in an object with the member ``n``."""

    kind: Literal["nest"]
    levels: Annotated[int, Field(ge=0, le=200)]

    def value(self) -> Any:
        """Make the value."""
        nested: dict[str, Any] = {}
        for _ in range(self.levels):
            nested = {"n": nested}
        return nested


class Rows(_Recipe):
    """An array of arrays of nulls: for each ``[n, times]`` so many arrays of ``n`` nulls."""

    kind: Literal["rows"]
    rows: list[Annotated[list[_Count], Field(min_length=2, max_length=2)]]

    def value(self) -> Any:
        """Make the value."""
        if sum((length + 1) * times for length, times in self.rows) > _MAX_VALUES:
            expected = f"rows of at most {_MAX_VALUES} values"
            raise DocumentError("vector_case", path="/rows", expected=expected, actual="more")
        return [[None] * length for length, times in self.rows for _ in range(times)]


Generated = Annotated[Nulls | Text | Nest | Rows, Field(discriminator="kind")]


def generated_evidence(base: Any, recipe: Nulls | Text | Nest | Rows) -> Any:
    """Return a copy of ``base`` with the value of the recipe in its place, and all digests anew.

    Raises:
        DocumentError: ``vector_case`` if the value or its place does not fit.
    """
    evidence = patched(base, [Replace(op="replace", path=recipe.path, value=recipe.value())])
    reseal(evidence)
    return evidence


def reseal(evidence: dict[str, Any]) -> None:
    """Refresh the three section digests and the digest of the evidence itself, in place."""
    outcome, tape = evidence["outcome"], evidence["decision_tape"]
    outcome["final_state_digest_sha256"] = _digest(outcome["final_state"])
    outcome["trajectory_digest_sha256"] = _digest(outcome["trajectory"])
    tape["decisions_digest_sha256"] = _digest(tape["decisions"])
    content = {name: value for name, value in evidence.items() if name != "runtime_evidence_digest_sha256"}
    wrapper = {
        "domain": "operatebench.digest.executed_runtime_evidence.v1",
        "schema": "operatebench.executed_runtime_evidence.v1",
        "content": content,
    }
    evidence["runtime_evidence_digest_sha256"] = _digest(wrapper)


def _digest(value: Any) -> str:
    return hashlib.sha256(canonicaljson.encode_canonical_json(value)).hexdigest()


def places(document: Any) -> list[str]:
    """Return the JSON Pointers of everything below the root of a document, in its order."""
    return list(_below(document, ""))


def _below(value: Any, place: str) -> Iterator[str]:
    members = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for token, item in members:
        inner = f"{place}/{str(token).replace('~', '~0').replace('/', '~1')}"
        yield inner
        yield from _below(item, inner)


def swept(document: Any, place: str, how: How) -> Any:
    """Return a copy of ``document`` with what stands at ``place`` deleted or substituted; nothing is resealed."""
    if how == "delete":
        return patched(document, [Remove(op="remove", path=place)])
    found = document
    for token in place.split("/")[1:]:
        found = found[int(token) if type(found) is list else token.replace("~1", "/").replace("~0", "~")]
    return patched(document, [Replace(op="replace", path=place, value=_other(found))])


def _other(value: Any) -> Any:
    """Return the value that the language puts in place of another."""
    if value is None:
        return 0
    if type(value) is bool:
        return not value
    if type(value) is int:
        return value + 1
    if type(value) is str:
        return value + "z"
    if type(value) is list:
        return [] if value else [None]
    return {} if value else {"unowned": 1}
