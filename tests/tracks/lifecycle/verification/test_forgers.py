"""The forger's set: whatever is changed, and however coherently the rest is sealed again, nothing of it is verified."""

import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import OperateBenchError
from operatebench.identity import ValidatedIdentityManifest
from operatebench.replay.bound import Execution
from operatebench.replay.verify import State, Verdict, VerificationReport, Verifier
from operatebench.tracks.lifecycle import MaintenanceRuntime, load_spec, packaged_spec
from tests.tracks.lifecycle.verification.forging import Forgery, runtime, texts_of, verifier, write_run, write_texts

ELSEWHERE = "e" * 64
"""The source identity of a build that is not here."""

EVALUATOR = "evaluator_bundle_content"


def found(report: VerificationReport) -> tuple[str, str, str]:
    """Return verdict, code and the number of the check that a report rests on."""
    assert report.refusal is not None
    number = next(each.number for each in report.checks if each.refusal is report.refusal)
    return report.verdict.value, report.refusal.code, number


def place(report: VerificationReport) -> str:
    assert report.refusal is not None
    return report.refusal.path


def elsewhere(forgery: Forgery) -> Forgery:
    """Let another build have written it, as it says itself."""
    forgery.artifact["writer"]["source_identity_digest_sha256"] = ELSEWHERE
    return forgery


def graded_again(forgery: Forgery) -> Forgery:
    """Grade what was changed as the evaluator that is here would, and seal all of it."""
    forgery.bind()
    evidence, selection = forgery.evidence, forgery.header["selection"]
    run = Execution(evidence["outcome"], evidence["decision_tape"], evidence["execution_record"], None)
    forgery.evaluation.update(runtime().evaluate(selection, run, run))
    forgery.terminal["outcome_class"] = forgery.evaluation["outcome_class"]
    return forgery.bind_evaluation()


def test_sealing_again_what_was_not_changed_gives_the_same_bytes(original: Path, tmp_path: Path) -> None:
    bound = Forgery.of(original).bind()

    assert bound.texts() == texts_of(original)
    assert bound.verified(tmp_path).verdict is Verdict.VERIFIED


def test_a_deterministic_run_cannot_pass_as_a_recorded_one(forgery: Forgery, tmp_path: Path) -> None:
    forgery.evidence["execution_record"]["outcome_source"] = "recorded"

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("refused", "outcome_source_not_of_plan", "6")
    assert place(report) == "evidence.json#/execution_record/outcome_source"


@pytest.mark.parametrize("name", ["operation", "semantic_scenario", "variant"])
def test_a_card_beside_the_manifest_of_another_one(forgery: Forgery, tmp_path: Path, name: str) -> None:
    content = forgery.cards[name]["content"]
    if name == "operation":
        field, content["policy_contract"]["approval_threshold_minor"] = "policy_contract", 25001
    else:
        field = {"semantic_scenario": "common_estimand_id", "variant": "variant_label"}[name]
        content[field] += "_x"

    report = forgery.bind_cards().bind_run().verified(tmp_path)

    assert found(report) == ("refused", "card_not_of_manifest", "6")
    component = "operation_core_content" if name == "operation" else f"{name}_content"
    assert place(report).startswith(
        f"manifest.json#/components/{component}/owned_projection/~1{name}_card~1content~1{field}"
    )


@pytest.mark.parametrize("component", ["scaffold_content", EVALUATOR, "analysis_contract_content"])
def test_a_requirement_that_others_would_meet_too(forgery: Forgery, tmp_path: Path, component: str) -> None:
    rows = forgery.manifest["components"][component]["requires"]
    anything = {"kind": "closed_schema_version_range", "minimum_schema_version": 1, "maximum_schema_version": 1}
    rows[0] = {**rows[0], "compatible": anything}
    forgery.bind_manifest(forgery.projections, {component: rows})

    report = elsewhere(forgery.bind_run()).verified(tmp_path)

    assert found(report) == ("refused", "requirement_not_exact", "4a")
    assert place(report) == f"manifest.json#/components/{component}/requires/0/compatible/kind"


@pytest.mark.parametrize(
    "change",
    [list.clear, list.pop, list.reverse, lambda rows: rows.append(rows[0])],
    ids=["empty", "one less", "reversed", "one twice"],
)
def test_a_header_that_requires_anything_else(
    forgery: Forgery, tmp_path: Path, change: Callable[[list[Any]], Any]
) -> None:
    change(forgery.header["requirements"])

    assert found(forgery.verified(tmp_path)) == ("refused", "requirements_not_derived", "6")


def _end(forgery: Forgery) -> None:
    outcome = forgery.evidence["outcome"]
    outcome.update(status="cancelled", terminal_outcome="cancelled")


def _row(forgery: Forgery) -> None:
    forgery.evidence["outcome"]["trajectory"][40]["code"] = "X"


def _invocations(forgery: Forgery) -> None:
    forgery.evidence["outcome"]["invocations"] += 1


def _state(forgery: Forgery) -> None:
    forgery.evidence["outcome"]["final_state"]["zz"] = None


def _true_for_one(forgery: Forgery) -> None:
    rows = forgery.evidence["outcome"]["trajectory"]
    row = next(row for row in rows if row.get("batch_index") == 1)
    row["batch_index"] = True


def _one_for_true(forgery: Forgery) -> None:
    rows = forgery.evidence["outcome"]["trajectory"]
    row = next(row for row in rows if row.get("observational") is True)
    row["observational"] = 1


def _observation(forgery: Forgery) -> None:
    forgery.evidence["decision_tape"]["decisions"][3]["observation_digest_sha256"] = "0" * 64


def _event(forgery: Forgery) -> None:
    forgery.evidence["outcome"]["events"].append(forgery.evidence["outcome"]["events"][-1])


def _rows_end(forgery: Forgery) -> None:
    forgery.evidence["outcome"]["trajectory"].pop()


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (_end, "outcome /status"),
        (_row, "row 40 /code"),
        (_invocations, "outcome /invocations"),
        (_state, "outcome /final_state/zz"),
        (_true_for_one, "row 12 /batch_index"),
        (_one_for_true, "row 55 /observational"),
        (_observation, "decision 3 /observation_digest_sha256"),
        (_event, "event 22"),
        (_rows_end, "row 229"),
    ],
)
def test_an_episode_that_did_not_happen(
    forgery: Forgery, tmp_path: Path, change: Callable[[Forgery], None], first: str
) -> None:
    change(forgery)

    report = graded_again(forgery).verified(tmp_path)

    assert found(report) == ("diverged", "engine_differs", "10")
    assert report.divergence is not None
    assert report.divergence.place == first
    assert place(report) == f"evidence.json {first}"
    assert report.check("11").state is State.NOT_REACHED
    assert report.agent == "not reproduced"


def test_another_kind_of_ending(forgery: Forgery, tmp_path: Path) -> None:
    forgery.terminal["outcome_class"] = forgery.evaluation["outcome_class"] = "operation_deadlock"

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("diverged", "outcome_class_differs", "10")
    assert report.divergence is not None
    assert report.divergence.to_wire() == {
        "part": "terminal",
        "index": None,
        "field": "/outcome_class",
        "recorded": "operation_deadlock",
        "replayed": "successful_completion",
    }


def test_a_decision_that_the_agent_did_not_take(forgery: Forgery, tmp_path: Path) -> None:
    """The run is an honest one of those decisions, and everything is sealed: only the agent shows it."""
    tape = forgery.evidence["decision_tape"]
    index = next(i for i, each in enumerate(tape["decisions"]) if each["outcome"]["kind"] == "ACT")
    tape["decisions"][index]["outcome"] = {"kind": "COMPLETE", "reason": "done", "evidence_refs": []}
    run = runtime().replay(forgery.header["selection"], forgery.header["operation_instance_id"], tape)
    forgery.evidence.update(outcome=run.outcome, decision_tape=run.decision_tape)

    report = graded_again(forgery).verified(tmp_path)

    assert found(report) == ("diverged", "agent_differs", "10")
    assert report.divergence is not None
    row = report.divergence.index
    recorded, honest = (
        run.outcome["trajectory"],
        runtime().execute(forgery.header["selection"], forgery.header["operation_instance_id"]).outcome["trajectory"],
    )
    assert report.divergence.part == "row"
    assert row is not None
    assert recorded[:row] == honest[:row]
    assert recorded[row] != honest[row]


def test_another_agent_s_run_under_the_name_of_this_one(forgery: Forgery, tmp_path: Path) -> None:
    selection = {**forgery.header["selection"], "agent_id": "always_wait"}
    run = runtime().execute(selection, forgery.header["operation_instance_id"])
    forgery.evidence.update(outcome=run.outcome, decision_tape=run.decision_tape)

    assert found(graded_again(forgery).verified(tmp_path)) == ("diverged", "agent_differs", "10")


@pytest.mark.parametrize(("ours", "wanted"), [(True, "impossible_for_this_source"), (False, "selection_unknown")])
@pytest.mark.parametrize("change", [{"agent_id": "nobody"}, {"track": "t"}, {"variant_id": "v1"}])
def test_a_selection_that_is_not_here(
    forgery: Forgery, tmp_path: Path, change: dict[str, str], ours: bool, wanted: str
) -> None:
    forgery.header["selection"].update(change)
    if not ours:
        elsewhere(forgery)

    report = forgery.bind().verified(tmp_path)

    assert found(report) == (("refused", wanted, "12") if ours else ("consistent_only", wanted, "4b"))
    assert place(report) == "ledger.ndjson line 1 /selection"
    assert report.check("10").state is State.NOT_REACHED


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"plan": "x"}, "repeated_value_differs"),
        ({"arm": "x"}, "repeated_value_differs"),
        ({"operation_id": packaged_spec().operation_id.replace("K", "\u212a")}, "selection_not_of_cards"),
    ],
)
def test_a_selection_that_the_bundle_itself_says_otherwise(
    forgery: Forgery, tmp_path: Path, change: dict[str, str], wanted: str
) -> None:
    """Also where nothing is run again; the sign for kelvin is a capital k to some, and is none here."""
    forgery.header["selection"].update(change)
    forgery.artifact["writer"]["source_identity_digest_sha256"] = "e" * 64

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("refused", wanted, "6")
    assert place(report) == f"ledger.ndjson line 1 /selection/{next(iter(change))}"


def test_another_agent_of_here_in_the_selection(forgery: Forgery, tmp_path: Path) -> None:
    forgery.header["selection"]["agent_id"] = "always_wait"

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("refused", "impossible_for_this_source", "12")
    assert place(report) == "manifest.json#/components/scaffold_content"
    assert found(elsewhere(forgery).verified(tmp_path)) == ("consistent_only", "runtime_differs", "7")


@pytest.mark.parametrize("component", [EVALUATOR, "analysis_contract_content"])
@pytest.mark.parametrize("ours", [True, False])
def test_another_evaluator(forgery: Forgery, tmp_path: Path, component: str, ours: bool) -> None:
    projections = forgery.projections
    path = min(projections[component])
    projections[component][path] = "another"
    forgery.bind_manifest(projections).bind_run()
    if not ours:
        elsewhere(forgery)

    report = forgery.verified(tmp_path)

    assert report.comparison is not None
    assert report.comparison.other_contents == (component,)
    assert report.comparison.moved[0].paths == (path,)
    assert report.check("10").state is State.PASSED
    assert report.check("11").state is State.NOT_REACHED
    if ours:
        assert found(report) == ("refused", "impossible_for_this_source", "12")
        assert place(report) == f"manifest.json#/components/{component}"
        with pytest.raises(OperateBenchError) as refused:
            verifier().replay_exactly(tmp_path)
        assert refused.value.code == "impossible_for_this_source"
    else:
        assert (report.verdict, report.refusal) == (Verdict.REPLAYED, None)
        assert type(verifier().replay_exactly(tmp_path).consume().live) is ValidatedIdentityManifest


@pytest.mark.parametrize(
    "change",
    [
        lambda grade: grade["vector"][0].update(ok=False),
        lambda grade: grade["vector"].reverse(),
        lambda grade: grade["human_touches"].clear(),
        lambda grade: grade["load"].update(decisions=1),
        lambda grade: grade["opportunities"][0]["rows"].reverse(),
    ],
)
def test_another_grade(forgery: Forgery, tmp_path: Path, change: Callable[[Any], Any]) -> None:
    change(forgery.evaluation)

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("diverged", "grade_differs", "11")
    assert place(report).startswith("evaluation.json#/")


def test_a_grade_that_cites_rows_that_are_not_there(forgery: Forgery, tmp_path: Path) -> None:
    forgery.evaluation["opportunities"][0]["rows"] = [len(forgery.rows)]

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("refused", "repeated_value_differs", "6")
    assert place(report) == "evaluation.json#/opportunities/0/rows"


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> MaintenanceRuntime:
    """Return a runtime of a spec in which another sum needs an approval."""
    text = (files("operatebench.runtime.maintenance.spec") / "maintenance.yaml").read_text("utf-8")
    threshold = f"approval_threshold_minor: {packaged_spec().policy.approval_threshold_minor}"
    path = tmp_path_factory.mktemp("spec") / "other.yaml"
    path.write_text(text.replace(threshold, "approval_threshold_minor: 25001"), "utf-8")
    return MaintenanceRuntime(load_spec(str(path)))


def test_another_policy(other: MaintenanceRuntime, tmp_path: Path) -> None:
    """An honest run of another spec is what it is; passed off as one of the packaged spec, it is impossible."""
    honest = write_run(tmp_path / "honest", bound=other)

    assert Verifier(other).verify(honest).verdict is Verdict.VERIFIED
    report = verifier().verify(honest)
    assert found(report) == ("consistent_only", "runtime_differs", "7")
    assert report.comparison is not None
    assert "operation_core_content" in report.comparison.other_contents

    forged = Forgery.of(honest)
    forged.artifact["writer"]["spec_sha256"] = None
    report = forged.verified(tmp_path / "forged")
    assert found(report) == ("refused", "impossible_for_this_source", "12")
    assert place(report) == "manifest.json#/components/operation_core_content"


def test_the_packaged_spec_is_not_verified_by_another(other: MaintenanceRuntime, original: Path) -> None:
    assert found(Verifier(other).verify(original)) == ("consistent_only", "runtime_differs", "7")


def test_an_amount_changed_in_card_and_manifest(forgery: Forgery, tmp_path: Path) -> None:
    forgery.cards["operation"]["content"]["policy_contract"]["approval_threshold_minor"] += 1

    report = forgery.bind().verified(tmp_path)

    assert found(report) == ("refused", "impossible_for_this_source", "12")
    assert place(report) == "manifest.json#/components/operation_core_content"
    assert report.check("6").state is State.PASSED
    assert found(elsewhere(forgery).verified(tmp_path)) == ("consistent_only", "runtime_differs", "7")


def test_the_run_of_another_build_is_compared(forgery: Forgery, tmp_path: Path) -> None:
    projections = forgery.projections
    projections["runtime_contract_content"]["/source/runtime/core/engine.py"] = {"size": 1, "sha256": "0" * 64}
    elsewhere(forgery.bind_manifest(projections).bind_run())

    report = forgery.verified(tmp_path)

    assert found(report) == ("consistent_only", "runtime_differs", "7")
    assert report.refusal is not None
    assert report.refusal.actual == "runtime_contract_content_differs"
    assert report.comparison is not None
    moved = [row.to_wire() for row in report.comparison.moved if row.paths]
    assert moved == [{"component": "runtime_contract_content", "paths": ["/source/runtime/core/engine.py"]}]
    assert report.agent == "not run"


def test_another_writer_alone_changes_no_verdict(forgery: Forgery, tmp_path: Path) -> None:
    """It is shown and never trusted: eleven equal components say what ran, whoever says that it wrote that."""
    assert elsewhere(forgery).verified(tmp_path).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("trial", [1, 2**53 - 1])
def test_another_trial_is_another_instance(forgery: Forgery, tmp_path: Path, trial: int) -> None:
    forgery.header["selection"]["trial"] = trial
    assert found(forgery.verified(tmp_path)) == ("refused", "instance_not_derived", "6")

    # What an agent is shown holds the instance id, so that the observations are others.
    assert found(forgery.bind().verified(tmp_path)) == ("diverged", "engine_differs", "10")


REPEATED = [
    *(
        (("header", f"{name}_digest_sha256"), "repeated_value_differs")
        for name in ("runtime_bundle", "experiment_bundle")
    ),
    (("header", "identity_manifest_digest_sha256"), "repeated_value_differs"),
    (("evaluation", "evaluator_content_digest_sha256"), "repeated_value_differs"),
    (("evaluation", "analysis_content_digest_sha256"), "repeated_value_differs"),
    (("evidence", "identity_manifest_digest_sha256"), "repeated_value_differs"),
    (("terminal", "final_state_digest_sha256"), "repeated_value_differs"),
    (("terminal", "trajectory_digest_sha256"), "repeated_value_differs"),
    (("terminal", "status"), "terminal_not_of_outcome"),
    (("header", "operation_instance_id"), "instance_not_derived"),
    (("evidence", "operation_instance_id"), "instance_not_derived"),
]
"""Part and member that repeats something -> the code of its refusal when it alone is another."""


@pytest.mark.parametrize(("what", "code"), REPEATED, ids=lambda value: "-".join(value) if type(value) is tuple else "")
def test_whatever_is_repeated_is_compared(forgery: Forgery, tmp_path: Path, what: tuple[str, str], code: str) -> None:
    part, member = what
    document = getattr(forgery, part)
    document[member] = document[member][:-4] + ("0" * 4 if document[member][-4:] != "0000" else "1" * 4)
    if part in ("evidence", "evaluation"):
        forgery.seal(part)

    assert found(forgery.verified(tmp_path)) == ("refused", code, "6")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("track", "other"),
        ("identity_manifest_digest_sha256", "0" * 64),
        ("runtime_evidence_digest_sha256", "0" * 64),
        ("evaluation_digest_sha256", "0" * 64),
        ("ledger", {"lines": 231}),
        ("ledger", {"rows": 229}),
        ("ledger", {"head_digest_sha256": "0" * 64}),
        ("ledger", {"merkle_root_sha256": "0" * 64}),
        (
            "card_refs",
            {"variant": {"schema": "operatebench.variant_card.v1", "id": "x", "content_digest_sha256": "0" * 64}},
        ),
    ],
)
def test_an_artifact_that_repeats_something_else(forgery: Forgery, tmp_path: Path, member: str, value: Any) -> None:
    before = forgery.artifact[member]
    changed = {**before, **value} if type(value) is dict else value

    report = forgery.verified(tmp_path, **{member: changed})

    code = "card_refs_differ" if member == "card_refs" else "repeated_value_differs"
    assert found(report) == ("refused", code, "6")
    assert place(report).startswith(f"artifact.json#/{member}")


def leaves(value: Any, *path: str | int) -> list[tuple[str | int, ...]]:
    items = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    below = [leaf for name, each in items for leaf in leaves(each, *path, name)]
    return below or [path]


CHAIN = {"previous_digest_sha256", "row_digest_sha256", "merkle_root_sha256", "row_count"}
"""Members of a ledger that every writing makes anew."""


def test_one_changed_value_anywhere_is_never_verified(original: Path, tmp_path: Path) -> None:
    """Of every part some values, picked by chance, become others and all of it is sealed: verified is none."""
    chance, verdicts, unchanged = random.Random(5), set(), texts_of(original)
    for part in ("evidence", "evaluation", "cards", "manifest", "header", "terminal", "rows", "census"):
        places = [path for path in leaves(getattr(Forgery.of(original), part)) if path[-1] not in CHAIN]
        for path in chance.sample(places, 2):
            forged = Forgery.of(original)
            holder = getattr(forged, part)
            for step in path[:-1]:
                holder = holder[step]
            was = holder[path[-1]]
            holder[path[-1]] = f"{was}x" if type(was) is str else 1 if was is True else True if was == 1 else "x"
            alone = forged.texts()
            sealed = forged.bind_what_can_be().texts()
            # Sealing takes back what merely repeats something.
            report = verifier().verify(write_texts(tmp_path, alone if sealed == unchanged else sealed))
            assert report.verdict is not Verdict.VERIFIED, (part, path)
            verdicts.add(report.verdict)
    assert verdicts == {Verdict.REFUSED, Verdict.DIVERGED}
