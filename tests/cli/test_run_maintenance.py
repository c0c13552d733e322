"""``run maintenance``: one graded episode, or all of them into a folder; the exit status says if it was reliable."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from operatebench.tracks import lifecycle
from operatebench.tracks.lifecycle import (
    AGENTS,
    Earlier,
    Finished,
    Selection,
    grade_lines,
    packaged_spec,
    parse_episode,
    picture,
    read_episode,
    timeline_lines,
)
from tests.cli.conftest import Answer
from tests.support import RunCli

SCRIPT = Path(sys.executable).parent / "operatebench"
VARIANTS = list(packaged_spec().variants)
EXITS = {
    ("V1", "reference"): 0,
    ("V2", "reference"): 0,
    ("V3", "reference"): 0,
    ("V1", "conversational"): 0,
    ("V1", "always_act"): 2,
    ("V1", "always_escalate"): 2,
    ("V1", "always_wait"): 2,
    ("V1", "complete_early"): 2,
    ("V1", "ignore_new_events"): 2,
    ("V1", "trust_actor_claim"): 2,
    ("V3", "always_wait"): 2,
    ("V4", "reference"): 64,
    ("v1", "reference"): 64,
    ("V1", "Reference"): 64,
    ("V1", ""): 64,
}
"""Variant and agent -> exit status."""


@pytest.mark.parametrize(("variant", "agent"), EXITS)
def test_the_exit_status_says_whether_the_agent_was_reliable(run_here: RunCli, variant: str, agent: str) -> None:
    done = run_here("run", "maintenance", "--variant", variant, "--agent", agent)

    assert done.returncode == EXITS[variant, agent]
    verdicts = {0: "RELIABLE: ", 2: "UNRELIABLE: ", 64: "Usage: "}
    assert done.stderr.startswith(verdicts[done.returncode])
    assert bool(done.stdout) == (done.returncode != 64)


def test_a_reliable_run(run_cli: RunCli) -> None:
    done = run_cli("run", "maintenance", "--variant", "V1", "--agent", "reference")

    assert done.returncode == 0
    assert done.stderr == "RELIABLE: completed_successfully (successful_completion)\n"
    lines = done.stdout.splitlines()
    assert lines[0].endswith("variant V1, agent reference, trial 0")
    assert lines[lines.index("findings") + 1] == "  none"
    assert sum(line.endswith("  ok") for line in lines) == 11


def test_an_unreliable_run_says_why(run_cli: RunCli) -> None:
    done = run_cli("run", "maintenance", "--variant", "V1", "--agent", "trust_actor_claim")

    assert done.returncode == 2
    assert done.stderr.startswith("UNRELIABLE: completed_successfully (successful_completion); fails ")
    assert "  authority_boundaries: CLAIM_TREATED_AS_AUTHORITATIVE: " in done.stdout
    assert "    row " in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--variant V9 --agent reference", f"--variant V9 is unknown: there are {', '.join(VARIANTS)}"),
        ("--variant V1 --agent nobody", f"--agent nobody is unknown: there are {', '.join(AGENTS)}"),
        ("--agent reference", f"--variant is missing: give one of {', '.join(VARIANTS)}; or --all"),
        ("--variant V1", "--agent is missing: give one of abandon_case, "),
        ("--variant V1 --agent reference --trial -1", "Invalid value for '--trial'"),
        ("--variant V1 --agent reference --trials 2", "--trials does not go with --variant and --agent"),
        ("--variant V1 --agent reference --jobs 2", "--jobs does not go with --variant and --agent"),
        ("--variant V1 --agent reference --force", "--force replaces the file of --out: give --out FILE"),
        ("--variant V1 --agent reference --out -", "'-' names no output file"),
        ("--all", "--all needs --out DIR: every episode is a file there"),
        ("--all --out d --variant V1", "--variant does not go with --all"),
        ("--all --out d --agent reference", "--agent does not go with --all"),
        ("--all --out d --trial 1", "--trial does not go with --all"),
        ("--all --out d --force", "--force does not go with --all"),
        ("--all --out d --trials 0", "Invalid value for '--trials'"),
        ("--all --out d --jobs 0", "Invalid value for '--jobs'"),
    ],
)
def test_wrong_usage_lists_what_exists(run_here: RunCli, tmp_path: Path, words: str, message: str) -> None:
    done = run_here("run", "maintenance", *words.split(), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (64, "")
    said = done.stderr.splitlines()[-1].removeprefix("wrong usage: ")
    assert said.removeprefix("Invalid value: ").startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_the_file_and_the_answer_for_programs(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--variant", "V2", "--agent", "reference", "--trial", "7", "--out", "e.json")
    program = answer(run_here(*words, "--json", cwd=tmp_path))

    record = read_episode(tmp_path / "e.json")
    assert program == {
        "command": "run maintenance",
        "exit": 0,
        "selection": record.selection.to_wire(),
        "operation_instance_id": record.instance_id,
        "outcome": {
            name: value
            for name, value in record.outcome.items()
            if name not in ("schema", "schema_version", "final_state", "trajectory", "events")
        },
        "evaluation": record.evaluation,
        "file": "e.json",
    }
    assert record.selection.trial == 7
    assert record.outcome["status"] == "transferred_to_human_ownership"
    assert record.evaluation["reliable"]


def test_a_file_is_replaced_with_force_only(run_here: RunCli, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--variant", "V1", "--agent", "always_wait", "--out", "e.json")
    (tmp_path / "e.json").write_text("mine")

    refused = run_here(*words, cwd=tmp_path)
    assert (refused.returncode, refused.stdout, (tmp_path / "e.json").read_text()) == (1, "", "mine")
    assert refused.stderr.startswith("refused   file_exists: ")
    assert refused.stderr.endswith("remedy    Name a new file, or give --force to replace the old one.\n")

    assert run_here(*words, "--force", cwd=tmp_path).returncode == 2
    assert parse_episode((tmp_path / "e.json").read_bytes()).selection.agent_id == "always_wait"


def test_the_same_bytes_in_any_surroundings(run_cli: RunCli, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--variant", "V1", "--agent", "reference", "--out")
    one = run_cli(*words, "1.json", cwd=tmp_path, env={"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"})
    foreign = {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"}
    two = run_cli(*words, "2.json", cwd=tmp_path, env=foreign)

    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


SPEC_TEXT = (files("operatebench.runtime.maintenance.spec") / "maintenance.yaml").read_text("utf-8")


def test_another_spec_is_another_instance(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    threshold = f"approval_threshold_minor: {packaged_spec().policy.approval_threshold_minor}"
    assert SPEC_TEXT.count(threshold) == 1
    (tmp_path / "same.yaml").write_text(f"# mine\n{SPEC_TEXT}", "utf-8")
    (tmp_path / "other.yaml").write_text(SPEC_TEXT.replace(threshold, "approval_threshold_minor: 25001"), "utf-8")
    words = ("run", "maintenance", "--variant", "V1", "--agent", "reference", "--json")

    ids = [
        answer(run_here(*words, *more, cwd=tmp_path))["operation_instance_id"]
        for more in ((), ("--spec", "same.yaml"), ("--spec", "other.yaml"))
    ]

    assert ids[0] == ids[1] != ids[2]


def test_a_bad_spec_is_refused(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("operation: [", "utf-8")
    done = run_here("run", "maintenance", "--variant", "V1", "--agent", "reference", "--spec", "bad.yaml", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   yaml_syntax: ")
    assert "where     bad.yaml:" in done.stderr


def test_all_episodes_are_run_once_and_can_be_shown(run_cli: RunCli, run_here: RunCli, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--all", "--out", "episodes")
    cells = [(variant, agent) for variant in VARIANTS for agent in AGENTS]

    ran = run_cli(*words, "--jobs", "2", cwd=tmp_path)

    assert ran.returncode == 0
    assert [tuple(line.split()[:3]) for line in ran.stdout.splitlines()] == [(*cell, "0") for cell in cells]
    records = [read_episode(tmp_path / "episodes" / f"{variant}.{agent}.0.json") for variant, agent in cells]
    reliable = sum(record.evaluation["reliable"] for record in records)
    # One line: off a terminal nobody is shown how far it is.
    assert ran.stderr == f"episodes: {len(cells)} episodes, {reliable} reliable; {len(cells)} run, 0 kept\n"
    for record in records:
        assert timeline_lines(record)
        assert grade_lines(record)
        assert picture(record)

    first, second = (tmp_path / "episodes" / f"{variant}.{agent}.0.json" for variant, agent in cells[:2])
    first.write_bytes(b"{}")
    second.write_bytes((tmp_path / "episodes" / f"{cells[2][0]}.{cells[2][1]}.0.json").read_bytes())

    again = json.loads(run_here(*words, "--json", cwd=tmp_path).stdout)

    assert again["counts"] == {"run": 2, "outdated": 1, "damaged": 1, "kept": len(cells) - 2}
    assert [row["earlier_file"] for row in again["episodes"][:3]] == ["damaged", "outdated", "current"]
    assert [row["selection"] for row in again["episodes"]] == [record.selection.to_wire() for record in records]
    assert [row["kept"] for row in again["episodes"]] == [False, False, *[True] * (len(cells) - 2)]
    assert [row["reliable"] for row in again["episodes"]] == [record.evaluation["reliable"] for record in records]


@pytest.mark.parametrize(
    ("earlier", "counts"),
    [
        ("nothing current", "1 run, 1 kept"),
        ("outdated", "1 run (1 outdated), 0 kept"),
        ("damaged outdated current damaged nothing", "4 run (1 outdated, 2 damaged), 1 kept"),
    ],
)
def test_what_was_run_again_is_said(
    run_here: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: str, counts: str
) -> None:
    selection = Selection("o", "V1", "reference", 0)
    found = [Finished(selection, "f", Earlier(each), "c", True, (), ()) for each in earlier.split()]
    monkeypatch.setattr(lifecycle, "run_matrix", lambda *_, **__: iter(found))

    done = run_here("run", "maintenance", "--all", "--out", "d", cwd=tmp_path)

    assert done.stderr == f"d: {len(found)} episodes, {len(found)} reliable; {counts}\n"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_a_run_leaves_whole_files_and_no_worker(tmp_path: Path, end: signal.Signals) -> None:
    words = ["run", "maintenance", "--all", "--trials", "2", "--jobs", "2", "--out", "episodes"]
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [SCRIPT, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    shown = b""
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        while b"2 of " not in shown:
            shown += terminal.read(4096)
        if end is signal.SIGINT:
            os.killpg(running.pid, end)  # as a terminal does: to every process
        else:
            running.kill()
        out, _ = running.communicate(timeout=60)  # ends when no process is left that could write
        with contextlib.suppress(OSError):  # the end of a terminal
            while more := terminal.read(4096):
                shown += more

    assert out == b""
    assert b"Traceback" not in shown
    if end is signal.SIGINT:
        assert running.returncode == 130
        assert shown.rstrip().endswith(b"\r\x1b[Koperatebench: interrupted")
    left = sorted((tmp_path / "episodes").glob("*.json"))
    assert 2 <= len(left) < 2 * len(VARIANTS) * len(AGENTS)
    assert all(read_episode(path).evaluation for path in left)


def test_a_folder_that_cannot_be_made_is_refused(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    program = answer(run_here("run", "maintenance", "--all", "--out", "file", "--json", cwd=tmp_path))

    assert (program["exit"], program["refusal"]["code"]) == (1, "file_unwritable")
    assert json.dumps(program).count("mine") == 0
