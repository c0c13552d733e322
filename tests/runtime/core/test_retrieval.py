"""Batches are served whole or refused whole, sorted and recorded; what was read is dropped when it may be stale."""

import hashlib
from typing import Any

import pytest
from canonicaljson import encode_canonical_json

from operatebench.runtime.core.decisions import act, complete, retrieve, wait
from operatebench.runtime.core.environment import Desk
from operatebench.runtime.core.protocol import Event
from operatebench.runtime.core.retrieval import REFUSED_BATCHES, Catalogue, refuse_batch
from operatebench.runtime.core.run import Run
from operatebench.runtime.core.vocabulary import Provenance
from operatebench.runtime.core.work import Work
from tests.runtime.core.licensing import CHECK, PLAN, Licensing, Scripted, rows, run


def request(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


ORDER = [
    ("EMPTY_RETRIEVAL_BATCH", []),
    ("RETRIEVAL_BATCH_TOO_LARGE", [request("read_file", a=1), request("read_file"), request("nothing")]),
    ("CONFLICTING_RETRIEVAL_ARGUMENTS", [request("read_file", a=1), request("read_file", a=True)]),
    ("UNKNOWN_RETRIEVAL_TOOL", [request("read_file", a=1), request("nothing")]),
    ("MALFORMED_RETRIEVAL_REQUEST", [request("read_file", a=1)]),
    ("RETRIEVAL_BUDGET_EXHAUSTED", [request("read_file")]),
]


@pytest.mark.parametrize(("code", "requests"), ORDER)
def test_the_first_rule_that_is_broken_names_the_refusal(code: str, requests: list[dict[str, Any]]) -> None:
    # Every batch here also breaks the rules after its own, the last one by having no batch left.
    assert refuse_batch(requests, PLAN.catalogue, 2, 0) == code


def test_the_order_of_the_rules_is_the_declared_one() -> None:
    assert [code for code, _ in ORDER] == list(REFUSED_BATCHES)


def test_a_refused_batch_serves_nothing_and_never_echoes_an_invented_name() -> None:
    agent = Scripted({"kind": "RETRIEVE", "requests": [request("read_post"), request("made_up")]})
    episode = run(agent)
    refused = rows(episode, "retrieval_refused")[0]
    assert (refused["code"], refused["request_count"], refused["requested_tools"]) == (
        "UNKNOWN_RETRIEVAL_TOOL",
        2,
        ["read_post"],
    )
    assert refused["detail"] == REFUSED_BATCHES["UNKNOWN_RETRIEVAL_TOOL"]
    assert not rows(episode, "retrieval_served")
    second = agent.seen[1]
    assert second.last_rejection == {"action_type": "retrieve", "code": refused["code"], "detail": refused["detail"]}
    assert (second.retrieval["batch_budget_remaining"], second.retrieval["served"]) == (3, {})
    assert episode.decisions[0]["outcome"]["requests"][1]["tool"] == "made_up"


def test_a_batch_is_served_sorted_with_duplicates_collapsed_and_the_tape_keeps_its_order() -> None:
    episode = run(Scripted(retrieve("read_post", "read_file", "read_post"), retrieve("read_checks")))
    served = rows(episode, "retrieval_served")
    assert [(row["tool"], row["batch_index"], row["request_index"], row["turn_index"]) for row in served] == [
        ("read_file", 0, 0, 0),
        ("read_post", 0, 1, 0),
        ("read_checks", 1, 0, 1),
    ]
    for row in served:
        assert row["record_version"] == hashlib.sha256(encode_canonical_json(row["records"])).hexdigest()[:16]
        assert row["as_of"] == row["at"]
        assert row["record_id"] == f"{row['source']}:licence"
    asked = episode.decisions[0]["outcome"]["requests"]
    assert [one["tool"] for one in asked] == ["read_post", "read_file", "read_post"]


def test_what_was_read_is_dropped_on_a_wake_and_on_an_own_effect_and_on_nothing_else() -> None:
    check = act("request_check", {"application_id": "app_1"})
    agent = Scripted(
        retrieve("read_file"),
        act("fly", {}),
        check,
        wait("on", ["document_checked"]),
        retrieve("read_checks", "read_file"),
        complete("done"),
    )
    episode = run(agent, CHECK)
    dropped = [
        (row["cause"], row["action_type"], row["cleared_tools"], row["invocation_index"], row["turn_index"])
        for row in rows(episode, "derived_context_invalidated")
    ]
    assert dropped == [
        ("wake", None, [], 1, 0),
        ("effect_accepted", "request_check", ["read_file"], 1, 2),
        ("wake", None, [], 2, 0),
    ]
    held = [sorted(observation.retrieval["served"]) for observation in agent.seen]
    assert held == [[], ["read_file"], ["read_file"], [], [], ["read_checks", "read_file"]]
    assert episode.outcome.status == "licence_issued"


class Counted(Licensing):
    """Counts how often each tool is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def serve(self, state: dict[str, Any], tool: str) -> dict[str, Any]:
        self.asked.append(tool)
        return super().serve(state, tool)


def test_a_tool_is_asked_again_only_after_the_state_may_have_changed() -> None:
    operation = Counted()
    episode_run = Run(operation, None)
    catalogue = Catalogue(episode_run)
    first = catalogue.current("read_file")
    assert catalogue.current("read_file") is first
    assert operation.asked == ["read_file"]
    episode_run.revision += 1
    assert catalogue.current("read_file") is first
    assert operation.asked == ["read_file"] * 2
    event = Event("e", "application_received", "ann", 0, 0, {"application_id": "a"}, True, Provenance.AUTHORED, None)
    operation.reduce_event(episode_run.state, event, Desk(episode_run, Work(episode_run)))
    episode_run.revision += 1
    changed = catalogue.current("read_file")
    assert (changed.version == first.version, changed.records.value["applications"][0]["application_id"]) == (
        False,
        "a",
    )
    assert first.records.value == {"applications": [], "reviews": []}
