"""``verify``: one bundle and many, for people and programs, and the exit status that goes with each verdict."""

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from operatebench.errors import ProvenanceError
from operatebench.replay.verify import MEANINGS, NOT_ESTABLISHED, Verdict
from operatebench.tracks.lifecycle import MaintenanceRuntime, load_spec, packaged_spec
from tests.cli.conftest import Answer
from tests.support import RunCli
from tests.tracks.lifecycle.verification.forging import Forgery, listed_anew, texts_of, write_run, write_texts

SCRIPT = Path(sys.executable).parent / "operatebench"
ESCAPE = "\x1b]0;owned\x07\x9b31m\u202e"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a good bundle, one that diverged, one of another build, and one that is damaged."""
    folder = tmp_path_factory.mktemp("runs")
    good = write_run(folder / "a good one")
    forged = Forgery.of(good)
    forged.evidence["outcome"]["trajectory"][9][ESCAPE] = ESCAPE
    write_texts(folder / "b diverged", forged.bind().texts())
    other = Forgery.of(good)
    other.header["selection"]["agent_id"] = ESCAPE
    other.artifact["writer"].update(source_identity_digest_sha256="e" * 64, distribution=ESCAPE, version=ESCAPE)
    write_texts(folder / "c elsewhere", other.bind().texts())
    write_texts(folder / "d damaged", {**texts_of(good), "evidence.json": b"{}\n"})
    (folder / "e empty").mkdir()
    return folder


VERDICTS = {
    "a good one": ("verified", None, 0),
    "b diverged": ("diverged", "engine_differs", 2),
    "c elsewhere": ("consistent_only", "selection_unknown", 2),
    "d damaged": ("refused", "member_size", 2),
    "e empty": ("refused", "not_a_bundle", 1),
}
"""Name of a bundle -> verdict, code and exit status."""


@pytest.mark.parametrize("name", VERDICTS)
def test_one_for_people_and_for_programs(run_here: RunCli, answer: Answer, runs: Path, name: str) -> None:
    verdict, code, status = VERDICTS[name]

    people = run_here("verify", name, cwd=runs)
    program = answer(run_here("verify", name, "--json", cwd=runs))

    assert people.returncode == program["exit"] == status
    meaning = "No run bundle could be read there." if status == 1 else MEANINGS[Verdict(verdict)]
    assert people.stderr.splitlines()[-1] == f"{verdict.upper()}: {name}: {meaning}"
    assert program["meaning"] == meaning
    assert people.stderr.startswith("refused   ") == (code is not None)
    assert (people.stdout == "") == (status == 1)
    assert (people.stdout + people.stderr).replace("\n", "").isprintable()
    assert (program["verdict"], program["bundle"]) == (verdict, name)
    assert (program["refusal"] or {"code": None})["code"] == code
    assert [row["check"] for row in program["checks"]][-1] == "12"
    if status != 1:
        lines = people.stdout.splitlines()
        assert lines[-len(NOT_ESTABLISHED) :] == [f"  {each}" for each in NOT_ESTABLISHED]
        assert ("written by, as it says itself" in lines) == (verdict != "verified")


def test_the_first_divergence_and_the_writer_are_shown(run_here: RunCli, runs: Path) -> None:
    diverged = run_here("verify", "b diverged", cwd=runs).stdout.splitlines()
    at = diverged.index("first divergence")
    assert diverged[at + 1].startswith("  row 9 /\\x1b]0;owned\\x07\\x9b31m")
    assert diverged[at + 3] == "    replayed  nothing there"

    elsewhere = run_here("verify", "c elsewhere", cwd=runs).stdout.splitlines()
    at = elsewhere.index("written by, as it says itself")
    assert elsewhere[at + 1].startswith("  \\x1b]0;owned\\x07")
    assert elsewhere[at + 2] == f"  source {'e' * 64}"


def test_a_known_digest(run_here: RunCli, runs: Path) -> None:
    digest = json.loads((runs / "a good one" / "artifact.json").read_bytes())["artifact_digest_sha256"]

    assert run_here("verify", "a good one", "--expect", digest, cwd=runs).returncode == 0
    other = run_here("verify", "a good one", "--expect", "0" * 64, cwd=runs)
    assert other.returncode == 2
    assert other.stderr.startswith("refused   expected_digest_differs: ")
    assert other.stderr.endswith("REFUSED: a good one: It is not the one that was expected.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "give RUN, or --many with a folder or a list"),
        ("a --many b", "give RUN, or --many with a folder or a list"),
        ("--many b --expect 00", "--expect is about one bundle: it does not go with --many"),
        ("a --jobs 2", "--jobs goes with --many"),
        ("a --expect 00", "--expect takes 64 lowercase hexadecimal digits"),
        (f"a --expect {'A' * 64}", "--expect takes 64 lowercase hexadecimal digits"),
    ],
)
def test_wrong_usage(run_here: RunCli, tmp_path: Path, words: str, message: str) -> None:
    done = run_here("verify", *words.split(), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr.splitlines()[-1].removeprefix("wrong usage: Invalid value: ") == message


def test_many_in_a_folder_with_any_number_of_processes(run_cli: RunCli, run_here: RunCli, runs: Path) -> None:
    two = run_cli("verify", "--many", ".", "--jobs", "2", cwd=runs)
    one = run_here("verify", "--many", ".", "--jobs", "1", cwd=runs)

    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert two.returncode == 2
    assert two.stderr == ".: 5 bundles: 1 consistent_only, 1 diverged, 2 refused, 1 verified\n"
    for line, (name, (verdict, code, _)) in zip(two.stdout.splitlines(), VERDICTS.items(), strict=True):
        assert line.startswith(f"{verdict.upper():<15}  {name}")
        assert (code or "") in line
        assert line.isprintable()


def test_many_for_programs(run_here: RunCli, answer: Answer, runs: Path) -> None:
    program = answer(run_here("verify", "--many", ".", "--jobs", "1", "--json", cwd=runs))

    assert program["counts"] == {"consistent_only": 1, "diverged": 1, "refused": 2, "verified": 1}
    found = {row["bundle"]: (row["verdict"], (row["refusal"] or {"code": None})["code"]) for row in program["bundles"]}
    assert found == {name: verdict[:2] for name, verdict in VERDICTS.items()}
    digest = json.loads((runs / "a good one" / "artifact.json").read_bytes())["artifact_digest_sha256"]
    assert program["bundles"][0]["artifact_digest_sha256"] == digest
    assert [row["index"] for row in program["bundles"]] == list(range(5))


def test_many_passes_nothing_by_that_could_be_meant_as_a_bundle(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "run.regrade.json").write_text("{}")

    done = run_here("verify", "--many", ".", "--jobs", "1", cwd=tmp_path)

    assert done.returncode == 2
    found = [line.split()[:3] for line in done.stdout.splitlines()]
    assert found == [
        ["REFUSED", "dangling", "file_missing"],
        ["REFUSED", "file", "not_a_bundle"],
        ["REFUSED", "pipe", "file_type"],
    ]


def test_many_is_bounded(run_here: RunCli, tmp_path: Path) -> None:
    done = run_here("verify", "--many", "-", stdin="x\n" * 100_001, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   file_too_large: ")
    assert "expected  at most 100000 run bundles" in done.stderr


def test_many_of_a_list(run_here: RunCli, runs: Path, tmp_path: Path) -> None:
    listed = b"a good one\n\nno\xff\x1b\na\0b\n"
    (tmp_path / "list").write_bytes(listed)

    named = run_here("verify", "--many", tmp_path / "list", "--jobs", "1", cwd=runs)
    piped = run_here("verify", "--many", "-", "--jobs", "1", stdin=listed, cwd=runs)

    assert (named.returncode, named.stdout) == (piped.returncode, piped.stdout)
    assert named.returncode == 2
    assert [line.split()[0] for line in named.stdout.splitlines()] == ["VERIFIED", "REFUSED", "REFUSED"]
    assert named.stdout.splitlines()[2].endswith("a\\x00b  file_missing  a\\x00b")
    assert named.stdout.replace("\n", "").isprintable()

    good = run_here("verify", "--many", "-", "--jobs", "1", stdin="a good one\n", cwd=runs)
    assert (good.returncode, good.stderr) == (0, "-: 1 bundles: 1 verified\n")


def test_many_is_not_for_a_bundle_itself(run_here: RunCli, runs: Path) -> None:
    done = run_here("verify", "--many", "a good one", cwd=runs)

    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr.endswith("--many a good one is a run bundle itself: leave out --many\n")


@pytest.mark.parametrize("many", ["e empty", "-", "no"])
def test_many_of_none(run_here: RunCli, runs: Path, many: str) -> None:
    done = run_here("verify", "--many", many, cwd=runs)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   file_missing: ")


def test_a_source_that_changed_meanwhile_gives_no_verdict(
    run_here: RunCli, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(_: MaintenanceRuntime) -> None:
        raise ProvenanceError("source_changed_during_run", path="x.py")

    monkeypatch.setattr(MaintenanceRuntime, "require_unchanged_source", changed)

    for words in (["a good one"], ["--many", ".", "--jobs", "1"]):
        done = run_here("verify", *words, cwd=runs)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("refused   source_changed_during_run: ")
        assert "VERIFIED" not in done.stderr


def test_another_spec(run_here: RunCli, runs: Path, tmp_path: Path) -> None:
    text = (files("operatebench.runtime.maintenance.spec") / "maintenance.yaml").read_text("utf-8")
    threshold = f"approval_threshold_minor: {packaged_spec().policy.approval_threshold_minor}"
    (tmp_path / "other.yaml").write_text(text.replace(threshold, "approval_threshold_minor: 25001"), "utf-8")
    write_run(tmp_path / "run", bound=MaintenanceRuntime(load_spec(str(tmp_path / "other.yaml"))))

    done = run_here("verify", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("CONSISTENT_ONLY: run: ")
    assert "  operation_core_content\n    /operation_card/content/policy_contract" in done.stdout
    assert run_here("verify", "run", "--spec", "other.yaml", cwd=tmp_path).returncode == 0
    assert run_here("verify", runs / "a good one", "--spec", "other.yaml", cwd=tmp_path).returncode == 2
    assert run_here("verify", "run", "--spec", "no.yaml", cwd=tmp_path).returncode == 1


def test_an_earlier_generation(run_here: RunCli, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"artifact_version": 8, "cap": 30.5}')

    done = run_here("verify", "old.json", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   artifact_generation: ")


def test_a_damaged_member_that_is_listed(run_here: RunCli, runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "a good one", tmp_path / "run")
    write_texts(tmp_path / "run", listed_anew({**texts_of(tmp_path / "run"), "manifest.json": b"[]\n"}))

    done = run_here("verify", "run", cwd=tmp_path)

    assert done.returncode == 2
    assert "4a  manifest.self  FAILED" in done.stdout
    assert "not reached" in done.stdout


def test_a_reader_that_went_away_ends_it_quietly(runs: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [SCRIPT, "verify", "--many", ".", "--jobs", "2"],
            cwd=runs,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (141, b"")
