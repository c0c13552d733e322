"""Figures measured in processes of their own: peak memory of a validation, and the start of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

from . import peak
from .figures import Measurement, at_most, figure
from .manifests import near_limit


@figure("manifest-memory", at_most(10.0), rounds=5)
def manifest_memory(rounds: int) -> Measurement:
    """Read, parse and validate a near-limit manifest in a fresh process: peak memory by the size of the manifest.

    Peak resident memory above that of the interpreter with the same imports; census, projections and texts included.
    """
    sample = near_limit()
    samples = (sample.manifest, sample.census, sample.projections)
    size = len(sample.manifest.data)
    above: list[float] = []
    with TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("manifest.json", "census.json", "projections.json")]
        for path, text in zip(paths, samples, strict=True):
            path.write_bytes(text.data)
        for _ in range(rounds):
            before, after = map(int, _run([sys.executable, peak.__file__, "manifest", *map(str, paths)]).split())
            above.append(after - before)
    return Measurement(
        reference="size of the manifest",
        ratios=tuple(extra / size for extra in above),
        ours=tuple(extra / 1e6 for extra in above),
        theirs=(size / 1e6,) * rounds,
        unit="MB",
        samples=samples,
    )


@figure("start", at_most(1.25), rounds=25)
def start(rounds: int) -> Measurement:
    """Run `operatebench --version`, against `python -c "import typer"`; wall-clock time of whole processes."""
    ours = [str(Path(sys.executable).parent / "operatebench"), "--version"]
    theirs = [sys.executable, "-c", "import typer"]
    times: dict[bool, list[float]] = {True: [], False: []}
    for command in (ours, theirs):
        _run(command)  # from here on, bytecode is compiled and files are cached
    for number in range(rounds):
        for command in (ours, theirs) if number % 2 == 0 else (theirs, ours):
            began = perf_counter_ns()
            _run(command)
            times[command is ours].append((perf_counter_ns() - began) / 1e6)
    return Measurement(
        reference='python -c "import typer"',
        ratios=tuple(our / other for our, other in zip(times[True], times[False], strict=True)),
        ours=tuple(times[True]),
        theirs=tuple(times[False]),
    )


def _run(command: list[str]) -> str:
    """Run ``command`` and return its standard output; a failure ends the measurement."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
