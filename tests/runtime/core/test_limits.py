"""Every limit holds at its exact boundary."""

from dataclasses import replace

import pytest

from operatebench.runtime.core.clock import Clock
from operatebench.runtime.core.decisions import act, retrieve, wait
from operatebench.runtime.core.episode import Episode
from operatebench.runtime.core.record import RecordBudget
from tests.runtime.core.licensing import PLAN, REST, Forever, Scripted, audit_at, rows, run

NOTE = act("file_note", {"text": "a"})
READ = retrieve("read_file")


def violation(episode: Episode) -> str | None:
    found = rows(episode, "critical_violation")
    return found[-1]["code"] if found else None


@pytest.mark.parametrize(("notes", "code"), [(3, None), (4, "INVOCATION_TURN_LIMIT_EXCEEDED")])
def test_business_turns(notes: int, code: str | None) -> None:
    episode = run(Scripted(*[NOTE] * notes))
    assert violation(episode) == code
    assert len(episode.decisions) == 4


def test_reading_is_no_business_turn_and_a_refused_batch_uses_a_call_and_no_batch() -> None:
    bad = retrieve("nothing")
    episode = run(Scripted(READ, READ, READ, bad, NOTE, NOTE, NOTE))
    assert violation(episode) is None
    assert len(episode.decisions) == 8
    assert [decision["turn_index"] for decision in episode.decisions] == list(range(8))


def test_calls() -> None:
    episode = run(Forever(lambda _: READ))
    assert violation(episode) == "INVOCATION_CALL_LIMIT_EXCEEDED"
    assert len(episode.decisions) == 4 + 3 + 1
    assert [row["code"] for row in rows(episode, "retrieval_refused")] == ["RETRIEVAL_BUDGET_EXHAUSTED"] * 5
    assert violation(run(Scripted(*[READ] * 7))) is None


@pytest.mark.parametrize(("limit", "code"), [(3, None), (2, "INVOCATION_LIMIT_EXCEEDED")])
def test_invocations(limit: int, code: str | None) -> None:
    wakes = [replace(audit_at(number, number), triggers_agent=True) for number in (1, 2)]
    episode = run(Scripted(), *wakes, limits={"max_invocations": limit})
    assert violation(episode) == code
    assert episode.outcome.invocations == limit


@pytest.mark.parametrize(("budget", "code"), [(2, None), (1, "HUMAN_CHECKPOINT_BUDGET_EXCEEDED")])
def test_checkpoints(budget: int, code: str | None) -> None:
    ask = act("request_review", {"deadline_after_minutes": 9_999})
    episode = run(Scripted(ask, ask), audit_at(1), limits={"human_checkpoint_budget": budget})
    assert violation(episode) == code
    assert len(rows(episode, "checkpoint_opened")) == budget


@pytest.mark.parametrize(("requests", "code"), [(2, None), (3, "RETRIEVAL_BATCH_TOO_LARGE")])
def test_requests_in_a_batch(requests: int, code: str | None) -> None:
    episode = run(Scripted(retrieve(*["read_file", "read_post", "read_checks"][:requests])))
    refused = rows(episode, "retrieval_refused")
    assert [row["code"] for row in refused] == ([] if code is None else [code])
    assert len(rows(episode, "retrieval_served")) == (2 if code is None else 0)


def first_budget_that_holds(field: str, low: int, high: int) -> int:
    """Find the smallest budget under which the same short episode is not cut."""

    def holds(value: int) -> bool:
        budget = replace(RecordBudget(), **{field: value})
        return violation(run(Scripted(READ, NOTE), audit_at(1), budget=budget)) is None

    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


@pytest.mark.parametrize(("field", "reserve", "used"), [("rows", 64, 10), ("events", 1, 1), ("decisions", 1, 2)])
def test_a_record_budget_is_used_up_at_its_exact_boundary(field: str, reserve: int, used: int) -> None:
    # The last step of the episode is the delivery of its second event, the last but one the third call.
    smallest = first_budget_that_holds(field, 0, 200)
    assert smallest >= reserve + used
    cut = run(Scripted(READ, NOTE), audit_at(1), budget=replace(RecordBudget(), **{field: smallest - 1}))
    assert violation(cut) == "RECORD_BUDGET_EXHAUSTED"
    whole = run(Scripted(READ, NOTE), audit_at(1), budget=replace(RecordBudget(), **{field: smallest}))
    assert whole == run(Scripted(READ, NOTE), audit_at(1))


def test_a_batch_that_does_not_fit_is_not_served() -> None:
    big = act("file_note", {"text": "x" * 60_000})
    reading = [retrieve("read_file"), retrieve("read_post")]
    whole = run(Scripted(*reading, big), budget=RecordBudget())
    served = rows(whole, "retrieval_served")
    assert len(served) == 2
    size = sum(len(str(row)) for row in whole.outcome.trajectory[:4])
    cut = run(Scripted(*reading, big), budget=RecordBudget(size=size + 512 * 1024 + 400))
    assert violation(cut) == "RECORD_BUDGET_EXHAUSTED"
    assert len(rows(cut, "retrieval_served")) == 0
    assert len(cut.decisions) == 1


def test_a_commit_is_never_cut_in_half() -> None:
    for limit in range(65, 110):
        episode = run(Scripted(NOTE, NOTE, REST), audit_at(1), budget=RecordBudget(rows=limit))
        granted = [row["proposal_id"] for row in rows(episode, "authority_decided")]
        assert granted == [row["proposal_id"] for row in rows(episode, "effect_accepted")]
        assert len(episode.outcome.trajectory) <= limit


def test_a_deadline_beyond_the_calendar_is_refused_and_the_last_minute_is_not() -> None:
    last = Clock(PLAN.starts_at).last
    episode = run(Scripted(wait("on", [], last + 1), wait("on", [], last)))
    assert [row["code"] for row in rows(episode, "outcome_rejected")] == ["DEADLINE_BEYOND_CALENDAR"]
    assert rows(episode, "wait_declared")[0]["fallback_at"] == "9999-12-31T23:59:00Z"
