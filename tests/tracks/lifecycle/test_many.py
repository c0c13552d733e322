"""Many bundles: one line of each, in the order given, whoever verified it."""

import pytest

from operatebench.replay.verify import Verdict, VerificationReport, Verifier
from operatebench.tracks.lifecycle import Judged, verify_many
from tests.tracks.lifecycle.verification.forging import runtime, verifier, write_run


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    good = write_run(folder / "good", "V3", "always_wait")
    return [str(good), str(folder / "no"), str(folder), str(good)]


def test_the_same_with_any_number_of_workers(paths: list[str]) -> None:
    one, two, many = ([told(each) for each in verify_many(runtime(), paths, jobs=jobs)] for jobs in (1, 2, 9))

    assert one == two == many
    assert [each[:3] for each in one] == [
        (paths[0], Verdict.VERIFIED, 0),
        (paths[1], Verdict.REFUSED, 1),
        (paths[2], Verdict.REFUSED, 1),
        (paths[3], Verdict.VERIFIED, 0),
    ]


def told(judged: Judged) -> tuple[str, Verdict, int, str | None, str]:
    refusal = "" if judged.refusal is None else str(judged.refusal)
    return judged.path, judged.verdict, judged.exit_status, judged.artifact_digest_sha256, refusal


def test_it_says_what_one_verification_says(paths: list[str]) -> None:
    (judged,) = verify_many(runtime(), paths[:1], jobs=2)

    report = verifier().verify(paths[0])
    assert report.artifact is not None
    assert told(judged) == (paths[0], report.verdict, 0, report.artifact.artifact_digest_sha256, "")


def test_nothing_is_verified_before_it_is_asked_for(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    real = Verifier.verify

    def noting(self: Verifier, path: str) -> VerificationReport:
        asked.append(path)
        return real(self, path)

    monkeypatch.setattr(Verifier, "verify", noting)

    judged = verify_many(runtime(), paths, jobs=1)
    assert asked == []
    next(judged)
    assert asked == paths[:1]


def test_no_bundles_at_all() -> None:
    assert list(verify_many(runtime(), [], jobs=4)) == []
