"""Fuzzes parser, validator and command line for a bounded time each; exit status 1 and the input's path on a finding.

make fuzz                                   make fuzz ARGS='--seconds 600 --target parser'
make fuzz ARGS='--replay crashes/parser-crash-…  --target parser'
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("parser", "validator", "command")
_REPLAY = "import sys; from fuzz.targets import TARGETS; TARGETS[sys.argv[1]](open(sys.argv[2], 'rb').read())"


def main() -> int:
    """Run the targets one after the other."""
    options = _options().parse_args()
    targets = [options.target] if options.target else list(TARGETS)
    if options.replay:
        return subprocess.run(
            [sys.executable, "-c", _REPLAY, targets[0], str(options.replay.resolve())], cwd=ROOT, check=False
        ).returncode
    options.crashes.mkdir(parents=True, exist_ok=True)
    return max([_fuzz(target, options.seconds, options.crashes.resolve()) for target in targets])


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="make fuzz", description="Coverage-guided fuzzing.")
    options.add_argument("--seconds", type=int, default=60, help="time for each target (60)")
    options.add_argument("--target", choices=TARGETS, help="only this one")
    default = Path(tempfile.gettempdir()) / "operatebench-fuzz"
    options.add_argument("--crashes", type=Path, default=default, help=f"where inputs that crash are kept ({default})")
    options.add_argument("--replay", type=Path, metavar="FILE", help="run the target once on this input")
    return options


def _fuzz(target: str, seconds: int, crashes: Path) -> int:
    before = set(crashes.iterdir())
    with tempfile.TemporaryDirectory() as corpus:
        words = [sys.executable, "-m", "fuzz.child", target, str(seconds), corpus, str(crashes)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, errors="backslashreplace", check=False)
    found = sorted(set(crashes.iterdir()) - before)
    runs = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
    count = runs[1] if runs else "?"
    if done.returncode == 0 and not found:
        print(f"{target:<10} {count} inputs in {seconds} s, nothing but answers and refusals")
        return 0
    print(done.stderr[-6000:], file=sys.stderr)
    print(f"{target:<10} FAILED after {count} inputs, status {done.returncode}")
    for path in found:
        print(f"{target:<10} input: {path}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
