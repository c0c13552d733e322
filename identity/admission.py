"""The one walker: admits a Python value as strict JSON of a profile, level by level, with its canonical bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from operator import is_
from typing import Any

from ..errors import describe, pointer
from .canonical import Canonical, encode
from .profile import IDENTITY_PROFILE, MAX_INTEROPERABLE_INTEGER, Profile, Rule

_SMALL = 32 * 1024
"""Bytes of JSON text up to which a parsed value is measured value by value."""

_Sorted = tuple[list[str], list[dict[Any, Any]], list[list[Any]], bool]
"""The texts, objects and arrays of one level, and whether it has a float."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """An admitted value.

    Attributes:
        value: the value with integral floats replaced by integers. It is the caller's own object when there were none,
            so whoever keeps it must copy or freeze it first.
        canonical: its canonical bytes, nodes and depth.
    """

    value: Any
    canonical: Canonical


def admit(
    root: object, profile: Profile = IDENTITY_PROFILE, *, at: str = "", longest_text: int | None = None
) -> Admitted:
    """Admit ``root``: exact built-in types, numbers in range, clean text, every limit of the profile.

    Whole levels of the tree are checked at once, in C; no method of a caller's object ever runs. Limits are met before
    the values behind them are visited, and cycles end at the nesting limit.

    Args:
        root: any Python object.
        profile: the rules.
        at: what the path of a refusal starts with, such as ``manifest#`` or ``projections#/variant_content``.
        longest_text: for a value that a parser has just made, a bound on the UTF-8 bytes of its longest text or name.
            Such a value has plain types only, so they, and texts within the limit, need not be looked at again.

    Raises:
        OperateBenchError: of the profile: its code for the rule that is broken, with the path of the value.
    """
    small = longest_text is not None and longest_text <= _SMALL
    measured = _measure_small(root, profile) if small else None
    if measured is None:
        walk = _Walk(root, profile, at, longest_text)
        measured = walk.nodes, walk.depth
        root = _without_floats(root) if walk.floats else root
    try:
        data = encode(root, profile)
    except TypeError:
        _Walk(root, profile, at, longest_text).refuse_unencodable()
        raise  # not the value's fault: a fault of the encoder stays one
    canonical = Canonical((data,), len(data), *measured)
    require_limits(canonical, profile, at)
    return Admitted(root, canonical)


def _measure_small(root: Any, profile: Profile) -> tuple[int, int] | None:
    """Return nodes and depth of a small parsed value within all limits and without floats; None sends it to the walk.

    A level of a small document holds so few values that looking at each is faster than the walk's calls for all.
    """
    if not _is_container(root):
        return None
    lowest, highest, widest = profile.min_integer, profile.max_integer, profile.max_items
    nodes, depth = 1, 0
    level = [root]
    while level:
        depth += 1
        below: list[Any] = []
        for container in level:
            width = len(container)
            if width > widest:
                return None
            nodes += width
            values = container
            if type(container) is dict:
                values = container.values()
                if profile.nodes_count_keys:
                    nodes += width
            for value in values:
                kind = type(value)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(value)
                elif kind is float or (kind is int and not lowest <= value <= highest):
                    return None
        level = below
    return (nodes, depth) if nodes <= profile.max_nodes and depth <= profile.max_depth else None


def require_structure(root: object, profile: Profile, *, longest_text: int) -> None:
    """Check a value that a parser has just made for all that :func:`admit` does, save the size of its integers.

    Raises:
        OperateBenchError: of the profile.
    """
    _Walk(root, profile, "", longest_text)


def require_limits(piece: Canonical, profile: Profile, at: str = "") -> None:
    """Refuse a composed piece that is over the profile's document limits.

    Raises:
        OperateBenchError: of the profile.
    """
    for rule, measure, found, limit in (
        (Rule.DEPTH, "nested containers", piece.depth, profile.max_depth),
        (Rule.NODES, "nodes", piece.nodes, profile.max_nodes),
        (Rule.SIZE, "canonical bytes", piece.size, profile.max_bytes),
    ):
        if found > limit:
            raise profile.refusal(rule, at, f"at most {limit} {measure}", f"{found} {measure}")


def _without_floats(value: Any) -> Any:
    """Copy a walked value, every float replaced by the integer it equals. The walk has bounded the recursion."""
    if type(value) is float:
        return int(value)
    if type(value) is dict:
        return {name: _without_floats(item) for name, item in value.items()}
    if type(value) is list:
        return [_without_floats(item) for item in value]
    return value


class _Walk:
    """One walk over a value: its measure, and the levels needed to name the place of a fault."""

    __slots__ = ("_at", "_levels", "_profile", "depth", "floats", "nodes")

    def __init__(self, root: object, profile: Profile, at: str, longest_text: int | None) -> None:
        self._profile = profile
        self._at = at
        self._levels: list[list[Any]] = [[root]]
        self.nodes = 1
        self.depth = 0
        self.floats = False
        parsed = longest_text is not None
        measure_text = longest_text is None or longest_text > profile.max_string_bytes
        # The encoder knows the bounds of 53 bits; any others are looked at here.
        wide_integers = profile.max_integer > MAX_INTEROPERABLE_INTEGER
        text = 0
        while True:
            values = self._levels[-1]
            texts, dicts, lists, has_float = (
                _sort_parsed(values, measure_text) if parsed else self._sort_foreign(values)
            )
            if has_float:
                self._require_integral(values)
                self.floats = True
            if wide_integers:
                self._require_in_range([value for value in values if type(value) is int])
            if texts:
                text = self._require_short(texts, text)
            if not dicts and not lists:
                return
            self._count(dicts, lists)
            if measure_text and dicts:
                names = list(chain.from_iterable(dicts))
                if not all(map(is_, map(type, names), repeat(str))):
                    self._refuse_name(Rule.TYPE, lambda name: type(name) is not str, "a member name of exact text")
                text = self._require_short(names, text)
            self._levels.append(list(chain(chain.from_iterable(map(dict.values, dicts)), chain.from_iterable(lists))))

    def _sort_foreign(self, values: list[Any]) -> _Sorted:
        """Sort values that anybody may have made, refusing every type that is not exactly one of JSON's.

        Types are compared by identity only: hashing or comparing a foreign class could run a hook of its metaclass.
        """
        texts: list[str] = []
        dicts: list[dict[Any, Any]] = []
        lists: list[list[Any]] = []
        has_float = False
        for value in values:
            kind = type(value)
            if kind is str:
                texts.append(value)
            elif kind is dict:
                dicts.append(value)
            elif kind is list:
                lists.append(value)
            elif kind is float:
                has_float = True
            elif not (kind is int or kind is bool or value is None):
                wanted = "exactly null, a boolean, integer, text, array or object"
                self._refuse_value(Rule.TYPE, partial(is_, value), wanted)
        return texts, dicts, lists, has_float

    def _require_integral(self, values: list[Any]) -> None:
        profile = self._profile

        def refused(value: Any) -> bool:
            if type(value) is not float:
                return False
            admitted = profile.integral_floats and value.is_integer()
            return not (admitted and profile.min_integer <= value <= profile.max_integer)

        if any(map(refused, values)):
            self._refuse_value(Rule.FRACTION, refused, self._integer_range())

    def _require_in_range(self, integers: list[int]) -> None:
        profile = self._profile
        if integers and not profile.min_integer <= min(integers) <= max(integers) <= profile.max_integer:
            self._refuse_value(Rule.INTEGER, self._is_out_of_range, self._integer_range())

    def _require_short(self, texts: list[str], total: int) -> int:
        """Return ``total`` plus the code points of ``texts``; refuse a text, or a sum, that is over a limit."""
        profile = self._profile
        limit = profile.max_string_bytes
        added = sum(map(len, texts))
        if 4 * added > limit and 4 * max(map(len, texts)) > limit:

            def too_long(value: Any) -> bool:
                return type(value) is str and _utf8_length(value, limit) > limit

            if any(map(too_long, texts)):
                expected = f"text of at most {limit} UTF-8 bytes"
                self._refuse_value(Rule.STRING, too_long, expected)
                self._refuse_name(Rule.STRING, too_long, expected)
        total += added
        if total > profile.max_bytes:
            expected = f"at most {profile.max_bytes} canonical bytes"
            raise profile.refusal(Rule.SIZE, self._at, expected, f"at least {total} canonical bytes")
        return total

    def _count(self, dicts: list[dict[str, Any]], lists: list[list[Any]]) -> None:
        profile = self._profile
        self.depth += 1
        if self.depth > profile.max_depth:
            self._refuse_value(Rule.DEPTH, _is_container, f"at most {profile.max_depth} nested containers")
        widths = list(map(len, chain(dicts, lists)))
        if max(widths) > profile.max_items:

            def too_wide(value: Any) -> bool:
                return _is_container(value) and len(value) > profile.max_items

            self._refuse_value(Rule.WIDTH, too_wide, f"at most {profile.max_items} direct items")
        self.nodes += sum(widths) + (sum(map(len, dicts)) if profile.nodes_count_keys else 0)
        if self.nodes > profile.max_nodes:
            expected = f"at most {profile.max_nodes} nodes"
            raise profile.refusal(Rule.NODES, self._at, expected, f"{self.nodes} nodes")

    def refuse_unencodable(self) -> None:
        """Name the integer, text or member name that the encoder refused; return only if there is none."""
        levels = self._levels
        for depth in range(1, len(levels) + 1):
            self._levels = levels[:depth]
            self._refuse_value(Rule.INTEGER, self._is_out_of_range, self._integer_range())
            self._refuse_value(Rule.SURROGATE, _has_surrogate, "text without surrogates")
            self._refuse_name(Rule.SURROGATE, _has_surrogate, "a member name without surrogates")

    def _is_out_of_range(self, value: object) -> bool:
        return type(value) is int and not self._profile.min_integer <= value <= self._profile.max_integer

    def _integer_range(self) -> str:
        return f"an integer from {self._profile.min_integer} to {self._profile.max_integer}"

    def _refuse_value(self, rule: Rule, refused: Callable[[Any], bool], expected: str) -> None:
        """Refuse the first value of the deepest level that ``refused`` says yes to, if any."""
        for index, value in enumerate(self._levels[-1]):
            if refused(value):
                raise self._profile.refusal(rule, self._path(index), expected, describe(value))

    def _refuse_name(self, rule: Rule, refused: Callable[[Any], bool], expected: str) -> None:
        """Refuse the first member name of an object of the deepest level that ``refused`` says yes to, if any."""
        for index, value in enumerate(self._levels[-1]):
            for name in value if type(value) is dict else ():
                if refused(name):
                    raise self._profile.refusal(rule, self._path(index), expected, describe(name))

    def _path(self, index: int) -> str:
        """Return the JSON Pointer of the value at ``index`` of the deepest level, climbing level by level."""
        tokens: list[str | int] = []
        for parents in reversed(self._levels[:-1]):
            index, token = _parent(parents, index)
            tokens.append(token)
        return self._at + pointer(*reversed(tokens))


def _parent(parents: list[Any], index: int) -> tuple[int, str | int]:
    """Return the position in ``parents``, and the name or index below it, of item ``index`` of the next level."""
    for kind in (dict, list):  # the order in which a walk gathers the next level
        for position, parent in enumerate(parents):
            if type(parent) is kind:
                if index < len(parent):
                    return position, list(parent)[index] if kind is dict else index
                index -= len(parent)
    raise AssertionError("every value of a level has a parent in the level before")


def _sort_parsed(values: list[Any], measure_text: bool) -> _Sorted:
    """Sort values that a parser just made; texts are gathered only if they are to be measured."""
    kinds = set(map(type, values))
    texts = [value for value in values if type(value) is str] if measure_text and str in kinds else []
    dicts = [value for value in values if type(value) is dict] if dict in kinds else []
    lists = [value for value in values if type(value) is list] if list in kinds else []
    return texts, dicts, lists, float in kinds


def _is_container(value: object) -> bool:
    return type(value) is dict or type(value) is list


def _has_surrogate(value: object) -> bool:
    return type(value) is str and not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value)


def _utf8_length(text: str, limit: int) -> int:
    """Return the UTF-8 length of ``text``, or its length in code points if that is over ``limit`` already."""
    return len(text) if len(text) > limit else len(text.encode("utf-8", "surrogatepass"))
