"""deterministic_replay: was the episode executed a second time, and did it come out the same?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .case import REPRODUCED, Case
from .digests import digest
from .grammar import BODY_CODES
from .integrity import TRAJECTORY_CODES
from .predicate import predicate
from .record import finding
from .result import Finding

_DIGESTS = dict(zip(REPRODUCED, ("final_state", "trajectory"), strict=True))


@predicate("REPLAY_NOT_CHECKED")
def checked(case: Case) -> Iterator[Finding]:
    """Require a second execution."""
    if not case.reproduction:
        yield finding("REPLAY_NOT_CHECKED", "the digests of a second execution were not given")


@predicate("REPLAY_DIVERGED")
def same(case: Case) -> Iterator[Finding]:
    """Require that contents, their stated digests, and the digests of the second execution are one."""
    for stated, part in _DIGESTS.items():
        found = digest(case.record.get(part), _unknown(case) if part == "trajectory" else None)
        if found is None or case.record.get(stated) != found:
            yield finding("REPLAY_DIVERGED", f"{stated} of the record is not the digest of its {part}")
        if case.reproduction and case.reproduction[stated] != found:
            yield finding("REPLAY_DIVERGED", f"the second execution has another {stated}")


def _unknown(case: Case) -> list[Any] | None:
    """Return the parts of the trajectory that may be anything by their form; null when not even form is known to hold.

    Most of a trajectory is bodies of reads, and their form was looked at already.
    """
    if any(case.damage.get(code) for code in (*TRAJECTORY_CODES, *BODY_CODES)):
        return None
    outcomes = [row["outcome"] for row in case.of_kind["agent_outcome"]]
    return [*outcomes, *(row["payload"] for row in case.of_kind["action_proposed"])]


def counts(case: Case) -> dict[str, int]:
    """Return how many digests the second execution was compared by."""
    return {"digests_compared": len(case.reproduction)}


PREDICATES = (checked, same)
