"""The documents the identity tests work on: the golden fixture, a richer one, and edits of them."""

import copy
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.identity import oracle

Tokens = tuple[str | int, ...]


@dataclass
class Triple:
    """What the validator takes."""

    manifest: dict[str, Any]
    census: dict[str, Any]
    projections: dict[str, Any]

    def root(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = {
            "manifest": self.manifest,
            "census": self.census,
            "projections": self.projections,
        }[name]
        return document

    def copy(self) -> "Triple":
        return copy.deepcopy(self)


def triple(projections: dict[str, Any], requirements: oracle.Requirements | None = None) -> Triple:
    """Return the valid triple of some projections, made by the oracle alone."""
    built = oracle.build(projections, requirements)
    return Triple(built, oracle.census(projections), copy.deepcopy(projections))


def golden_projections() -> dict[str, Any]:
    """Section 18."""
    return {name: {f"/fixture/{name}": {"index": index}} for index, name in enumerate(oracle.COMPONENTS)}


def plain_projections() -> dict[str, Any]:
    """The fixture of the diff examples: every component owns one integer."""
    return {name: {f"/fixture/{name}": index} for index, name in enumerate(oracle.COMPONENTS)}


def empty_projections() -> dict[str, Any]:
    return {name: {} for name in oracle.COMPONENTS}


def rich_projections() -> dict[str, Any]:
    """Every kind of JSON value, nested, with names that sort and escape badly."""
    projections = golden_projections()
    projections[oracle.CARD] = {
        "/a": [1, [2, {"k": None}], "é", True],
        "/empty/object": {},
        "/empty/array": [],
        "/a~1b": {"": "empty name", "~": 0, "/": -5, "a\nb": "\u0000\u001f\u007f\u2028"},
        "/\U0001f600": {"\U0001f600": 1, "\ue000": 2, "\uffff": [[[]]]},
        "/\ue000": False,
        "/z\n": {"deep": {"deeper": [{"deepest": [None, True, 2**53 - 1]}]}},
    }
    projections[oracle.BUILD] = {}
    projections[oracle.VARIANT] = {"/v/1": "text", "/v/2": [1, 2, 3], "/v": {"x": {"y": [{"z": "w"}]}}}
    projections[oracle.EVALUATOR] = {"/e": [True, False, None, 0, 1, "", "a"]}
    return projections


def rich_requirements() -> oracle.Requirements:
    """Ranges beside exact digests in one manifest."""
    projections = rich_projections()
    return {
        oracle.CORE: [oracle.closed_range(oracle.CARD, 1, 7)],
        oracle.ARM: [
            oracle.exact(oracle.RUNTIME, oracle.content_digest(oracle.RUNTIME, projections[oracle.RUNTIME])),
            oracle.closed_range(oracle.SCENARIO),
            oracle.exact(oracle.VARIANT, oracle.content_digest(oracle.VARIANT, projections[oracle.VARIANT])),
        ],
    }


@cache
def _texts(name: str) -> tuple[str, ...]:
    made = triple(golden_projections()) if name == "golden" else triple(rich_projections(), rich_requirements())
    return tuple(map(json.dumps, (made.manifest, made.census, made.projections)))


def golden() -> Triple:
    """Return a fresh triple of the golden fixture."""
    return Triple(*map(json.loads, _texts("golden")))


def rich() -> Triple:
    """Return a fresh triple of the rich fixture."""
    return Triple(*map(json.loads, _texts("rich")))


def at(document: Any, tokens: Tokens) -> Any:
    """Return what lies at a pointer."""
    for token in tokens:
        document = document[token]
    return document


def put(document: Any, tokens: Tokens, value: Any) -> None:
    """Set the member or item at a pointer, which may be new in an object."""
    at(document, tokens[:-1])[tokens[-1]] = value


def remove(document: Any, tokens: Tokens) -> None:
    del at(document, tokens[:-1])[tokens[-1]]


def rename(document: Any, tokens: Tokens, name: Any) -> None:
    """Give the member at a pointer another name, in its place in the order."""
    holder = at(document, tokens[:-1])
    members = [(name if key == tokens[-1] else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(members)


def nested(levels: int, leaf: Any = None, kind: type = list) -> Any:
    """Return ``levels`` containers around a leaf; none of them is empty."""
    value = leaf
    for _ in range(levels):
        value = [value] if kind is list else {"k": value}
    return value
