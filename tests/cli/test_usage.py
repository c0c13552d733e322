"""Help pages and wrong usage: an example and the exit statuses everywhere, exit status 64, and no markup."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import operatebench
from operatebench.cli.app import _application, run
from tests.support import ROOT, RunCli

EXITS: dict[tuple[str, ...], set[int]] = {
    ("digest",): {0, 1, 64},
    ("keys", "new"): {0, 1, 64},
    ("keys", "show"): {0, 1, 64},
    ("authorize", "init"): {0, 1, 64},
    ("authorize", "issue"): {0, 1, 64},
    ("authorize", "check"): {0, 1, 2, 64},
    ("authorize", "revoke"): {0, 1, 64},
    ("authorize", "audit"): {0, 1, 2, 64},
    ("schema", "export"): {0, 1, 64},
    ("vectors", "export"): {0, 1, 64},
    ("check-maintenance",): {0, 1, 2, 64},
    ("run", "maintenance"): {0, 1, 2, 64},
    ("episode", "show"): {0, 1, 64},
    ("bundle", "show"): {0, 1, 64},
    ("bundle", "export"): {0, 1, 64},
    ("bundle", "import"): {0, 1, 64},
    ("ledger", "verify"): {0, 1, 2, 64},
    ("ledger", "show"): {0, 1, 2, 64},
    ("ledger", "prove"): {0, 1, 2, 64},
    ("ledger", "check-proof"): {0, 1, 2, 64},
    ("operation", "validate"): {0, 1, 2, 64},
    ("operation", "explain"): {0, 1, 64},
    ("manifest", "build"): {0, 1, 64},
    ("manifest", "validate"): {0, 1, 2, 64},
    ("manifest", "show"): {0, 1, 2, 64},
    ("manifest", "diff"): {0, 1, 2, 64},
    ("requirements", "check"): {0, 1, 2, 64},
    ("schema", "check"): {0, 1, 2, 64},
    ("source", "show"): {0, 1, 2, 64},
    ("source", "diff"): {0, 1, 2, 64},
    ("tree", "digest"): {0, 1, 64},
    ("build", "describe"): {0, 1, 64},
    ("census", "show"): {0, 1, 64},
    ("census", "check"): {0, 1, 2, 64},
    ("census", "bundle"): {0, 1, 64},
    ("census", "owner"): {0, 1, 2, 64},
    ("regrade",): {0, 1, 2, 64},
    ("vectors", "verify"): {0, 1, 2, 64},
    ("verify",): {0, 1, 2, 64},
    ("identity", "live"): {0, 1, 64},
    ("identity", "diff"): {0, 1, 2, 64},
    ("sample", "projections"): {0, 1, 64},
    ("sample", "cards"): {0, 1, 64},
    ("sample", "spec"): {0, 1, 64},
    ("card", "new"): {0, 1, 2, 64},
    ("card", "digest"): {0, 1, 64},
    ("card", "seal"): {0, 1, 2, 64},
    ("card", "validate"): {0, 1, 2, 64},
    ("card", "explain"): {0, 1, 2, 64},
    ("card", "check"): {0, 1, 2, 64},
}
"""Every command, and the exit statuses it may end with."""


def test_every_command_is_in_the_table() -> None:
    def names(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        below = getattr(command, "commands", None)
        if below is None:
            yield words
        for name, each in (below or {}).items():
            yield from names(each, (*words, name))

    assert set(names(typer.main.get_command(_application()))) == set(EXITS)


def test_the_reference_in_the_readme_names_every_command_and_no_other() -> None:
    table = (ROOT / "README.md").read_text("utf-8").partition("\n## Commands\n")[2].partition("\n## ")[0]
    spans = [span.split() for span in re.findall(r"`operatebench ([^`]+)`", table)]

    assert {tuple(word for word in span[:2] if re.fullmatch("[a-z-]+", word)) for span in spans} == set(EXITS)


@pytest.mark.parametrize("words", EXITS, ids=" ".join)
def test_a_help_page_has_an_example_and_the_exit_statuses(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    status = run([*words, "--help"])

    page = capsys.readouterr().out
    assert status == 0
    lines = [line.strip() for line in page.splitlines()]
    example = lines[lines.index("Example:") + 1]
    assert example.startswith(f"operatebench {' '.join(words)}")
    exits = lines[lines.index("Exit status:") + 1 :]
    assert {int(line.split()[0]) for line in exits if line} == EXITS[words]
    assert any(line.startswith("--json ") for line in lines)
    assert page.isascii()
    assert "\x1b" not in page


@pytest.mark.parametrize("words", [(), *sorted({(words[0],) for words in EXITS if len(words) > 1})], ids=" ".join)
def test_the_help_page_of_a_group_has_them_too(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    status = run([*words, "--help"])

    page = capsys.readouterr().out
    assert status == 0
    assert f"  Example:\n    operatebench {' '.join(words)}" in page
    assert [int(line.split()[0]) for line in page.partition("Exit status:\n")[2].splitlines()] == [0, 1, 2, 64]


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version(run_cli: RunCli, option: str) -> None:
    done = run_cli(option)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"operatebench {operatebench.__version__}\n", "")


def test_the_version_is_an_option_of_the_application_too(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    status = run(["--version", "digest"])

    assert (status, capsysbinary.readouterr().out) == (0, f"operatebench {operatebench.__version__}\n".encode())


def loaded_after(program: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_version_is_answered_before_typer_is_loaded() -> None:
    loaded = loaded_after(
        "import sys; sys.argv = ['operatebench', '--version']; from operatebench.cli import main; main();"
        "sys.stderr.write(' '.join(sys.modules))"
    )

    assert loaded.isdisjoint({"typer", "json", "operatebench.errors", "operatebench.cli.app", "operatebench.identity"})


def test_loading_the_application_loads_no_work() -> None:
    loaded = loaded_after("import sys, operatebench.cli.app; sys.stderr.write(' '.join(sys.modules))")

    assert "typer" in loaded
    assert loaded.isdisjoint(
        {"canonicaljson", "jiter", "jsonschema", "jsonschema_rs", "orjson", "pydantic", "rfc8785", "rich"}
        | {"operatebench.identity", "operatebench.conformance", "operatebench.cards"}
        | {"operatebench.replay", "operatebench.runtime", "operatebench.tracks", "yaml"}
    )


@pytest.mark.parametrize(
    ("words", "message", "page"),
    [
        ((), "Missing command.", "operatebench"),
        (("manifest",), "Missing command.", "operatebench manifest"),
        (("frob",), "No such command 'frob'.", "operatebench"),
        (("digest",), "Missing argument 'FILE...'.", "operatebench digest"),
        (("digest", "a", "--explian"), "No such option: --explian", "operatebench digest"),
        (("manifest", "validate", "m"), "Missing option '--census'.", "operatebench manifest validate"),
        (("schema", "check", "m", "--schema", "x"), "Invalid value for '--schema'", "operatebench schema check"),
    ],
)
def test_wrong_usage_shows_the_help_page_and_what_was_wrong(
    capsysbinary: pytest.CaptureFixture[bytes], words: tuple[str, ...], message: str, page: str
) -> None:
    status = run(list(words))

    out, err = capsysbinary.readouterr()
    assert (status, out) == (64, b"")
    lines = err.decode().splitlines()
    assert lines[0].startswith(f"Usage: {page} ")
    assert lines[-1].startswith(f"wrong usage: {message}")
    assert "  Exit status:" in lines


def test_wrong_usage_ends_the_process_with_64_and_escapes_what_it_repeats(run_cli: RunCli) -> None:
    done = run_cli("\x1b[31m[bold]\u202efrob")

    assert (done.returncode, done.stdout) == (64, "")
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr
    assert "[bold]" in done.stderr


WRITING = (
    "authorize init {}",
    "authorize issue --all --serial 1 --issuer i --unsigned --out {}.json",
    "build describe --out {}",
    "bundle export run --oci {}",
    "bundle import layout {}",
    "card explain card --svg {}",
    "card new operation --out {}",
    "card seal card --out {}",
    "episode show run --svg {}",
    "keys new --out {}",
    "ledger prove ledger --row 0 --out {}",
    "manifest build projections --out {}",
    "regrade run --out {}",
    "run maintenance --all --out {}",
    "run maintenance --variant V1 --agent reference --out {}",
    "sample cards --out {}",
    "schema export --out {}",
    "vectors export --out {}",
)


@pytest.mark.parametrize("words", WRITING)
def test_nothing_is_written_into_a_bundle_or_to_no_name(run_here: RunCli, tmp_path: Path, words: str) -> None:
    (tmp_path / "run" / "cards").mkdir(parents=True)
    (tmp_path / "run" / "artifact.json").touch()
    before = sorted(tmp_path.rglob("*"))
    into = ("run/x", "run/cards/x", *(("run",) if "--all --out" in words or " cards " in words else ()))

    for out in into if words.endswith(".json") else ("", "-", *into):
        done = run_here(*(word.format(out) for word in words.split()), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (64, ""), out
    assert sorted(tmp_path.rglob("*")) == before
