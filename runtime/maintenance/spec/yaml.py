"""Reads one YAML file strictly: plain JSON with the file line of every value, or a refusal that names the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from ....errors import SpecError, describe, pointer

MAX_BYTES = 512 * 1024
"""Bytes of a spec file."""

MAX_DEPTH = 32
"""Nested mappings and lists; a scenario's predicates nest deepest."""

MAX_INTEGER = 2**53 - 1

PARSERS: tuple[Any, ...] = (yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else []))
"""PyYAML's parsers at hand; the last one is used. They must give the same, and a test holds them to it."""

# The minus of a zero and leading zeros make text: what is typed has one spelling.
_INTEGER = re.compile("0|-?[1-9][0-9]*")
_WORDS = {"null": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML file says.

    Attributes:
        name: the file's name, without folders.
        value: plain JSON: dicts, lists, text, integers, booleans, null.
        lines: JSON Pointer -> line, from 1; a member's line is that of its key.
    """

    name: str
    value: Any
    lines: dict[str, int]

    def place(self, at: str) -> str:
        """Return file, line and field of a pointer; what is not there has the line of what should hold it."""
        holder = at
        while holder not in self.lines:
            holder = holder.rpartition("/")[0]
        line = f"{self.name}:{self.lines[holder]}"
        return f"{line} {at}" if at else line


def read_yaml(data: bytes, name: str, parser: Any = PARSERS[-1]) -> Document:
    """Read one YAML document.

    Only plain ``null``, ``true``, ``false`` and decimal integers are typed; every other scalar is text. Nothing is
    built while the text is parsed but what it says, level by level, so neither nesting nor aliases can cost more than
    the text itself.

    Args:
        data: the file's bytes.
        name: what refusals call the file.
        parser: one of :data:`PARSERS`.

    Raises:
        SpecError: ``yaml_…``; the path is file and line, and the field where one is known.
    """
    text = _decode(data, name)
    return _Reader(name, _events(text, name, parser)).read()


def _decode(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise SpecError("out_of_bounds", path=name, expected=f"at most {MAX_BYTES} bytes", actual=f"{len(data)} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        actual = f"byte 0x{data[fault.start]:02x}"
        raise SpecError("yaml_encoding", path=f"{name}:{line}", expected="UTF-8", actual=actual) from None
    odd = _unprintable(text)
    if odd:
        line = text.count("\n", 0, text.index(odd)) + 1
        raise _character(odd, f"{name}:{line}")
    return text


def _unprintable(text: str) -> str:
    """Return the first character that is neither printable nor a line feed, or nothing."""
    if text.replace("\n", "").isprintable():
        return ""
    return next(character for character in text if character != "\n" and not character.isprintable())


def _character(character: str, path: str) -> SpecError:
    return SpecError("yaml_character", path=path, expected="a printable character", actual=f"U+{ord(character):04X}")


def _events(text: str, name: str, parser: Any) -> Iterator[Event]:
    try:
        yield from yaml.parse(text, Loader=parser)
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
        path = f"{name}:{mark.line + 1}" if mark else name
        raise SpecError("yaml_syntax", path=path, expected="YAML", actual="text that is none") from None


class _Reader:
    """One reading of an event stream; the stack of open containers takes the place of recursion."""

    def __init__(self, name: str, events: Iterator[Event]) -> None:
        self._name = name
        self._events = events
        self._lines: dict[str, int] = {}
        self._root: list[Any] = []
        self._open: list[tuple[Any, str]] = [(self._root, "")]
        self._key: str | None = None

    def read(self) -> Document:
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1 or event.version or event.tags:
                    raise self._refuse("yaml_documents", event, "one document without directives", "another one")
            elif isinstance(event, CollectionEndEvent):
                self._open.pop()
            elif isinstance(event, NodeEvent):
                self._node(event)
        if not documents:
            raise SpecError("yaml_documents", path=f"{self._name}:1", expected="one document", actual="none")
        return Document(self._name, self._root[0], self._lines)

    def _node(self, event: NodeEvent) -> None:
        if not isinstance(event, ScalarEvent | CollectionStartEvent) or event.anchor is not None:
            raise self._refuse("yaml_alias", event, "a value written out", "an anchor or alias")
        if event.tag is not None:
            raise self._refuse("yaml_tag", event, "a value without tag", "a tag")
        container, at = self._open[-1]
        if isinstance(container, dict):
            if self._key is None:
                self._key = self._read_key(event, container, at)
                self._lines[at + pointer(self._key)] = _line(event)
                return
            key, self._key = self._key, None
            container[key] = self._value(event, at + pointer(key))
        elif container is self._root:
            self._lines[""] = _line(event)
            container.append(self._value(event, ""))
        else:
            place = at + pointer(len(container))
            self._lines[place] = _line(event)
            container.append(self._value(event, place))

    def _value(self, event: NodeEvent, at: str) -> Any:
        if isinstance(event, ScalarEvent):
            return self._scalar(event, at)
        if len(self._open) > MAX_DEPTH:
            raise self._refuse("yaml_depth", event, f"at most {MAX_DEPTH} nested containers", "more", at)
        value: dict[str, Any] | list[Any] = {} if isinstance(event, MappingStartEvent) else []
        self._open.append((value, at))
        return value

    def _read_key(self, event: NodeEvent, mapping: dict[str, Any], at: str) -> str:
        if not isinstance(event, ScalarEvent):
            raise self._refuse("yaml_key", event, "a key of text", "a mapping or list", at)
        key = self._scalar(event, at)
        if type(key) is not str:
            raise self._refuse("yaml_key", event, "a key of text", describe(key), at)
        if key in mapping:
            raise self._refuse(
                "yaml_duplicate_key", event, "a key no earlier one repeats", describe(key), at + pointer(key)
            )
        return key

    def _scalar(self, event: ScalarEvent, at: str) -> str | int | bool | None:
        text: str = event.value
        if event.implicit[0]:  # plain: neither quoted nor a block
            if not text:
                raise self._refuse("yaml_empty", event, "a value", "nothing", at)
            if text in _WORDS:
                return _WORDS[text]
            if _INTEGER.fullmatch(text):
                # The length first: converting a long text is work, and Python refuses the longest.
                if len(text) > len(str(-MAX_INTEGER)) or abs(int(text)) > MAX_INTEGER:
                    raise self._refuse(
                        "yaml_number", event, "an integer within ±(2^53-1)", f"one of {len(text)} characters", at
                    )
                return int(text)
        odd = _unprintable(text)  # escapes in quoted text can name any character
        if odd:
            raise _character(odd, f"{self._name}:{_line(event)} {at}")
        return text

    def _refuse(self, code: str, event: Event, expected: str, actual: str, at: str = "") -> SpecError:
        line = f"{self._name}:{_line(event)}"
        return SpecError(code, path=f"{line} {at}" if at else line, expected=expected, actual=actual)


def _line(event: Event) -> int:
    mark = event.start_mark
    assert mark is not None  # both parsers mark every event
    return int(mark.line) + 1
