"""terminal_outcome: did the operation end where its variant should, and does the record agree with itself on it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.endings import INVARIANT_PREFIX, VIOLATION_DETAILS
from ...core.vocabulary import DEADLOCK
from .case import Case
from .predicate import predicate
from .record import Row, finding, name
from .result import Finding


@predicate("WRONG_TERMINAL", "TERMINAL_NOT_REACHED")
def expected_terminal(case: Case) -> Iterator[Finding]:
    """Compare the status with the variant's expected terminal."""
    status, expected = case.outcome.get("status"), case.variant.expected_terminal
    if status == expected:
        return
    ends = case.of_kind["episode_ended"]
    if case.is_final:
        yield finding("WRONG_TERMINAL", f"the operation ended as {name(status)}, not as {expected}", ends)
    else:
        yield finding("TERMINAL_NOT_REACHED", f"the operation did not come to {expected}", ends)


@predicate("TERMINAL_NOT_REPLAY_FINAL")
def replay_final(case: Case) -> Iterator[Finding]:
    """Require that a terminal is final everywhere the record says so."""
    if not case.is_final:
        return
    accepted = case.of_kind["terminal_accepted"]
    claims = (
        case.outcome.get("replay_final"),
        case.state["replay_final"],
        *(row["replay_final"] for row in accepted),
    )
    if not all(claims):
        yield finding("TERMINAL_NOT_REPLAY_FINAL", "the operation ended, but something could still change", accepted)


@predicate("TERMINAL_RECORDS_DISAGREE")
def one_terminal(case: Case) -> Iterator[Finding]:
    """Require one terminal, the same in the outcome, its rows and the final state."""
    status, stated = case.outcome.get("status"), case.outcome.get("terminal_outcome")
    accepted, ended = case.of_kind["terminal_accepted"], case.of_kind["episode_ended"]
    reached = status if case.is_final else None
    if [row["outcome"] for row in accepted] != ([] if reached is None else [reached]):
        yield finding("TERMINAL_RECORDS_DISAGREE", "the terminal was not accepted once, as the status says", accepted)
    if stated != reached or any((row["status"], row["terminal_outcome"]) != (status, stated) for row in ended):
        yield finding("TERMINAL_RECORDS_DISAGREE", "outcome and last row do not state one terminal", ended)
    if reached is None and case.outcome.get("replay_final"):
        yield finding("TERMINAL_RECORDS_DISAGREE", "the outcome calls final what did not come to a terminal", ended)
    if case.outcome.get("invocations") != len(case.invoked):
        yield finding("TERMINAL_RECORDS_DISAGREE", "the outcome counts other invocations than the rows", ended)
    terminal = case.state["terminal"]
    if (terminal or {}).get("outcome") != reached or bool(case.state["replay_final"]) != (reached is not None):
        yield finding("TERMINAL_RECORDS_DISAGREE", "the final state states another terminal", accepted)
    elif terminal is not None and not all(_agrees(case, row, terminal) for row in accepted):
        yield finding("TERMINAL_RECORDS_DISAGREE", "the final state states other terms of its terminal", accepted)
    if _TERMINAL_OF.get(case.state["phase"]) != reached:
        yield finding("TERMINAL_RECORDS_DISAGREE", "the phase is not that of the terminal", accepted)
    stops = case.of_kind["critical_violation"]
    if len(stops) != (status == DEADLOCK) or not all(map(_is_known, stops)):
        detail = "the operation was not stopped once, for a known cause, as the status says"
        yield finding("TERMINAL_RECORDS_DISAGREE", detail, (*stops, *ended))


_TERMINAL_OF = {
    "FINALIZED": "completed_successfully",
    "TRANSFERRED": "transferred_to_human_ownership",
    "CANCELLED": "cancelled_by_operator",
}


def _is_known(violation: Row) -> bool:
    return violation["code"] in VIOLATION_DETAILS or violation["code"].startswith(INVARIANT_PREFIX)


def _agrees(case: Case, row: Row, terminal: Mapping[str, str | None]) -> bool:
    handed_over = case.state["ownership"] or case.state["cancellation"] or {}
    stated = row["at"], row["cycle_id"], row["actor_id"]
    return stated == (terminal["at"], terminal["cycle_id"], handed_over.get("actor_id"))


def counts(case: Case) -> dict[str, int]:
    """Return minutes simulated and invocations."""
    return {
        "simulated_minutes": case.outcome.get("simulated_minutes", 0),
        "agent_invocations": len(case.invoked),
    }


PREDICATES = (expected_terminal, replay_final, one_terminal)
