"""Compares a package's files with the list that its installer wrote, the distribution's RECORD."""

from __future__ import annotations

import base64
import csv
import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from .difference import SourceDifference, changes_between
from .owners import OwnerTable
from .snapshot import SourceSnapshot

_PACKAGE = "operatebench"


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """Whether a package is as it was installed.

    Attributes:
        difference: from RECORD to the files; None when there is no RECORD of these files.
        reason: why there is none, or nothing.
    """

    difference: SourceDifference | None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """``equal``, ``differs`` or ``not_applicable``."""
        if self.difference is None:
            return "not_applicable"
        return "differs" if self.difference.changes else "equal"

    def to_wire(self) -> dict[str, Any]:
        """Return the comparison as a fresh plain object."""
        found = self.difference
        changes = [] if found is None else found.to_wire()["changes"]
        return {"verdict": self.verdict, "reason": self.reason, "changes": changes}


def compare_with_record(snapshot: SourceSnapshot) -> RecordComparison:
    """Compare sizes and SHA-256 of a package's files with RECORD.

    An editable installation has its files outside of what RECORD lists, so that there is nothing to compare.
    """
    try:
        installed = distribution(_PACKAGE)
    except PackageNotFoundError:
        return RecordComparison(None, f"no distribution {_PACKAGE} is installed")
    text = installed.read_text("RECORD")
    if text is None:
        return RecordComparison(None, "the distribution has no RECORD")
    if os.path.realpath(str(installed.locate_file(_PACKAGE))) != snapshot.root:
        return RecordComparison(None, "the installed distribution does not hold this folder")
    listed = _listed(text, snapshot.owners)
    found = {file.path: (f"sha256={_in_record(file.sha256)}", str(file.size)) for file in snapshot.identity.files}
    return RecordComparison(SourceDifference(changes_between(listed, found, snapshot.owners.owner_of)))


def _listed(text: str, owners: OwnerTable) -> dict[str, tuple[str, str]]:
    """Return hash and size of each file of the package in RECORD, but of those that are no part of the source."""
    rows = (row for row in csv.reader(text.splitlines()) if len(row) == 3)
    listed = {}
    for name, digest, size in rows:
        folder, _, path = name.partition("/")
        if folder == _PACKAGE and _is_covered(path, owners):
            listed[path] = (digest, size)
    return listed


def _is_covered(path: str, owners: OwnerTable) -> bool:
    try:
        owners.owner_of(path)
    except KeyError:
        return False
    return True


def _in_record(sha256: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(sha256)).rstrip(b"=").decode()
