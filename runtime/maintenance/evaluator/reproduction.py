"""deterministic_replay: was the episode executed a second time, and did it come out the same?"""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case
from .digests import digest
from .predicate import predicate
from .record import finding
from .result import Finding

_DIGESTS = {"final_state_digest_sha256": "final_state", "trajectory_digest_sha256": "trajectory"}


@predicate("REPLAY_NOT_CHECKED")
def checked(case: Case) -> Iterator[Finding]:
    """Require a second execution."""
    if type(case.reproduction) is not dict or case.reproduction.keys() != _DIGESTS.keys():
        yield finding("REPLAY_NOT_CHECKED", "the digests of a second execution were not given")


@predicate("REPLAY_DIVERGED")
def same(case: Case) -> Iterator[Finding]:
    """Require that contents, their stated digests, and the digests of the second execution are one."""
    given = case.reproduction if type(case.reproduction) is dict else {}
    for stated, part in _DIGESTS.items():
        found = digest(case.record.get(part))
        if found is None or case.record.get(stated) != found:
            yield finding("REPLAY_DIVERGED", f"{stated} of the record is not the digest of its {part}")
        if stated in given and given[stated] != found:
            yield finding("REPLAY_DIVERGED", f"the second execution has another {stated}")


def counts(case: Case) -> dict[str, int]:
    """Return how many digests the second execution was compared by."""
    return {"digests_compared": len(_DIGESTS) if type(case.reproduction) is dict else 0}


PREDICATES = (checked, same)
