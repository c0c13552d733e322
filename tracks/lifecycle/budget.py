"""How much of an episode this track records; the engine alone has no limit."""

from ...runtime.core.record import RecordBudget

RECORD_BUDGET = RecordBudget(rows=4_000, events=4_000, decisions=4_000, nodes=80_000, size=6 * 1024 * 1024)
"""So much of an episode is recorded before it is halted: then all of it fits evidence v1 (runtime contract, 1)."""
