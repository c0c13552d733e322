"""Expands the `$gen` recipes of the vector language: values that plain JSON cannot say, or not briefly."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from ..errors import DocumentError, describe

MAX_VALUES = 1_000_000
"""Values one input may expand to. The contract's limits end at 65,536 nodes, so a bigger input shows nothing more."""

MAX_CHARACTERS = 64 * 1024 * 1024
"""Characters one input may expand to."""

MAX_LEVELS = 10_000
"""Levels of one `nest`. The contract's limit is 64."""


class DictSubclass(dict[Any, Any]):
    """A mapping that is a dict, but not exactly."""


class ListSubclass(list[Any]):
    """A sequence that is a list, but not exactly."""


class StrSubclass(str):
    """A text that is a str, but not exactly."""

    __slots__ = ()


class IntSubclass(int):
    """A number that is an int, but not exactly."""


class FloatSubclass(float):
    """A number that is a float, but not exactly."""


def expand(value: Any) -> Any:
    """Return ``value`` with every recipe in it replaced by what it stands for.

    Args:
        value: parsed JSON. An object with the member `$gen` is a recipe, at any depth, inside other recipes too.

    Returns:
        A fresh value; no container in it appears twice or belongs to the input.

    Raises:
        DocumentError: ``vector_case`` for an unknown or malformed recipe, or one that grows beyond the limits above.
    """
    return _Expansion().expand(value)


class _Expansion:
    """One expansion, and how much of it has been spent."""

    __slots__ = ("_characters", "_values")

    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def expand(self, value: Any) -> Any:
        if type(value) is dict:
            self.spend(values=1)
            if "$gen" in value:
                return self._recipe(value)
            self.spend(characters=sum(map(len, value)))
            return {name: self.expand(item) for name, item in value.items()}
        if type(value) is list:
            self.spend(values=1)
            return list(map(self.expand, value))
        self.spend(values=1, characters=len(value) if type(value) is str else 0)
        return value

    def _recipe(self, recipe: dict[str, Any]) -> Any:
        members = dict(recipe)
        name = members.pop("$gen")
        build = _RECIPES.get(name) if type(name) is str else None
        if build is None:
            raise _malformed("a known recipe", name)
        try:
            inspect.signature(build).bind(self, **members)
        except TypeError:
            raise _malformed(f"the members of a {name} recipe", recipe) from None
        return build(self, **members)

    def text(self, value: Any) -> str:
        """Expand ``value``, which must give a text."""
        expanded = self.expand(value)
        if type(expanded) is not str:
            raise _malformed("a text", expanded)
        return expanded

    def items(self, value: Any) -> list[Any]:
        """Return ``value`` unexpanded, which must be an array."""
        if type(value) is not list:
            raise _malformed("an array", value)
        return value

    def spend(self, *, values: int = 0, characters: int = 0) -> None:
        """Count what is about to be made, before it is made."""
        self._values += values
        self._characters += characters
        if self._values > MAX_VALUES or self._characters > MAX_CHARACTERS:
            raise DocumentError(
                "vector_case",
                expected=f"an input of at most {MAX_VALUES} values and {MAX_CHARACTERS} characters",
                actual=f"{self._values} values and {self._characters} characters",
            )


def _malformed(expected: str, actual: object) -> DocumentError:
    return DocumentError("vector_case", expected=expected, actual=describe(actual))


def _count(value: object, limit: int) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise _malformed(f"a count from 0 to {limit}", value)
    return value


def _float(run: _Expansion, text: Any) -> float:
    """A binary64 number, never folded to an integer."""
    number = run.text(text)
    try:
        return float(number)
    except ValueError:
        raise _malformed("the text of a number", number) from None


def _utf16(run: _Expansion, units: Any) -> str:
    """Text from hexadecimal UTF-16 code units; halves of a pair that stand alone stay alone."""
    texts = [run.text(unit) for unit in run.items(units)]
    try:
        data = b"".join(int(unit, 16).to_bytes(2, "big") for unit in texts)
    except (ValueError, OverflowError):
        raise _malformed("hexadecimal UTF-16 code units", units) from None
    return data.decode("utf-16-be", "surrogatepass")


def _repeat(run: _Expansion, text: Any, count: Any) -> str:
    """``text`` again and again."""
    once, times = run.text(text), _count(count, MAX_CHARACTERS)
    run.spend(characters=len(once) * times)
    return once * times


def _concat(run: _Expansion, parts: Any) -> str:
    """All parts, joined."""
    return "".join([run.text(part) for part in run.items(parts)])


def _fill(run: _Expansion, value: Any, count: Any) -> list[Any]:
    """An array of equal values."""
    return [run.expand(value) for _ in range(_count(count, MAX_VALUES))]


def _nest(run: _Expansion, container: Any, levels: Any, leaf: Any) -> Any:
    """``leaf`` inside nested arrays, or inside nested objects whose one member is named ``k``."""
    if container not in ("array", "object"):
        raise _malformed('"array" or "object"', container)
    nested = run.expand(leaf)
    for _ in range(_count(levels, MAX_LEVELS)):
        nested = [nested] if container == "array" else {"k": nested}
    return nested


def _members(run: _Expansion, prefix: Any, count: Any, width: Any, value: Any) -> dict[str, Any]:
    """An object of equal values, named ``prefix`` plus the zero-padded index."""
    start, total, digits = run.text(prefix), _count(count, MAX_VALUES), _count(width, 100)
    run.spend(characters=total * (len(start) + digits))
    return {f"{start}{index:0{digits}}": run.expand(value) for index in range(total)}


def _object(run: _Expansion, pairs: Any) -> dict[str, Any]:
    """An object from ``[name, value]`` pairs, for names that are recipes themselves."""
    made: dict[str, Any] = {}
    for pair in run.items(pairs):
        if type(pair) is not list or len(pair) != 2:
            raise _malformed("a pair of name and value", pair)
        made[run.text(pair[0])] = run.expand(pair[1])
    return made


def _py(run: _Expansion, kind: Any, **content: Any) -> Any:
    """A Python object that is no JSON. At most one member beside ``kind``, such as ``value`` or ``items``, fills it."""
    if type(kind) is not str or kind not in _PYTHON_KINDS:
        raise _malformed("a known kind of Python object", kind)
    if len(content) > 1:
        raise _malformed("one member beside kind", list(content))
    build, default = _PYTHON_KINDS[kind]
    given = [run.expand(value) for value in content.values()]
    try:
        return build(given[0] if given else default)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        raise _malformed(f"content for {kind}", given) from None


def _cyclic_list(_: Any) -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _cyclic_dict(_: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["k"] = made
    return made


_RECIPES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "float": _float,
        "utf16": _utf16,
        "repeat": _repeat,
        "concat": _concat,
        "fill": _fill,
        "nest": _nest,
        "members": _members,
        "object": _object,
        "py": _py,
    }
)

_PYTHON_KINDS: Mapping[str, tuple[Callable[[Any], Any], Any]] = MappingProxyType(
    {
        "tuple": (tuple, ()),
        "set": (set, ()),
        "bytes": (lambda content: content.encode() if type(content) is str else bytes(list(content)), ""),
        "decimal": (lambda content: Decimal(str(content)), "1"),
        "int_key": (lambda content: {1: content}, 1),
        "dict_subclass": (DictSubclass, ()),
        "list_subclass": (ListSubclass, ()),
        "str_subclass": (StrSubclass, "text"),
        "int_subclass": (IntSubclass, 1),
        "float_subclass": (FloatSubclass, 1.0),
        "mapping_proxy": (lambda content: MappingProxyType(dict(content)), ()),
        "cycle": (lambda content: _cyclic_dict(None) if content in ("object", "dict") else _cyclic_list(None), "array"),
        **dict.fromkeys(("list_cycle", "cycle_list", "cyclic_list", "cycle_array"), (_cyclic_list, None)),
        **dict.fromkeys(("dict_cycle", "cycle_dict", "cyclic_dict", "cycle_object"), (_cyclic_dict, None)),
        "object": (lambda _: object(), None),
    }
)
"""Kind -> how to make one from its content, and the content when the case gives none.

The contract names cycles without fixing a spelling, so the obvious ones are read.
"""
