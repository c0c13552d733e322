"""The rules of predicates: declared pointers, bindings in scope (card contract, 10 and 13). None is ever run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .refusal import refusal


def check_predicate(
    predicate: Mapping[str, Any], pointers: frozenset[str], at: str, bindings: frozenset[str] = frozenset()
) -> None:
    """Check one predicate that has passed its schema; the schema's nesting limit bounds the recursion.

    * P1: pointers of expressions and collections of quantifiers are declared by the operation;
    * P2: a binding is introduced by a quantifier around it; its own pointer is relative, and unchecked;
    * P3: a quantifier does not use the name of a binding around it; siblings may share one.

    Args:
        predicate: the predicate.
        pointers: the declared pointers.
        at: the predicate's place.
        bindings: names introduced around it.

    Raises:
        CardValidationError: ``semantic.pointer_not_declared``, ``semantic.binding_unresolved`` or
            ``semantic.binding_redeclared``.
    """
    kind = predicate["kind"]
    if kind in ("all", "any"):
        for index, operand in enumerate(predicate["operands"]):
            check_predicate(operand, pointers, f"{at}/operands/{index}", bindings)
    elif kind == "not":
        check_predicate(predicate["operand"], pointers, f"{at}/operand", bindings)
    elif kind == "scalar":
        _check_expression(predicate["left"], pointers, f"{at}/left", bindings)
        _check_expression(predicate["right"], pointers, f"{at}/right", bindings)
    else:
        _require_declared(predicate["collection"], pointers, f"{at}/collection")
        binding = predicate["binding"]
        if binding in bindings:
            raise refusal(
                "semantic.binding_redeclared", f"{at}/binding", "a name no quantifier around it uses", binding
            )
        check_predicate(predicate["predicate"], pointers, f"{at}/predicate", bindings | {binding})


def _check_expression(
    expression: Mapping[str, Any], pointers: frozenset[str], at: str, bindings: frozenset[str]
) -> None:
    if expression["kind"] == "pointer":
        _require_declared(expression["pointer"], pointers, f"{at}/pointer")
    elif expression["kind"] == "binding" and expression["binding"] not in bindings:
        expected = "a binding of a quantifier around it"
        raise refusal("semantic.binding_unresolved", f"{at}/binding", expected, expression["binding"])


def _require_declared(found: str, pointers: frozenset[str], at: str) -> None:
    if found not in pointers:
        raise refusal("semantic.pointer_not_declared", at, "a pointer the operation declares", found)
