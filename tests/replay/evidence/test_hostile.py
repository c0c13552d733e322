"""Hostile objects: no hook of them runs, nothing of them is kept, and cycles end."""

from collections.abc import Callable
from typing import Any

import pytest

from operatebench.replay.evidence import (
    EvidenceError,
    content_digest,
    recompute_evidence_digest,
    validate_decision_tape,
    validate_episode_outcome,
    validate_evidence,
    validate_execution_record,
    validate_provider_binding,
)
from tests.identity.hostile import NAMES, VALUES, armed, assert_nothing_kept
from tests.replay.evidence.documents import built, paths, provider_non_null, refused

CHECKS: list[Callable[[Any], Any]] = [
    content_digest,
    recompute_evidence_digest,
    validate_evidence,
    validate_episode_outcome,
    validate_decision_tape,
    validate_execution_record,
    validate_provider_binding,
]


@pytest.mark.parametrize("kind", VALUES)
def test_no_hook_of_a_value_runs_anywhere(kind: str) -> None:
    for path in paths(provider_non_null()):
        evidence = provider_non_null()
        *parents, last = path
        holder: Any = evidence
        for token in parents:
            holder = holder[token]
        holder[last] = VALUES[kind]()
        with armed() as ran, pytest.raises(EvidenceError) as caught:
            validate_evidence(evidence)
        assert ran == []
        assert caught.value.code == "strict_json_type"
        assert_nothing_kept(caught.value, evidence)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", VALUES)
def test_no_hook_of_the_root_runs(kind: str, check: Callable[[Any], Any]) -> None:
    root = VALUES[kind]()
    with armed() as ran, pytest.raises(EvidenceError) as caught:
        check(root)
    assert ran == []
    assert caught.value.code == "strict_json_type"
    assert_nothing_kept(caught.value, root)


@pytest.mark.parametrize("kind", NAMES)
def test_no_hook_of_a_name_runs(kind: str) -> None:
    evidence = provider_non_null()
    evidence["outcome"] = {NAMES[kind](name): value for name, value in evidence["outcome"].items()}
    with armed() as ran, pytest.raises(EvidenceError) as caught:
        validate_evidence(evidence)
    assert ran == []
    assert (caught.value.code, caught.value.path) == ("strict_json_type", "evidence#/outcome")


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("argument", ["manifest_digest", "instance_id", "outcome", "decision_tape", "provider_binding"])
def test_no_hook_of_a_part_runs_when_evidence_is_built(kind: str, argument: str) -> None:
    with armed() as ran, pytest.raises(EvidenceError) as caught:
        built(provider_non_null(), **{argument: VALUES[kind]()})
    assert ran == []
    assert caught.value.code == "strict_json_type"


def test_cycles_end_at_the_nesting_limit() -> None:
    items: list[Any] = []
    items.append(items)
    members: dict[str, Any] = {"n": items}
    items.append(members)
    for cycle in (items, members):
        evidence = provider_non_null()
        evidence["outcome"]["final_state"] = cycle
        assert refused(evidence).code == "bounded_json_profile"
