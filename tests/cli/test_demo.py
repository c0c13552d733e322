"""The demo runs from start to end, shows the commands it runs, and stops at the first step that is not as expected."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT

DEMO = ROOT / "docs" / "demo.sh"


def run_demo(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    """Run the demo with the given search path and its own folder below ``folder``."""
    environment = {**os.environ, "PATH": path, "TMPDIR": str(folder)}
    return subprocess.run(["/bin/sh", DEMO], env=environment, cwd=folder, capture_output=True, text=True, check=False)


def test_the_demo_ends_as_expected_and_leaves_nothing(tmp_path: Path, preloaded_bin: Path) -> None:
    path = os.pathsep.join((str(preloaded_bin), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = run_demo(tmp_path, path)

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1] == "demo: all steps as expected"
    assert [line.split()[1:4] for line in lines if line.startswith("$ operatebench")] == [
        ["operatebench", "sample", "projections"],
        ["operatebench", "manifest", "build"],
        ["operatebench", "manifest", "validate"],
        ["operatebench", "manifest", "validate"],
        ["operatebench", "manifest", "build"],
        ["operatebench", "manifest", "validate"],
        ["operatebench", "manifest", "diff"],
        ["operatebench", "sample", "cards"],
        ["operatebench", "card", "check"],
        ["operatebench", "card", "check"],
        ["operatebench", "card", "seal"],
        ["operatebench", "card", "check"],
        ["operatebench", "card", "seal"],
        ["operatebench", "card", "check"],
        ["operatebench", "card", "seal"],
        ["operatebench", "card", "check"],
        ["operatebench", "check-maintenance"],
        ["operatebench", "run", "maintenance"],
        ["operatebench", "verify", "run"],
        ["operatebench", "verify", "row"],
        ["operatebench", "verify", "tail"],
        ["operatebench", "verify", "policy"],
        ["operatebench", "verify", "decision"],
        ["operatebench", "run", "maintenance"],
        ["operatebench", "verify", "trusting"],
        ["operatebench", "episode", "show"],
        ["operatebench", "keys", "new"],
        ["operatebench", "keys", "show"],
        ["operatebench", "authorize", "init"],
        ["operatebench", "authorize", "issue"],
        ["operatebench", "run", "maintenance"],
        ["operatebench", "verify", "permitted"],
        ["operatebench", "run", "maintenance"],
        ["operatebench", "run", "maintenance"],
        ["operatebench", "authorize", "audit"],
    ]
    verdicts = ("VERIFIED", "REFUSED", "DIVERGED", "REPLAYED")
    assert [line.split(": ")[:2] for line in lines if line.startswith(verdicts)] == [
        ["VERIFIED", "run"],
        ["REFUSED", "row"],
        ["REFUSED", "tail"],
        ["REFUSED", "policy"],
        ["DIVERGED", "decision"],
        ["REPLAYED", "run"],
        ["VERIFIED", "trusting"],
        ["VERIFIED", "permitted"],
        ["REFUSED", "permit.json"],
        ["REFUSED", "permit.json"],
    ]
    assert [line for line in lines if line.startswith("# moved: ")] == [
        "# moved: variant.json",
        "# moved: scenario.json variant.json",
    ]
    assert list(tmp_path.iterdir()) == []


def test_the_demo_stops_when_a_step_ends_otherwise(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "operatebench").write_text("#!/bin/sh\necho '{\"tick_seconds\": 60}'\nexit 0\n")
    (folder / "operatebench").chmod(0o755)

    done = run_demo(tmp_path, f"{folder}{os.pathsep}{os.environ['PATH']}")

    assert done.returncode == 1
    assert done.stderr == "demo: no line says: OK: manifest.json [0-9a-f]\\{64\\}\n"
    assert "demo: all steps as expected" not in done.stdout
    assert [entry.name for entry in tmp_path.iterdir()] == ["bin"]
