"""The state rules of EpisodeOutcomeV2, beyond its schema (evidence contract, section 2.3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from .contract import HALTS
from .digest import require_digest
from .refusal import refusal


def check_outcome(outcome: dict[str, Any], at: str) -> None:
    """Refuse an outcome of the right form that breaks a state rule; the first in the contract's order counts.

    Raises:
        EvidenceError: ``terminal_status_coherence``, ``terminal_identity``, ``replay_final``, ``calendar_instant``,
            ``instant_ordering``, ``elapsed_minutes``, ``final_state_digest`` or ``trajectory_digest``.
    """
    status, terminal = outcome["status"], outcome["terminal_outcome"]
    if status not in HALTS:
        if terminal is None:
            raise refusal("terminal_status_coherence", f"{at}/terminal_outcome", f"the terminal {status}", terminal)
        if terminal != status:
            raise refusal("terminal_identity", f"{at}/terminal_outcome", f"the status {status}", terminal)
        if not outcome["replay_final"]:
            raise refusal("replay_final", f"{at}/replay_final", "true, for the status is no halt", False)
    _check_times(outcome, at)
    require_digest("final_state_digest", outcome, "final_state", "final_state_digest_sha256", at)
    require_digest("trajectory_digest", outcome, "trajectory", "trajectory_digest_sha256", at)


def _check_times(outcome: dict[str, Any], at: str) -> None:
    started = _instant(outcome["started_at"], f"{at}/started_at")
    ended = _instant(outcome["ended_at"], f"{at}/ended_at")
    for index, event in enumerate(outcome["events"]):
        _instant(event["at"], f"{at}/events/{index}/at")
    if ended < started:
        raise refusal("instant_ordering", f"{at}/ended_at", f"not before {outcome['started_at']}", outcome["ended_at"])
    elapsed = ended - started
    seconds = elapsed.days * 86_400 + elapsed.seconds
    if seconds != 60 * outcome["simulated_minutes"]:
        found = outcome["simulated_minutes"]
        raise refusal("elapsed_minutes", f"{at}/simulated_minutes", f"the minutes in {seconds} seconds", found)


def _instant(text: str, at: str) -> datetime:
    """Return the instant of a text that has the form of one."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass  # the refusal must not carry it
    raise refusal("calendar_instant", at, "a day of the Gregorian calendar, from the year 1 on", text)
