"""Writes the documentation pages that follow from the code; with ``--check`` it only says which are out of date."""

import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from operatebench import errors
from operatebench.cards import CARD_SCHEMAS, load_schema
from operatebench.cards.resources import DEFINITIONS, load_resource

DOCS = Path(__file__).resolve().parent

_INTRODUCTION = """\
# Error codes

Every refusal of the package is an `OperateBenchError` with a stable `code`, the `path` it happened at, what was
`expected`, what the `actual` finding was, and a `hint`. Programs decide by the code; texts may change in any release
([versions](versions.md)). Refusals of input also are `ValueError`. A wrong call, such as a missing argument, stays a
`TypeError`.

This page is written from the package `errors` by `make docs`, and a test keeps both equal.
"""


def error_classes() -> list[type[errors.OperateBenchError]]:
    """Return the classes of the error tree that declare codes, in the order of the source."""
    found = [item for item in vars(errors).values() if isinstance(item, type)]
    return [item for item in found if issubclass(item, errors.OperateBenchError) and item.codes]


def cell(text: str) -> str:
    """Return ``text`` as the content of a table cell: marks of Markdown mean themselves outside of code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_~|<>\[\]])", r"\\\1", part) for part in parts)


def errors_page() -> str:
    """Return the text of ``errors.md``: one table for each class, one row for each code."""
    sections = [_INTRODUCTION]
    for kind in error_classes():
        summary = (kind.__doc__ or "").partition("\n")[0]
        rows = [f"| `{code}` | {cell(cause)} | {cell(remedy)} |" for code, (cause, remedy) in kind.codes.items()]
        table = "\n".join(["| code | cause | remedy |", "| --- | --- | --- |", *rows])
        sections.append(f"## `{kind.__name__}`\n\n{summary}\n\n{table}\n")
    return "\n".join(sections)


CARD_PAGES = dict(zip(("operation-card", "semantic-scenario-card", "variant-card"), CARD_SCHEMAS, strict=True))
"""Name of the reference page -> the card it is about."""

_CARD_INTRODUCTION = """\
# {title}

{about}

Every object is closed: all listed members are required, and no other is allowed. A *set* has no item twice and is
sorted by the canonical bytes of its items; a *list* keeps its author's order. No array or object has more than 4,096
direct items. What a schema cannot say (digests, references, names that must exist, the order of events) stands in the
card contract and is checked by `operatebench card validate`.

This page is written from `schemas/{file}` by `make docs`, and a test keeps both equal.

## Members

"""

_LONGEST_PATTERN = 160
_END = "(?![\\s\\S])"
_DEFINITION = re.compile(r"(?:card-defs-v1\.schema\.json)?#/\$defs/(\w+)")


class CardPage:
    """Writes the reference page of one card from its schema and the shared definitions."""

    def __init__(self, name: str) -> None:
        self._schema = load_schema(CARD_PAGES[name])
        self._definitions = load_resource(DEFINITIONS)["$defs"]
        self._file = f"{name}-v1.schema.json"
        self._wanted: dict[str, None] = {}
        """Definitions that were linked to, in the order in which they were first met."""

    def text(self) -> str:
        """Return the text of the page: the card's members, then every definition they use."""
        title, about = self._schema["title"], _wrapped(self._schema["description"])
        rows = list(self._members(self._schema, ""))
        parts = [_CARD_INTRODUCTION.format(title=title, about=about, file=self._file) + _table(rows)]
        done: set[str] = set()
        while self._wanted.keys() - done:
            for name in [name for name in self._wanted if name not in done]:
                done.add(name)
                parts.append(self._section(name))
        return "\n".join([*parts[:1], "## Types\n", *parts[1:]])

    def _section(self, name: str) -> str:
        definition = self._definitions[name]
        parts = [f"### {name}", _wrapped(definition["description"])]
        if "oneOf" in definition:
            for branch in definition["oneOf"]:
                tag = next(iter(branch["properties"]))
                parts += [f"`{tag}` {_rule(branch['properties'][tag])}: {branch['description']}"]
                rows = [row for row in self._members(branch, "") if row[0] != f"`{tag}`"]
                parts += [_table(rows).rstrip()] if rows else []
        elif "properties" in definition:
            parts.append(_table(list(self._members(definition, ""))).rstrip())
        else:
            kind, rule = self._kind(definition), _rule(definition)
            parts.append(_wrapped(f"{kind[0].upper()}{kind[1:]}{f', {rule}' if rule else ''}."))
            pattern = definition.get("pattern", "").replace(_END, "$")
            if 0 < len(pattern) <= _LONGEST_PATTERN and pattern.isascii():  # others are for machines
                parts.append(f"```text\n{pattern}\n```")
        return "\n\n".join(parts) + "\n"

    def _members(self, schema: dict[str, Any], place: str) -> Iterator[tuple[str, str, str, str]]:
        for name, member in schema["properties"].items():
            here, about = f"{place}{name}", member.get("description", "")
            found = member
            reference = _DEFINITION.fullmatch(member.get("$ref", ""))
            if reference is not None:
                found = self._definitions[reference[1]]
                about = about or found["description"]
            inline = reference is None or (found.get("additionalProperties") is False and "oneOf" not in found)
            kind = self._kind(found) if inline or reference is None else self._link(reference[1])
            yield f"`{here}`", kind, _rule(found) if inline else "", about
            if inline:
                yield from self._inside(found, here)

    def _inside(self, schema: dict[str, Any], here: str) -> Iterator[tuple[str, str, str, str]]:
        items = schema.get("items", {})
        if "properties" in schema:
            yield from self._members(schema, f"{here}/")
        elif "properties" in items:
            yield from self._members(items, f"{here}[]/")

    def _kind(self, schema: dict[str, Any]) -> str:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = []
        for kind in kinds:
            if kind == "array":
                plural = "set" if schema.get("uniqueItems") else "list"
                reference = _DEFINITION.fullmatch(schema["items"].get("$ref", ""))
                words.append(f"{plural} of {'objects' if reference is None else self._link(reference[1])}")
            elif kind == "object" and "properties" not in schema:
                names, values = (
                    self._link(schema[part]["$ref"].rpartition("/")[2])
                    for part in ("propertyNames", "additionalProperties")
                )
                words.append(f"object from {names} to {values}")
            else:
                words.append("text" if kind == "string" else kind)
        return " or ".join(words)

    def _link(self, name: str) -> str:
        self._wanted.setdefault(name)
        return f"[{name}](#{name.lower()})"


def _rule(schema: dict[str, Any]) -> str:
    """Return the bounds and closed values of a schema in words."""
    if "const" in schema:
        return f"exactly `{_json(schema['const'])}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{_json(value)}`" for value in schema["enum"])
    words = []
    if "minLength" in schema or "maxLength" in schema:
        low, high = schema.get("minLength", 0), schema["maxLength"]
        words.append(f"{high:,} characters" if low == high else f"{low:,} to {high:,} characters")
    if "minimum" in schema:
        words.append(f"{_number(schema['minimum'])} to {_number(schema['maximum'])}")
    if schema.get("minItems"):
        words.append(f"at least {schema['minItems']}")
    return "; ".join(words)


def _number(number: int) -> str:
    return {2**63 - 1: "2^63-1", -(2**63): "-2^63"}.get(number, str(number))


def _json(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _table(rows: list[tuple[str, str, str, str]]) -> str:
    lines = ["| member | type | rule | description |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {kind} | {rule} | {cell(about)} |" for name, kind, rule, about in rows]
    return "\n".join(lines) + "\n"


def card_page(name: str) -> str:
    """Return the text of the reference page of one card, a name of :data:`CARD_PAGES`."""
    return CardPage(name).text()


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors_page,
    **{f"reference/{name}.md": partial(card_page, name) for name in CARD_PAGES},
}
"""Every generated page, by its path below ``docs/``."""


def main(arguments: list[str]) -> int:
    """Write, or with ``--check`` compare, the generated pages.

    Args:
        arguments: the words after the script's name: nothing or ``--check``.

    Returns:
        The exit status: 0 done or equal, 1 out of date, 64 for unknown arguments.
    """
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 64
    stale = False
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if not arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"docs/{name}")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is out of date: run `make docs`", file=sys.stderr)
            stale = True
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
