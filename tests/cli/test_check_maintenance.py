"""``check-maintenance``: passes today, and says in one line each what deviates."""

from dataclasses import replace

import pytest

from operatebench.tracks import lifecycle
from operatebench.tracks.lifecycle import packaged_spec
from operatebench.tracks.lifecycle.bound import reproduction_of
from operatebench.tracks.lifecycle.gate import Case, judge
from tests.cli.conftest import Answer
from tests.support import RunCli
from tests.tracks.lifecycle.episodes import execution_of


def test_a_gate_without_deviations_is_passed(run_here: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole gate is run by its own tests, and in a process by those of the documentation."""
    run = execution_of("V1", "reference")
    case = Case("reference on V1", "V1", (), (), run.outcome, reproduction_of(run))
    report = replace(judge(packaged_spec(), [case]), deviations=())
    monkeypatch.setattr(lifecycle, "check_gate", lambda watch: watch(1, 1) or report)

    done = run_here("check-maintenance")

    assert (done.returncode, done.stdout) == (0, "OK  reference on V1  reliable\n")
    assert done.stderr == "OK: 1 cases, each graded as it must be\n"  # off a terminal nobody is shown how far it is


def test_deviations_are_one_line_each(run_here: RunCli, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("reference on V1", "V1", (), ("NO_SUCH",), execution_of("V1", "reference").outcome, None)
    report = judge(packaged_spec(), [case])
    monkeypatch.setattr(lifecycle, "check_gate", lambda _: report)

    people = run_here("check-maintenance")
    program = answer(run_here("check-maintenance", "--json"))

    assert people.returncode == 2
    assert people.stdout == "FAIL  reference on V1  fails deterministic_replay\n"
    assert people.stderr.splitlines() == [f"DEVIATION: {each}" for each in report.deviations]
    assert len(report.deviations) == 3 + 10  # of the case, and a dimension each that no case fails
    assert (program["exit"], program["deviations"]) == (2, list(report.deviations))
    assert program["checks"] == [
        {
            "case": "reference on V1",
            "variant_id": "V1",
            "expected": {"failed_dimensions": [], "finding_codes": ["NO_SUCH"]},
            "reliable": False,
            "outcome_class": "successful_completion",
            "failed_dimensions": ["deterministic_replay"],
            "finding_codes": ["REPLAY_NOT_CHECKED"],
            "deviations": list(report.checks[0].deviations),
        }
    ]
