"""Output is the same, byte for byte, whatever hash seed, locale, encoding, time zone, width and working directory."""

import shutil
from pathlib import Path

import pytest

from tests.support import RunCli

PLAIN = {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
SURROUNDINGS: dict[str, dict[str, str]] = {
    "ascii": {
        **PLAIN,
        "PYTHONHASHSEED": "2",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "TZ": "Asia/Kathmandu",
        "COLUMNS": "40",
    },
    "foreign": {
        **PLAIN,
        "PYTHONHASHSEED": "3",
        "LC_ALL": "tr_TR.UTF-8",
        "LANGUAGE": "tr",
        "PYTHONIOENCODING": "utf-16:strict",
        "TZ": "America/St_Johns",
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
    },
}
LINES: dict[str, tuple[str, ...]] = {
    "digest": ("digest", "--explain", "Siân.json", "no-é.json"),
    "validate": ("manifest", "validate", "m.json", "--census", "c.json", "--projections", "new-projections.json"),
    "show": ("manifest", "show", "m.json"),
    "diff": ("manifest", "diff", "m.json", "new-manifest.json", "--json"),
    "help": ("manifest", "frob"),
}


@pytest.fixture(scope="module")
def folder(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with documents that hold much beyond ASCII."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("a") / "one"))
    shutil.copy(folder / "manifest.json", folder / "m.json")
    shutil.copy(folder / "census.json", folder / "c.json")
    (folder / "Siân.json").write_text('{"\ufb41": 1.0, "\U0001f600": "é\u202e"}', encoding="utf-8")
    return folder


@pytest.mark.parametrize("line", LINES)
def test_output_does_not_depend_on_surroundings(run_cli: RunCli, folder: Path, tmp_path: Path, line: str) -> None:
    elsewhere = Path(shutil.copytree(folder, tmp_path / "zwei ü"))
    wanted = run_cli(*LINES[line], cwd=folder, env=PLAIN)

    assert wanted.stdout + wanted.stderr
    for name, surroundings in SURROUNDINGS.items():
        done = run_cli(*LINES[line], cwd=elsewhere, env=surroundings)
        assert (done.returncode, done.stdout, done.stderr) == (wanted.returncode, wanted.stdout, wanted.stderr), name
