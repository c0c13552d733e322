"""Compares the contract's canonical bytes with those of canonicaljson and RFC 8785, and says why they differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import canonicaljson
import rfc8785

from ..errors import describe, pointer
from ..identity.admission import Admitted
from ..identity.canonical import rfc8785_identical

_SHOWN_NAMES = 3


@dataclass(frozen=True, slots=True)
class Form:
    """One canonical form of the document: its length in bytes, its SHA-256, and whether it is the contract's."""

    size: int
    sha256: str
    same: bool


@dataclass(frozen=True, slots=True)
class NameOrder:
    """The first object whose members the contract and RFC 8785 order differently.

    Attributes:
        path: its JSON Pointer.
        contract: described names from the first difference on, by code point, a few of them.
        rfc8785: the same by UTF-16 code unit.
    """

    path: str
    contract: tuple[str, ...]
    rfc8785: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All three forms of one document.

    Attributes:
        contract: ours.
        canonicaljson: the form of the package canonicaljson, of the document as written.
        rfc8785: the form of RFC 8785, of the document as written.
        floats: numbers written with a fraction or exponent, which the contract reads as integers.
        first_float: JSON Pointer of the first one; None without.
        order: where RFC 8785 orders members differently; None if nowhere.
    """

    contract: Form
    canonicaljson: Form
    rfc8785: Form
    floats: int
    first_float: str | None
    order: NameOrder | None

    def lines(self) -> list[str]:
        """Return the comparison in indented lines for people."""
        forms = {"contract": self.contract, "canonicaljson": self.canonicaljson, "RFC 8785": self.rfc8785}
        width = max(len(str(form.size)) for form in forms.values())
        lines = [
            f"  {name:<13}  {form.size:>{width}} bytes  sha256 {form.sha256}  {'same' if form.same else 'different'}"
            for name, form in forms.items()
        ]
        lines[0] = lines[0].removesuffix("  same")
        if self.first_float is not None:
            others = f" and {self.floats - 1} more" if self.floats > 1 else ""
            lines += [
                f"  written with a fraction or exponent: {self.first_float or 'the whole document'}{others}",
                "    the contract and RFC 8785 read an integral number as an integer; canonicaljson keeps it a float",
            ]
        if self.order is not None:
            lines += [
                f"  member order: first at {self.order.path or 'the whole document'}, from the first difference on",
                f"    contract, by code point:    {', '.join(self.order.contract)}",
                f"    RFC 8785, by UTF-16 unit:   {', '.join(self.order.rfc8785)}",
            ]
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a fresh plain object."""
        forms = {"contract": self.contract, "canonicaljson": self.canonicaljson, "rfc8785": self.rfc8785}
        order = self.order
        return {
            **{name: {"bytes": form.size, "sha256": form.sha256, "same": form.same} for name, form in forms.items()},
            "integral_floats": {"count": self.floats, "first": self.first_float},
            "member_order": order
            and {"path": order.path, "contract": list(order.contract), "rfc8785": list(order.rfc8785)},
        }


def compare(text: bytes, admitted: Admitted) -> Comparison:
    """Compare the three canonical forms of a document.

    Args:
        text: the document.
        admitted: the same, parsed and admitted under the identity profile.
    """
    ours = bytes(admitted.canonical)
    written = json.loads(text.decode())  # numbers as written; what has been admitted is safe to read again
    floats = list(_floats(written, ()))
    order = None if rfc8785_identical(admitted.value) else next(_reordered(admitted.value, ()))
    return Comparison(
        contract=_form(ours, ours),
        canonicaljson=_form(canonicaljson.encode_canonical_json(written), ours),
        rfc8785=_form(rfc8785.dumps(written), ours),
        floats=len(floats),
        first_float=pointer(*floats[0]) if floats else None,
        order=order,
    )


def _form(data: bytes, ours: bytes) -> Form:
    return Form(len(data), hashlib.sha256(data).hexdigest(), data == ours)


def _children(value: Any) -> Iterator[tuple[str | int, Any]]:
    if type(value) is dict:
        for name in sorted(value):
            yield name, value[name]
    elif type(value) is list:
        yield from enumerate(value)


def _floats(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if type(value) is float:
        yield place
    for token, child in _children(value):
        yield from _floats(child, (*place, token))


def _reordered(value: Any, place: tuple[str | int, ...]) -> Iterator[NameOrder]:
    if type(value) is dict:
        ours, theirs = sorted(value), sorted(value, key=lambda name: name.encode("utf-16-be"))
        parting = next((index for index, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]), None)
        if parting is not None:
            yield NameOrder(pointer(*place), _names(ours[parting:]), _names(theirs[parting:]))
    for token, child in _children(value):
        yield from _reordered(child, (*place, token))


def _names(names: list[str]) -> tuple[str, ...]:
    more = ("...",) if len(names) > _SHOWN_NAMES else ()
    return (*map(describe, names[:_SHOWN_NAMES]), *more)
