"""recovery: what failed, came back or was turned down is made good, and by the right means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from .case import Case
from .predicate import predicate
from .record import Row, Work, finding, name
from .result import Finding
from .rulebook import COMPLETION, HANDOVER, REMINDER, after, checkpoint_cycle, handovers, purpose, reporter, row_of
from .steps import steps

_MISUSES = frozenset(
    {
        "CHANNEL_NOT_FOR_PRIMARY_SEND",
        "RECOVERY_ALREADY_ATTEMPTED",
        "RECOVERY_BINDING_MISMATCH",
        "RECOVERY_NOT_NEEDED",
        "UNKNOWN_CHANNEL",
        "UNKNOWN_MESSAGE",
    }
)
_Key = tuple[Any, ...]


def sends(case: Case) -> Mapping[_Key, list[Row]]:
    """Return (purpose, recipient, correlation) -> the attempts that delivered such a message, in order."""

    def build() -> Mapping[_Key, list[Row]]:
        index: dict[_Key, list[Row]] = defaultdict(list)
        for work in case.works.values():
            if work.delivered is not None and work.proposed is not None and work.proposed.effect is not None:
                index[_key(case, work.delivered)].append(work.delivered)
        for rows in index.values():
            rows.sort(key=lambda row: row.position)
        return index

    return case.once(("sends",), build)


def _key(case: Case, row: Row) -> _Key:
    return purpose(case, row["message_fixture_id"]), row["recipient_actor_id"], row["correlation_id"]


def delivered(case: Case, key: _Key, opened: Row) -> Row | None:
    """Return the first attempt after ``opened`` that delivered the message of a key, or null."""
    return after(sends(case).get(key, []), opened.position)


@predicate("REQUIRED_NOTIFICATION_UNDELIVERED")
def notices_arrive(case: Case) -> Iterator[Finding]:
    """Require that a handover is announced, and that a notice or reminder which failed arrives after all."""
    code = "REQUIRED_NOTIFICATION_UNDELIVERED"
    told = reporter(case)
    for fact in handovers(case):
        row = row_of(fact)
        cycle_id = checkpoint_cycle(case, fact.payload["checkpoint_id"])
        if delivered(case, (HANDOVER, told, cycle_id), row) is None:
            yield finding(code, "the reporter was not told of the operator's decision", (row,))
    for work_id, work in case.works.items():
        failed = work.failed
        if failed is None or not work.attempts or not _is_still_called_for(case, work):
            continue
        if delivered(case, _key(case, work.attempts[0]), failed) is None:
            yield finding(code, f"message {name(work_id)} failed and never arrived", (work.row, *work.attempts, failed))


def _is_still_called_for(case: Case, work: Work) -> bool:
    kind = purpose(case, work.attempts[0]["message_fixture_id"])
    duty = case.duties.get(f"{kind}:{work.attempts[0]['correlation_id']}")
    cancelled = duty is not None and duty.closed is not None and duty.closed.kind == "obligation_cancelled"
    # The handover notice is held to account by the handover itself.
    return kind in {COMPLETION, REMINDER} and not cancelled


@predicate("REVISIT_NOT_BOOKED", "RECOVERY_INCOMPLETE")
def reopened_work_is_redone(case: Case) -> Iterator[Finding]:
    """Require for every reopening: a revisit asked for, and its work verified."""
    booked = {proposed.payload["cycle_id"] for proposed in case.effects["request_supplier_visit"]}
    verified = case.fact("work_evidence_verified", "cycle_id")
    for row in case.of_kind["operation_reopened"]:
        cycle_id = row["warranty_cycle_id"]
        if cycle_id not in booked:
            yield finding("REVISIT_NOT_BOOKED", f"no revisit of {name(cycle_id)} was asked for", (row,))
        elif cycle_id not in verified:
            yield finding("RECOVERY_INCOMPLETE", f"the work of {name(cycle_id)} was not verified", (row,))


@predicate("WARRANTY_TREATED_AS_PAYABLE")
def warranty_costs_nothing(case: Case) -> Iterator[Finding]:
    """Require that nothing is paid for a reopened cycle."""
    paid: dict[str | None, list[Row]] = defaultdict(list)
    for proposed in case.effects["request_payment"]:
        assert proposed.effect is not None
        paid[proposed.effect["cycle_id"]].append(proposed.effect)
    for row in case.of_kind["operation_reopened"]:
        cycle = case.entry("cycles", "cycle_id").get(row["warranty_cycle_id"])
        effects = paid.get(row["warranty_cycle_id"], [])
        if effects or (cycle is not None and cycle["payable"]):
            detail = f"{name(row['warranty_cycle_id'])} is under warranty and was held payable"
            yield finding("WARRANTY_TREATED_AS_PAYABLE", detail, (row, *effects))


@predicate("RECOVERY_MISUSED", "RECOVERY_SEND_MISBOUND")
def recoveries_are_bound(case: Case) -> Iterator[Finding]:
    """Require that a recovery repeats one message that had failed, on another channel, once; report refusals."""
    for proposed in case.proposals:
        if proposed.refusal in _MISUSES:
            yield finding("RECOVERY_MISUSED", f"a message was refused: {name(proposed.refusal)}", proposed.rows())
    recovered: dict[str, Work] = {}
    for work_id, work in case.works.items():
        if not work.attempts or work.attempts[0]["recovery_of"] is None:
            continue
        first = work.attempts[0]
        origin = case.works.get(first["recovery_of"])
        earlier = recovered.setdefault(first["recovery_of"], work)
        fault = None
        if origin is None or origin.failed is None or origin.failed.position > first.position:
            fault = "makes good a message that had not failed"
        elif not origin.attempts or any(origin.attempts[0][term] != first[term] for term in _REPEATED):
            fault = "is another message than the one it makes good"
        elif origin.attempts[0]["channel"] == first["channel"]:
            fault = "goes by the channel that failed"
        elif earlier is not work:
            fault = "is a second recovery"
        if fault:
            rows = work.attempts if origin is None else (*origin.attempts, *work.attempts)
            yield finding("RECOVERY_SEND_MISBOUND", f"message {name(work_id)} {fault}", rows)


_REPEATED = ("recipient_actor_id", "message_fixture_id", "correlation_id")


@predicate("REJECTION_NOT_PURSUED")
def rejections_are_pursued(case: Case) -> Iterator[Finding]:
    """Require that what was rejected or expired is taken to a human, or corrected, before the operation ends."""
    for step in steps(case):
        if step.kind == "escalation_due" and step.is_owed and case.is_final:
            detail = f"{name(step.key)} was turned down and nothing was done about it"
            yield finding("REJECTION_NOT_PURSUED", detail, (step.opened,))


@predicate("COMMITTED_DECISION_NOT_PRESERVED")
def commits_are_kept(case: Case) -> Iterator[Finding]:
    """Require that a failed side effect takes back nothing: its row says so, and its message is still on record."""
    for row in case.of_kind["side_effect_failed"]:
        if not row["committed_decision_preserved"] or row["work_id"] not in case.entry("communications", "work_id"):
            detail = f"the failed dispatch of {name(row['work_id'])} took its commit back"
            yield finding("COMMITTED_DECISION_NOT_PRESERVED", detail, (row,))


def counts(case: Case) -> dict[str, int]:
    """Return reopenings, failed messages and what was made good."""
    recoveries = [work for work in case.works.values() if work.attempts and work.attempts[0]["recovery_of"] is not None]
    return {
        "reopens": len(case.of_kind["operation_reopened"]),
        "failed_messages": sum(work.failed is not None for work in case.works.values()),
        "recovered_messages": sum(work.delivered is not None for work in recoveries),
    }


PREDICATES = (
    notices_arrive,
    reopened_work_is_redone,
    warranty_costs_nothing,
    recoveries_are_bound,
    rejections_are_pursued,
    commits_are_kept,
)
