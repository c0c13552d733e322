"""The page of error codes and the error tree say the same."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import PAGES, cell, error_classes, errors_page
from operatebench import errors
from tests.support import ROOT

PAGE = ROOT / "docs" / "errors.md"


def run_generate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the copy of the generator in ``folder``."""
    return subprocess.run(
        [sys.executable, folder / "generate.py", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with copies of the generator and of all generated pages."""
    for name in ("generate.py", *PAGES):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs" / name, tmp_path / name)
    return tmp_path


def test_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == errors_page()


def test_page_lists_every_code_of_every_class_once_under_its_class() -> None:
    listed: dict[str, list[str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if title := re.fullmatch(r"## `(\w+)`", line):
            codes = listed.setdefault(title[1], [])
        elif row := re.match(r"\| `([a-z0-9_.]+)` \|", line):
            codes.append(row[1])
    kinds: list[type[errors.OperateBenchError]] = [
        errors.OperateBenchError,
        *errors.OperateBenchError.__subclasses__(),
    ]
    assert listed == {kind.__name__: list(kind.codes) for kind in kinds if kind.codes}


def test_every_code_has_a_cause_and_a_remedy_in_sentences() -> None:
    rows = [row for kind in error_classes() for row in kind.codes.values()]
    assert rows
    assert [text for row in rows for text in row if not (text[0].isupper() and text.endswith("."))] == []


def test_cells_keep_their_text_in_markdown() -> None:
    assert cell("a | b, '*' and `x|*`") == r"a \| b, '\*' and `x|*`"


def test_check_accepts_the_page_and_writes_nothing(folder: Path) -> None:
    before = (folder / "errors.md").stat().st_mtime_ns
    done = run_generate(folder, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "errors.md").stat().st_mtime_ns == before


def test_check_refuses_a_changed_or_missing_page_and_writing_mends_it(folder: Path) -> None:
    page = folder / "errors.md"
    right = page.read_text(encoding="utf-8")
    page.write_text(right.replace("file_missing", "file_absent"), encoding="utf-8")
    refused = run_generate(folder, "--check")
    assert (refused.returncode, refused.stderr) == (1, "docs/errors.md is out of date: run `make docs`\n")
    page.unlink()
    assert run_generate(folder, "--check").returncode == 1
    assert run_generate(folder).returncode == 0
    assert page.read_text(encoding="utf-8") == right


def test_unknown_arguments_are_a_usage_error(folder: Path) -> None:
    done = run_generate(folder, "--verify")
    assert (done.returncode, done.stderr) == (64, "usage: generate.py [--check]\n")
