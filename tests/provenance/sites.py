"""Packages to take the source identity of: a small one, and copies of the installed one with its metadata."""

import shutil
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

import operatebench
from operatebench.provenance import OwnerTable
from operatebench.provenance import record as module

INSTALLED = Path(operatebench.__file__).parent

TABLE = OwnerTable(
    {"__init__.py": "root", "py.typed": "root", "a/": "whole", "a/b/": "part", "a/b/one.py": "single"},
    suffixes=(".json", ".py"),
)
FILES = {"__init__.py": b"", "py.typed": b"", "a/x.py": b"x = 1\n", "a/b/one.py": b"1\n", "a/b/two.json": b"{}\n"}


def write_package(root: Path) -> Path:
    """Write the small package, with things beside it that are no part of it."""
    for path, content in {**FILES, "README.md": b"?", "tests/evil.so": b"?", "a/__pycache__/x.pyc": b"?"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def copy_site(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the installed package and its metadata into a folder, and let that be the distribution that is found."""
    root = Path(shutil.copytree(INSTALLED, site / INSTALLED.name, ignore=shutil.ignore_patterns("__pycache__")))
    (metadata,) = INSTALLED.parent.glob("operatebench-*.dist-info")
    copied = shutil.copytree(metadata, site / metadata.name)
    monkeypatch.setattr(module, "distribution", lambda _: PathDistribution(copied))
    return root
