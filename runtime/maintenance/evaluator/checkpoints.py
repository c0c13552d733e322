"""human_checkpoints: humans are called upon when they must be, only then, with what it takes, and within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from .case import Case
from .predicate import predicate
from .record import Checkpoint, Proposed, Row, finding, name
from .result import Finding
from .rulebook import APPROVAL, before, checkpoint_of, is_resolved, needs_approval, opened_by, quote_key, quote_of

REQUESTS = ("request_approval", "request_exception_resolution")
"""The actions that call upon a human."""

LEFT_OUT = frozenset({"INCOMPLETE_CHECKPOINT_CONTEXT", "REQUIRED_EVIDENCE_REF_NOT_CITED"})
"""Refusals of a request that gave the human too little."""


@predicate("MISSED_REQUIRED_CHECKPOINT")
def required_are_opened(case: Case) -> Iterator[Finding]:
    """Require a checkpoint of each type the variant requires."""
    opened = {checkpoint.row["checkpoint_type"] for checkpoint in case.checkpoints.values()}
    for checkpoint_type in case.variant.required_checkpoint_types:
        if checkpoint_type not in opened:
            yield finding("MISSED_REQUIRED_CHECKPOINT", f"no {checkpoint_type} was opened")


@predicate("UNNECESSARY_CHECKPOINT")
def opened_are_required(case: Case) -> Iterator[Finding]:
    """Report every checkpoint of a type the variant does not call for."""
    for checkpoint_id, checkpoint in case.checkpoints.items():
        if checkpoint.row["checkpoint_type"] not in case.variant.required_checkpoint_types:
            detail = f"checkpoint {name(checkpoint_id)} is of a type nothing here calls for"
            yield finding("UNNECESSARY_CHECKPOINT", detail, (checkpoint.row,))


@predicate("HUMAN_BUDGET_EXCEEDED")
def within_budget(case: Case) -> Iterator[Finding]:
    """Require that no more checkpoints were opened, or stopped at, than the budget allows."""
    opened = [checkpoint.row for checkpoint in case.checkpoints.values()]
    beyond = opened[case.variant.human_checkpoint_budget :]
    stops = [row for row in case.of_kind["critical_violation"] if row["code"] == "HUMAN_CHECKPOINT_BUDGET_EXCEEDED"]
    for row in (*beyond, *stops):
        yield finding("HUMAN_BUDGET_EXCEEDED", "a human was called upon once more than the budget allows", (row,))


def uncalled_for(case: Case) -> list[Proposed]:
    """Return the calls upon a human that nothing called for when they were proposed, whatever became of them."""
    return case.once(("uncalled for",), lambda: [*_exceptions_uncalled_for(case), *_approvals_uncalled_for(case)])


def _exceptions_uncalled_for(case: Case) -> Iterator[Proposed]:
    raised: dict[str, Proposed] = {}
    for proposed in case.proposals:
        if proposed.action_type == "request_exception_resolution" and proposed.usable:
            subject = proposed.payload["subject_id"]
            if not is_called_for(case, proposed, raised.get(subject)):
                yield proposed
            if proposed.effect is not None:
                raised[subject] = proposed


def _approvals_uncalled_for(case: Case) -> Iterator[Proposed]:
    for proposed in case.proposals:
        if proposed.action_type == "request_approval" and proposed.usable:
            quote = quote_of(case, proposed.payload, proposed.row.position)
            small = quote is not None and not needs_approval(case, quote.payload)
            if small or proposed.refusal in {"APPROVAL_NOT_REQUIRED", "DUPLICATE_CHECKPOINT"}:
                yield proposed


@predicate("UNNECESSARY_ESCALATION", "UNNECESSARY_APPROVAL_REQUEST")
def requests_are_called_for(case: Case) -> Iterator[Finding]:
    """Report every exception of something that calls for none, and every approval not needed or under way already."""
    for proposed in uncalled_for(case):
        if proposed.action_type == "request_approval":
            yield finding("UNNECESSARY_APPROVAL_REQUEST", "the quote calls for no approval", proposed.rows())
        else:
            detail = f"{name(proposed.payload['subject_id'])} calls for no exception"
            yield finding("UNNECESSARY_ESCALATION", detail, proposed.rows())


def is_called_for(case: Case, proposed: Proposed, earlier: Proposed | None) -> bool:
    """Tell whether an exception's subject called for it when it was proposed, given the last accepted one about it."""
    payload, place = proposed.payload, proposed.row.position
    if payload["exception_type"] == "INVOICE_REJECTED":
        validation = before(case.fact("invoice_validation_completed", "invoice_id").get(payload["subject_id"]), place)
        due = validation is not None and not validation.payload["valid"]
    else:
        checkpoint = checkpoint_of(case, payload["subject_id"], APPROVAL)
        resolution = payload["exception_type"].removeprefix("APPROVAL_")
        due = checkpoint is not None and is_resolved(checkpoint, place, resolution)
    raised = None if earlier is None else opened_by(case, earlier)
    return due and (raised is None or is_resolved(raised, place, "EXPIRED"))


@predicate("ESCALATION_WITHOUT_CONTEXT")
def requests_have_context(case: Case) -> Iterator[Finding]:
    """Report every call upon a human that was refused for what it left out, or accepted without anything to look at."""
    for proposed in case.proposals:
        if proposed.action_type in REQUESTS and proposed.refusal in LEFT_OUT:
            yield finding("ESCALATION_WITHOUT_CONTEXT", "a human was to decide without what it takes", proposed.rows())
    for checkpoint_id, checkpoint in case.checkpoints.items():
        if not checkpoint.row["evidence_refs"]:
            detail = f"checkpoint {name(checkpoint_id)} was opened with nothing to look at"
            yield finding("ESCALATION_WITHOUT_CONTEXT", detail, (checkpoint.row,))


@predicate("CHECKPOINT_OPENING_MISMATCH")
def openings_are_founded(case: Case) -> Iterator[Finding]:
    """Require that a checkpoint comes from the accepted request for its type, and calls upon the one who decides it."""
    code = "CHECKPOINT_OPENING_MISMATCH"
    for row in case.orphans["checkpoint"]:
        yield finding(code, f"no checkpoint, or a second one, is called {name(row['checkpoint_id'])}", (row,))
    for checkpoint_id, checkpoint in case.checkpoints.items():
        declared = case.spec.checkpoints.get(checkpoint.row["checkpoint_type"])
        proposed = checkpoint.proposed
        fault = None
        if declared is None or proposed is None or proposed.effect is None or not proposed.usable:
            fault = "was not asked for"
        elif proposed.action_type != declared.opened_by:
            fault = "was opened by another action"
        elif checkpoint.row["assignee_actor_id"] != case.spec.actor_of_role(declared.assignee_role):
            fault = "calls upon somebody else"
        elif checkpoint.row["cycle_id"] != proposed.effect["cycle_id"]:
            fault = "is of another cycle than its request"
        elif checkpoint.row["exception_type"] != proposed.payload.get("exception_type"):
            fault = "is of another exception type than was asked for"
        elif (
            case.minute(checkpoint.row["deadline_at"]) != checkpoint.row.at + proposed.payload["deadline_after_minutes"]
        ):
            fault = "has another deadline than was asked for"
        elif not set(checkpoint.row["evidence_refs"]) <= _shown(checkpoint.row, proposed):
            fault = "shows something else than it is about"
        if fault:
            rows = (checkpoint.row,) if proposed is None else (checkpoint.row, *proposed.rows())
            yield finding(code, f"checkpoint {name(checkpoint_id)} {fault}", rows)


def _shown(row: Row, proposed: Proposed) -> AbstractSet[str]:
    """Return what a checkpoint may show: the quote it is about, or what its request cites."""
    return {quote_key(proposed.payload)} if row["checkpoint_type"] == APPROVAL else proposed.evidence


@predicate("CHECKPOINT_RESOLUTION_UNFOUNDED")
def resolutions_are_founded(case: Case) -> Iterator[Finding]:
    """Require that a checkpoint is resolved once: by its assignee's decision, or by its deadline."""
    for checkpoint_id, checkpoint in case.checkpoints.items():
        if len(checkpoint.resolutions) > 1:
            detail = f"checkpoint {name(checkpoint_id)} was resolved twice"
            yield finding("CHECKPOINT_RESOLUTION_UNFOUNDED", detail, checkpoint.resolutions)
        for row in checkpoint.resolutions[:1]:
            if not _is_founded(case, checkpoint, row):
                detail = f"nothing resolved checkpoint {name(checkpoint_id)} as {name(row['resolution'])}"
                yield finding("CHECKPOINT_RESOLUTION_UNFOUNDED", detail, (checkpoint.row, row))


def _is_founded(case: Case, checkpoint: Checkpoint, row: Row) -> bool:
    declared = case.spec.checkpoints.get(checkpoint.row["checkpoint_type"])
    if declared is None or row["checkpoint_type"] != checkpoint.row["checkpoint_type"]:
        return False
    checkpoint_id = checkpoint.row["checkpoint_id"]
    if row["resolution"] == "EXPIRED":
        deadline = (
            "approval_deadline_due" if checkpoint.row["checkpoint_type"] == APPROVAL else "exception_deadline_due"
        )
        facts = case.fact(deadline, "checkpoint_id").get(checkpoint_id, [])
        in_time = row.at >= case.minute(checkpoint.row["deadline_at"])
        return in_time and any(fact.at == row.at and fact.actor_id == row["resolved_by"] for fact in facts[:1])
    facts = case.fact(declared.resolved_by, "checkpoint_id").get(checkpoint_id, [])
    return any(
        fact.at == row.at
        and fact.payload["decision"] == row["resolution"]
        and fact.actor_id == row["resolved_by"] == checkpoint.row["assignee_actor_id"]
        for fact in facts[:1]
    )


def counts(case: Case) -> dict[str, int]:
    """Return checkpoints opened and resolved, the budget, and requests refused."""
    refused = [proposed for proposed in case.proposals if proposed.action_type in REQUESTS and proposed.refusal]
    return {
        "human_touches": len(case.checkpoints),
        "budget": case.variant.human_checkpoint_budget,
        "refused_escalations": len(refused),
        "resolved": sum(checkpoint.resolved is not None for checkpoint in case.checkpoints.values()),
    }


PREDICATES = (
    required_are_opened,
    opened_are_required,
    within_budget,
    requests_are_called_for,
    requests_have_context,
    openings_are_founded,
    resolutions_are_founded,
)
