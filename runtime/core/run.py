"""What the parts of one running episode share: the plan and the state, the clock, the queue and the record."""

from __future__ import annotations

from typing import Any

from .clock import Clock
from .endings import Halted
from .protocol import Operation
from .queue import EventQueue
from .record import Record, RecordBudget
from .vocabulary import AUTHORITATIVE, Authority


class Run:
    """One running episode.

    Attributes:
        revision: grows whenever the domain may have changed the state, so that reads are repeated only then.
    """

    __slots__ = ("clock", "operation", "plan", "queue", "record", "revision", "state")

    def __init__(self, operation: Operation, budget: RecordBudget | None) -> None:
        self.operation = operation
        self.plan = operation.plan
        self.state = operation.initial_state()
        self.clock = Clock(self.plan.starts_at)
        self.queue = EventQueue()
        self.record = Record(self.clock, self.plan.row_types, budget)
        self.revision = 0

    @property
    def final(self) -> bool:
        """Whether the operation is replay-final: then the domain is asked nothing any more."""
        return self.operation.is_replay_final(self.state)

    def row(self, record_type: str, **payload: Any) -> None:
        """Append a row whose values are plain JSON; see :meth:`.record.Record.row`."""
        self.record.row(record_type, payload)

    def authority_of(self, actor_id: str) -> Authority:
        """Return what the word of an actor is worth."""
        return self.plan.authority_of_role[self.plan.actors[actor_id]]

    def is_authoritative(self, actor_id: str) -> bool:
        """Tell whether the word of an actor is a fact."""
        return self.authority_of(actor_id) in AUTHORITATIVE

    def watch(self) -> None:
        """Let the domain's monitor look at the state.

        Raises:
            Halted: a critical invariant is broken.
        """
        code = self.operation.monitor(self.state)
        if code is not None:
            raise Halted(code)
