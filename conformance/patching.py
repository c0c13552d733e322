"""The patches of the card vector language: small edits on a card, and the generators inside their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from ..errors import DocumentError, describe, escape
from .model import Strict

MAX_VALUES = 1_000_000
"""Values one patch may expand to. The contract's limits end at 100,000 nodes, so more shows nothing."""

MAX_CHARACTERS = 64 * 1024 * 1024
"""Characters one patch may expand to."""


_BEHIND = "-"
"""The last token of a path to the place behind the last item."""


class _Edit(Strict):
    """An op on one card. ``path`` is a JSON Pointer (RFC 6901)."""

    path: str


class Add(_Edit):
    """Add a member or overwrite it, or insert before an item; ``-`` is the place behind the last item (RFC 6902)."""

    op: Literal["add"]
    value: Any


class Replace(_Edit):
    """Put ``value`` in place of what stands at the path."""

    op: Literal["replace"]
    value: Any


class Remove(_Edit):
    """Remove the member or item at the path."""

    op: Literal["remove"]


class Reverse(_Edit):
    """Reverse the items of the array at the path."""

    op: Literal["reverse"]


class Duplicate(_Edit):
    """Repeat the item at the path next to itself."""

    op: Literal["duplicate"]


class Swap(_Edit):
    """Exchange the item at the path with its right neighbour."""

    op: Literal["swap"]


PatchOp = Annotated[Add | Replace | Remove | Reverse | Duplicate | Swap, Field(discriminator="op")]


def patched(document: Any, ops: list[PatchOp]) -> Any:
    """Return a copy of ``document`` with ``ops`` applied in order, each to the result of the one before.

    Raises:
        DocumentError: ``vector_case`` for an op that does not fit what stands at its path, or a malformed generator.
    """
    holder = {"": deepcopy(document)}
    for number, op in enumerate(ops):
        try:
            _apply(op, holder)
        except (IndexError, KeyError, TypeError, ValueError) as misfit:
            if isinstance(misfit, DocumentError):
                raise
            expected = "an op that fits what stands at its path"
            actual = f"{op.op} {op.path}: {type(misfit).__name__} {escape(str(misfit), 100)}"
            raise DocumentError("vector_case", path=f"op {number}", expected=expected, actual=actual) from None
    return holder[""]


def _apply(op: PatchOp, root: dict[str, Any]) -> None:
    *parents, last = _tokens(op.path)
    holder: Any = root
    for token in parents:
        holder = holder[_key(holder, token)]
    if isinstance(op, Add):
        _add(holder, last, generated(op.value))
        return
    key = _key(holder, last)
    target = holder[key]
    match op:
        case Replace():
            holder[key] = generated(op.value)
        case Remove():
            del holder[key]
        case Reverse():
            _array(target).reverse()
        case Duplicate():
            _array(holder).insert(key, deepcopy(target))
        case Swap():
            items = _array(holder)
            items[key], items[key + 1] = items[key + 1], items[key]


def _add(holder: Any, token: str, value: Any) -> None:
    if type(holder) is list:
        index = len(holder) if token == _BEHIND else _index(token)
        if index > len(holder):
            raise IndexError(index)
        holder.insert(index, value)
    else:
        _object(holder)[token] = value


def _tokens(path: str) -> list[str]:
    """Return the tokens of a JSON Pointer, before them the name under which the holder keeps the whole document."""
    if path and not path.startswith("/"):
        raise ValueError("no JSON Pointer")
    return [token.replace("~1", "/").replace("~0", "~") for token in path.split("/")]


def _key(holder: Any, token: str) -> Any:
    if type(holder) is list:
        return _index(token)
    if token not in _object(holder):
        raise KeyError(token)
    return token


def _index(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or str(int(token)) != token:
        raise ValueError(f"{describe(token)} is no index")
    return int(token)


def _object(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise TypeError(f"{describe(value)} is no object")
    return value


def _array(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError(f"{describe(value)} is no array")
    return value


def generated(value: Any) -> Any:
    """Return a copy of ``value`` with every generator in it replaced by what it stands for.

    An object whose only member is ``$repeat``, ``$fill``, ``$keys`` or ``$chain`` is a generator, at any depth, inside
    other generators too.

    Raises:
        DocumentError: ``vector_case`` for a malformed generator, or one that grows beyond the limits above.
    """
    return _Generation().expand(value)


class _Generation:
    """One expansion, and how much of it has been spent."""

    __slots__ = ("_characters", "_values")

    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def expand(self, value: Any) -> Any:
        if type(value) is dict:
            if len(value) == 1:
                ((name, content),) = value.items()
                if name in _GENERATORS:
                    return self._generate(name, content)
            self.spend(values=1)
            return {name: self.expand(item) for name, item in value.items()}
        self.spend(values=1, characters=len(value) if type(value) is str else 0)
        return [self.expand(item) for item in value] if type(value) is list else value

    def _generate(self, name: str, content: Any) -> Any:
        arity, build = _GENERATORS[name]
        parts = content if arity > 1 else [content]
        if type(parts) is not list or len(parts) != arity:
            raise _malformed(f"the {arity} parts of {name}", content)
        return build(self, *parts)

    def spend(self, *, values: int = 0, characters: int = 0) -> None:
        """Count what is about to be made, before it is made."""
        self._values += values
        self._characters += characters
        if self._values > MAX_VALUES or self._characters > MAX_CHARACTERS:
            expected = f"a patch of at most {MAX_VALUES} values and {MAX_CHARACTERS} characters"
            raise DocumentError("vector_case", expected=expected, actual="a longer one")


def _repeat(run: _Generation, text: Any, count: Any) -> str:
    """``text`` again and again."""
    once, times = run.expand(text), _count(count)
    if type(once) is not str:
        raise _malformed("a text to repeat", once)
    run.spend(characters=len(once) * times)
    return once * times


def _fill(run: _Generation, value: Any, count: Any) -> list[Any]:
    """An array of equal values."""
    return [run.expand(value) for _ in range(_count(count))]


def _keys(run: _Generation, count: Any) -> dict[str, Any]:
    """An object of that many members ``k0``, ``k1`` and so on, all null."""
    run.spend(values=_count(count))
    return {f"k{index}": None for index in range(count)}


def _chain(run: _Generation, head: Any, key: Any, count: Any, inner: Any) -> Any:
    """``inner`` wrapped that many times, each time in a copy of ``head`` that holds the rest under ``key``."""
    if type(head) is not dict or type(key) is not str:
        raise _malformed("an object and the name of its last member", [head, key])
    nested = run.expand(inner)
    for _ in range(_count(count)):
        nested = {**run.expand(head), key: nested}
    return nested


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_CHARACTERS:
        raise _malformed(f"a count from 0 to {MAX_CHARACTERS}", value)
    return value


def _malformed(expected: str, actual: object) -> DocumentError:
    return DocumentError("vector_case", expected=expected, actual=describe(actual))


_GENERATORS: Mapping[str, tuple[int, Callable[..., Any]]] = MappingProxyType(
    {"$repeat": (2, _repeat), "$fill": (2, _fill), "$keys": (1, _keys), "$chain": (4, _chain)}
)
"""Name -> how many parts it has, and how to make the value from them."""
