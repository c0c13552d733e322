"""Everything the documentation shows is true: commands and programs are run, links and names are looked up.

The rules for pages stand in docs/architecture.md, "How the documentation is checked".
"""

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from operatebench.cli.app import run as run_command
from operatebench.errors import IdentityValidationError
from operatebench.identity.strictjson import parse_json
from tests.support import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BIN = Path(sys.executable).parent

REVIEWED_SETUP = frozenset(
    {
        "uv tool install .",
        "pipx install .",
        "python3 -m venv venv",
        "venv/bin/pip install .",
        "venv/bin/operatebench --version",
    }
)
"""What an ``sh`` block may hold beside ``make``: it installs from a package index, so no test runs it."""

_MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MAKE_VERBS = frozenset(re.findall(r"^([a-z]+):.*##", _MAKEFILE, re.MULTILINE))
MAKE_VARIABLES = frozenset(re.findall(r"^([A-Z]+) \?=", _MAKEFILE, re.MULTILINE))

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SETTING = r"""([A-Z]+)=(?:'[^']*'|"[^"$`]*"|[^\s"';&|]+)"""
_MAKE = re.compile(rf"make(?: {_SETTING})*(?: ([a-z]+))+(?: {_SETTING})*")
_REPOSITORY_FILE = re.compile(r"(?:[\w.-]+/)+[\w-]+\.(?:in|ini|json|md|py|sh|toml|txt)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the number of its first line in the page, its lines."""

    language: str
    line: int
    lines: tuple[str, ...]
    follows_at_once: bool
    """Whether nothing but an empty line stands between it and the block before."""

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page, from top to bottom."""
    found = []
    end = -1
    for match in _FENCE.finditer(page):
        line = page.count("\n", 0, match.start(2)) + 1
        at_once = end >= 0 and not page[end : match.start()].strip()
        found.append(Block(match[1], line, tuple(match[2].splitlines()), at_once))
        end = match.end()
    return found


def prose_of(page: str) -> str:
    """Return a page without its fenced blocks."""
    return _FENCE.sub("", page)


def run(command: list[str], folder: Path, tools: Path) -> str:
    """Return what ``command`` prints to both streams, with ``tools`` and the installed package first on the path."""
    path = os.pathsep.join((str(tools), str(BIN), os.environ["PATH"]))
    variables = {**os.environ, "HOME": str(folder), "PATH": path}
    done = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def steps_of(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a ``console`` block, each with the lines shown below it."""
    steps: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif line.startswith("> ") and steps and not steps[-1][1]:
            steps[-1] = (f"{steps[-1][0]}\n{line[2:]}", [])
        elif steps:
            steps[-1][1].append(line)
        else:
            steps.append(("", [line]))
    return steps


def same_output(shown: list[str], printed: str) -> bool:
    """Tell whether a page shows what was printed; a last line ``…`` stands for more lines."""
    lines = printed.removesuffix("\n").split("\n") if printed else []
    if shown and shown[-1] == "…":
        return lines[: len(shown) - 1] == shown[:-1] and len(lines) > len(shown) - 1
    return lines == shown


def problems_in_console(block: Block, folder: Path, tools: Path) -> list[str]:
    """Run every command of the block and return those whose output is not what the page shows."""
    problems = []
    for command, shown in steps_of(block):
        printed = run(["sh", "-c", command], folder, tools)
        if not command or not same_output(shown, printed):
            problems.append(f"line {block.line}: {command!r} prints\n{printed}")
    return problems


def problems_in_program(block: Block, after: Block | None, folder: Path, tools: Path) -> list[str]:
    """Run a ``python`` block and compare what it prints with the ``text`` block right after it."""
    shown = list(after.lines) if after and after.language == "text" and after.follows_at_once else []
    printed = run(["python", "-c", block.text], folder, tools)
    return [] if same_output(shown, printed) else [f"line {block.line}: the program prints\n{printed}"]


def problems_in_setup(block: Block) -> list[str]:
    """Return the lines of an ``sh`` block that nobody has reviewed."""
    return [f"line {block.line}: {line!r} was not reviewed" for line in block.lines if not reviewed(line)]


def reviewed(line: str) -> bool:
    """Tell whether a line sets up something in a known way."""
    command = line.partition(" #")[0].rstrip()
    return command in REVIEWED_SETUP or known_make(command)


def known_make(command: str) -> bool:
    """Tell whether ``command`` calls ``make`` with verbs and variables that exist."""
    if not _MAKE.fullmatch(command):
        return False
    settings = set(re.findall(rf" {_SETTING}", command))
    verbs = set(re.findall(r" ([a-z]+)(?= |$)", re.sub(rf" {_SETTING}", "", command)))
    return settings <= MAKE_VARIABLES and verbs <= MAKE_VERBS


def problems_in_json(block: Block) -> list[str]:
    """Return the refusal of a ``json`` block that is no strict JSON."""
    try:
        parse_json(block.text.encode())
    except IdentityValidationError as refusal:
        return [f"line {block.line}: {refusal}"]
    return []


def problems_in_blocks(page: str, folder: Path, tools: Path) -> list[str]:
    """Run and check every block of a page, from top to bottom, in ``folder``, with ``tools`` first on the path."""
    problems = []
    blocks = blocks_of(page)
    if len(re.findall(r"^\s*(?:```|~~~)", page, re.MULTILINE)) != 2 * len(blocks):
        problems.append("a fence is indented, not closed, or of another kind")
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.language == "console":
            problems += problems_in_console(block, folder, tools)
        elif block.language == "python":
            problems += problems_in_program(block, after, folder, tools)
        elif block.language == "sh":
            problems += problems_in_setup(block)
        elif block.language == "json":
            problems += problems_in_json(block)
        elif block.language != "text":
            problems.append(f"line {block.line}: no rule says how to check {block.language!r}")
        elif any(line.startswith("$ ") for line in block.lines):
            problems.append(f"line {block.line}: a command that nobody runs")
    return problems


def anchors_of(page: str) -> set[str]:
    """Return the anchors that the headings of a page get."""
    titles = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def problems_in_links(page: str, place: Path) -> list[str]:
    """Return the links of a page that lead nowhere.

    Args:
        page: its text.
        place: its path, which its links are relative to.
    """
    problems = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        name, _, anchor = target.partition("#")
        found = place.parent / name if name else place
        if target.startswith("https://"):
            continue
        if not found.exists():
            problems.append(f"{target}: no such file")
        elif anchor and anchor not in anchors_of(page if found == place else found.read_text(encoding="utf-8")):
            problems.append(f"{target}: no such heading")
    return problems


@cache
def help_of(words: tuple[str, ...]) -> str:
    """Return the help page of a command; empty if there is no such command."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(io.TextIOWrapper(io.BytesIO())):
        status = run_command([*words, "--help"])
    return said.getvalue() if status == 0 else ""


def problems_in_names(page: str) -> list[str]:
    """Return the code spans of running text that name a file, command, option or verb that does not exist."""
    return [span for span in re.findall(r"`([^`\n]+)`", prose_of(page)) if not exists(span)]


def exists(span: str) -> bool:
    """Tell whether what a code span names is there; spans that name nothing of ours count as there."""
    if _REPOSITORY_FILE.fullmatch(span):
        return (ROOT / span).is_file()
    tool, *words = span.split()
    if tool == "make" and words and words[0].islower():
        return known_make(span)
    if tool != "operatebench":
        return True
    options = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--version"}
    command = tuple(word for word in words if re.fullmatch(r"[a-z]+", word))
    page = help_of(command)
    return bool(page) and all(re.search(rf"{option}\b", page) for option in options)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_are_true(page: Path, tmp_path: Path, preloaded_bin: Path) -> None:
    problems = problems_in_blocks(page.read_text(encoding="utf-8"), tmp_path, preloaded_bin)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_names_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert problems_in_links(text, page) == []
    assert problems_in_names(text) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_fit_a_terminal_and_name_no_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = prose_of(text).splitlines()
    assert [line for line in lines if len(line) > 140 and not line.startswith("|")] == []
    assert [line for line in text.splitlines() if re.search(r"(?<![\w.])/(?:home|root|tmp|usr|work)/", line)] == []


def test_readme_shows_the_two_commands() -> None:
    setup = [line for block in blocks_of(PAGES[0].read_text(encoding="utf-8")) for line in block.lines]
    assert {"make demo", "make test"} <= {line.partition(" #")[0].rstrip() for line in setup}


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in folder.glob("0*.md")} == set(re.findall(r"\((0\d+-[\w-]+\.md)\)", index))


TRUE_PAGE = """\
```console
$ echo one >file; echo said
said
$ printf 'a\\nb\\n' && \\
> echo 'c'
a
…
```

```python
print(open("file").read(), end="")
```

```text
one
```

```json
{"a": 1}
```

```sh
make test ARGS='-k manifest' # a remark
make PYTHON=python3.12 bench ARGS="--only 'a-*'"
```
"""


def test_a_true_page_has_no_problems(tmp_path: Path) -> None:
    assert problems_in_blocks(TRUE_PAGE, tmp_path, BIN) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("said\n$", "sad\n$"),
        ("said\n$", "said\nmore\n$"),
        ("said\n$", "$"),
        ("a\n…", "b\n…"),
        ("a\n…", "a\nb\nc\n…"),
        ("$ echo", "echo"),
        ("```text\none", "```text\ntwo"),
        ("```text\none", "words\n\n```text\none"),
        ("```text\none", "```text\n$ rm file"),
        ('{"a": 1}', '{"a": 1, "a": 1}'),
        ("make test", "make tea"),
        ("PYTHON=", "SNAKE="),
        ("PYTHON=python3.12", "PYTHON=python3.12;rm"),
        ("make PYTHON=python3.12 bench", "make bench; rm file"),
        ("make PYTHON=python3.12 bench", "pip install"),
        ("```json", "```yaml"),
        ("```json", " ```json"),
    ],
)
def test_a_wrong_page_has_problems(right: str, wrong: str, tmp_path: Path) -> None:
    assert TRUE_PAGE.count(right) == 1
    assert problems_in_blocks(TRUE_PAGE.replace(right, wrong), tmp_path, BIN) != []


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    place = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# A *fine* title (1)\n", encoding="utf-8")
    right = ["other.md", "other.md#a-fine-title-1", "#here", "https://example.org/"]
    wrong = ["missing.md", "other.md#title", "#x"]
    page = "## Here\n" + "".join(f"[words]({link})\n" for link in right + wrong)
    place.write_text(page, encoding="utf-8")
    assert [problem.partition(":")[0] for problem in problems_in_links(page, place)] == wrong


def test_names_of_nothing_are_found() -> None:
    there = ["errors/base.py", "identity/canonical.py", "operatebench digest FILE --explain", "make VENV=x lint"]
    missing = ["identity/absent.py", "operatebench dance", "operatebench digest FILE --upside-down", "make tea"]
    page = "".join(f"Words `{span}` words.\n" for span in there + missing)
    assert problems_in_names(page) == missing
