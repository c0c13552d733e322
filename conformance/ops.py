"""The ops of the vector language: small edits on the documents of a case, then resealing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from ..errors import DocumentError, describe, escape
from .model import Strict
from .sealing import Level, reseal

Root = Literal["manifest", "census", "projections", "record"]


class _Edit(Strict):
    """An op on one document. ``path`` holds member names and array indices from its root."""

    root: Root
    path: list[Any] = Field(default_factory=list)


class Set(_Edit):
    """Put ``value`` at the path: in place of what stands there, or as a new member."""

    op: Literal["set"]
    value: Any


class Delete(_Edit):
    """Remove the member or item at the path."""

    op: Literal["delete"]


class Insert(_Edit):
    """Put ``value`` before the item at the path."""

    op: Literal["insert"]
    value: Any


class Append(_Edit):
    """Put ``value`` at the end of the array at the path."""

    op: Literal["append"]
    value: Any


class Reverse(_Edit):
    """Reverse the items of the array, or the member order of the object, at the path."""

    op: Literal["reverse"]


class Rename(_Edit):
    """Give the member at the path another name; it keeps its place in the member order."""

    op: Literal["rename"]
    to: Any = Field(validation_alias=AliasChoices("to", "name", "key", "value"))


class Swap(_Edit):
    """Exchange items ``i`` and ``j`` of the array, or the values of the members so named, at the path."""

    op: Literal["swap"]
    i: Any
    j: Any


class ReplaceRoot(Strict):
    """Make ``value`` the whole document."""

    op: Literal["replace_root"]
    root: Root
    value: Any


class Reseal(Strict):
    """Recompute digests of the manifest; see :func:`operatebench.conformance.sealing.reseal`."""

    op: Literal["reseal"]
    level: Level


Op = Annotated[
    Set | Delete | Insert | Append | Reverse | Rename | Swap | ReplaceRoot | Reseal, Field(discriminator="op")
]


def apply(ops: list[Op], documents: dict[str, Any]) -> None:
    """Apply ``ops`` in order, in place.

    Args:
        ops: the edits.
        documents: root name -> document. A root that the case's kind does not have cannot be edited.

    Raises:
        DocumentError: ``vector_case`` for an op that does not fit what stands at its path.
    """
    for number, op in enumerate(ops):
        try:
            _apply(op, documents)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as misfit:
            if isinstance(misfit, DocumentError):
                raise
            expected = "an op that fits what stands at its path"
            actual = f"{op.op}: {type(misfit).__name__} {escape(str(misfit), 100)}"
            raise DocumentError("vector_case", path=f"op {number}", expected=expected, actual=actual) from None


def _apply(op: Op, documents: dict[str, Any]) -> None:
    match op:
        case ReplaceRoot():
            documents[op.root] = op.value
        case Reseal():
            reseal(documents["record" if "record" in documents else "manifest"], op.level)
        case Set():
            holder, last = _holder(documents, op)
            holder[last] = op.value
        case Delete():
            holder, last = _holder(documents, op)
            del holder[last]
        case Insert():
            holder, last = _holder(documents, op)
            holder.insert(last, op.value)
        case Append():
            _at(documents, op).append(op.value)
        case Reverse():
            _reverse(_at(documents, op))
        case Rename():
            holder, last = _holder(documents, op)
            _rename(holder, last, op.to)
        case Swap():
            target = _at(documents, op)
            target[op.i], target[op.j] = target[op.j], target[op.i]


def _at(documents: dict[str, Any], op: _Edit) -> Any:
    target = documents[op.root]
    for token in op.path:
        target = _plain(target)[token]
    return _plain(target)


def _holder(documents: dict[str, Any], op: _Edit) -> tuple[Any, Any]:
    """Return the container that holds what the path names, and the last token of the path."""
    *parents, last = op.path
    target = documents[op.root]
    for token in parents:
        target = _plain(target)[token]
    return _plain(target), last


def _plain(target: Any) -> Any:
    if type(target) is not dict and type(target) is not list:
        raise TypeError(f"{describe(target)} has no parts")
    return target


def _reverse(target: Any) -> None:
    if type(target) is list:
        target.reverse()
    else:
        _reorder(target, list(reversed(target.items())))


def _rename(holder: Any, old: Any, new: Any) -> None:
    if new in holder or old not in holder:
        raise KeyError(old)
    _reorder(holder, [(new if name == old else name, value) for name, value in holder.items()])


def _reorder(target: dict[Any, Any], members: list[tuple[Any, Any]]) -> None:
    target.clear()
    target.update(members)
