"""One invocation: the agent is woken, reads and decides turn by turn, until it yields control."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from . import decisions, retrieval
from .caller import Caller
from .decisions import Decision
from .endings import CALL_LIMIT, TURN_LIMIT, Halted
from .observer import Observer, Wake
from .plain import Piece
from .proposals import Holdings, Proposals, Refusal
from .retrieval import Catalogue
from .run import Run

UNKNOWN_WAKE = "UNKNOWN_WAKE_EVENT_TYPE"
_UNKNOWN_WAKE_DETAIL = "The wait names an event type that no event has."
_ROW_OVERHEAD_NODES = 64
_ROW_OVERHEAD_SIZE = 1024


@dataclass(frozen=True, slots=True)
class Wait:
    """What the agent waits for.

    Attributes:
        reason: as it gave it.
        wake_on: event types, sorted, each once.
        fallback_at: minutes from the start, or null.
    """

    reason: str
    wake_on: tuple[str, ...]
    fallback_at: int | None


@dataclass(frozen=True, slots=True)
class Parts:
    """What an invocation works with."""

    run: Run
    caller: Caller
    observer: Observer
    catalogue: Catalogue
    proposals: Proposals


class Invocation:
    """One invocation of the agent."""

    __slots__ = ("_batches", "_decision_turns", "_holdings", "_last_rejection", "_parts", "_run", "_wait", "_yielded")

    def __init__(self, parts: Parts, invocation_index: int, wake: Wake) -> None:
        self._parts = parts
        self._run = parts.run
        self._holdings = Holdings(invocation_index, wake)
        self._last_rejection: Refusal | None = None
        self._decision_turns = 0
        self._batches = 0
        self._wait: Wait | None = None
        self._yielded = False

    def carry_out(self) -> Wait | None:
        """Let the agent work until it waits, completes, or the operation is final.

        Returns:
            The wait it declared, or null.

        Raises:
            Halted: a limit, the record budget, the checkpoint budget or a critical invariant.
        """
        run, holdings, event = self._run, self._holdings, self._holdings.wake.event
        run.row(
            "agent_invoked",
            invocation_index=holdings.invocation_index,
            trigger_event_id=None if event is None else event.event_id,
            trigger_event_type=None if event is None else event.event_type,
            trigger_event_authority=holdings.wake.authority,
            trigger_is_authoritative=holdings.wake.is_authoritative,
            trigger_claim_values=list(holdings.wake.claim_values),
        )
        holdings.invalidate(run, "wake", None)
        try:
            self._take_turns()
        finally:
            self._close_session()
        return self._wait

    def _take_turns(self) -> None:
        limits = self._run.plan.limits
        calls = limits.max_turns_per_invocation + limits.max_retrieval_batches_per_invocation + 1
        self._run.record.require_room()
        while True:
            self._carry_out(self._call())
            if self._yielded or self._run.final:
                return
            if self._decision_turns == limits.max_turns_per_invocation:
                raise Halted(TURN_LIMIT)
            if self._holdings.turn_index + 1 == calls:
                raise Halted(CALL_LIMIT)
            self._run.record.require_room()
            self._holdings.turn_index += 1

    def _call(self) -> Piece:
        """Observe, ask, admit, and put the decision on the tape."""
        run, holdings = self._run, self._holdings
        phase = run.operation.phase(run.state)
        rejection = self._last_rejection
        observation, digest = self._parts.observer.observe(
            holdings.wake,
            holdings.served,
            invocation_index=holdings.invocation_index,
            turn_index=holdings.turn_index,
            phase=phase,
            last_rejection=None if rejection is None else asdict(rejection),
            batches_left=self._batches_left,
        )
        session = self._parts.caller.session
        if session is not None:
            event = holdings.wake.event
            versions = {tool: result.body.version for tool, result in holdings.served.items()}
            session.observed(
                holdings.turn_index,
                None if event is None else event.event_id,
                phase,
                None if rejection is None else rejection.code,
                versions,
            )
        outcome = decisions.admit(self._parts.caller.ask(observation))
        if session is not None:
            session.decided(holdings.turn_index, outcome.sha256())
        entry = {**self._where, "observation_digest_sha256": digest}
        run.record.decisions.append_composed(entry, "outcome", outcome)
        return outcome

    def _close_session(self) -> None:
        session = self._parts.caller.session
        if session is not None:
            digest, count = session.close_invocation()
            self._run.row("agent_session", **self._where, events_digest_sha256=digest, count=count)

    @property
    def _where(self) -> dict[str, int]:
        return {"invocation_index": self._holdings.invocation_index, "turn_index": self._holdings.turn_index}

    @property
    def _batches_left(self) -> int:
        return self._run.plan.limits.max_retrieval_batches_per_invocation - self._batches

    def _carry_out(self, outcome: Piece) -> None:
        decision: Decision = outcome.value
        kind = decision["kind"]
        if kind == "RETRIEVE":
            self._retrieve(decision["requests"])
            return
        self._decision_turns += 1
        if kind == "MALFORMED":
            self._refuse_decision(decisions.MALFORMED_OUTCOME, decisions.MALFORMED_DETAILS[decision["code"]])
            return
        code = decisions.refuse_shape(decision, self._run.clock.last - self._run.clock.now)
        if code is not None:
            self._refuse_decision(code, decisions.REFUSED_SHAPES[code])
            return
        self._run.record.row_with("agent_outcome", self._where, "outcome", outcome)
        match kind:
            case "ACT":
                self._propose(decision["action_type"], decision["payload"], decision["evidence_refs"])
            case "WAIT":
                self._declare_wait(decision)
            case "ASK":
                self._ask(decision)
            case "ESCALATE":
                self._escalate(decision)
            case "COMPLETE":
                self._complete(decision)

    def _refuse_decision(self, code: str, detail: str) -> None:
        self._last_rejection = Refusal("<decision>", code, detail)
        self._run.row("outcome_rejected", **self._where, code=code, detail=detail)

    def _ask(self, decision: Decision) -> None:
        payload = {name: decision[name] for name in ("recipient_actor_id", "message_fixture_id")}
        if decision["correlation_id"] is not None:
            payload["correlation_id"] = decision["correlation_id"]
        if self._propose(self._run.plan.roles.communication_action, payload, []):
            self._declare_wait(decision["wait"])

    def _escalate(self, decision: Decision) -> None:
        roles = self._run.plan.roles
        payload = {
            "exception_type": decision["exception_type"],
            "subject_id": decision["checkpoint_id"],
            "deadline_after_minutes": decision["deadline_after_minutes"],
        }
        if self._propose(roles.exception_action, payload, decision["evidence_refs"]):
            awaited = roles.exception_resolved_event
            self._declare_wait(decisions.wait(awaited, [awaited], decision["deadline_after_minutes"]))

    def _complete(self, decision: Decision) -> None:
        refusal = self._parts.proposals.complete(decision["reason"], decision["evidence_refs"], self._holdings)
        self._last_rejection = refusal
        self._yielded = refusal is None

    def _propose(self, action_type: str, payload: dict[str, Any], evidence_refs: list[str]) -> bool:
        self._last_rejection = self._parts.proposals.act(action_type, payload, evidence_refs, self._holdings)
        return self._last_rejection is None and not self._run.final

    def _declare_wait(self, decision: Decision) -> None:
        run = self._run
        if not set(decision["wake_on"]) <= set(run.plan.wake_event_types):
            self._last_rejection = Refusal("wait", UNKNOWN_WAKE, _UNKNOWN_WAKE_DETAIL)
            run.row("wait_rejected", **self._where, code=UNKNOWN_WAKE, detail=_UNKNOWN_WAKE_DETAIL)
            return
        after = decision["fallback_after_minutes"]
        fallback_at = None if after is None else run.clock.now + after
        self._wait = Wait(decision["reason"], tuple(sorted(set(decision["wake_on"]))), fallback_at)
        self._yielded = True
        run.row(
            "wait_declared",
            **self._where,
            reason=self._wait.reason,
            wake_on=list(self._wait.wake_on),
            fallback_at=None if fallback_at is None else run.clock.instant(fallback_at),
        )

    def _retrieve(self, requests: list[dict[str, Any]]) -> None:
        run = self._run
        plan = run.plan
        limit = plan.limits.max_requests_per_batch
        tools = sorted({request["tool"] for request in requests})
        code = retrieval.refuse_batch(requests, plan.catalogue, limit, self._batches_left)
        if code is not None:
            detail = retrieval.REFUSED_BATCHES[code]
            self._last_rejection = Refusal("retrieve", code, detail)
            run.row(
                "retrieval_refused",
                **self._where,
                request_count=len(requests),
                requested_tools=[tool for tool in tools if tool in plan.catalogue],
                code=code,
                detail=detail,
            )
            return
        self._serve(tools)

    def _serve(self, tools: list[str]) -> None:
        record = self._run.record
        batch = [self._parts.catalogue.serve(tool) for tool in tools]
        bodies = [result.body.records for result in batch]
        record.require_room(
            rows=len(batch),
            nodes=sum(body.nodes + _ROW_OVERHEAD_NODES for body in bodies),
            size=sum(len(body.data) + _ROW_OVERHEAD_SIZE for body in bodies),
        )
        for index, result in enumerate(batch):
            place = {"batch_index": self._batches, "request_index": index, "tool": result.tool}
            facts = {**self._where, **place, **result.head}
            record.row_with("retrieval_served", facts, "records", result.body.records)
            self._holdings.served[result.tool] = result
        self._parts.proposals.seen.update(tools)
        self._batches += 1
