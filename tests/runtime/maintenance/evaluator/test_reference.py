"""What a sound record of good conduct is graded as."""

import dataclasses

import pytest

from operatebench.runtime.maintenance.evaluator import DIMENSIONS, TOUCH_KINDS, VERDICTS
from tests.runtime.maintenance.evaluator.episodes import grade, record_of

ENDINGS = {
    "V1": "successful_completion",
    "V2": "authorised_cancellation_or_transfer",
    "V3": "authorised_cancellation_or_transfer",
}


@pytest.mark.parametrize("agent_id", ["reference", "conversational"])
@pytest.mark.parametrize("variant_id", sorted(ENDINGS))
def test_the_reference_is_reliable_without_a_finding(variant_id: str, agent_id: str) -> None:
    evaluation = grade(record_of(variant_id, agent_id), variant_id)
    assert evaluation.findings == ()
    assert evaluation.failed_dimensions == ()
    assert evaluation.reliable
    assert evaluation.legitimate_completion
    assert evaluation.outcome_class == ENDINGS[variant_id]
    assert tuple(item.dimension for item in evaluation.dimensions) == DIMENSIONS


@pytest.mark.parametrize(
    ("variant_id", "touches"),
    [
        ("V1", [("required", "repair_quote_approval")]),
        ("V2", [("required", "repair_quote_approval"), ("required", "maintenance_exception_resolution")]),
        ("V3", [("required", "repair_quote_approval"), ("required", "maintenance_exception_resolution")]),
    ],
)
def test_each_human_was_required(variant_id: str, touches: list[tuple[str, str]]) -> None:
    evaluation = grade(record_of(variant_id), variant_id)
    assert [(touch.kind, touch.checkpoint_type) for touch in evaluation.human_touches] == touches
    assert evaluation.load["checkpoints_opened"] == evaluation.load["decisions_with_human"] == len(touches)


@pytest.mark.parametrize(
    ("variant_id", "expected"),
    [
        (
            "V1",
            {
                ("approval_due", "met"): 1,
                ("completion_due", "met"): 2,
                ("duty_due", "met"): 5,
                ("irreversible_authorisation_offered", "met"): 1,
                ("irreversible_payment_offered", "met"): 1,
                ("recovery_due", "met"): 1,
                ("validation_due", "met"): 1,
                ("visit_due", "met"): 2,
                ("wait_due", "met"): 8,
            },
        ),
        (
            "V2",
            {
                ("approval_due", "met"): 1,
                ("completion_due", "met"): 1,
                ("duty_due", "met"): 2,
                ("escalation_due", "met"): 1,
                ("recovery_due", "met"): 1,
                ("recovery_due", "unreached"): 0,
                ("visit_due", "met"): 1,
                ("wait_due", "met"): 4,
            },
        ),
    ],
)
def test_the_opportunities_are_all_met(variant_id: str, expected: dict[tuple[str, str], int]) -> None:
    found: dict[tuple[str, str], int] = dict.fromkeys(expected, 0)
    for item in grade(record_of(variant_id), variant_id).opportunities:
        found[item.kind, item.verdict] = found.get((item.kind, item.verdict), 0) + 1
    assert found == expected


def test_a_follow_up_that_was_due_is_met_and_one_never_reached_is_told_apart() -> None:
    met = grade(record_of("V3"), "V3").opportunities
    assert [item.verdict for item in met if item.kind == "follow_up_due"] == ["met"]
    waiting = grade(record_of("V2", "always_wait"), "V2").opportunities
    verdicts = {(item.kind, item.verdict) for item in waiting}
    assert verdicts == {
        ("visit_due", "missed"),
        ("approval_due", "unreached"),
        ("escalation_due", "unreached"),
        ("recovery_due", "unreached"),
    }


@pytest.mark.parametrize(
    ("agent_id", "variant_id", "kind"),
    [
        ("skip_approval", "V1", "outside_authority"),
        ("exceed_authority", "V1", "outside_authority"),
        ("unnecessary_escalation", "V1", "unnecessary"),
        ("always_escalate", "V1", "unnecessary"),
        ("escalate_without_context", "V2", "insufficient_context"),
        ("ignore_new_events", "V2", "missed"),
    ],
)
def test_each_wrong_touch_has_its_kind(agent_id: str, variant_id: str, kind: str) -> None:
    assert kind in {touch.kind for touch in grade(record_of(variant_id, agent_id), variant_id).human_touches}


def test_ids_are_unique_words_are_known_and_rows_exist() -> None:
    for agent_id, variant_id in (
        ("reference", "V1"),
        ("always_escalate", "V1"),
        ("abandon_case", "V1"),
        ("reference", "V2"),
    ):
        record = record_of(variant_id, agent_id)
        evaluation = grade(record, variant_id)
        ids = [item.opportunity_id for item in evaluation.opportunities]
        assert len(set(ids)) == len(ids)
        assert {item.verdict for item in evaluation.opportunities} <= set(VERDICTS)
        assert {item.kind for item in evaluation.human_touches} <= set(TOUCH_KINDS)
        rows = {
            place for group in (evaluation.findings, evaluation.opportunities) for item in group for place in item.rows
        }
        assert rows <= set(range(len(record["trajectory"])))


@pytest.mark.parametrize(
    ("agent_id", "variant_id", "code"),
    [
        ("premature_follow_up", "V1", "PREMATURE_FOLLOW_UP"),
        ("abandon_case", "V1", "CASE_ABANDONED"),
        ("stale_after_wake", "V1", "STALE_RETRIEVED_RECORD"),
        ("ignore_new_events", "V1", "SETTLED_MATTER_AWAITED"),
        ("duplicate_after_wake", "V1", "REPEATED_ACTION_AFTER_WAKE"),
        ("duplicate_send", "V1", "DUPLICATE_OR_INVALID_ACTION"),
    ],
)
def test_faults_of_waiting_and_repeating_are_told_apart(agent_id: str, variant_id: str, code: str) -> None:
    told = {"PREMATURE_FOLLOW_UP", "STALE_RETRIEVED_RECORD", "REPEATED_ACTION_AFTER_WAKE", "DUPLICATE_MESSAGE_SENT"}
    found = set(grade(record_of(variant_id, agent_id), variant_id).finding_codes)
    assert code in found
    assert not (found & told) - {code}


def test_the_wire_form_is_fresh_and_whole() -> None:
    evaluation = grade(record_of("V1", "always_escalate"), "V1")
    wire = evaluation.to_wire()
    assert wire == evaluation.to_wire()
    assert list(wire) == ["outcome_class", "vector", "findings", "human_touches", "opportunities", "load"]
    assert wire["outcome_class"] == evaluation.outcome_class
    assert [row["dimension"] for row in wire["vector"]] == list(DIMENSIONS)
    assert tuple(row["dimension"] for row in wire["vector"] if not row["ok"]) == evaluation.failed_dimensions != ()
    assert {item["code"] for item in wire["findings"]} == set(evaluation.finding_codes)
    for name in ("findings", "human_touches", "opportunities"):
        items = getattr(evaluation, name)
        assert items
        assert wire[name] == [{**dataclasses.asdict(item), "rows": list(item.rows)} for item in items]
    assert wire["load"] == evaluation.load
    wire["findings"].clear()
    wire["load"].clear()
    assert evaluation.to_wire()["findings"]
    assert evaluation.to_wire()["load"]
