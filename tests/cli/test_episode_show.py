"""``episode show``: the timeline and the grade of a file, as lines, JSON and picture; damaged files are refused."""

from pathlib import Path

import pytest

from operatebench.tracks.lifecycle import (
    grade_lines,
    head_lines,
    parse_episode,
    picture,
    read_episode,
    timeline,
    timeline_lines,
    verdict_line,
)
from tests.cli.conftest import Answer
from tests.support import RunCli


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, run_cli: RunCli) -> bytes:
    """Return the file of an unreliable episode."""
    folder = tmp_path_factory.mktemp("ran")
    run_cli("run", "maintenance", "--variant", "V1", "--agent", "trust_actor_claim", "--out", "e.json", cwd=folder)
    return (folder / "e.json").read_bytes()


@pytest.fixture
def folder(tmp_path: Path, ran: bytes) -> Path:
    (tmp_path / "e.json").write_bytes(ran)
    return tmp_path


def test_timeline_grade_and_picture(run_cli: RunCli, folder: Path) -> None:
    done = run_cli("episode", "show", "e.json", "--svg", "e.svg", cwd=folder)

    record = read_episode(folder / "e.json")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        *head_lines(record),
        "",
        "timeline",
        *timeline_lines(record),
        "",
        *grade_lines(record),
    ]
    assert done.stderr == f"e.json: {verdict_line(record)}\n"
    assert (folder / "e.svg").read_bytes() == picture(record)


def test_standard_input(run_here: RunCli, folder: Path, ran: bytes) -> None:
    named, piped = run_here("episode", "show", "e.json", cwd=folder), run_here("episode", "show", "-", stdin=ran)

    assert (piped.returncode, piped.stdout) == (named.returncode, named.stdout)
    assert piped.stderr.startswith("standard input: UNRELIABLE: ")


def test_json(run_here: RunCli, answer: Answer, folder: Path, ran: bytes) -> None:
    program = answer(run_here("episode", "show", "e.json", "--json", cwd=folder))

    record = parse_episode(ran)
    assert program["selection"] == record.selection.to_wire()
    assert program["evaluation"] == record.evaluation
    assert program["svg_file"] is None
    assert (program["trajectory"], program["events"]) == (record.outcome["trajectory"], record.outcome["events"])
    assert [(row["day"], row["time"], row["kind"], row["text"], row["rows"]) for row in program["timeline"]] == [
        (moment.day, moment.clock, moment.kind, moment.text, list(moment.rows)) for moment in timeline(record)
    ]


def test_a_changed_file_is_refused_with_its_place(run_here: RunCli, answer: Answer, folder: Path, ran: bytes) -> None:
    (folder / "e.json").write_bytes(ran.replace(b'"reliable":false', b'"reliable":true', 1))

    done = run_here("episode", "show", "e.json", "--svg", "e.svg", cwd=folder)
    program = answer(run_here("episode", "show", "e.json", "--json", cwd=folder))

    assert (done.returncode, done.stdout, (folder / "e.svg").exists()) == (1, "", False)
    assert done.stderr.startswith("refused   episode_digest: ")
    assert "where     e.json#/episode_digest_sha256\n" in done.stderr
    refusal = program["refusal"]
    assert (refusal["code"], refusal["file"], refusal["path"]) == ("episode_digest", "e.json", "/episode_digest_sha256")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (b"{", "episode_json", "e.json line 1 column 1"),
        (b"{}", "document_kind", "e.json#/schema"),
        (b"\xff", "episode_json", "e.json line 1 column 1"),
    ],
)
def test_other_files_are_refused(run_here: RunCli, tmp_path: Path, text: bytes, code: str, place: str) -> None:
    (tmp_path / "e.json").write_bytes(text)
    done = run_here("episode", "show", "e.json", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"refused   {code}: ")
    assert f"where     {place}\n" in done.stderr


def test_a_missing_file_and_an_existing_picture(run_here: RunCli, folder: Path) -> None:
    (folder / "e.svg").write_text("mine")

    missing = run_here("episode", "show", "no.json", cwd=folder)
    existing = run_here("episode", "show", "e.json", "--svg", "e.svg", cwd=folder)

    assert (missing.returncode, existing.returncode, (folder / "e.svg").read_text()) == (1, 1, "mine")
    assert missing.stderr.startswith("refused   file_missing: ")
    assert existing.stderr.startswith("refused   file_exists: ")


def test_wrong_usage(run_here: RunCli, folder: Path) -> None:
    assert run_here("episode", "show", "e.json", "--svg", "-", cwd=folder).returncode == 64
    assert run_here("episode", "show", cwd=folder).returncode == 64
