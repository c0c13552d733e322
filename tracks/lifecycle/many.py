"""Verifies many run bundles, some at a time; what is kept of each is one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...authority import TrustedIssuers
from ...errors import OperateBenchError
from ...replay.verify import Verdict, Verifier
from .bound import MaintenanceRuntime
from .workers import in_workers


@dataclass(frozen=True, slots=True)
class Judged:
    """One bundle that was verified.

    Attributes:
        path: as it was named.
        verdict: what follows from all checks.
        refusal: what the verdict rests on, if there is something.
        exit_status: of a verification of this bundle alone.
        artifact_digest_sha256: what the bundle is, if that could be read.
    """

    path: str
    verdict: Verdict
    refusal: OperateBenchError | None
    exit_status: int
    artifact_digest_sha256: str | None


def verify_many(
    runtime: MaintenanceRuntime, paths: Sequence[str], *, jobs: int, issuers: TrustedIssuers | None = None
) -> Iterator[Judged]:
    """Verify bundles and yield each one, in the order given, as soon as it and all before it are done.

    Args:
        runtime: what is here.
        paths: the folders of the bundles.
        jobs: worker processes; 1 does everything in this one.
        issuers: whose signatures on authorizations count; None leaves signatures unchecked.

    Raises:
        EpisodeError: ``worker_lost``.
    """
    verifier = Verifier(runtime, issuers)

    def judge(path: str) -> Judged:
        report = verifier.verify(path)
        digest = None if report.artifact is None else report.artifact.artifact_digest_sha256
        return Judged(path, report.verdict, report.refusal, report.exit_status, digest)

    yield from in_workers(judge, paths, jobs)
