"""``check-maintenance``: passes today, and says in one line each what deviates."""

import pytest

from operatebench.tracks import lifecycle
from operatebench.tracks.lifecycle import packaged_spec, run_one
from operatebench.tracks.lifecycle.gate import Case, judge
from tests.cli.conftest import Answer
from tests.support import RunCli


def test_the_gate_is_passed(run_cli: RunCli) -> None:
    done = run_cli("check-maintenance")

    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, f"OK: {len(lines)} cases, each graded as it must be\n")
    for name in packaged_spec().variants:
        assert any(line.split() == ["OK", "reference", "on", name, "reliable"] for line in lines)
    assert all(line.startswith("OK  ") for line in lines)


def test_deviations_are_one_line_each(run_here: RunCli, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = run_one(packaged_spec(), "V1", "reference").episode.outcome
    case = Case("reference on V1", "V1", (), ("NO_SUCH",), outcome.to_wire(), None)
    report = judge(packaged_spec(), [case])
    monkeypatch.setattr(lifecycle, "check_gate", lambda: report)

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
