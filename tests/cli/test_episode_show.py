"""``episode show``: timeline and grade of a run bundle, as lines, JSON and picture; damaged ones are refused."""

from pathlib import Path

import pytest

from operatebench.tracks.lifecycle import (
    grade_lines,
    head_lines,
    picture,
    read_episode,
    timeline,
    timeline_lines,
    verdict_line,
)
from tests.cli.conftest import Answer
from tests.support import RunCli
from tests.tracks.lifecycle.episodes import bundle_of, files, relist, rewrite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the bundle of an unreliable episode."""
    return bundle_of(tmp_path / "run", "V1", "trust_actor_claim").parent


def test_timeline_grade_and_picture(run_cli: RunCli, folder: Path) -> None:
    before = files(folder)
    done = run_cli("episode", "show", "run", "--svg", "e.svg", cwd=folder)

    record = read_episode(folder / "run")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        *head_lines(record),
        "",
        "timeline",
        *timeline_lines(record),
        "",
        *grade_lines(record),
    ]
    assert done.stderr == f"run: {verdict_line(record)}\n"
    assert files(folder) == {**before, "e.svg": picture(record)}


def test_json(run_here: RunCli, answer: Answer, folder: Path) -> None:
    program = answer(run_here("episode", "show", "run", "--json", cwd=folder))

    record = read_episode(folder / "run")
    assert program["selection"] == record.selection.to_wire()
    assert program["evaluation"] == record.evaluation
    assert (program["reliable"], program["failed_dimensions"]) == (False, list(record.failed_dimensions))
    assert program["finding_codes"] == list(record.finding_codes)
    assert program["svg_file"] is None
    assert (program["trajectory"], program["events"]) == (record.outcome["trajectory"], record.outcome["events"])
    assert [(row["day"], row["time"], row["kind"], row["text"], row["rows"]) for row in program["timeline"]] == [
        (moment.day, moment.clock, moment.kind, moment.text, list(moment.rows)) for moment in timeline(record)
    ]


def test_a_changed_member_is_refused_with_its_place(run_here: RunCli, answer: Answer, folder: Path) -> None:
    member = folder / "run" / "evaluation.json"
    member.write_bytes(member.read_bytes().replace(b'"ok":false', b'"ok":true ', 1))

    done = run_here("episode", "show", "run", "--svg", "e.svg", cwd=folder)
    program = answer(run_here("episode", "show", "run", "--json", cwd=folder))

    assert (done.returncode, done.stdout, (folder / "e.svg").exists()) == (1, "", False)
    assert done.stderr.startswith("refused   member_digest: ")
    assert "where     evaluation.json\n" in done.stderr
    assert (program["refusal"]["code"], program["refusal"]["path"]) == ("member_digest", "evaluation.json")


def test_a_document_that_is_sound_no_more_is_refused_in_a_new_list_too(run_here: RunCli, folder: Path) -> None:
    member = folder / "run" / "evaluation.json"
    member.write_bytes(member.read_bytes().replace(b'"ok":false', b'"ok":true', 1))
    relist(folder / "run")

    done = run_here("episode", "show", "run", cwd=folder)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   evaluation_digest: ")
    assert "where     evaluation#/evaluation_digest_sha256\n" in done.stderr


def test_what_cannot_be_told_is_refused_with_its_place(run_here: RunCli, folder: Path) -> None:
    rewrite(folder / "run", lambda outcome, _: outcome["trajectory"][2].update(index=1))

    done = run_here("episode", "show", "run", cwd=folder)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused   episode_shape: ")
    assert "where     /outcome/trajectory/2/index\n" in done.stderr


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (b"{", "not_a_bundle", "run"),
        (b'{"schema": "operatebench.episode.v1"}', "not_a_bundle", "run"),
        (b'{"artifact_version": 8}', "artifact_generation", "/artifact_version"),
    ],
)
def test_files_are_refused(run_here: RunCli, tmp_path: Path, text: bytes, code: str, place: str) -> None:
    (tmp_path / "run").write_bytes(text)
    done = run_here("episode", "show", "run", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"refused   {code}: ")
    assert f"where     {place}\n" in done.stderr


def test_a_missing_or_unfinished_run_and_an_existing_picture(run_here: RunCli, folder: Path) -> None:
    (folder / "e.svg").write_text("mine")

    missing = run_here("episode", "show", "no", cwd=folder)
    existing = run_here("episode", "show", "run", "--svg", "e.svg", cwd=folder)
    (folder / "run" / "artifact.json").unlink()
    unfinished = run_here("episode", "show", "run", cwd=folder)

    assert (missing.returncode, existing.returncode, unfinished.returncode) == (1, 1, 1)
    assert (folder / "e.svg").read_text() == "mine"
    assert missing.stderr.startswith("refused   file_missing: ")
    assert existing.stderr.startswith("refused   file_exists: ")
    assert unfinished.stderr.startswith("refused   bundle_incomplete: ")


def test_wrong_usage(run_here: RunCli, folder: Path) -> None:
    assert run_here("episode", "show", "run", "--svg", "-", cwd=folder).returncode == 64
    assert run_here("episode", "show", cwd=folder).returncode == 64
