"""How an episode ends: violation codes, the halt, and the one function that names the ending."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .vocabulary import DEADLOCK, HORIZON_EXHAUSTED, Ending

TURN_LIMIT = "INVOCATION_TURN_LIMIT_EXCEEDED"
CALL_LIMIT = "INVOCATION_CALL_LIMIT_EXCEEDED"
INVOCATION_LIMIT = "INVOCATION_LIMIT_EXCEEDED"
RECORD_BUDGET_EXHAUSTED = "RECORD_BUDGET_EXHAUSTED"
OPERATION_DEADLOCK = "OPERATION_DEADLOCK"
CHECKPOINT_BUDGET_EXCEEDED = "HUMAN_CHECKPOINT_BUDGET_EXCEEDED"
INVARIANT_PREFIX = "INVARIANT_"

VIOLATION_DETAILS: Mapping[str, str] = MappingProxyType(
    {
        TURN_LIMIT: "The invocation used all its business turns without yielding control.",
        CALL_LIMIT: "The invocation used all its calls without yielding control.",
        INVOCATION_LIMIT: "The agent would have to be invoked once more than the episode allows.",
        RECORD_BUDGET_EXHAUSTED: "The record has no room for another step.",
        OPERATION_DEADLOCK: "Nothing is due, the operation is not final, and the agent waits for nothing.",
        CHECKPOINT_BUDGET_EXCEEDED: "Another call upon a human would exceed the checkpoint budget.",
    }
)
"""Violation code -> the fixed detail of its row."""

INVARIANT_DETAIL = "The monitor of the operation found a critical invariant broken."


class Halted(Exception):  # noqa: N818 - it ends an episode in good order; nothing is wrong with the engine
    """The episode must stop now; ``code`` is the cause its ``critical_violation`` row names."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def outcome_class(
    status: str, terminal_outcome: str | None, last_violation_code: str | None, terminals: Mapping[str, Ending]
) -> Ending:
    """Name the ending of an episode (runtime contract, section 1).

    Args:
        status: a halt word or a domain terminal.
        terminal_outcome: the domain terminal, or null under a halt.
        last_violation_code: code of the last ``critical_violation`` row; null when there is none.
        terminals: domain terminal -> the ending it is.

    Returns:
        One of the seven.

    Raises:
        ValueError: status and terminal are not what the engine writes for an episode of these terminals.
    """
    if status == HORIZON_EXHAUSTED and terminal_outcome is None:
        return Ending.OPERATIONAL_HORIZON_EXHAUSTED
    if status == DEADLOCK and terminal_outcome is None:
        if last_violation_code == CHECKPOINT_BUDGET_EXCEEDED:
            return Ending.HUMAN_INTERVENTION_BUDGET_EXCEEDED
        if last_violation_code is not None and last_violation_code.startswith(INVARIANT_PREFIX):
            return Ending.CRITICAL_INVARIANT_VIOLATION
        return Ending.OPERATION_DEADLOCK
    if status == terminal_outcome and status in terminals:
        return terminals[status]
    raise ValueError("no ending has this status and terminal")
