"""Figures of the verifier: one run bundle against the run itself, and many bundles with two workers against one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from operatebench.cli.surroundings import writer_of
from operatebench.replay.verify import Verdict, Verifier
from operatebench.tracks.lifecycle import MaintenanceRuntime, Selection, keep_run, run_one, verify_many

from . import peak
from .figures import Measurement, at_least, at_most, figure
from .measure import compare, two_workers
from .samples import sample

BUNDLES = 1_000
"""Bundles that are verified with one worker and with two."""

FEW, MANY = 30, 300
"""Bundles after which the peak memory of one process is compared."""


@cache
def runtime() -> MaintenanceRuntime:
    """Return the runtime that is here; its live identities are made once."""
    return MaintenanceRuntime()


def keep(folder: Path) -> Path:
    """Write the bundle of the V1 reference run."""
    here = runtime()
    keep_run(here, Selection(here.spec.operation_id, "V1", "reference", 0), folder, writer_of(here))
    return folder


@figure("verify", at_most(2.0), rounds=15)
def verify(rounds: int) -> Measurement:
    """Verify the V1 reference bundle, against the same run in memory: execute, reproduce, evaluate, no files."""
    with TemporaryDirectory() as place:
        bundle = keep(Path(place, "run"))
        verifier = Verifier(runtime())
        evidence = json.loads((bundle / "evidence.json").read_bytes())

        def verified() -> object:
            if verifier.verify(bundle).verdict is not Verdict.VERIFIED:
                raise AssertionError("the bundle was not verified")
            return None

        return compare(
            verified,
            lambda: run_one(runtime(), "V1", "reference"),
            reference="the run in memory",
            rounds=rounds,
            samples=(sample("evidence of the V1 reference run", evidence),),
        )


@figure("verify-two-workers", at_least(1.8), rounds=1)
def verify_two_workers(rounds: int) -> Measurement:
    """Verify 1,000 bundles with one worker and with two: times faster. Wall-clock time."""
    with TemporaryDirectory() as place:
        first = keep(Path(place, "0"))
        paths = [str(first)]
        paths += [str(shutil.copytree(first, Path(place, str(number)))) for number in range(1, BUNDLES)]

        def verified(jobs: int) -> None:
            if any(each.exit_status for each in verify_many(runtime(), paths, jobs=jobs)):
                raise AssertionError("a bundle was not verified")

        return two_workers(verified, rounds)


@figure("verify-memory", at_most(1.1), rounds=1)
def verify_memory(rounds: int) -> Measurement:
    """Verify 300 bundles in a fresh process: its peak memory by that of one that verifies 30."""
    peaks: dict[int, list[float]] = {FEW: [], MANY: []}
    with TemporaryDirectory() as place:
        bundle = keep(Path(place, "run"))
        for _ in range(rounds):
            for count, found in peaks.items():
                command = [sys.executable, peak.__file__, "bundles", str(bundle), str(count)]
                said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
                found.append(int(said.split()[1]) / 1e6)
    return Measurement(
        reference=f"itself with {FEW} bundles",
        ratios=tuple(many / few for many, few in zip(peaks[MANY], peaks[FEW], strict=True)),
        ours=tuple(peaks[MANY]),
        theirs=tuple(peaks[FEW]),
        unit="MB",
    )
