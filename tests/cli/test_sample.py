"""``sample``: the packaged projections, printed, and the packaged cards, written."""

import json
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from operatebench.replay.bundle import read_bundle
from operatebench.tracks.lifecycle import packaged_spec
from tests.cli.cards import TEXTS
from tests.cli.conftest import Answer
from tests.support import RunCli

SAMPLE = files("operatebench.samples").joinpath("projections.json").read_bytes()


def test_the_sample_is_printed_as_it_is(run_cli: RunCli) -> None:
    done = run_cli("sample", "projections")

    assert (done.returncode, done.stdout.encode(), done.stderr) == (0, SAMPLE, "")


def test_json_holds_the_sample(run_cli: RunCli, answer: Answer) -> None:
    found = answer(run_cli("sample", "projections", "--json"))

    assert found == {"command": "sample projections", "exit": 0, "projections": json.loads(SAMPLE)}


def test_the_packaged_spec_can_be_edited_validated_and_run(run_cli: RunCli, run_here: RunCli, tmp_path: Path) -> None:
    text = run_cli("sample", "spec").stdout
    threshold = f"approval_threshold_minor: {packaged_spec().policy.approval_threshold_minor}"
    assert text.count(threshold) == 1
    (tmp_path / "mine.yaml").write_text(text.replace(threshold, "approval_threshold_minor: 25001"), "utf-8")
    words = ("run", "maintenance", "--variant", "V1", "--agent", "reference", "--spec", "mine.yaml", "--out", "mine")

    assert run_here("operation", "validate", "mine.yaml", cwd=tmp_path).returncode == 0
    assert run_here(*words, cwd=tmp_path).returncode == 0
    writer = read_bundle(tmp_path / "mine").artifact.writer
    assert writer.spec_sha256 == sha256((tmp_path / "mine.yaml").read_bytes()).hexdigest()
    assert run_here("verify", "mine", cwd=tmp_path).returncode == 2
    assert run_here("verify", "mine", "--spec", "mine.yaml", cwd=tmp_path).returncode == 0


def test_the_packaged_spec_is_printed_as_it_is(run_cli: RunCli, run_here: RunCli, answer: Answer) -> None:
    done = run_cli("sample", "spec")
    program = answer(run_here("sample", "spec", "--json"))

    assert (done.returncode, done.stderr) == (0, "")
    assert sha256(done.stdout.encode()).hexdigest() == packaged_spec().sha256
    assert program == {"command": "sample spec", "exit": 0, "text": done.stdout}


def test_the_cards_are_written_into_a_new_or_an_old_folder(run_cli: RunCli, answer: Answer, tmp_path: Path) -> None:
    done = run_cli("sample", "cards", "--out", "new", cwd=tmp_path)
    (tmp_path / "old").mkdir()
    program = answer(run_cli("sample", "cards", "--out", "old", "--json", cwd=tmp_path))

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "".join(f"written: new/{name}.json\n" for name in TEXTS)
    assert program == {"command": "sample cards", "exit": 0, "files": [f"old/{name}.json" for name in TEXTS]}
    for folder in ("new", "old"):
        assert {path.stem: path.read_bytes() for path in (tmp_path / folder).iterdir()} == TEXTS


def test_cards_replace_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "variant.json").write_text("mine")
    (tmp_path / "file").write_text("mine")

    done = run_cli("sample", "cards", "--out", tmp_path)
    not_a_folder = run_cli("sample", "cards", "--out", tmp_path / "file")
    no_place = run_cli("sample", "cards", "--out", tmp_path / "no" / "where")

    assert (done.returncode, sorted(path.name for path in tmp_path.iterdir())) == (1, ["file", "variant.json"])
    assert done.stderr.startswith("refused   file_exists: ")
    for refused in (not_a_folder, no_place):
        assert refused.returncode == 1
        assert refused.stderr.startswith("refused   file_unwritable: ")
