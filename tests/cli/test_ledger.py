"""``ledger``: whole ones are verified, shown and proved from; a broken one is a no with its line."""

import json
from pathlib import Path

import pytest

from operatebench.cli.progress import Progress
from tests.cli.conftest import Answer
from tests.replay.ledger.ledgers import DIGEST, HEADER, ROWS, text_of, whole
from tests.support import RunCli

LINES = whole()
HEAD = LINES[-1][DIGEST]
ROOT = LINES[-1]["merkle_root_sha256"]
COUNT = str(len(ROWS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a whole ledger, one without its end, and one with a changed row."""
    changed = whole()
    changed[2]["body"]["a"] = "changed"
    for name, lines in {"whole": LINES, "incomplete": LINES[:-1], "changed": changed}.items():
        (tmp_path / name).write_bytes(text_of(lines))
    return tmp_path


def test_a_whole_ledger_is_verified(run_cli: RunCli, folder: Path) -> None:
    done = run_cli("ledger", "verify", "whole", cwd=folder)

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "status             completed_successfully",
        "outcome            successful_completion",
        "lines              5",
        "rows               3",
        f"head               {HEAD}",
        f"root               {ROOT}",
    ]
    assert done.stderr == f"OK: whole: 3 rows, head {HEAD}\n"


def test_standard_input(run_cli: RunCli, folder: Path) -> None:
    named = run_cli("ledger", "verify", "whole", cwd=folder)
    piped = run_cli("ledger", "verify", "-", stdin=text_of(LINES))

    assert (piped.returncode, piped.stdout) == (0, named.stdout)
    assert piped.stderr == f"OK: standard input: 3 rows, head {HEAD}\n"


def test_verified_for_programs(run_here: RunCli, answer: Answer, folder: Path) -> None:
    program = answer(run_here("ledger", "verify", "whole", "--json", cwd=folder))

    header = {name: value for name, value in HEADER.items() if name != "record"}
    terminal = {
        name: value for name, value in LINES[-1].items() if name not in {"record", DIGEST, "previous_digest_sha256"}
    }
    assert program == {
        "command": "ledger verify",
        "exit": 0,
        "header": header,
        "summary": {
            "complete": True,
            "lines": 5,
            "rows": 3,
            "head_digest_sha256": HEAD,
            "merkle_root_sha256": ROOT,
            "terminal": terminal,
        },
    }


@pytest.mark.parametrize("command", ["verify", "show"])
def test_a_changed_row_is_a_no_with_its_line(run_here: RunCli, answer: Answer, folder: Path, command: str) -> None:
    done = run_here("ledger", command, "changed", cwd=folder)
    program = answer(run_here("ledger", command, "changed", "--json", cwd=folder))

    offset = len(text_of(LINES[:2]))
    assert done.returncode == program["exit"] == 2
    assert done.stderr.startswith("refused   ledger_digest: ")
    assert f"where     changed line 3 byte {offset} /row_digest_sha256\n" in done.stderr
    refusal = program["refusal"]
    assert (refusal["code"], refusal["document"], refusal["file"]) == ("ledger_digest", "ledger", "changed")
    assert refusal["path"] == f"line 3 byte {offset} /row_digest_sha256"


@pytest.mark.parametrize("command", ["verify", "show"])
def test_an_incomplete_ledger_is_verified_and_a_no(
    run_here: RunCli, answer: Answer, folder: Path, command: str
) -> None:
    done = run_here("ledger", command, "incomplete", cwd=folder)
    program = answer(run_here("ledger", command, "incomplete", "--json", cwd=folder))

    assert done.returncode == program["exit"] == 2
    assert "rows               3\n" in done.stdout
    assert "status" not in done.stdout
    assert done.stderr.startswith("refused   ledger_incomplete: ")
    assert program["refusal"]["code"] == "ledger_incomplete"
    assert (program["summary"]["complete"], program["summary"]["terminal"], program["summary"]["rows"]) == (
        False,
        None,
        3,
    )


@pytest.mark.parametrize("command", [("verify",), ("show",), ("prove", "--row", "0")])
@pytest.mark.parametrize("kind", ["missing", "link", "folder", "text", "empty"])
def test_what_is_no_ledger_is_refused(run_here: RunCli, folder: Path, command: tuple[str, ...], kind: str) -> None:
    (folder / "link").symlink_to("whole")
    (folder / "folder").mkdir()
    (folder / "text").write_text("text\n")
    (folder / "empty").write_text("")

    done = run_here("ledger", *command, kind, cwd=folder)

    code = {"missing": "file_missing", "link": "file_type", "folder": "file_type"}.get(kind, "document_kind")
    place = kind if code.startswith("file") else f"{kind} line 1 byte 0"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"refused   {code}: ")
    assert f"where     {place}\n" in done.stderr


def test_shown(run_here: RunCli, folder: Path) -> None:
    done = run_here("ledger", "show", "whole", cwd=folder)

    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0] == f"instance           {HEADER['operation_instance_id']}"
    assert "agent_id           reference" in lines
    assert f"scenario card      em-1@1.0.0 {HEADER['card_refs']['semantic_scenario']['content_digest_sha256']}" in lines
    start = lines.index("rows")
    assert lines[start + 1 : start + 5] == [
        "       0  2032-04-05T08:30:00Z  episode_started",
        "       1  2032-04-05T08:30:00Z  any text",
        "       2  2032-04-06T08:30:00Z  ",
        "",
    ]
    assert lines[-1] == f"root               {ROOT}"


def test_many_rows_are_all_shown_and_counted(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(text_of(whole(ROWS[:1] * 2_500)))

    done = run_here("ledger", "show", "l", cwd=tmp_path)
    program = answer(run_here("ledger", "show", "l", "--json", cwd=tmp_path))

    shown = [line for line in done.stdout.splitlines() if line.endswith("episode_started")]
    assert [int(line.split()[0]) for line in shown] == list(range(2_500))
    assert program["record_types"] == {"episode_started": 2_500}


def test_texts_of_a_ledger_are_shown_escaped(run_here: RunCli, tmp_path: Path) -> None:
    header = {**HEADER, "selection": {**HEADER["selection"], "agent_id": "a\x1b[31m"}}
    row = {"at": "\u202e", "record_type": "b\n\x1b", "body": {}}
    (tmp_path / "l").write_bytes(text_of(whole([row], header=header, status="c\x1b")))

    done = run_here("ledger", "show", "l", cwd=tmp_path)

    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "       0  \\u202e  b\\n\\x1b" in done.stdout.splitlines()


def test_a_proof_is_made_and_checked_without_the_ledger(run_cli: RunCli, folder: Path) -> None:
    made = run_cli("ledger", "prove", "whole", "--row", "1", "--out", "proof.json", cwd=folder)
    printed = run_cli("ledger", "prove", "whole", "--row", "1", cwd=folder)
    (folder / "whole").unlink()
    checked = run_cli("ledger", "check-proof", "proof.json", "--rows", COUNT, "--root", ROOT, cwd=folder)

    assert (made.returncode, made.stdout, made.stderr) == (0, "", f"proved: row 1 of 3, root {ROOT}\n")
    assert printed.stdout == (folder / "proof.json").read_text()
    assert (checked.returncode, checked.stdout) == (0, "")
    assert checked.stderr == f"OK: proof.json: row 1 of 3 is {LINES[2][DIGEST]}\n"


def test_a_proof_for_programs(run_here: RunCli, answer: Answer, folder: Path) -> None:
    made = answer(run_here("ledger", "prove", "whole", "--row", "2", "--out", "proof.json", "--json", cwd=folder))
    check = ("ledger", "check-proof", "proof.json", "--json", "--rows")
    checked = answer(run_here(*check, COUNT, "--root", ROOT, cwd=folder))
    other = answer(run_here(*check, COUNT, "--root", "f" * 64, cwd=folder))
    longer = answer(run_here(*check, "9", "--root", ROOT, cwd=folder))

    assert (longer["exit"], longer["refusal"]["code"]) == (2, "ledger_proof_size")
    proof = json.loads((folder / "proof.json").read_text())
    assert (made["proof"], made["proof_file"]) == (proof, "proof.json")
    assert (checked["exit"], checked["proof"]) == (0, proof)
    assert (other["exit"], other["refusal"]["code"], other["refusal"]["document"]) == (2, "ledger_proof_root", "proof")
    assert (other["refusal"]["expected"], other["refusal"]["actual"]) == ("f" * 64, ROOT)


@pytest.mark.parametrize(
    ("name", "row", "code"),
    [("whole", "3", "ledger_row_missing"), ("incomplete", "0", "ledger_incomplete"), ("changed", "0", "ledger_digest")],
)
def test_what_cannot_be_proved_is_a_no(run_here: RunCli, folder: Path, name: str, row: str, code: str) -> None:
    done = run_here("ledger", "prove", name, "--row", row, "--out", "proof.json", cwd=folder)

    assert (done.returncode, done.stdout, (folder / "proof.json").exists()) == (2, "", False)
    assert done.stderr.startswith(f"refused   {code}: ")


def test_a_proof_replaces_no_file(run_here: RunCli, folder: Path) -> None:
    done = run_here("ledger", "prove", "whole", "--row", "0", "--out", "changed", cwd=folder)

    assert done.returncode == 1
    assert done.stderr.startswith("refused   file_exists: ")


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("{", "ledger_json", "proof line 1 column 1"),
        ("{}", "document_kind", "proof#/schema"),
        ("[]", "document_kind", "proof"),
        ('{"schema":"operatebench.ledger_inclusion_proof.v1"}', "ledger_proof_form", "proof"),
    ],
)
def test_what_is_no_proof_is_refused(run_here: RunCli, tmp_path: Path, text: str, code: str, where: str) -> None:
    (tmp_path / "proof").write_text(text)

    done = run_here("ledger", "check-proof", "proof", "--rows", COUNT, "--root", ROOT, cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith(f"refused   {code}: ")
    assert f"where     {where}\n" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("prove", "whole"),
        ("prove", "whole", "--row", "-1"),
        ("prove", "whole", "--row", "0", "--out", "-"),
        ("check-proof", "proof", "--rows", COUNT),
        ("check-proof", "proof", "--rows", COUNT, "--root", ROOT.upper()),
        ("check-proof", "proof", "--rows", COUNT, "--root", ROOT[1:]),
    ],
)
def test_wrong_usage(run_here: RunCli, folder: Path, words: tuple[str, ...]) -> None:
    assert run_here("ledger", *words, cwd=folder).returncode == 64


def test_types_of_rows_are_counted_within_bounds(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    rows = [{"at": "", "record_type": f"{number}\x1b{'x' * 300}", "body": {}} for number in range(1_100)]
    (tmp_path / "l").write_bytes(text_of(whole(rows)))

    counts = answer(run_here("ledger", "show", "l", "--json", cwd=tmp_path))["record_types"]

    assert sum(counts.values()) == 1_100
    assert len(counts) == 1_001
    assert all(name.isprintable() and len(name) <= 200 for name in counts)


def test_big_ledgers_show_how_much_was_read(run_here: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger a little under 3 MiB, watched from the first megabyte on; here nobody looks, which is said too."""
    wide = {"at": "", "record_type": "", "body": {"text": "x" * (1024 * 1024 - 1000)}}
    (tmp_path / "l").write_bytes(text_of(whole([wide, wide, wide])))
    said: list[str] = []
    monkeypatch.setattr("operatebench.cli.ledger._SOON_READ", 1)
    monkeypatch.setattr(Progress, "_write", lambda progress, text: said.append(f"{progress._wanted} {text}"))

    run_here("ledger", "verify", "l", cwd=tmp_path)

    assert said == ["False 1 of 2 MiB", "False 2 of 2 MiB", "False "]
