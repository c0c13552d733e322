"""``card digest`` and ``card seal``: the digest of what a card says now, printed or written into the card."""

import json
from pathlib import Path

import pytest

from tests.cli.cards import DIGESTS, TEXTS, change, read, write_chain
from tests.cli.conftest import Answer
from tests.support import RunCli


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_chain(tmp_path)


def test_digests_of_right_wrong_and_missing_ones(run_cli: RunCli, folder: Path) -> None:
    change(folder / "scenario.json", DIGESTS["scenario"], "0" * 64)
    change(folder / "variant.json", f'  "content_digest_sha256": "{DIGESTS["variant"]}"\n}}', '  "x": 1\n}')

    done = run_cli("card", "digest", "operation.json", "scenario.json", "variant.json", cwd=folder)

    assert done.returncode == 0
    assert done.stdout == "".join(f"{digest}  {name}.json\n" for name, digest in DIGESTS.items())
    assert done.stderr.splitlines() == [
        f'scenario.json: the card says "{"0" * 64}"',
        "variant.json: the card has no digest yet",
    ]


def test_a_refused_file_does_not_stop_the_others(run_here: RunCli, answer: Answer, folder: Path) -> None:
    (folder / "bad.json").write_text("[1.5]")

    people = run_here("card", "digest", "bad.json", "no.json", "operation.json", cwd=folder)
    program = answer(run_here("card", "digest", "bad.json", "operation.json", "--json", cwd=folder))

    assert (people.returncode, people.stdout) == (1, f"{DIGESTS['operation']}  operation.json\n")
    assert [line for line in people.stderr.splitlines() if line.startswith("where")] == [
        "where     bad.json#/0",
        "where     no.json",
    ]
    assert program["files"][0]["refusal"]["code"] == "projection.float"
    assert program["files"][1] == {
        "file": "operation.json",
        "content_digest_sha256": DIGESTS["operation"],
        "same_in_card": True,
    }


def test_sealing_in_place(run_cli: RunCli, folder: Path) -> None:
    change(folder / "variant.json", "2025-01-15T16:20", "2025-01-15T17:00")
    edited = (folder / "variant.json").read_text(encoding="utf-8")

    done = run_cli("card", "seal", "variant.json", "--in-place", cwd=folder)

    sealed = read(folder / "variant.json")["content_digest_sha256"]
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"sealed: variant.json {sealed} (was {DIGESTS['variant']})\n"
    assert (folder / "variant.json").read_text(encoding="utf-8") == edited.replace(DIGESTS["variant"], sealed)
    assert sorted(path.name for path in folder.iterdir()) == ["operation.json", "scenario.json", "variant.json"]
    again = run_cli("card", "seal", "variant.json", "--in-place", cwd=folder)
    assert again.stderr == f"sealed: variant.json {sealed} (unchanged)\n"


def test_sealing_to_standard_output_or_a_new_file(run_here: RunCli, answer: Answer, folder: Path) -> None:
    printed = run_here("card", "seal", "-", cwd=folder, stdin=TEXTS["operation"])
    written = run_here("card", "seal", "operation.json", "--out", "new.json", cwd=folder)
    taken = run_here("card", "seal", "operation.json", "--out", "new.json", cwd=folder)
    program = answer(run_here("card", "seal", "operation.json", "--json", cwd=folder))

    assert printed.stdout.encode() == (folder / "new.json").read_bytes() == TEXTS["operation"]
    assert printed.stderr == f"sealed: standard input {DIGESTS['operation']} (unchanged)\n"
    assert (written.returncode, written.stdout) == (0, "")
    assert taken.stderr.startswith("refused   file_exists: ")
    assert program["card"] == json.loads(TEXTS["operation"])
    assert list(program) == [
        *("command", "exit", "content_digest_sha256", "previous_digest_sha256"),
        *("reference_moved", "sorted_sets", "file", "card"),
    ]


def test_a_change_goes_down_and_never_up(run_here: RunCli, folder: Path) -> None:
    change(folder / "scenario.json", "resident.left-cold", "resident.left-in-the-cold")
    run_here("card", "seal", "scenario.json", "--in-place", cwd=folder)

    done = run_here("card", "seal", "variant.json", "--refers-to", "scenario.json", "--in-place", cwd=folder)

    scenario, variant = (read(folder / f"{name}.json") for name in ("scenario", "variant"))
    assert done.stderr.splitlines() == [
        f"reference: variant.json {scenario['content_digest_sha256']} (was {DIGESTS['scenario']})",
        f"sealed: variant.json {variant['content_digest_sha256']} (was {DIGESTS['variant']})",
    ]
    assert (folder / "operation.json").read_bytes() == TEXTS["operation"]
    check = run_here("card", "check", ".", cwd=folder)
    assert (check.returncode, check.stdout.count("OK: ")) == (0, 3)


def test_sets_are_sorted_only_when_asked(run_here: RunCli, answer: Answer, folder: Path) -> None:
    card = read(folder / "variant.json")
    card["content"]["actors"].reverse()
    unsorted = json.dumps(card, indent=2).encode()
    (folder / "variant.json").write_bytes(unsorted)

    refused = run_here("card", "seal", "variant.json", "--in-place", cwd=folder)
    assert (refused.returncode, (folder / "variant.json").read_bytes()) == (2, unsorted)
    assert refused.stderr.startswith("refused   shape.set_order: ")

    program = answer(run_here("card", "seal", "variant.json", "--sort-sets", "--json", cwd=folder))
    people = run_here("card", "seal", "variant.json", "--sort-sets", "--in-place", cwd=folder)
    assert program["sorted_sets"] == ["/content/actors"]
    assert people.stderr.splitlines()[0] == "sorted: variant.json#/content/actors"
    assert (folder / "variant.json").read_bytes() == TEXTS["variant"]


@pytest.mark.parametrize(
    ("words", "status", "first"),
    [
        (("no.json",), 1, "refused   file_missing: "),
        (("variant.json", "--refers-to", "operation.json"), 2, "refused   references.unresolved: "),
        (("variant.json", "--refers-to", "stale.json"), 1, "refused   digest.stale_or_forged: "),
        (("list.json",), 1, "refused   shape.root_not_object: "),
        (("kind.json",), 1, "refused   generation.unsupported_pair: "),
        (("link.json", "--in-place"), 1, "refused   file_type: "),
    ],
)
def test_refusals_write_nothing(
    run_here: RunCli, folder: Path, words: tuple[str, ...], status: int, first: str
) -> None:
    (folder / "stale.json").write_bytes(TEXTS["scenario"].replace(b"left-cold", b"left-in-the-cold"))
    (folder / "list.json").write_text("[]")
    (folder / "kind.json").write_text('{"schema": "\\u001b[31m"}')
    (folder / "link.json").symlink_to("operation.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    done = run_here("card", "seal", *words, cwd=folder)

    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(first)
    assert "\x1b" not in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "words", [("a.json", "--in-place", "--out", "b.json"), ("-", "--in-place"), ("-", "--out", "-")]
)
def test_wrong_usage(run_here: RunCli, words: tuple[str, ...], tmp_path: Path) -> None:
    assert run_here("card", "seal", *words, cwd=tmp_path).returncode == 64
