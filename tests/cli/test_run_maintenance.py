"""``run maintenance``: one graded run, or all of them as bundles; the exit status says if it was reliable."""

import contextlib
import hashlib
import json
import os
import platform
import pty
import shutil
import signal
import subprocess
import sys
from importlib.metadata import requires, version
from importlib.resources import files
from pathlib import Path

import pytest

from operatebench.errors import ProvenanceError
from operatebench.replay.bundle import read_bundle
from operatebench.tracks import lifecycle
from operatebench.tracks.lifecycle import (
    AGENTS,
    Earlier,
    Finished,
    MaintenanceRuntime,
    Selection,
    grade_lines,
    matrix,
    packaged_spec,
    picture,
    read_episode,
    timeline_lines,
)
from tests.cli.conftest import Answer
from tests.support import RunCli
from tests.tracks.lifecycle.episodes import files as files_below

SCRIPT = Path(sys.executable).parent / "operatebench"
VARIANTS = list(packaged_spec().variants)
SPEC_TEXT = (files("operatebench.runtime.maintenance.spec") / "maintenance.yaml").read_text("utf-8")
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
        ("--variant V1 --agent reference --trial 9007199254740992", "Invalid value for '--trial'"),
        ("--variant V1 --agent reference --trials 2", "--trials does not go with --variant and --agent"),
        ("--variant V1 --agent reference --jobs 2", "--jobs does not go with --variant and --agent"),
        ("--variant V1 --agent reference --force", "No such option: --force"),
        ("--variant V1 --agent reference --out -", "--out names no file or folder: give a path"),
        ("--all", "--all needs --out DIR: every run is a bundle there"),
        ("--all --out d --variant V1", "--variant does not go with --all"),
        ("--all --out d --agent reference", "--agent does not go with --all"),
        ("--all --out d --trial 1", "--trial does not go with --all"),
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


def test_the_bundle_and_the_answer_for_programs(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--variant", "V2", "--agent", "reference", "--trial", "7", "--json")
    program = answer(run_here(*words, "--out", "run", cwd=tmp_path))

    record = read_episode(tmp_path / "run")
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
        "reliable": True,
        "failed_dimensions": [],
        "finding_codes": [],
        "bundle": "run",
    }
    assert record.selection.trial == 7
    assert record.outcome["status"] == "transferred_to_human_ownership"

    unkept = answer(run_here(*words, cwd=tmp_path))
    assert (unkept.pop("bundle"), program.pop("bundle")) == (None, "run")
    assert program.pop("evaluation").items() >= unkept.pop("evaluation").items()
    assert unkept == program
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_bundle_says_what_wrote_it(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"# mine\n{SPEC_TEXT}", "utf-8")
    words = ("run", "maintenance", "--variant", "V1", "--agent", "always_wait", "--out")
    run_here(*words, "packaged", cwd=tmp_path)
    run_here(*words, "own", "--spec", "mine.yaml", cwd=tmp_path)

    packaged, own = (read_bundle(tmp_path / name).artifact.writer for name in ("packaged", "own"))

    assert (packaged.distribution, packaged.version) == ("operatebench", version("operatebench"))
    assert (packaged.python, packaged.lock_digest_sha256) == (platform.python_version(), None)
    assert packaged.dependencies["orjson"] == version("orjson")
    assert {name.lower() for name in packaged.dependencies} == {
        row.split(";")[0].split("<")[0].split(">")[0].lower() for row in requires("operatebench") or ()
    }
    assert packaged.source_identity_digest_sha256 == MaintenanceRuntime().source_identity_digest_sha256
    assert (packaged.spec_sha256, own.spec_sha256) == (
        None,
        hashlib.sha256((tmp_path / "mine.yaml").read_bytes()).hexdigest(),
    )
    apart = {
        name
        for name, text in files_below(tmp_path / "own").items()
        if text != (tmp_path / "packaged" / name).read_bytes()
    }
    assert apart == {"artifact.json"}


@pytest.mark.parametrize("there", ["file", "folder", "bundle"])
def test_nothing_is_replaced(run_here: RunCli, tmp_path: Path, there: str) -> None:
    words = ("run", "maintenance", "--variant", "V1", "--agent", "always_wait", "--out", "run")
    if there == "file":
        (tmp_path / "run").write_text("mine")
    elif there == "folder":
        (tmp_path / "run").mkdir()
    else:
        run_here(*words, cwd=tmp_path)
    before = files_below(tmp_path)

    refused = run_here(*words, cwd=tmp_path)

    assert (refused.returncode, refused.stdout, files_below(tmp_path)) == (1, "", before)
    assert refused.stderr.startswith("refused   file_exists: ")
    assert refused.stderr.endswith("remedy    Name a new file, or remove the old one first.\n")


@pytest.mark.parametrize("words", ["--variant V1 --agent always_wait", "--variant V1 --agent always_wait --out run"])
def test_a_source_that_changed_meanwhile_is_no_verdict(
    run_here: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    def changed(_: object) -> None:
        raise ProvenanceError("source_changed_during_run", path="runtime/core/engine.py")

    monkeypatch.setattr(MaintenanceRuntime, "require_unchanged_source", changed)

    done = run_here("run", "maintenance", *words.split(), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   source_changed_during_run: ")


def test_the_same_bytes_in_any_surroundings(run_cli: RunCli, tmp_path: Path) -> None:
    words = ("run", "maintenance", "--variant", "V1", "--agent", "reference", "--out")
    one = run_cli(*words, "1", cwd=tmp_path, env={"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"})
    foreign = {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"}
    two = run_cli(*words, "2", cwd=tmp_path, env=foreign)

    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert files_below(tmp_path / "1") == files_below(tmp_path / "2")
    assert len(files_below(tmp_path / "1")) == 9


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


def test_all_runs_are_made_once_and_can_be_shown(
    run_here: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {agent: AGENTS[agent] for agent in ("always_escalate", "always_wait", "complete_early", "reference")}
    monkeypatch.setattr(matrix, "AGENTS", few)
    words = ("run", "maintenance", "--all", "--out", "runs")
    cells = [(variant, agent) for variant in VARIANTS for agent in few]

    ran = run_here(*words, "--jobs", "2", cwd=tmp_path)

    assert ran.returncode == 0
    assert [tuple(line.split()[:3]) for line in ran.stdout.splitlines()] == [(*cell, "0") for cell in cells]
    bundles = [tmp_path / "runs" / f"{variant}.{agent}.0" for variant, agent in cells]
    records = [read_episode(bundle) for bundle in bundles]
    reliable = sum(record.reliable for record in records)
    # One line: off a terminal nobody is shown how far it is.
    assert ran.stderr == f"runs: {len(cells)} runs, {reliable} reliable; {len(cells)} run, 0 kept\n"
    for record in records:
        assert timeline_lines(record)
        assert grade_lines(record)
        assert picture(record)

    (bundles[0] / "artifact.json").write_bytes(b"{}")
    shutil.rmtree(bundles[1])
    shutil.copytree(bundles[2], bundles[1])

    again = json.loads(run_here(*words, "--json", cwd=tmp_path).stdout)

    assert again["folder"] == "runs"
    assert again["counts"] == {"run": 2, "outdated": 1, "damaged": 1, "kept": len(cells) - 2}
    assert [row["earlier"] for row in again["runs"][:3]] == ["damaged", "outdated", "current"]
    assert [row["bundle"] for row in again["runs"]] == [f"runs/{bundle.name}" for bundle in bundles]
    assert [row["selection"] for row in again["runs"]] == [record.selection.to_wire() for record in records]
    assert [row["kept"] for row in again["runs"]] == [False, False, *[True] * (len(cells) - 2)]
    for row, record in zip(again["runs"], records, strict=True):
        assert (row["reliable"], row["outcome_class"]) == (record.reliable, record.evaluation["outcome_class"])
        assert row["failed_dimensions"] == list(record.failed_dimensions)
        assert row["finding_codes"] == list(record.finding_codes)


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

    assert done.stderr == f"d: {len(found)} runs, {len(found)} reliable; {counts}\n"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_a_run_leaves_whole_bundles_and_no_worker(tmp_path: Path, end: signal.Signals) -> None:
    words = ["run", "maintenance", "--all", "--trials", "2", "--jobs", "2", "--out", "runs"]
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
    left = [path for path in (tmp_path / "runs").iterdir() if path.is_dir()]
    bundles = [path for path in left if (path / "artifact.json").exists()]
    assert 2 <= len(bundles) < 2 * len(VARIANTS) * len(AGENTS)
    assert all(read_episode(path).evaluation for path in bundles)
    assert len(left) - len(bundles) <= (0 if end is signal.SIGINT else 2)


def test_a_folder_with_what_is_no_run_is_refused_and_nothing_is_lost(
    run_here: RunCli, answer: Answer, tmp_path: Path
) -> None:
    place = tmp_path / "runs" / f"{VARIANTS[0]}.{next(iter(AGENTS))}.0"
    place.mkdir(parents=True)
    (place / "notes.txt").write_text("mine")

    program = answer(run_here("run", "maintenance", "--all", "--jobs", "1", "--out", "runs", "--json", cwd=tmp_path))

    assert (program["exit"], program["refusal"]["code"]) == (1, "member_unlisted")
    assert program["refusal"]["path"] == f"runs/{place.name}/notes.txt"
    assert files_below(tmp_path / "runs") == {f"{place.name}/notes.txt": b"mine"}


def test_a_folder_that_cannot_be_made_is_refused(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    program = answer(run_here("run", "maintenance", "--all", "--out", "file", "--json", cwd=tmp_path))

    assert (program["exit"], program["refusal"]["code"]) == (1, "file_unwritable")
    assert json.dumps(program).count("mine") == 0
