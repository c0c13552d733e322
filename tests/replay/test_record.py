"""The same inputs give the same bundle, and a run that is stopped leaves a ledger that is incomplete, and no bundle."""

from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import BundleError
from operatebench.replay.bound import Execution, RowSink, Selection
from operatebench.replay.bundle import Writer, read_bundle
from operatebench.replay.conformance import Automaton, AutomatonRuntime
from operatebench.replay.identity import RunIdentity
from operatebench.replay.ledger import verify_ledger
from operatebench.replay.record import record_run
from tests.conformance.automata import AUTOMATON
from tests.replay.bundle.bundles import files

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


def record(bound: AutomatonRuntime, folder: Path, trial: int = 0) -> None:
    selection = bound.selection("careful", trial)
    projections = bound.live(selection)
    assert projections is not None
    record_run(bound, RunIdentity.of(bound.cards, projections), selection, folder, WRITER)


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
