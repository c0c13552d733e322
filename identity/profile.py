"""The number, counting and size rules of one JSON contract, as data that the one walker obeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from ..errors import IdentityValidationError, OperateBenchError

MAX_INTEROPERABLE_INTEGER = 2**53 - 1
MAX_STRICT_JSON_NODES = 65_536
MAX_CANONICAL_UTF8_PAYLOAD_BYTES = 4 * 1024 * 1024
MAX_STRICT_JSON_CONTAINER_ITEMS = 4_096
MAX_IDENTITY_STRING_BYTES = 1024 * 1024
MAX_NESTING = 64


class Rule(StrEnum):
    """The rules of strict JSON. Each contract has its own code for breaking one."""

    SYNTAX = "syntax"
    UTF8 = "utf8"
    DUPLICATE = "duplicate"
    TYPE = "type"
    FRACTION = "fraction"
    INTEGER = "integer"
    SURROGATE = "surrogate"
    DEPTH = "depth"
    WIDTH = "width"
    NODES = "nodes"
    STRING = "string"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Profile:
    """What one contract admits. Every limit is inclusive.

    Attributes:
        min_integer: smallest integer.
        max_integer: largest integer.
        integral_floats: whether a finite float without fraction is admitted, as the integer it equals.
        nodes_count_keys: whether an object's member name counts as a node beside its value.
        max_nodes: nodes in one document, the root included.
        max_bytes: canonical UTF-8 bytes of one document.
        max_items: direct items of one array or members of one object.
        max_string_bytes: UTF-8 bytes of one text or member name.
        max_depth: nested containers, the outermost included.
        max_text_bytes: bytes of JSON text that are read at all; canonical bytes can be several times shorter.
        error: class of the contract's refusals.
        codes: its code for each rule.
    """

    min_integer: int
    max_integer: int
    integral_floats: bool
    nodes_count_keys: bool
    max_nodes: int
    max_bytes: int
    max_items: int
    max_string_bytes: int
    max_depth: int
    max_text_bytes: int
    error: type[OperateBenchError]
    codes: Mapping[Rule, str]

    def refusal(self, rule: Rule, path: str, expected: str, actual: str) -> OperateBenchError:
        """Return the contract's refusal for breaking ``rule`` at ``path``."""
        return self.error(self.codes[rule], path=path, expected=expected, actual=actual)


IDENTITY_PROFILE = Profile(
    min_integer=-MAX_INTEROPERABLE_INTEGER,
    max_integer=MAX_INTEROPERABLE_INTEGER,
    integral_floats=True,
    nodes_count_keys=False,
    max_nodes=MAX_STRICT_JSON_NODES,
    max_bytes=MAX_CANONICAL_UTF8_PAYLOAD_BYTES,
    max_items=MAX_STRICT_JSON_CONTAINER_ITEMS,
    max_string_bytes=MAX_IDENTITY_STRING_BYTES,
    max_depth=MAX_NESTING,
    max_text_bytes=8 * MAX_CANONICAL_UTF8_PAYLOAD_BYTES,
    error=IdentityValidationError,
    codes=MappingProxyType(
        {
            **dict.fromkeys((Rule.SYNTAX, Rule.UTF8, Rule.DUPLICATE, Rule.TYPE), "strict_json"),
            **dict.fromkeys((Rule.FRACTION, Rule.INTEGER, Rule.SURROGATE), "strict_json"),
            **dict.fromkeys((Rule.DEPTH, Rule.WIDTH, Rule.NODES, Rule.STRING, Rule.SIZE), "resource_limits"),
        }
    ),
)
"""The profile of the identity contract, sections 4 and 5."""
