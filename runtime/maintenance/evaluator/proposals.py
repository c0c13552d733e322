"""critical_invariants: the four records of a consequential action are there, bound to each other and in order."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case
from .predicate import predicate
from .record import Proposed, Row, Work, finding, name
from .result import Finding


@predicate("CRITICAL_PROPOSAL_BINDING_MISMATCH")
def proposal_has_one_answer(case: Case) -> Iterator[Finding]:
    """Require of every proposal an id of its own and one answer: after it, of its type, before the next proposal."""
    code = "CRITICAL_PROPOSAL_BINDING_MISMATCH"
    for row in case.orphans["proposal"]:
        yield finding(code, f"no proposal, or a second one, is called {name(row['proposal_id'])}", (row,))
    for place, proposed in enumerate(case.proposals):
        answers = proposed.answers
        following = case.proposals[place + 1].row.position if place + 1 < len(case.proposals) else None
        if not answers and not _halted_on(case, proposed):
            yield finding(code, f"proposal {name(proposed.proposal_id)} was never answered", (proposed.row,))
        if len(answers) > 1:
            yield finding(code, f"proposal {name(proposed.proposal_id)} was answered more than once", proposed.rows())
        for answer in answers:
            if answer.position < proposed.row.position or (following is not None and answer.position > following):
                detail = f"the answer to proposal {name(proposed.proposal_id)} does not follow it"
                yield finding(code, detail, (proposed.row, answer))
            if not _same_type(proposed, answer):
                detail = f"the answer to proposal {name(proposed.proposal_id)} is to another action"
                yield finding(code, detail, (proposed.row, answer))


def _same_type(proposed: Proposed, answer: Row) -> bool:
    terminal = proposed.row.kind == "terminal_proposed"
    if answer.kind == "effect_accepted":
        return bool(answer["action_type"] == proposed.action_type)
    if answer.kind == "terminal_rejected":
        return terminal
    return not terminal and bool(answer["action_type"] == proposed.action_type)


def _halted_on(case: Case, proposed: Proposed) -> bool:
    """Tell whether the episode was stopped instead of committing the proposal."""
    following = case.at_position.get(proposed.row.position + 1)
    return following is not None and following.kind == "critical_violation"


@predicate("CRITICAL_EFFECT_WITHOUT_AUTHORITY_DECISION")
def effect_has_decision(case: Case) -> Iterator[Finding]:
    """Require one authority decision between a proposal and its accepted effect, and none without an effect."""
    code = "CRITICAL_EFFECT_WITHOUT_AUTHORITY_DECISION"
    for proposed in case.proposals:
        decisions, effect = proposed.decisions, proposed.effect
        if len(decisions) != (0 if effect is None else 1):
            rows = (*proposed.rows(), *decisions)
            detail = f"effect and authority decision of proposal {name(proposed.proposal_id)} are not one to one"
            yield finding(code, detail, rows)
        elif effect is not None:
            decision = decisions[0]
            ordered = proposed.row.position < decision.position < effect.position
            if not ordered or decision["action_type"] != proposed.action_type or decision.at != effect.at:
                rows = (*proposed.rows(), decision)
                label = name(proposed.proposal_id)
                detail = f"the authority decision on proposal {label} is not between it and its effect"
                yield finding(code, detail, rows)


@predicate("CRITICAL_EFFECT_BINDING_MISMATCH")
def effect_binds_what_it_made(case: Case) -> Iterator[Finding]:
    """Require that an effect binds what its commit made, and belongs to the cycle it was proposed for."""
    visits: dict[str, Row] = {}
    for proposed in case.proposals:
        effect = proposed.effect
        if effect is None:
            continue
        fault = _binding_fault(case, proposed, effect)
        visit_id = effect["bindings"].get("visit_id")
        if visit_id is not None and proposed.row.kind == "action_proposed":
            fault = fault or ("binds a visit again" if visits.setdefault(visit_id, effect) is not effect else None)
        if fault:
            detail = f"the effect of {name(proposed.proposal_id)} {fault}"
            yield finding("CRITICAL_EFFECT_BINDING_MISMATCH", detail, proposed.rows())


def _binding_fault(case: Case, proposed: Proposed, effect: Row) -> str | None:
    bindings = effect["bindings"]
    for kind, key in (("checkpoint_opened", "checkpoint_id"), ("work_created", "work_id")):
        if [row[key] for row in proposed.brought if row.kind == kind] != ([bindings[key]] if key in bindings else []):
            return f"does not bind the {key} of its commit"
    payment_id = bindings.get("payment_request_id")
    if payment_id is not None and payment_id not in case.entry("payments", "payment_request_id"):
        return "binds a payment that is not there"
    if effect["cycle_id"] is not None and effect["cycle_id"] not in case.entry("cycles", "cycle_id"):
        return "belongs to a cycle that is not there"
    if bindings.get("related_visit_id") != bindings.get("visit_id"):
        return "binds two visits"
    if effect["code"] != _code(case, proposed, effect):
        return "has another code than what its commit brought"
    if proposed.payload.get("cycle_id", effect["cycle_id"]) != effect["cycle_id"]:
        return "belongs to another cycle than it was proposed for"
    return None


def _code(case: Case, proposed: Proposed, effect: Row) -> str | None:
    """Return the code of an effect; null for a completion that brought neither one provisional close nor the end."""
    if proposed.row.kind == "action_proposed":
        return "ACCEPTED"
    ends = [row for row in proposed.brought if row.kind in {"provisional_close_entered", "terminal_accepted"}]
    if len(ends) != 1 or ends[0]["cycle_id"] != effect["cycle_id"]:
        return None
    if ends[0].kind == "terminal_accepted":
        return {"transferred_to_human_ownership": "TRANSFERRED", "cancelled_by_operator": "CANCELLED"}.get(
            ends[0]["outcome"]
        )
    window = case.minute(ends[0]["reopen_until"]) - ends[0].at
    return "PROVISIONALLY_CLOSED" if window == case.spec.policy.provisional_close_minutes else None


@predicate("CRITICAL_SIDE_EFFECT_NOT_BOUND")
def side_effects_are_bound(case: Case) -> Iterator[Finding]:
    """Require that each message accepted is one piece of work, attempted after the commit as it was proposed."""
    code = "CRITICAL_SIDE_EFFECT_NOT_BOUND"
    for row in case.orphans["work"]:
        yield finding(code, f"no work, or a second one, is called {name(row['work_id'])}", (row,))
    for proposed in case.effects["send_message"]:
        works = [row for row in proposed.brought if row.kind == "work_created"]
        if len(works) != 1:
            yield finding(
                code, f"message {name(proposed.proposal_id)} did not become one piece of work", proposed.rows()
            )
    for work_id, work in case.works.items():
        fault = _work_fault(case, work)
        if fault:
            yield finding(code, f"work {name(work_id)} {fault}", (work.row, *work.attempts, *work.ends))


def _work_fault(case: Case, work: Work) -> str | None:
    proposed = work.proposed
    if proposed is None or proposed.effect is None or proposed.action_type != "send_message" or not proposed.usable:
        return "belongs to no accepted message"
    if not work.attempts:
        return None if any(row.kind == "work_cancelled" for row in work.ends) else "was never attempted"
    if work.attempts[0].position < proposed.effect.position or work.attempts[0].at != proposed.effect.at:
        return "was not attempted right after its commit"
    payload = proposed.payload
    wanted = {
        "recipient_actor_id": payload["recipient_actor_id"],
        "message_fixture_id": payload["message_fixture_id"],
        "correlation_id": payload.get("correlation_id"),
        "recovery_of": payload.get("recovery_of"),
        "channel": payload.get("channel", next(iter(case.spec.channels))),
    }
    if any(row[key] != value for row in work.attempts for key, value in wanted.items()):
        return "was not sent as it was proposed"
    return None


PREDICATES = (
    proposal_has_one_answer,
    effect_has_decision,
    effect_binds_what_it_made,
    side_effects_are_bound,
)
