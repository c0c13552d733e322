"""Events that only say something: a claim is noted, and where it goes beyond the facts, so is that."""

from __future__ import annotations

from ...core.protocol import Environment, Event, Verdict
from ..refusals import require
from ..rules import Rules
from ..state.records import Assertion, Contradiction
from ..state.state import State


def assertion_received(state: State, event: Event, rules: Rules, environment: Environment) -> Verdict:
    """Note a claim. One of completed work that nothing bears out contradicts the record until evidence comes.

    Refusals:
        * ``DUPLICATE_ASSERTION``: the id is in use, be it for a claim or for something that can be cited
    """
    del rules
    assertion_id, cycle_id = event.payload["assertion_id"], event.payload.get("cycle_id")
    require(not state.is_taken(assertion_id), "DUPLICATE_ASSERTION")
    state.assertions[assertion_id] = Assertion(
        assertion_id, event.actor_id, event.payload["assertion"], cycle_id, environment.instant(environment.now)
    )
    if (
        event.payload["assertion"] == "WORK_COMPLETE"
        and cycle_id in state.cycles
        # Nobody can act on a contradiction any more once everything was found complete.
        and state.provisional_close is None
        and not state.is_borne_out(state.cycles[cycle_id])
    ):
        state.contradictions[assertion_id] = Contradiction(assertion_id, cycle_id)
    return Verdict(True, "OBSERVATIONAL_ONLY", cycle_id=cycle_id, observational=True)
