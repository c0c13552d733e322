"""The read guard and the evidence selectors, each code and each kind."""

from dataclasses import replace
from typing import Any

import pytest

from operatebench.runtime.core import guard
from operatebench.runtime.core.contract import ActionReads, Condition, RegistryKey, RelatedRecord, Step, VersionedKey
from operatebench.runtime.core.decisions import act, retrieve, wait
from operatebench.runtime.core.plain import frozen_copy
from operatebench.runtime.core.protocol import PlannedEvent, Proposal
from tests.runtime.core.licensing import CHECK, PLAN, REVIEW, Scripted, rows, run

READ_ALL = retrieve("read_file", "read_checks")
GRANT = {"tier": "plain"}
CLAIM = PlannedEvent("ev_say", "claim_made", "ann", 9, {"claim": "it is fine"}, at=5)


def codes(*steps: Any, events: Any = (CHECK,)) -> list[str]:
    return [row["code"] for row in rows(run(Scripted(*steps), *events), "action_rejected")]


def test_an_action_whose_required_reads_are_fresh_passes_and_optional_reads_never_gate() -> None:
    episode = run(Scripted(READ_ALL, act("grant_tier", GRANT)))
    assert [row["action_type"] for row in rows(episode, "effect_accepted")] == ["grant_tier"]


def test_never_read() -> None:
    assert codes(act("grant_tier", GRANT)) == ["ACTION_WITHOUT_RETRIEVAL"]
    assert codes(retrieve("read_post"), act("grant_tier", GRANT)) == ["ACTION_WITHOUT_RETRIEVAL"]


def test_read_in_an_earlier_invocation_or_before_an_own_effect_is_stale() -> None:
    assert codes(READ_ALL, act("file_note", {"text": "a"}), act("grant_tier", GRANT)) == ["STALE_RETRIEVED_RECORD"]
    steps = (READ_ALL, wait("on", [], 5), retrieve("read_checks"), act("grant_tier", GRANT))
    assert codes(*steps) == ["STALE_RETRIEVED_RECORD"]


@pytest.mark.parametrize(
    ("reads", "cited", "code"),
    [
        ((), ["ev_say"], "ACTED_ON_CLAIM_WITHOUT_RECORD"),
        ((), ["it is fine"], "ACTED_ON_CLAIM_WITHOUT_RECORD"),
        ((), ["something else"], "ACTION_WITHOUT_RETRIEVAL"),
        (("read_file",), ["ev_say"], "ACTED_ON_CLAIM_WITHOUT_RECORD"),
        (("read_checks",), ["ev_say"], "ACTION_WITHOUT_RETRIEVAL"),
    ],
)
def test_citing_a_claim_instead_of_the_authoritative_record(reads: Any, cited: list[str], code: str) -> None:
    first = retrieve(*reads) if reads else act("fly", {})
    found = codes(wait("on", ["claim_made"]), first, act("grant_tier", GRANT, cited), events=(CLAIM,))
    assert found[-1] == code


def test_citing_an_authoritative_event_is_no_claim() -> None:
    check = act("request_check", {"application_id": "app_1"})
    found = codes(check, wait("on", ["document_checked"]), act("grant_tier", GRANT, ["ev_check"]))
    assert found == ["ACTION_WITHOUT_RETRIEVAL"]


def test_a_required_read_whose_version_moved_since_is_stale() -> None:
    proposal = Proposal("p", "grant_tier", {}, (), 0)
    versions = {"read_file": "old", "read_checks": "same"}
    for now, code in (({**versions, "read_file": "new"}, "STALE_RETRIEVED_RECORD"), (versions, None)):
        found = guard.refuse_reads(
            ["read_file", "read_checks"],
            proposal,
            served=versions,
            current=now.__getitem__,
            seen=set(versions),
            claim=frozenset(),
            catalogue=PLAN.catalogue,
        )
        assert found == code


RECORDS: dict[str, Any] = {
    "t": {
        "as": [{"id": "a1", "b": "b1", "version": 3}, {"id": "a2", "b": "none", "version": None}, {"id": 7, "b": 1}],
        "bs": [{"id": "b1", "proof": "p1"}, {"id": "b2", "proof": None}, {"id": True, "proof": "p2"}],
    }
}
KEY = RegistryKey("key", "a", "t", "as", "id")
RELATED = RelatedRecord("related", "a", (Step("t", "as", "id", "b"), Step("t", "bs", "id", "proof")))
VERSIONED = VersionedKey("versioned", "a", "t", "as", "id", "id", "version")
FULL = Condition("tier", ("full", "extra"))


@pytest.mark.parametrize(
    ("selector", "value", "wanted"),
    [
        (KEY, "a1", "a1"),
        (KEY, "a9", None),
        (KEY, None, None),
        (KEY, 7, None),
        (KEY, ["a1"], None),
        (RELATED, "a1", "p1"),
        (RELATED, "a2", None),
        (RELATED, 7, None),
        (VERSIONED, "a1", "a1:v3"),
        (VERSIONED, "a2", None),
        (VERSIONED, "a9", None),
        (replace(KEY, tool="unread"), "a1", None),
        (replace(KEY, root="unknown"), "a1", None),
    ],
)
def test_what_a_selector_asks_for(selector: Any, value: Any, wanted: str | None) -> None:
    contract = ActionReads({}, (selector,))
    assert guard.resolve(selector, {"a": value}, RECORDS) == wanted
    assert guard.resolve(selector, {"a": value}, frozen_copy(RECORDS)) == wanted
    for cited, code in (((), "REQUIRED_EVIDENCE_REF_NOT_CITED"), (("x", str(wanted)), None)):
        expected = "REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED" if wanted is None else code
        assert guard.refuse_evidence(contract, Proposal("p", "x", {"a": value}, cited, 0), RECORDS) == expected


@pytest.mark.parametrize("damaged", [None, 5, {}, {"t": 1}, {"t": {"as": 5}}, {"t": {"as": [5, None, {}]}}])
def test_damaged_records_resolve_to_nothing(damaged: Any) -> None:
    records = damaged if isinstance(damaged, dict) and not isinstance(damaged.get("t"), int) else {}
    assert [guard.resolve(selector, {"a": "a1"}, records) for selector in (KEY, RELATED, VERSIONED)] == [None] * 3


@pytest.mark.parametrize(
    ("payload", "applies"),
    [
        ({"a": "a1", "tier": "full"}, True),
        ({"a": "a1", "tier": "extra"}, True),
        ({"a": "a1", "tier": "plain"}, False),
        ({"a": "a1", "tier": None}, False),
        ({"a": "a1"}, False),
        ({"tier": "full"}, False),
    ],
)
def test_a_selector_applies_when_its_field_is_there_and_its_condition_holds(
    payload: dict[str, Any], applies: bool
) -> None:
    for selector in (KEY, RELATED, VERSIONED):
        assert guard.applies(replace(selector, when=FULL), payload) is applies
        assert guard.applies(selector, payload) is ("a" in payload)


def test_evidence_is_asked_for_in_an_episode() -> None:
    check = act("request_check", {"application_id": "app_1"})
    grant = {"application_id": "app_1", "tier": "full", "review_id": "review_1"}
    ask = act("request_review", {"deadline_after_minutes": 900})
    to_review = (check, ask, wait("on", ["document_checked"]))
    tries = (READ_ALL, act("grant_tier", grant, ["review_1"]), act("grant_tier", grant, ["review_1", "check_1"]))
    found = codes(*to_review, *tries, act("grant_tier", grant, ["review_1", "check_1", "app_1:v1"]), events=(CHECK,))
    assert found == ["REQUIRED_EVIDENCE_REF_NOT_CITED"] * 2
    early = codes(ask, READ_ALL, act("grant_tier", grant, ["review_1"]), events=(REVIEW,))
    assert early == ["REQUIRED_EVIDENCE_SELECTOR_UNRESOLVED"]
