"""A bound runtime for tests of the verifier: states, choices and rows in a plain document, all of which can change."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from operatebench.cards.projection import CARD_ROOTS, card_pointers
from operatebench.replay.bound import Execution, Projections, RowSink, Selection
from operatebench.replay.evidence import content_digest

Decide = Callable[[str, int], Mapping[str, Any] | None]


class Automaton:
    """A :class:`~operatebench.replay.bound.BoundRuntime`.

    Args:
        document: see :func:`tests.replay.verify.runs.document`.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._live = {name: self._projections(agent) for name, agent in document["agents"].items()}

    @property
    def cards(self) -> dict[str, dict[str, Any]]:
        cards: dict[str, dict[str, Any]] = self._document["cards"]
        return cards

    @property
    def source_identity_digest_sha256(self) -> str:
        return str(self._document["source_identity_digest_sha256"])

    @property
    def spec_sha256(self) -> str | None:
        return None

    def selection(self, agent_id: str, trial: int) -> dict[str, Any]:
        return {**self._document["selection"], "agent_id": agent_id, "trial": trial}

    def live(self, selection: Selection) -> Projections | None:
        agent_id, trial = selection["agent_id"], selection["trial"]
        known = agent_id in self._live and dict(selection) == self.selection(agent_id, trial)
        return self._live[agent_id] if known else None

    def execute(self, selection: Selection, instance_id: str, on_rows: RowSink | None = None) -> Execution:
        decisions = self._document["agents"][selection["agent_id"]]["decisions"]
        return self._run(instance_id, lambda state, _: decisions[state], on_rows)

    def replay(self, selection: Selection, instance_id: str, decision_tape: Mapping[str, Any]) -> Execution:
        assert self.live(selection) is not None
        recorded = [each["outcome"] for each in decision_tape["decisions"]]
        return self._run(instance_id, lambda _, number: recorded[number] if number < len(recorded) else None)

    def outcome_class(self, outcome: Mapping[str, Any]) -> str:
        return "successful_completion" if outcome["status"] == "completed_successfully" else "unclassified"

    def evaluate(self, selection: Selection, record: Execution, reproduction: Execution | None) -> dict[str, Any]:
        assert self.live(selection) is not None
        assert reproduction is not None
        seen = any(row["record_type"] == "seen" for row in record.outcome["trajectory"])
        nobody: list[int] = []
        finding = {"dimension": "seen", "code": "NOT_SEEN", "detail": "Nobody looked.", "at": None, "rows": nobody}
        return {
            "vector": [
                {"dimension": "seen", "ok": seen},
                {"dimension": "same_again", "ok": record.outcome == reproduction.outcome},
            ],
            "findings": [] if seen else [finding],
            "human_touches": [],
            "opportunities": [],
            "load": {"decisions": len(record.decision_tape["decisions"])},
            "outcome_class": self.outcome_class(record.outcome),
        }

    def _projections(self, agent: Mapping[str, Any]) -> Projections:
        projections = {name: dict(pointers) for name, pointers in self._document["projections"].items()}
        for card in self.cards.values():
            component, _ = CARD_ROOTS[card["schema"]]
            projections[component].update(card_pointers(card))
        return {**projections, "scaffold_content": dict(agent["projection"])}

    def _run(self, instance_id: str, decide: Decide, on_rows: RowSink | None = None) -> Execution:
        started = now = datetime.fromisoformat("2032-04-05T08:30:00Z")
        state, status, terminal = "reported", "operation_deadlock", None
        rows: list[dict[str, Any]] = []
        events: list[dict[str, Any]] = []
        decisions: list[dict[str, Any]] = []
        while True:
            if state == "closed":
                status = terminal = "completed_successfully"
                break
            decision = decide(state, len(decisions)) if len(decisions) < 8 else None
            if decision is None:
                break
            seen = {"operation_instance_id": instance_id, "state": state, "number": len(decisions)}
            decisions.append(
                {
                    "invocation_index": len(decisions) + 1,
                    "turn_index": 0,
                    "observation_digest_sha256": content_digest(seen),
                    "outcome": dict(decision),
                }
            )
            step = next(step for step in self._document["states"][state] if step["decision"] in ({}, decision))
            now += timedelta(minutes=step["minutes"])
            made = [{"index": index, "at": _text(now), **row} for index, row in enumerate(step["rows"], len(rows))]
            rows += made
            events += [_event(event, _text(now), len(events)) for event in step["events"]]
            if on_rows is not None:
                on_rows(made)
            state = step["next"]
        final_state = {"state": state, "decisions": len(decisions)}
        outcome = {
            "schema": "operatebench.episode_outcome.v2",
            "schema_version": 2,
            "status": status,
            "terminal_outcome": terminal,
            "replay_final": terminal is not None,
            "started_at": _text(started),
            "ended_at": _text(now),
            "simulated_minutes": (now - started) // timedelta(minutes=1),
            "invocations": len(decisions),
            "final_state": final_state,
            "final_state_digest_sha256": content_digest(final_state),
            "trajectory": rows,
            "trajectory_digest_sha256": content_digest(rows),
            "events": events,
        }
        tape = {
            "schema": "operatebench.decision_tape.v1",
            "schema_version": 1,
            "decisions": decisions,
            "decisions_digest_sha256": content_digest(decisions),
        }
        return Execution(outcome, tape, self._execution_record(), None)

    def _execution_record(self) -> dict[str, Any]:
        return {
            "schema": "operatebench.execution_record.v1",
            "schema_version": 1,
            "outcome_source": self._document["outcome_source"],
            "model": None,
            "protocol_version": None,
            "max_output_tokens": None,
            "transport_calls": 0,
            "retry_count": 0,
            "attempts": [],
            "excluded": False,
            "exclusion_code": None,
            "exclusion_detail": "",
        }


def _event(event: Mapping[str, Any], at: str, number: int) -> dict[str, Any]:
    return {
        **event,
        "event_id": f"event-{number}",
        "at": at,
        "sequence": number,
        "triggers_agent": True,
        "caused_by": None,
        "disposition": "delivered",
        "verdict_code": "accepted",
    }


def _text(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
