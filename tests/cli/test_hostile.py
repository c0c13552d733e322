"""Hostile input: refused with a code and a place, never a traceback, never a control character, never a wait."""

import json
import os
from pathlib import Path

import pytest

from operatebench.identity.profile import IDENTITY_PROFILE
from tests.cli.conftest import Answer
from tests.support import RunCli

TEXTS: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "strict_json", "line 1 column 0"),
    "blank": (b" \n ", "strict_json", "line 2 column 1"),
    "binary": (bytes(range(256)), "strict_json", "line 1 column 1"),
    "not-utf8": (b'{"a": "\xff"}', "strict_json", "line 1 column 8"),
    "byte-order-mark": (b"\xef\xbb\xbf{}", "strict_json", "line 1 column 1"),
    "utf16": ('{"a": 1}'.encode("utf-16"), "strict_json", "line 1 column 1"),
    "trailing": (b"{} {}", "strict_json", "line 1 column 4"),
    "duplicate": (b'{"a": 1, "a": 2}', "strict_json", "line 1 column 14"),
    "not-a-number": (b"[NaN]", "strict_json", "line 1 column 2"),
    "fraction": (b"[0, 1.5]", "strict_json", "/1"),
    "infinite": (b"[1e999]", "strict_json", "/0"),
    "big-integer": (b"[9007199254740992]", "strict_json", "/0"),
    "long-number": (b"[" + b"9" * 5000 + b"]", "strict_json", "line 1 column 4303"),
    "surrogate": (b'{"x": "\\ud800"}', "strict_json", "line 1 column 14"),
    "surrogate-name": (b'{"\\ud800": 1}', "strict_json", "line 1 column 9"),
    "deep": (b"[" * 100_000, "resource_limits", "line 1 column 202"),
    "nested": (b"[" * 65 + b"]" * 65, "resource_limits", "/0" * 64),
    "wide": (b"[" + b"0," * 4096 + b"0]", "resource_limits", ""),
    "long-text": (b'{"a/b": "' + b"x" * (1024 * 1024 + 1) + b'"}', "resource_limits", "/a~1b"),
}
"""Name -> text of a document, and the code and place of its refusal."""


def test_every_hostile_text_is_refused_with_code_and_place(run_cli: RunCli, tmp_path: Path, answer: Answer) -> None:
    for name, (text, _, _) in TEXTS.items():
        (tmp_path / name).write_bytes(text)

    done = run_cli("digest", "--json", *TEXTS, cwd=tmp_path)

    found = {row["file"]: (row["refusal"]["code"], row["refusal"]["path"]) for row in answer(done)["files"]}
    assert done.returncode == 1
    assert found == {name: (code, place) for name, (_, code, place) in TEXTS.items()}


def test_what_is_no_document_is_refused_without_waiting(run_cli: RunCli, tmp_path: Path, answer: Answer) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(IDENTITY_PROFILE.max_text_bytes + 1)

    done = run_cli("digest", "--json", "pipe", "folder", "loop", "huge", "no", "/dev/zero", cwd=tmp_path)

    rows = answer(done)["files"]
    assert [(row["refusal"]["code"], row["refusal"]["actual"]) for row in rows] == [
        ("file_type", "a pipe"),
        ("file_type", "a directory"),
        ("file_unreadable", "Too many levels of symbolic links"),
        ("file_too_large", f"{IDENTITY_PROFILE.max_text_bytes + 1} bytes"),
        ("file_missing", "No such file or directory"),
        ("file_type", "a character device"),
    ]
    assert {row["refusal"]["document"] for row in rows} == {"document"}


def test_standard_input_is_bounded(run_cli: RunCli, answer: Answer) -> None:
    done = run_cli("digest", "--json", "-", stdin=b" " * (IDENTITY_PROFILE.max_text_bytes + 2))

    (row,) = answer(done)["files"]
    limit = IDENTITY_PROFILE.max_text_bytes
    assert (row["refusal"]["code"], row["refusal"]["actual"]) == ("file_too_large", f"more than {limit} bytes")


COMMANDS: dict[str, tuple[str, ...]] = {
    "manifest build": ("manifest", "build", "-"),
    "manifest show": ("manifest", "show", "-"),
    "manifest diff": ("manifest", "diff", "manifest.json", "-"),
    "requirements check": ("requirements", "check", "-", "--manifest", "manifest.json"),
    "schema check": ("schema", "check", "-"),
    "vectors verify": ("vectors", "verify", "-"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_what_is_not_strict_json(run_cli: RunCli, made: Path, command: str) -> None:
    done = run_cli(*COMMANDS[command], cwd=made, stdin=b'{"a": 1, "a": 2}')

    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("refused   strict_json: ")
    assert lines[1] == "where     standard input line 1 column 14"
    assert {line.split()[0] for line in lines} == {"refused", "where", "expected", "actual", "remedy"}


def test_control_characters_and_markup_in_a_document_mean_nothing(run_cli: RunCli, work: Path) -> None:
    projections = json.loads((work / "projections.json").read_bytes())
    name = "\x1b]0;owned\x07\x9b31m[bold red]x[/]\u202e\r\n"
    projections["variant_content"][name] = name
    (work / "p.json").write_text(json.dumps(projections))

    done = run_cli("manifest", "build", "p.json", cwd=work)

    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 5
    assert done.stderr.replace("\n", "").isprintable()
    assert "[bold red]x[~1]" in done.stderr
    assert "\\x1b]0;owned\\x07\\x9b31m" in done.stderr


def test_control_characters_in_a_file_name_mean_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    names = ["\x1b[31mred\n.json", os.fsdecode(b"\xff.json")]
    for name in names:
        (tmp_path / name).write_text("{}")

    good = run_cli("digest", *names, cwd=tmp_path)
    bad = run_cli("digest", "no\x1b[31m", cwd=tmp_path)

    assert [line.split("  ")[1] for line in good.stdout.splitlines()] == ["\\x1b[31mred\\n.json", "\\udcff.json"]
    assert "where     no\\x1b[31m\n" in bad.stderr
