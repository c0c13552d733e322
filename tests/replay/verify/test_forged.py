"""A forger seals again whatever follows from the lie: the run is never verified, and the lie is named."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from operatebench.identity import build_identity_manifest, build_projection_census, validate_identity_manifest
from operatebench.replay.identity import RunIdentity
from operatebench.replay.verify import State, Verdict, Verifier
from tests.replay.verify.automaton import Automaton
from tests.replay.verify.runs import COMPLETE, OTHER_SOURCE, WAIT, Forged, document, identity, record, runtime

Lie = Callable[[Forged, Automaton], object]


@dataclass(frozen=True)
class Case:
    """A lie, and what it must come to.

    Attributes:
        lie: changes the parts of an honest bundle.
        verdict: the verdict.
        check: the check that fails.
        code: its code.
        path: what its path ends with.
    """

    lie: Lie
    verdict: Verdict
    check: str
    code: str
    path: str


def _unlike(lie: Lie, path: str) -> Case:
    whole = path if "/ledger/" in path else f"{path}_digest_sha256"
    return Case(lie, Verdict.REFUSED, "6", "repeated_value_differs", whole)


def _refused(lie: Lie, check: str, code: str, path: str) -> Case:
    return Case(lie, Verdict.REFUSED, check, code, path)


def _diverged(lie: Lie, check: str, code: str, path: str) -> Case:
    return Case(lie, Verdict.DIVERGED, check, code, path)


def _source_recorded(forged: Forged, _: Automaton) -> None:
    forged.evidence["execution_record"]["outcome_source"] = "recorded"


def _cards_alone(forged: Forged, _: Automaton) -> None:
    forged.cards["variant"]["content"]["human_checkpoint_budget"] = 2
    forged.seal_cards()


def _wide_card(forged: Forged, _: Automaton) -> None:
    """Cards may have integers that no other member may; to compare them is no fault of an encoder."""
    quote = forged.cards["operation"]["content"]["event_contracts"][2]["required"]["amount_minor"]
    quote["shape"]["maximum"] = 2**62
    forged.seal_cards()


def _range_requirements(forged: Forged, _: Automaton) -> None:
    projections = {name: each["owned_projection"] for name, each in forged.manifest["components"].items()}
    anything = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 9}
    rows = [{"component": "runtime_contract_content", "compatible": anything}]
    manifest, census = (
        build_identity_manifest(projections, {"scaffold_content": rows}),
        build_projection_census(projections),
    )
    validated = validate_identity_manifest(manifest, census, projections)
    forged.bind_to(RunIdentity(forged.cards, projections, manifest, census, validated))


def _requirements(rows: slice) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.header["requirements"] = forged.header["requirements"][rows]

    return lie


def _header(name: str, value: Any) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.header[name] = value

    return lie


def _selected(name: str, value: Any) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.header["selection"][name] = value

    return lie


def _terminal(name: str, value: str) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.terminal[name] = value

    return lie


def _artifact(name: str, value: Any) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.artifact[name] = value

    return lie


def _ledger_fact(name: str, value: Any) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.ledger[name] = value

    return lie


def _outcome(**changes: Any) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.outcome.update(changes)
        forged.follow()

    return lie


def _row(forged: Forged, _: Automaton) -> None:
    forged.outcome["trajectory"][1]["text"] = "dry"
    forged.follow()


def _rows_dropped(forged: Forged, _: Automaton) -> None:
    forged.outcome["trajectory"].pop()
    forged.follow()


def _event(forged: Forged, _: Automaton) -> None:
    forged.outcome["events"][0]["payload"]["wet"] = False
    forged.follow()


def _observation(forged: Forged, _: Automaton) -> None:
    forged.evidence["decision_tape"]["decisions"][1]["observation_digest_sha256"] = "c" * 64
    forged.follow()


def _decision_alone(forged: Forged, _: Automaton) -> None:
    forged.evidence["decision_tape"]["decisions"][0]["outcome"] = dict(WAIT)
    forged.follow()


def _decision_executed(forged: Forged, bound: Automaton) -> None:
    selection, instance = forged.header["selection"], forged.header["operation_instance_id"]
    tape = {"decisions": [{"outcome": WAIT}, {"outcome": COMPLETE}]}
    run = bound.replay(selection, instance, tape)
    forged.evidence.update(outcome=run.outcome, decision_tape=run.decision_tape)
    forged.evaluation.update(bound.evaluate(selection, run, run))
    forged.follow()


def _ledger_row(forged: Forged, _: Automaton) -> None:
    at, kind, body = forged.rows[0]
    forged.rows[0] = at, kind, {**body, "cost": True}


def _ledger_rows(edit: Callable[[list[Any]], list[Any]]) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.rows = edit(forged.rows)

    return lie


def _grade(forged: Forged, _: Automaton) -> None:
    forged.evaluation["vector"][0]["ok"] = not forged.evaluation["vector"][0]["ok"]


def _grade_class(forged: Forged, _: Automaton) -> None:
    forged.evaluation["outcome_class"] = forged.terminal["outcome_class"] = "heroic_completion"


def _cited_row(forged: Forged, _: Automaton) -> None:
    forged.evaluation["findings"] = [{"dimension": "d", "code": "C", "detail": "", "at": None, "rows": [0, 4]}]


def _evaluators(forged: Forged, _: Automaton) -> None:
    forged.evaluation["evaluator_content_digest_sha256"] = "c" * 64


def _evidence_instance(forged: Forged, _: Automaton) -> None:
    forged.evidence["operation_instance_id"] = f"opinst_{'0' * 32}"


def _evidence_manifest(forged: Forged, _: Automaton) -> None:
    forged.evidence["identity_manifest_digest_sha256"] = "c" * 64


def _census(forged: Forged, _: Automaton) -> None:
    forged.census["entries"].reverse()


def _roles(forged: Forged, _: Automaton) -> None:
    forged.cards["operation"], forged.cards["variant"] = forged.cards["variant"], forged.cards["operation"]


def _variant_card(forged: Forged, _: Automaton) -> None:
    _cards_alone(forged, _)
    forged.bind()


def _projected(component: str, path: str) -> Lie:
    def lie(forged: Forged, _: Automaton) -> None:
        forged.bind(lambda projections: projections[component].update({path: "other"}))

    return lie


def _unknown_agent(forged: Forged, _: Automaton) -> None:
    forged.header["selection"]["agent_id"] = "nobody"


def _other_agent(forged: Forged, bound: Automaton) -> None:
    """Pass the run off as that of another agent, whose identity is all right."""
    forged.header["selection"]["agent_id"] = "waiting"
    forged.bind_to(identity(bound, "waiting"))


CASES = {
    "census in another order": _refused(_census, "3", "census_not_derived", "census.json#/entries/0/field_path"),
    "cards at each other's place": _refused(_roles, "2", "card_not_of_role", "cards/operation.json#/schema"),
    "requirements of a range": _refused(
        _range_requirements,
        "4a",
        "requirement_not_exact",
        "manifest.json#/components/scaffold_content/requires/0/compatible/kind",
    ),
    "cards beside an untouched manifest": _refused(
        _cards_alone,
        "6",
        "card_not_of_manifest",
        "variant_content/owned_projection/~1variant_card~1content~1human_checkpoint_budget",
    ),
    "card that no manifest can bind": _refused(
        _wide_card, "6", "card_not_of_manifest", "event_contracts/2/required/amount_minor/shape/maximum"
    ),
    "references of the artifact": _refused(
        lambda forged, _: forged.artifact.update(
            card_refs={
                **forged.header["card_refs"],
                "variant": {**forged.header["card_refs"]["variant"], "content_digest_sha256": "c" * 64},
            }
        ),
        "6",
        "card_refs_differ",
        "artifact.json#/card_refs/variant/content_digest_sha256",
    ),
    "references of the header": _refused(
        lambda forged, _: forged.header["card_refs"]["variant"].update(content_digest_sha256="c" * 64),
        "6",
        "card_refs_differ",
        "ledger.ndjson line 1 /card_refs/variant/content_digest_sha256",
    ),
    "another track": _refused(_artifact("track", "other"), "6", "repeated_value_differs", "artifact.json#/track"),
    **{
        f"{name} of the artifact": _unlike(_artifact(f"{name}_digest_sha256", "c" * 64), f"artifact.json#/{name}")
        for name in ("identity_manifest", "runtime_evidence", "evaluation")
    },
    **{
        f"{name} of the artifact": _unlike(_ledger_fact(name, value), f"artifact.json#/ledger/{name}")
        for name, value in {
            "lines": 6,
            "rows": 4,
            "head_digest_sha256": "c" * 64,
            "merkle_root_sha256": "c" * 64,
        }.items()
    },
    **{
        f"{name} of the header": _unlike(_header(f"{name}_digest_sha256", "c" * 64), f"ledger.ndjson line 1 /{name}")
        for name in ("identity_manifest", "runtime_bundle", "experiment_bundle")
    },
    **{
        f"{name} of the end": _unlike(_terminal(f"{name}_digest_sha256", "c" * 64), f"ledger.ndjson line 5 /{name}")
        for name in ("final_state", "trajectory")
    },
    "manifest digest of the evidence": _refused(
        _evidence_manifest, "6", "repeated_value_differs", "evidence.json#/identity_manifest_digest_sha256"
    ),
    "evaluator of the evaluation": _refused(
        _evaluators, "6", "repeated_value_differs", "evaluation.json#/evaluator_content_digest_sha256"
    ),
    "row that is cited and not there": _refused(
        _cited_row, "6", "repeated_value_differs", "evaluation.json#/findings/0/rows"
    ),
    "class of the terminal line alone": _refused(
        _terminal("outcome_class", "heroic_completion"), "6", "repeated_value_differs", "evaluation.json#/outcome_class"
    ),
    "another plan": _refused(
        _selected("plan", "recorded"), "6", "repeated_value_differs", "ledger.ndjson line 1 /selection/plan"
    ),
    "no requirements": _refused(
        _requirements(slice(0)), "6", "requirements_not_derived", "ledger.ndjson line 1 /requirements"
    ),
    "requirements but one": _refused(
        _requirements(slice(8)), "6", "requirements_not_derived", "ledger.ndjson line 1 /requirements"
    ),
    "another operation": _refused(
        _selected("operation_id", "OTHER"), "6", "selection_not_of_cards", "/selection/operation_id"
    ),
    "another variant": _refused(
        _selected("variant_id", "LATER-QUOTE"), "6", "selection_not_of_cards", "/selection/variant_id"
    ),
    "another trial": _refused(
        _selected("trial", 1), "6", "instance_not_derived", "ledger.ndjson line 1 /operation_instance_id"
    ),
    "another instance of the evidence": _refused(
        _evidence_instance, "6", "instance_not_derived", "evidence.json#/operation_instance_id"
    ),
    "row of the ledger alone": _refused(_ledger_row, "6", "row_not_of_evidence", "ledger.ndjson line 2 /body/cost"),
    "row dropped from the ledger": _refused(
        _ledger_rows(lambda rows: rows[1:]), "6", "row_not_of_evidence", "ledger.ndjson line 2 /body/action"
    ),
    "last row dropped from the ledger": _refused(
        _ledger_rows(lambda rows: rows[:-1]), "6", "row_not_of_evidence", "ledger.ndjson line 4"
    ),
    "row twice in the ledger": _refused(
        _ledger_rows(lambda rows: [*rows, rows[-1]]), "6", "row_not_of_evidence", "ledger.ndjson line 5"
    ),
    "rows of the ledger reversed": _refused(
        _ledger_rows(lambda rows: rows[::-1]), "6", "row_not_of_evidence", "ledger.ndjson line 2 /at"
    ),
    "terminal line of another ending": _refused(
        _terminal("status", "operation_deadlock"), "6", "terminal_not_of_outcome", "ledger.ndjson line 5 /status"
    ),
    "recorded decisions": _refused(
        _source_recorded, "6", "outcome_source_not_of_plan", "evidence.json#/execution_record/outcome_source"
    ),
    "changed row": _diverged(_row, "10", "engine_differs", "row 1 /text"),
    "dropped row": _diverged(_rows_dropped, "10", "engine_differs", "row 2"),
    "changed decision": _diverged(_decision_alone, "10", "engine_differs", "row 0 /record_type"),
    "changed observation": _diverged(_observation, "10", "engine_differs", "decision 1 /observation_digest_sha256"),
    "changed event": _diverged(_event, "10", "engine_differs", "event 0 /payload/wet"),
    "changed state": _diverged(
        _outcome(final_state={"state": "closed", "decisions": 3}),
        "10",
        "engine_differs",
        "outcome /final_state/decisions",
    ),
    "changed status": _diverged(_outcome(status="operation_deadlock"), "10", "engine_differs", "outcome /status"),
    "changed invocations": _diverged(_outcome(invocations=3), "10", "engine_differs", "outcome /invocations"),
    "swapped decision, honestly executed": _diverged(_decision_executed, "10", "agent_differs", "row 0 /record_type"),
    "run of another agent": _diverged(
        # The instance is another one, and with it what the agent saw.
        _other_agent,
        "10",
        "engine_differs",
        "decision 0 /observation_digest_sha256",
    ),
    "changed class": _diverged(_grade_class, "10", "outcome_class_differs", "ledger.ndjson line 5 /outcome_class"),
    "changed grade": _diverged(_grade, "11", "grade_differs", "evaluation.json#/vector/0/ok"),
    "changed card, bound": _refused(
        _variant_card, "12", "impossible_for_this_source", "manifest.json#/components/variant_content"
    ),
    "changed runtime contract, bound": _refused(
        _projected("runtime_contract_content", "/runtime_contract_content/version"),
        "12",
        "impossible_for_this_source",
        "manifest.json#/components/runtime_contract_content",
    ),
    "changed evaluator, bound": _refused(
        _projected("evaluator_bundle_content", "/evaluator_bundle_content/version"),
        "12",
        "impossible_for_this_source",
        "manifest.json#/components/evaluator_bundle_content",
    ),
    "unknown agent": _refused(_unknown_agent, "12", "impossible_for_this_source", "ledger.ndjson line 1 /selection"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_forged(case: Case, run: Path, bound: Automaton, verifier: Verifier, tmp_path: Path) -> None:
    forged = Forged.of(run)
    case.lie(forged, bound)
    forged.write(tmp_path / "run")
    report = verifier.verify(tmp_path / "run")
    failed = report.check(case.check)
    assert failed.state is State.FAILED
    assert failed.refusal is not None
    assert (failed.refusal.code, report.verdict) == (case.code, case.verdict)
    assert failed.refusal.path.endswith(case.path)
    assert failed.refusal.expected != failed.refusal.actual
    assert report.refusal is failed.refusal
    assert report.exit_status == 2


def test_forged_nothing(run: Path, verifier: Verifier, tmp_path: Path) -> None:
    """What the forger puts together, all parts left alone, is what was recorded: so it is the lies that are found."""
    forged = Forged.of(run)
    forged.seal_cards()
    forged.bind()
    forged.follow()
    forged.write(tmp_path / "run")
    assert verifier.verify(tmp_path / "run").verdict is Verdict.VERIFIED
    for path in run.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "run" / path.relative_to(run)).read_bytes()


ELSEWHERE = {
    "changed card, bound": (Verdict.CONSISTENT_ONLY, "7", ["variant_content"]),
    "changed runtime contract, bound": (Verdict.CONSISTENT_ONLY, "7", ["runtime_contract_content"]),
    "changed evaluator, bound": (Verdict.REPLAYED, "", ["evaluator_bundle_content"]),
    "unknown agent": (Verdict.CONSISTENT_ONLY, "4b", []),
}
"""What another source could have made: lie -> verdict, failed check, components with another content."""


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("writer", ["source_identity_digest_sha256", "spec_sha256"])
def test_of_another_build(name: str, writer: str, run: Path, bound: Automaton, tmp_path: Path) -> None:
    verdict, check, components = ELSEWHERE[name]
    forged = Forged.of(run)
    CASES[name].lie(forged, bound)
    changes: dict[str, Any] = {writer: OTHER_SOURCE}
    forged.writer = replace(forged.writer, **changes)
    forged.write(tmp_path / "run")
    report = Verifier(bound).verify(tmp_path / "run")
    assert (report.verdict, report.exit_status) == (verdict, 2)
    assert [each.number for each in report.checks if each.state is State.FAILED] == ([check] if check else [])
    moved = [] if report.comparison is None else [row.component for row in report.comparison.moved if row.paths]
    assert moved == components
    assert report.to_wire()["writer"]["source_identity_digest_sha256"] == forged.writer.source_identity_digest_sha256
    if verdict is Verdict.REPLAYED:
        assert report.check("11").state is State.NOT_REACHED
        assert report.agent == "reproduced"


def test_bundle_of_another_build(verifier: Verifier, tmp_path: Path) -> None:
    """Not a forgery: another build, with another engine, recorded it honestly."""
    states = document()["states"]
    states["reported"][0]["minutes"] = 31
    projections = {**document()["projections"], "runtime_contract_content": {"/runtime_contract_content/version": 2}}
    record(
        tmp_path / "run", runtime(states=states, projections=projections, source_identity_digest_sha256=OTHER_SOURCE)
    )
    report = verifier.verify(tmp_path / "run")
    assert report.verdict is Verdict.CONSISTENT_ONLY
    assert report.refusal is not None
    assert report.refusal.code == "runtime_differs"
    assert report.refusal.actual == "runtime_contract_content_differs"
    assert report.check("10").detail == "needs check 7 requirements"
