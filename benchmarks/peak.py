"""A program for a fresh process: prints its peak memory after its imports, and after validating a manifest.

It takes three files (manifest, census, projections) and imports nothing but what reading and validating them needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from operatebench.identity import validate_identity_manifest
from operatebench.identity.strictjson import parse_json

_STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Return the most resident memory this process has had so far, in bytes.

    Where the system tells it apart, the peak is that of the program itself: ``ru_maxrss`` on Linux also remembers the
    process that this one was forked from.
    """
    if _STATUS.exists():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(paths: list[str]) -> None:
    """Print the peak before and after validating the manifest, census and projections of ``paths``."""
    before = peak_bytes()
    validate_identity_manifest(*[parse_json(Path(path).read_bytes()).value for path in paths])
    print(before, peak_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
