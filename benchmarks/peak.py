"""A program for a fresh process: prints its peak memory after its imports, and after what it was asked to do.

``manifest`` and three files (manifest, census, projections) validates a manifest; ``ledger`` and a file verifies a
ledger, ``bundles``, a run bundle and a number verifies it so many times. It imports nothing but what that needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

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


def validate_manifest(*paths: str) -> int:
    """Read, parse and validate a manifest; return the peak before."""
    from operatebench.identity import validate_identity_manifest
    from operatebench.identity.strictjson import parse_json

    before = peak_bytes()
    validate_identity_manifest(*[parse_json(Path(path).read_bytes()).value for path in paths])
    return before


def verify_ledger(path: str) -> int:
    """Verify a ledger; return the peak before."""
    from operatebench.replay.ledger import verify_ledger

    before = peak_bytes()
    verify_ledger(path)
    return before


def verify_bundles(path: str, count: str) -> int:
    """Verify a bundle so many times as if they were others; return the peak before."""
    from operatebench.tracks.lifecycle import MaintenanceRuntime, verify_many

    before = peak_bytes()
    if any(each.exit_status for each in verify_many(MaintenanceRuntime(), [path] * int(count), jobs=1)):
        raise AssertionError("the bundle was not verified")
    return before


if __name__ == "__main__":
    works: dict[str, Callable[..., int]] = {
        "manifest": validate_manifest,
        "ledger": verify_ledger,
        "bundles": verify_bundles,
    }
    print(works[sys.argv[1]](*sys.argv[2:]), peak_bytes())
