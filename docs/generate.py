"""Writes the documentation pages that follow from the code; with ``--check`` it only says which are out of date."""

import re
import sys
from pathlib import Path

from operatebench import errors

DOCS = Path(__file__).resolve().parent

_INTRODUCTION = """\
# Error codes

Every refusal of the package is an `OperateBenchError` with a stable `code`, the `path` it happened at, what was
`expected`, what the `actual` finding was, and a `hint`. Programs decide by the code; texts may change in any release
([versions](versions.md)). Refusals of input also are `ValueError`. A wrong call, such as a missing argument, stays a
`TypeError`.

This page is written from `errors.py` by `make docs`, and a test keeps both equal.
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
    page, text = DOCS / "errors.md", errors_page()
    if not arguments:
        page.write_text(text, encoding="utf-8")
        print(f"docs/{page.name}")
        return 0
    if page.is_file() and page.read_text(encoding="utf-8") == text:
        return 0
    print(f"docs/{page.name} is out of date: run `make docs`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
