"""Figures of strict parsing: parse, admission, canonical bytes and SHA-256 against plain `json.loads`."""

from __future__ import annotations

import json
from functools import partial

from operatebench.identity.strictjson import parse_json

from .figures import Measurement, at_most, figure
from .measure import compare
from .samples import Sample, episodes, integers, manifest_like

_TARGET = at_most(2.3)


def _parse(document: Sample, rounds: int) -> Measurement:
    data = document.data

    def parse() -> str:
        return parse_json(data).canonical.sha256()

    return compare(
        parse,
        partial(json.loads, data),
        reference="json.loads of the same bytes",
        rounds=rounds,
        samples=(document,),
    )


@figure("parse-300k-manifest", _TARGET, rounds=21)
def parse_300k_manifest(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 300 KB built like a manifest, against json.loads."""
    return _parse(manifest_like("manifest-like records", 304_000, 10_300), rounds)


@figure("parse-300k-indented", _TARGET, rounds=21)
def parse_300k_indented(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 300 KB built like a manifest and indented, against json.loads."""
    return _parse(manifest_like("manifest-like records, indented", 197_000, 6_700, indent=2), rounds)


@figure("parse-300k-episodes", _TARGET, rounds=21)
def parse_300k_episodes(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 300 KB of messages with emoji, against json.loads."""
    return _parse(episodes(299_500, words=20), rounds)


@figure("parse-300k-integers", _TARGET, rounds=21)
def parse_300k_integers(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 300 KB of small integers, near the node limit, against json.loads."""
    return _parse(integers(64_000), rounds)


@figure("parse-4m-manifest", _TARGET, rounds=15)
def parse_4m_manifest(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 4 MB built like a manifest, against json.loads."""
    return _parse(manifest_like("manifest-like records", 4_010_000, 61_500), rounds)


@figure("parse-4m-indented", _TARGET, rounds=15)
def parse_4m_indented(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 4 MB built like a manifest and indented, against json.loads."""
    return _parse(manifest_like("manifest-like records, indented", 3_300_000, 61_500, indent=2), rounds)


@figure("parse-4m-episodes", _TARGET, rounds=15)
def parse_4m_episodes(rounds: int) -> Measurement:
    """Parse strictly, admit, encode and hash 4 MB of messages with emoji, against json.loads."""
    return _parse(episodes(4_000_000, words=80), rounds)
