"""``card validate`` and ``card check``: one card with its references, and folders of cards."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.cards import DIGESTS, TEXTS, change, read, write_chain
from tests.cli.conftest import Answer
from tests.support import RunCli

BOTH = ("--refers-to", "scenario.json", "--refers-to", "operation.json")
TREE = [
    f"operation heating.repair@1.0.0  {DIGESTS['operation'][:12]}  operation.json",
    f"  scenario heating.approval-before-booking  {DIGESTS['scenario'][:12]}  scenario.json",
    f"    variant heating.approval-before-booking.late-quote  {DIGESTS['variant'][:12]}  variant.json",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_chain(tmp_path)


def test_a_valid_card(run_cli: RunCli, run_here: RunCli, answer: Answer, folder: Path) -> None:
    done = run_cli("card", "validate", "variant.json", *BOTH, cwd=folder)
    program = answer(run_here("card", "validate", "variant.json", *BOTH, "--json", cwd=folder))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"OK: variant.json {DIGESTS['variant']}\n")
    assert program == {
        "command": "card validate",
        "exit": 0,
        "schema": "operatebench.variant_card.v1",
        "id": "heating.approval-before-booking.late-quote",
        "content_digest_sha256": DIGESTS["variant"],
    }


def test_an_operation_needs_no_references(run_here: RunCli, folder: Path) -> None:
    done = run_here("card", "validate", "-", cwd=folder, stdin=TEXTS["operation"])
    assert (done.returncode, done.stderr) == (0, f"OK: standard input {DIGESTS['operation']}\n")


@pytest.mark.parametrize(
    ("words", "answer", "where"),
    [
        (("variant.json",), (2, "references.unresolved"), "variant.json#/content/semantic_scenario"),
        (("variant.json", *BOTH[:2]), (2, "references.target_invalid"), "scenario.json#/content/operation_core"),
        (("variant.json", *BOTH, *BOTH[:2]), (2, "references.ambiguous"), "scenario.json#/id"),
        (("broken.json",), (1, "parse.syntax"), "broken.json line 2 column 3"),
        (("twice.json",), (1, "parse.duplicate_key"), "twice.json line 1 column 12"),
        (("float.json",), (1, "projection.float"), "float.json#/a"),
        (("variant.json", "--refers-to", "broken.json"), (1, "parse.syntax"), "broken.json line 2 column 3"),
        (("no.json",), (1, "file_missing"), "no.json"),
        ((".",), (1, "file_type"), "."),
    ],
)
def test_refusals_say_which_file_and_where(
    run_here: RunCli, folder: Path, words: tuple[str, ...], answer: tuple[int, str], where: str
) -> None:
    (folder / "broken.json").write_text("{\n  x}")
    (folder / "twice.json").write_text('{"a":1,"a":1}')
    (folder / "float.json").write_text('{"a": 1.0}')

    done = run_here("card", "validate", *words, cwd=folder)

    lines = done.stderr.splitlines()
    assert (done.returncode, lines[0].split()[1]) == (answer[0], f"{answer[1]}:")
    assert lines[1] == f"where     {where}"


def test_a_sound_folder(run_cli: RunCli, folder: Path) -> None:
    done = run_cli("card", "check", folder)

    assert done.returncode == 0
    assert done.stdout.splitlines() == [*(f"OK: {name}.json {DIGESTS[name][:12]}" for name in DIGESTS), "", *TREE]
    assert done.stderr == f"{folder}: 3 files, 3 in order\n"


def test_json_of_a_folder(run_here: RunCli, answer: Answer, folder: Path) -> None:
    change(folder / "variant.json", DIGESTS["scenario"], "0" * 64)

    program = answer(run_here("card", "check", ".", "--json", cwd=folder))

    assert (program["exit"], program["folder"], [card["file"] for card in program["cards"]]) == (
        2,
        ".",
        ["operation.json", "scenario.json", "variant.json"],
    )
    scenario, variant = program["cards"][1:]
    assert scenario == {
        "file": "scenario.json",
        "valid": True,
        "schema": "operatebench.semantic_scenario_card.v1",
        "id": "heating.approval-before-booking",
        "content_digest_sha256": DIGESTS["scenario"],
        "refers_to": {"schema": "operatebench.operation_card.v1", "id": "heating.repair@1.0.0"},
        "not_bindable": {"count": 0, "first": []},
        "refusal": None,
    }
    assert (variant["valid"], variant["refusal"]["code"], variant["refusal"]["file"], variant["refusal"]["path"]) == (
        False,
        "digest.stale_or_forged",
        "variant.json",
        "/content_digest_sha256",
    )


def test_other_files_links_and_deeper_folders(run_here: RunCli, folder: Path) -> None:
    (folder / "README.md").write_text("no card")
    (folder / "below").mkdir()
    (folder / "below" / "bad.json").write_text("{")
    (folder / "folder.json").mkdir()
    (folder / "link.json").symlink_to("operation.json")
    (folder / "\x1bname.json").write_text("{}")

    done = run_here("card", "check", ".", cwd=folder)

    assert done.returncode == 1
    assert done.stdout.splitlines()[:6] == [
        "FAIL: \\x1bname.json generation.unsupported_pair /schema",
        "FAIL: folder.json file_type",
        "FAIL: link.json file_type",
        *(f"OK: {name}.json {DIGESTS[name][:12]}" for name in DIGESTS),
    ]


def test_integers_no_manifest_can_bind_are_the_answer_no(run_here: RunCli, answer: Answer, folder: Path) -> None:
    change(folder / "operation.json", '"max_turns_per_invocation": 12', f'"max_turns_per_invocation": {2**53}')
    run_here("card", "seal", "operation.json", "--in-place", cwd=folder)
    (folder / "scenario.json").unlink()
    (folder / "variant.json").unlink()

    people = run_here("card", "check", ".", cwd=folder)
    program = answer(run_here("card", "check", ".", "--json", cwd=folder))

    digest = read(folder / "operation.json")["content_digest_sha256"]
    place = "/content/policy_contract/max_turns_per_invocation"
    assert people.returncode == 2
    assert people.stdout.splitlines()[:2] == [
        f"OK: operation.json {digest[:12]}",
        f"not_bindable: operation.json {place} 9007199254740992",
    ]
    assert people.stderr == ".: 1 files, 0 in order\n"
    assert program["cards"][0]["not_bindable"] == {"count": 1, "first": [{"path": place, "value": "9007199254740992"}]}


@pytest.mark.parametrize(("name", "code"), [("no", "file_missing"), ("operation.json", "file_type")])
def test_what_is_no_folder(run_here: RunCli, folder: Path, name: str, code: str) -> None:
    done = run_here("card", "check", name, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:2][0].startswith(f"refused   {code}: ")
    assert done.stderr.splitlines()[1] == f"where     {name}"


def test_a_folder_without_cards_is_refused(run_here: RunCli, tmp_path: Path) -> None:
    done = run_here("card", "check", ".", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "refused   file_missing: " in done.stderr
    assert "expected  files *.json\nactual    none\n" in done.stderr


def many(folder: Path) -> Path:
    """Fill a folder with files that are quickly refused."""
    for index in range(120):
        (folder / f"{index:03}.json").write_text("{}")
    return folder


def test_progress_is_for_terminals(tmp_path: Path) -> None:
    many(tmp_path)
    command = [str(Path(sys.executable).parent / "operatebench"), "card", "check", str(tmp_path)]
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, check=False)
        shown = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 1
    assert "\r\x1b[K119 of 120 cards\r\x1b[K120 of 120 cards\r\x1b[K" in shown


def test_no_progress_elsewhere(run_cli: RunCli, tmp_path: Path) -> None:
    done = run_cli("card", "check", many(tmp_path))
    assert done.stderr == f"{tmp_path}: 120 files, 0 in order\n"
