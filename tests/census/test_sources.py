"""With a source root every source must exist below it; without one the file system is not touched."""

import os
from pathlib import Path
from typing import Any

import pytest

from operatebench.census import load_field_census, validate_field_census
from operatebench.census import paths as paths_module
from tests.census.support import judge, refusal

FIRST = "docs/schemas/card-defs-v1.schema.json"
FIRST_PLACE = "census#/entries/0/source_paths/0"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree that has every source the packaged census names."""
    root = tmp_path / "tree"
    for entry in load_field_census()["entries"]:
        for source in entry["source_paths"]:
            (root / source).parent.mkdir(parents=True, exist_ok=True)
            (root / source).touch()
    return root


def count(census: Any, root: Any) -> int:
    return len(validate_field_census(census, source_root=root)["entries"])


def test_a_tree_with_every_source_is_accepted(tree: Path) -> None:
    assert count(load_field_census(), tree) == 106
    assert count(load_field_census(), str(tree)) == 106
    assert count(validate_field_census(load_field_census()), tree) == 106


def test_a_relative_root_starts_in_the_working_directory(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    assert count(load_field_census(), ".") == 106
    assert count(load_field_census(), Path("docs/..")) == 106

    monkeypatch.chdir(tree / "docs")
    assert count(load_field_census(), "..") == 106
    assert judge(load_field_census(), source_root=".") == ("census.source_stale", FIRST_PLACE)


def test_the_root_may_be_a_link(tree: Path) -> None:
    link = tree.parent / "link"
    link.symlink_to(tree)

    assert count(load_field_census(), link) == 106


def test_a_source_that_is_gone_is_stale(tree: Path) -> None:
    (tree / FIRST).unlink()

    error = refusal(validate_field_census, load_field_census(), source_root=tree)

    assert (error.code, error.path, error.actual) == ("census.source_stale", FIRST_PLACE, f'"{FIRST}"')
    assert type(error.__cause__) is FileNotFoundError


def test_a_link_inside_the_tree_is_followed(tree: Path) -> None:
    (tree / FIRST).rename(tree / "moved")
    (tree / FIRST).symlink_to("../../moved")

    assert count(load_field_census(), tree) == 106


@pytest.mark.parametrize("target", ["../../../outside", "/"])
def test_a_link_out_of_the_tree_escapes(tree: Path, target: str) -> None:
    (tree.parent / "outside").touch()
    (tree / FIRST).unlink()
    (tree / FIRST).symlink_to(target)

    error = refusal(validate_field_census, load_field_census(), source_root=tree)

    assert (error.code, error.path) == ("census.source_escapes", FIRST_PLACE)
    assert error.__cause__ is None


def test_a_linked_folder_that_leads_out_escapes(tree: Path) -> None:
    (tree / "docs").rename(tree.parent / "elsewhere")
    (tree / "docs").symlink_to(tree.parent / "elsewhere")

    assert judge(load_field_census(), source_root=tree) == ("census.source_escapes", FIRST_PLACE)


def test_a_neighbour_whose_name_starts_like_the_root_is_outside(tree: Path) -> None:
    neighbour = tree.parent / "tree-2"
    neighbour.touch()
    (tree / FIRST).unlink()
    (tree / FIRST).symlink_to(neighbour)

    assert judge(load_field_census(), source_root=tree)[0] == "census.source_escapes"


def test_links_that_lead_nowhere_are_stale(tree: Path) -> None:
    for target in ("gone", Path(FIRST).name):
        (tree / FIRST).unlink()
        (tree / FIRST).symlink_to(target)
        error = refusal(validate_field_census, load_field_census(), source_root=tree)
        assert (error.code, error.path) == ("census.source_stale", FIRST_PLACE)
        assert isinstance(error.__cause__, OSError)


def test_a_name_the_file_system_cannot_hold_is_stale(tree: Path) -> None:
    census = load_field_census()
    census["entries"][3]["source_paths"] = ["src/" + "x" * 5_000]

    assert judge(census, source_root=tree) == ("census.source_stale", "census#/entries/3/source_paths/0")


@pytest.mark.parametrize("name", ["gone", FIRST, "nul\0"])
def test_a_root_that_is_no_folder_is_refused(tree: Path, name: str) -> None:
    assert judge(load_field_census(), source_root=f"{tree}/{name}") == ("census.source_root", "source_root#")


def test_a_missing_root_gives_its_cause(tree: Path) -> None:
    error = refusal(validate_field_census, load_field_census(), source_root=tree / "gone")

    assert type(error.__cause__) is FileNotFoundError
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize("root", [b".", 1, ["."], True])
def test_a_root_of_another_type_is_refused_with_its_cause(root: Any) -> None:
    error = refusal(validate_field_census, load_field_census(), source_root=root)

    assert (error.code, error.path) == ("census.argument", "source_root#")
    assert type(error.__cause__) is TypeError


def test_a_hostile_root_is_not_run(tmp_path: Path) -> None:
    class Hostile(str):
        __slots__ = ()

        def __fspath__(self) -> str:
            raise AssertionError("run")

        __str__ = __fspath__

    assert judge(load_field_census(), source_root=Hostile(tmp_path))[0] == "census.argument"


def test_each_source_is_looked_up_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def counted(path: Any, *, strict: bool) -> str:
        looked.append(str(path))
        return str(os.path.realpath(path, strict=strict))

    monkeypatch.setattr(paths_module, "realpath", counted)
    count(load_field_census(), tree)

    assert len(looked) == len(set(looked)) == 1 + 8


def test_without_a_root_the_file_system_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    validate_field_census(load_field_census())  # the packaged documents are read once in a process
    touched: list[str] = []
    for name in ("stat", "lstat", "readlink", "open", "getcwd", "listdir", "scandir", "access"):
        monkeypatch.setattr(os, name, lambda *_, name=name, **__: touched.append(name))

    census = load_field_census()
    validate_field_census(census)
    validate_field_census(census, artifact_schema="operatebench.artifact.v8")

    monkeypatch.undo()
    assert touched == []
