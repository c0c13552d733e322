"""Figure of the source identity: what it costs beside reading and hashing the files it is made of."""

from __future__ import annotations

import hashlib
from pathlib import Path

from operatebench.provenance import take_source_snapshot
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
