"""Figures of source identity and clean tree: what each costs beside reading and hashing the files it is made of."""

from __future__ import annotations

import hashlib
import os
import subprocess
from io import FileIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter_ns

from operatebench.provenance import read_source_tree, take_source_snapshot
from operatebench.tracks.lifecycle.ownership import OWNER_TABLE, live_source

from .figures import Measurement, at_most, figure
from .measure import compare
from .samples import sample


@figure("source-identity", at_most(1.5), rounds=21)
def source_identity(rounds: int) -> Measurement:
    """Take the source identity of the installed package, against `read_bytes` and SHA-256 of the same files.

    The reference knows which files there are; we find them, look up their owners, and compare the stamps of each.
    """
    snapshot = live_source()
    places = [Path(snapshot.root, file.path) for file in snapshot.identity.files]

    def read_and_hash() -> object:
        return [hashlib.sha256(place.read_bytes()).hexdigest() for place in places]

    return compare(
        lambda: take_source_snapshot(snapshot.root, OWNER_TABLE),
        read_and_hash,
        reference="read_bytes and SHA-256 of the same files",
        rounds=rounds,
        samples=(sample("source identity of the installed package", snapshot.identity.to_wire()),),
    )


_FILES, _FOLDERS, _MOST_BYTES = 20_000, 1_000, 8_000


@figure("clean-tree", at_most(2.0), rounds=9)
def clean_tree(rounds: int) -> Measurement:
    """Take the digest of a clean checkout of 20,000 files, against `git ls-tree` and SHA-256 of the same files.

    The reference does not ask whether the checkout is clean, and trusts every path. Wall-clock time: git is a process.
    """
    times: dict[bool, list[float]] = {True: [], False: []}
    with TemporaryDirectory() as folder:
        _make_repository(Path(folder))

        def ours() -> object:
            return read_source_tree(folder, os.environ["PATH"])

        def theirs() -> object:
            listed = _git(Path(folder), "ls-tree", "-r", "-z", "--full-tree", "HEAD")
            digest = hashlib.sha256()
            for record in listed.split(b"\0")[:-1]:
                path = record.partition(b"\t")[2].decode()
                with FileIO(f"{folder}/{path}") as file:
                    digest.update(file.read())
            return digest.hexdigest()

        for side in (ours, theirs):
            side()  # from here on, files and the state of the index are cached
        for number in range(rounds):
            for side in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                began = perf_counter_ns()
                side()
                times[side is ours].append((perf_counter_ns() - began) / 1e6)
    return Measurement(
        reference="git ls-tree, reading and SHA-256 of the same files",
        ratios=tuple(our / other for our, other in zip(times[True], times[False], strict=True)),
        ours=tuple(times[True]),
        theirs=tuple(times[False]),
    )


def _make_repository(place: Path) -> None:
    """Commit files of 0 to 8,000 random bytes, 20 in each of 1,000 folders."""
    random = Random(1)
    for number in range(_FILES):
        folder = place / f"part_{number % 40}" / f"group_{number % _FOLDERS}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_bytes(random.randbytes(random.randint(0, _MOST_BYTES)))
    _git(place, "init", "--quiet")
    _git(place, "add", "--all")
    _git(place, "-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--message=x")


def _git(place: Path, *words: str) -> bytes:
    command = ["git", *words]
    return subprocess.run(command, cwd=place, capture_output=True, check=True).stdout
