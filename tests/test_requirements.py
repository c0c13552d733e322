"""The lock files: every package pinned and hashed, no place to fetch from, all dependencies covered."""

import re
import tomllib

import pytest

from tests.support import ROOT

FOLDER = ROOT / "requirements"
LOCKS = sorted(path.name for path in FOLDER.glob("*.txt"))
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?: ; [^\\]+)?(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)")


def entries(lock: str) -> list[re.Match[str] | None]:
    """Return one match for each logical line of the lock file."""
    text = (FOLDER / lock).read_text(encoding="utf-8")
    return [PIN.fullmatch(line) for line in re.sub(r" \\\n +", " ", text).splitlines()]


def pins(lock: str) -> set[tuple[str, str]]:
    """Return name and version of each pinned package."""
    return {(found["name"], found["version"]) for found in entries(lock) if found}


def plain_names(rows: list[str]) -> set[str]:
    """Return the package names of requirement rows."""
    return {re.split(r"[ <>=;]", row)[0] for row in rows}


def test_the_four_locks_are_there() -> None:
    assert LOCKS == ["dev.txt", "fuzz.txt", "lock.txt", "runtime.txt"]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_pins_one_version_with_hashes_and_names_no_place(lock: str) -> None:
    assert entries(lock)
    assert None not in entries(lock)


def test_runtime_lock_covers_the_dependencies_and_is_part_of_the_environment() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert plain_names(declared) <= {name for name, _ in pins("runtime.txt")}
    assert pins("runtime.txt") <= pins("dev.txt")


@pytest.mark.parametrize("name", ["dev", "fuzz", "lock"])
def test_lock_covers_what_was_asked_for(name: str) -> None:
    rows = (FOLDER / f"{name}.in").read_text(encoding="utf-8").splitlines()
    asked = plain_names([row for row in rows if not row.startswith("#")])
    assert asked
    assert asked <= {pinned for pinned, _ in pins(f"{name}.txt")}
