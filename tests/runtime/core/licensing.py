"""A second, tiny domain that runs on the same core: an officer handles a licence application. Everything is made up."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from operatebench.runtime.core import decisions
from operatebench.runtime.core.contract import ActionReads, Condition, RegistryKey, RelatedRecord, Step, VersionedKey
from operatebench.runtime.core.engine import run_episode
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.observation import Observation
from operatebench.runtime.core.protocol import (
    Dispatch,
    Effect,
    Environment,
    Event,
    Judgement,
    Limits,
    Plan,
    PlannedEvent,
    Proposal,
    RetryPolicy,
    Roles,
    Tool,
    Trigger,
    Verdict,
)
from operatebench.runtime.core.record import RecordBudget
from operatebench.runtime.core.vocabulary import Authority, Ending

INSTANCE = "opinst_" + "0" * 32
HORIZON = 10_000

LIMITS = Limits(
    horizon_minutes=HORIZON,
    max_turns_per_invocation=4,
    max_invocations=10,
    max_retrieval_batches_per_invocation=3,
    max_requests_per_batch=2,
    human_checkpoint_budget=1,
)

APPLICATION = PlannedEvent(
    "ev_application", "application_received", "ann", 0, {"application_id": "app_1"}, at=0, surface_fixture_id="plea"
)
CHECK = PlannedEvent(
    "ev_check",
    "document_checked",
    "vera",
    1,
    {"application_id": "app_1", "check_id": "guess"},
    trigger=Trigger("action", "request_check", {"application_id": "app_1"}),
    delay_minutes=60,
)
REVIEW = PlannedEvent(
    "ev_review",
    "review_decided",
    "rex",
    2,
    {"review_id": "guess", "decision": "GRANT"},
    trigger=Trigger("action", "request_review"),
    delay_minutes=30,
)

PLAN = Plan(
    operation_id="licence_case",
    starts_at="2040-01-01T00:00:00Z",
    events=(APPLICATION, CHECK, REVIEW),
    actors={"ann": "applicant", "vera": "external_verifier", "rex": "reviewer", "bell": "ticker", "ofi": "officer"},
    authority_of_role={
        "applicant": Authority.ACTOR_CLAIM,
        "external_verifier": Authority.AUTHORITATIVE_VERIFICATION,
        "reviewer": Authority.SYSTEM_OF_RECORD,
        "ticker": Authority.SYSTEM_EVENT,
        "officer": Authority.ACTOR_CLAIM,
    },
    policy={"review_within_minutes": 500, "tiers": ("plain", "full")},
    message_fixture_ids=("receipt", "reminder"),
    surfaces={"plea": "Please hurry.", "shout": "It is so!"},
    action_schemas={"file_note": {"required": {"text": "text"}}},
    wake_event_types=(
        "application_received",
        "claim_made",
        "document_checked",
        "letter_failed",
        "review_decided",
        "review_overdue",
    ),
    catalogue={
        "read_checks": Tool("check_office", Authority.AUTHORITATIVE_VERIFICATION, "licensing.checks.v1", ("checks",)),
        "read_file": Tool("file_room", Authority.SYSTEM_OF_RECORD, "licensing.file.v1", ("applications", "reviews")),
        "read_post": Tool("post_room", Authority.COMMUNICATION, "licensing.post.v1", ("letters",)),
    },
    record_suffix="licence",
    reads={
        "grant_tier": ActionReads(
            {"read_file": True, "read_checks": True, "read_post": False},
            (
                RegistryKey("review", "review_id", "read_file", "reviews", "review_id"),
                RelatedRecord(
                    "check",
                    "application_id",
                    (
                        Step("read_file", "applications", "application_id", "check_id"),
                        Step("read_checks", "checks", "check_id", "check_id"),
                    ),
                ),
                VersionedKey(
                    "application",
                    "application_id",
                    "read_file",
                    "applications",
                    "application_id",
                    "application_id",
                    "version",
                    when=Condition("tier", ("full",)),
                ),
            ),
        ),
    },
    channels={"courier": RetryPolicy(2, 15), "pigeon": RetryPolicy(1, 0)},
    faults={},
    terminals={
        "licence_issued": Ending.SUCCESSFUL_COMPLETION,
        "application_withdrawn": Ending.AUTHORISED_CANCELLATION_OR_TRANSFER,
        "licence_forfeited": Ending.IRREVERSIBLE_BUSINESS_FAILURE,
    },
    row_types={"note_filed": ("text",)},
    roles=Roles(
        communication_action="send_letter",
        exception_action="request_review",
        terminal_action="issue_licence",
        exception_resolved_event="review_decided",
        work_completed_event="letter_delivered",
        work_failed_event="letter_failed",
        retry_event="letter_retry_due",
        scheduler_actor_id="bell",
    ),
    limits=LIMITS,
)


def plan(*events: PlannedEvent, limits: Mapping[str, int] | None = None, **changes: Any) -> Plan:
    """Return the plan with other events (the opening stays), limits or parts."""
    limited = replace(LIMITS, **(limits or {}))
    return replace(PLAN, events=(APPLICATION, *events) if events else PLAN.events, limits=limited, **changes)


class Licensing:
    """The domain. It keeps every list it is told to, and refuses little."""

    def __init__(self, of: Plan = PLAN) -> None:
        self.plan = of

    def initial_state(self) -> dict[str, Any]:
        return {
            "phase": "NEW",
            "applications": [],
            "checks": [],
            "reviews": [],
            "letters": [],
            "claims": [],
            "notes": [],
            "secret": "never shown",
            "broken": False,
            "terminal": None,
        }

    def canonical_state(self, state: dict[str, Any]) -> dict[str, Any]:
        return copy.deepcopy(state)

    def phase(self, state: dict[str, Any]) -> str:
        return str(state["phase"])

    def is_replay_final(self, state: dict[str, Any]) -> bool:
        return state["terminal"] is not None

    def serve(self, state: dict[str, Any], tool: str) -> dict[str, Any]:
        return {root: state[root] for root in self.plan.catalogue[tool].roots}

    def reduce_event(self, state: dict[str, Any], event: Event, environment: Environment) -> Verdict:
        payload = event.payload
        match event.event_type:
            case "application_received":
                if any(known["application_id"] == payload["application_id"] for known in state["applications"]):
                    return Verdict(accepted=False, code="DUPLICATE_APPLICATION", detail="It is on file.")
                row = {"application_id": payload["application_id"], "version": 1, "check_id": None}
                state["applications"].append(row)
                state["phase"] = "OPEN"
            case "document_checked":
                state["checks"].append(dict(payload))
                state["applications"][0]["check_id"] = payload["check_id"]
                return Verdict(accepted=True, cycle_id="round_1", bindings={"check_id": payload["check_id"]})
            case "review_decided":
                self._decide_review(state, payload, environment)
            case "review_overdue":
                environment.close_obligation("answer", "ANSWER", None, "breached")
            case "claim_made":
                state["claims"].append(dict(payload))
                return Verdict(accepted=True, observational=True)
            case "licence_lapsed":
                self._end(state, environment, "licence_forfeited")
        return Verdict(accepted=True)

    def _decide_review(self, state: dict[str, Any], payload: Mapping[str, Any], environment: Environment) -> None:
        review = next(row for row in state["reviews"] if row["review_id"] == payload["review_id"])
        review["decision"] = payload["decision"]
        environment.resolve_checkpoint(payload["review_id"], "review", payload["decision"], "rex")
        environment.cancel_timer(f"timer_{payload['review_id']}")
        if payload["decision"] == "WITHDRAW":
            self._end(state, environment, "application_withdrawn")

    def _end(self, state: dict[str, Any], environment: Environment, outcome: str) -> None:
        state["terminal"] = outcome
        environment.accept_terminal(outcome, None, None)

    def judge(self, state: dict[str, Any], proposal: Proposal) -> Judgement:
        if proposal.action_type not in _KNOWN:
            return Judgement(accepted=False, code="UNKNOWN_ACTION", detail="There is no such action.")
        fields = {**_KNOWN[proposal.action_type], **dict.fromkeys(proposal.payload.keys() & {"correlation_id"}, str)}
        if any(type(proposal.payload.get(name)) is not kind for name, kind in fields.items()):
            return Judgement(accepted=False, code="MALFORMED_PAYLOAD", detail="A field is missing or of another kind.")
        if fields.get("deadline_after_minutes") and not 0 < proposal.payload["deadline_after_minutes"] <= HORIZON:
            return Judgement(accepted=False, code="DEADLINE_OUTSIDE_POLICY", detail="Nobody waits that long.")
        if proposal.payload.get("channel", "courier") not in ("courier", "pigeon"):
            return Judgement(accepted=False, code="UNKNOWN_CHANNEL", detail="There is no such channel.")
        if proposal.action_type == "issue_licence" and not state["checks"]:
            return Judgement(accepted=False, code="NOT_CHECKED", detail="Nothing was checked.")
        opens = proposal.action_type == "request_review"
        return Judgement(accepted=True, authority=proposal.action_type, basis=("rule_1",), opens_checkpoint=opens)

    def commit(self, state: dict[str, Any], proposal: Proposal, environment: Environment) -> Effect:
        payload = proposal.payload
        match proposal.action_type:
            case "request_check":
                return Effect(cycle_id="round_1", bindings={"check_id": f"check_{len(state['checks']) + 1}"})
            case "request_review":
                return self._open_review(state, proposal, environment)
            case "send_letter":
                work_id = f"letter_{len(state['letters']) + 1}"
                state["letters"].append({"work_id": work_id, "status": "PENDING", "failures": 0})
                channel = payload.get("channel", "courier")
                fixture, recipient = payload["message_fixture_id"], payload["recipient_actor_id"]
                environment.start_dispatch(
                    Dispatch(work_id, channel, recipient, fixture, payload.get("correlation_id"), None)
                )
                if payload.get("and_forfeit"):
                    self._end(state, environment, "licence_forfeited")
            case "file_note":
                state["notes"].append(payload["text"])
                environment.record("note_filed", text=payload["text"])
            case "break_seal":
                state["broken"] = True
            case "issue_licence":
                self._end(state, environment, "licence_issued")
        return Effect(cycle_id=proposal.evidence_refs[0] if proposal.evidence_refs else None)

    def _open_review(self, state: dict[str, Any], proposal: Proposal, environment: Environment) -> Effect:
        deadline = proposal.payload["deadline_after_minutes"]
        review_id = f"review_{len(state['reviews']) + 1}"
        state["reviews"].append({"review_id": review_id, "decision": None})
        environment.open_checkpoint(
            review_id,
            "review",
            assignee_actor_id="rex",
            cycle_id=None,
            deadline_after_minutes=deadline,
            evidence_refs=proposal.evidence_refs,
        )
        environment.open_obligation("answer", "ANSWER", None, deadline)
        environment.set_timer(f"timer_{review_id}", "review_overdue", deadline, {"review_id": review_id})
        return Effect(bindings={"review_id": review_id})

    def attempt_failed(self, state: dict[str, Any], dispatch: Dispatch, attempt: int) -> None:
        _letter(state, dispatch)["failures"] = attempt

    def dispatch_ended(
        self, state: dict[str, Any], dispatch: Dispatch, *, delivered: bool, environment: Environment
    ) -> None:
        _letter(state, dispatch)["status"] = "DELIVERED" if delivered else "FAILED"
        if not delivered:
            environment.record("note_filed", text="lost")

    def monitor(self, state: dict[str, Any]) -> str | None:
        return "INVARIANT_SEAL_BROKEN" if state["broken"] else None


_KNOWN: Mapping[str, Mapping[str, type]] = {
    "request_check": {"application_id": str},
    "request_review": {"deadline_after_minutes": int},
    "send_letter": {"recipient_actor_id": str, "message_fixture_id": str},
    "grant_tier": {"tier": str},
    "file_note": {"text": str},
    "break_seal": {},
    "issue_licence": {},
}


def _letter(state: dict[str, Any], dispatch: Dispatch) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in state["letters"] if row["work_id"] == dispatch.work_id)
    return found


Turn = dict[str, Any] | Callable[[Observation], object]

REST = decisions.wait("rest", PLAN.wake_event_types)
"""Wait for anything."""


class Scripted:
    """An agent that plays a list of decisions, one a call, then rests. It keeps what it saw."""

    def __init__(self, *steps: Turn) -> None:
        self._steps = list(steps)
        self.seen: list[Observation] = []

    def decide(self, observation: Observation) -> object:
        self.seen.append(observation)
        step = self._steps.pop(0) if self._steps else REST
        return step(observation) if callable(step) else step


class Forever:
    """An agent that always decides the same."""

    def __init__(self, make: Callable[[Observation], object]) -> None:
        self.decide = make


def run(
    agent: Any, *events: PlannedEvent, of: Plan | None = None, budget: RecordBudget | None = None, **changes: Any
) -> Episode:
    """Run the licensing domain; the events replace those after the opening."""
    chosen = plan(*events, **changes) if of is None else of
    return run_episode(Licensing(chosen), agent, instance_id=INSTANCE, budget=budget)


def rows(episode: Episode, *record_types: str) -> list[dict[str, Any]]:
    """Return the rows of some types, in order."""
    return [row for row in episode.outcome.trajectory if row["record_type"] in record_types]


def types(episode: Episode, skip: Iterable[str] = ()) -> list[str]:
    """Return the types of all rows, in order."""
    return [row["record_type"] for row in episode.outcome.trajectory if row["record_type"] not in skip]


def audit_at(at: int, number: int = 1) -> PlannedEvent:
    """Return a claim that wakes nobody."""
    name = f"ev_claim_{number}"
    return PlannedEvent(name, "claim_made", "ann", 10 + number, {"claim": name}, triggers_agent=False, at=at)
