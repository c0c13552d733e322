"""The same inputs give the same bundle, and a run that is stopped leaves a ledger that is incomplete, and no bundle."""

from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import UsedAuthorization
from operatebench.errors import AuthorizationError, BundleError
from operatebench.replay.bound import Execution, RowSink, Selection
from operatebench.replay.bundle import Writer, read_bundle
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.identity import RunIdentity
from operatebench.replay.ledger import verify_ledger
from operatebench.replay.record import record_run
from tests.conformance.automata import AUTOMATON
from tests.replay.bundle.bundles import files
from tests.replay.permits import permit, used

WRITER = Writer("automaton", "1.0.0", "3.11.0", "linux", {}, None, "a" * 64, None)


class Stopped(AutomatonRuntime):
    """A runtime that is stopped in the middle of its first or second execution."""

    def __init__(self, at: int) -> None:
        super().__init__(Automaton.model_validate(AUTOMATON))
        self.left = at

    def execute(self, selection: Selection, instance_id: str, on_rows: RowSink | None = None) -> Execution:
        def stop(rows: Any) -> None:
            if on_rows is not None:
                on_rows(rows)
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

        return super().execute(selection, instance_id, stop)


def record(
    bound: AutomatonRuntime, folder: Path, trial: int = 0, authorization: UsedAuthorization | None = None
) -> None:
    selection = bound.selection("careful", trial)
    projections = bound.live(selection)
    assert projections is not None
    identity = RunIdentity.of(bound.cards, projections)
    record_run(bound, identity, selection, folder, WRITER, authorization=authorization)


def test_the_same_inputs_give_the_same_bytes_and_another_trial_another_instance(tmp_path: Path) -> None:
    bound = AutomatonRuntime(Automaton.model_validate(AUTOMATON))
    for name, trial in (("one", 0), ("two", 0), ("three", 1)):
        record(bound, tmp_path / name, trial)

    one, two, three = (files(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert {path for path in one if one[path] == three[path]} == {
        "cards/operation.json", "cards/semantic_scenario.json", "cards/variant.json", "census.json", "evaluation.json",
        "manifest.json",
    }  # fmt: skip


@pytest.mark.parametrize(("at", "rows"), [(1, 2), (2, 3), (7, 5)], ids=["first step", "second", "second execution"])
def test_a_stopped_run_leaves_an_incomplete_ledger_alone(tmp_path: Path, at: int, rows: int) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        record(Stopped(at), folder)

    assert list(files(folder)) == ["ledger.ndjson"]
    summary = verify_ledger(folder / "ledger.ndjson")
    assert (summary.terminal, summary.rows) == (None, rows)
    with pytest.raises(BundleError) as refused:
        read_bundle(folder)
    assert refused.value.code == "bundle_incomplete"


PLANS = {"model": "some_model", "null": None, "number": 1, "list": ["none"], "other case": "None", "empty": ""}


@pytest.mark.parametrize("plan", [*PLANS, "nothing"])
def test_a_plan_that_asks_a_provider_needs_an_authorization_before_anything_is_made(tmp_path: Path, plan: str) -> None:
    projected = {"/provider/plan": PLANS[plan]} if plan in PLANS else {"/provider/other": "none"}
    projections = {**AUTOMATON["projections"], "provider_run_plan_content": projected}
    bound = AutomatonRuntime(Automaton.model_validate({**AUTOMATON, "projections": projections}))

    with pytest.raises(AuthorizationError) as refused:
        record(bound, tmp_path / "run")

    assert (refused.value.code, refused.value.path) == (
        "authorization_required",
        "projections#/provider_run_plan_content",
    )
    assert list(tmp_path.iterdir()) == []
    record(bound, tmp_path / "run", authorization=used(permit()))
    assert read_bundle(tmp_path / "run").artifact.authorization_digest_sha256 == permit().authorization_digest_sha256


@pytest.mark.parametrize("plan", ["none", "recorded"])
def test_a_plan_that_asks_none_may_have_one(tmp_path: Path, plan: str) -> None:
    projections = {**AUTOMATON["projections"], "provider_run_plan_content": {"/provider/plan": plan}}
    bound = AutomatonRuntime(Automaton.model_validate({**AUTOMATON, "projections": projections}))
    record(bound, tmp_path / "without")
    record(bound, tmp_path / "with", authorization=used(permit()))

    one, two = (files(tmp_path / name) for name in ("without", "with"))
    assert two.keys() - one.keys() == {"authorization.json"}
    assert {name for name in one if one[name] != two[name]} == {"artifact.json"}
