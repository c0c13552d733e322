"""``digest``: one line per document, and with ``--explain`` what other canonical forms make of it."""

import hashlib
import json
from pathlib import Path

from tests.cli.conftest import Answer
from tests.support import RunCli

ORDER = '{"a":[1.0,2],"x":{"\ufb41":1,"\U0001f600":2}}'
OURS = '{"a":[1,2],"x":{"\ufb41":1,"\U0001f600":2}}'
THEIRS = '{"a":[1,2],"x":{"\U0001f600":2,"\ufb41":1}}'


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_one_line_per_document(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"b": 1,\n "a": [true]}')
    (tmp_path / "Siân.json").write_text('"é"', encoding="utf-8")

    done = run_cli("digest", "a.json", "Siân.json", "-", cwd=tmp_path, stdin=" 1.0 ")

    assert done.returncode == 0
    expected = [('{"a":[true],"b":1}', "a.json"), ('"é"', "Siân.json"), ("1", "-")]
    assert done.stdout == "".join(f"{sha256(text)}  {name}\n" for text, name in expected)
    assert done.stderr == ""


def test_a_refused_document_does_not_stop_the_others(
    run_cli: RunCli, run_here: RunCli, tmp_path: Path, answer: Answer
) -> None:
    (tmp_path / "good.json").write_text("{}")
    (tmp_path / "bad.json").write_text("{} x")

    people = run_cli("digest", "bad.json", "good.json", "no.json", cwd=tmp_path)
    program = answer(run_here("digest", "bad.json", "good.json", "--json", cwd=tmp_path))

    assert (people.returncode, people.stdout) == (1, f"{sha256('{}')}  good.json\n")
    assert [line for line in people.stderr.splitlines() if line.startswith(("refused", "where"))] == [
        "refused   strict_json: The value lies outside the strict JSON profile.",
        "where     bad.json line 1 column 4",
        "refused   file_missing: No file has this name.",
        "where     no.json",
    ]
    assert [list(row) for row in program["files"]] == [["file", "refusal"], ["file", "sha256", "bytes"]]
    assert program["files"][1] == {"file": "good.json", "sha256": sha256("{}"), "bytes": 2}
    refusal = program["files"][0]["refusal"]
    assert (refusal["code"], refusal["file"], refusal["path"]) == ("strict_json", "bad.json", "line 1 column 4")


def test_explanation_of_equal_forms(run_cli: RunCli, made: Path) -> None:
    done = run_cli("digest", "--explain", "manifest.json", cwd=made)

    lines = done.stdout.splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["same", "same"]
    assert len({line.split("sha256 ")[1].split()[0] for line in lines[1:]}) == 1
    assert lines[0].split()[0] == lines[1].split()[-1]


def test_explanation_says_where_and_why_the_forms_differ(run_cli: RunCli) -> None:
    done = run_cli("digest", "--explain", "-", stdin=ORDER)

    lines = done.stdout.splitlines()
    size = len(OURS.encode())
    assert lines == [
        f"{sha256(OURS)}  -",
        f"  contract       {size} bytes  sha256 {sha256(OURS)}",
        f"  canonicaljson  {size + 2} bytes  sha256 {sha256(ORDER)}  different",
        f"  RFC 8785       {size} bytes  sha256 {sha256(THEIRS)}  different",
        "  written with a fraction or exponent: /a/0",
        "    the contract and RFC 8785 read an integral number as an integer; canonicaljson keeps it a float",
        "  member order: first at /x, from the first difference on",
        '    contract, by code point:    "\ufb41", "\U0001f600"',
        '    RFC 8785, by UTF-16 unit:   "\U0001f600", "\ufb41"',
    ]


def test_explanation_for_programs(run_here: RunCli, answer: Answer) -> None:
    (row,) = answer(run_here("digest", "--explain", "--json", "-", stdin=ORDER))["files"]

    explanation = row["explanation"]
    assert list(explanation) == ["contract", "canonicaljson", "rfc8785", "integral_floats", "member_order"]
    assert explanation["rfc8785"] == {"bytes": len(OURS.encode()), "sha256": sha256(THEIRS), "same": False}
    assert explanation["integral_floats"] == {"count": 1, "first": "/a/0"}
    assert explanation["member_order"]["path"] == "/x"


def test_a_scalar_document_can_be_explained(run_here: RunCli, answer: Answer) -> None:
    (row,) = answer(run_here("digest", "--explain", "--json", "-", stdin="-0.0"))["files"]

    assert (row["sha256"], row["bytes"]) == (sha256("0"), 1)
    assert row["explanation"]["integral_floats"] == {"count": 1, "first": ""}
    assert row["explanation"]["rfc8785"]["same"] is True
    assert row["explanation"]["canonicaljson"]["sha256"] == sha256("-0.0")
    assert row["explanation"]["member_order"] is None


def test_only_a_few_reordered_names_are_shown(run_here: RunCli, answer: Answer) -> None:
    names = ["a", "\ufb40", "\ufb41", "\ufb43", "\U0001f600"]

    (row,) = answer(run_here("digest", "--explain", "--json", "-", stdin=json.dumps(dict.fromkeys(names, 0))))["files"]

    assert row["explanation"]["member_order"] == {
        "path": "",
        "contract": ['"\ufb40"', '"\ufb41"', '"\ufb43"', "..."],
        "rfc8785": ['"\U0001f600"', '"\ufb40"', '"\ufb41"', "..."],
    }
