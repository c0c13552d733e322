"""Makes small git repositories, and hostile ones, for the tests of clean source trees."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

SEARCH_PATH = os.environ["PATH"]

_ENVIRONMENT = {
    "PATH": SEARCH_PATH,
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{f"GIT_{who}_DATE": "2031-03-03T09:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}

THREE_MODES = {
    b"README.md": (b"100644", b"# fixture\n"),
    b"link": (b"120000", b"README.md"),
    b"tools/run.sh": (b"100755", b"#!/bin/sh\nexit 0\n"),
}
"""The fixture of the contract, whose digest is published."""

THREE_MODES_DIGEST = "a4d1904dbef15f4c3ec14ea347d762afb47ff4a9be84f18f5a984199f671a465"


def git(place: Path, *words: str | bytes, stdin: bytes = b"", check: bool = True) -> bytes:
    """Run git as its user would, with the repository's own settings, and return what it writes."""
    command = ["git", *words]
    done = subprocess.run(
        command, cwd=place, env=_ENVIRONMENT, input=stdin, capture_output=True, check=check, timeout=60
    )
    return done.stdout.strip()


def write(place: Path, files: Mapping[bytes, tuple[bytes, bytes]]) -> None:
    """Write files and links: path -> mode and content."""
    for path, (mode, content) in files.items():
        target = place / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode == b"120000":
            target.symlink_to(os.fsdecode(content))
            continue
        target.write_bytes(content)
        target.chmod(0o755 if mode == b"100755" else 0o644)


def make_repository(place: Path, files: Mapping[bytes, tuple[bytes, bytes]]) -> Path:
    """Make a repository in a new folder, with one commit of these files."""
    place.mkdir()
    git(place, "init", "--quiet", "--template=", ".")
    write(place, files)
    commit_all(place)
    return place


def commit_all(place: Path) -> None:
    """Commit everything there is."""
    git(place, "add", "--all", ".")
    git(place, "commit", "--quiet", "--allow-empty", "--no-verify", "--message=x")


def script(path: Path, marker: Path) -> Path:
    """Write a program that leaves a marker when it is run, and copies its input."""
    path.write_text(f'#!/bin/sh\necho run >"{marker}"\ncat\n', encoding="utf-8")
    path.chmod(0o755)
    return path
