"""Verifies run bundles: the checks in their order, what each needs, and the verdict (replay contract, section 5)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...authority import TrustedIssuers
from ...errors import BundleError, OperateBenchError, VerificationError
from ...identity.comparison import ManifestComparison
from ..bound import BoundRuntime
from ..bundle import Artifact, Bundle, open_bundle, read_bundle
from ..bundle.contract import AUTHORIZATION, PLACES
from ..capability import ReplayCapability, Replayed
from ..decisions import can_runtime_replay
from ..evaluation import SELF_DIGEST, seal_evaluation
from ..isolation import isolated
from ..ledger import LedgerReader
from .authorization import require_authorized
from .binding import require_bound
from .differences import require_equal
from .live import LiveManifests
from .recording import IdentityManifest, RecordedLedger, Recording
from .report import CheckResult, State, Verdict, VerificationReport
from .reproduction import Reproduction, reproduce
from .soundness import require_derived_census, sound_cards, sound_evidence, sound_manifest

_ON_THE_BUNDLE = ("0", "1", "2", "3", "4a", "5", "6", "8", "9")
"""The checks that ask nothing of what is here."""

_UNREADABLE = frozenset(
    {"not_a_bundle", "bundle_incomplete", "artifact_generation", "artifact_json", "artifact_limits"}
)


def verify(
    path: str | os.PathLike[str],
    bound: BoundRuntime,
    *,
    expect: str | None = None,
    issuers: TrustedIssuers | None = None,
) -> VerificationReport:
    """Verify a run bundle; see :class:`Verifier`, which is cheaper for more than one.

    Args:
        path: the folder of the bundle.
        bound: the runtime that is here.
        expect: a digest that the artifact, the manifest or the evidence must have.
        issuers: whose signatures on authorizations count; None leaves signatures unchecked.
    """
    return Verifier(bound, issuers).verify(path, expect=expect)


def recorded_identity(path: str | os.PathLike[str], bound: BoundRuntime) -> tuple[IdentityManifest, IdentityManifest]:
    """Return what a run was bound to, which is sound in itself and nothing more, and what is here in its place.

    Raises:
        BundleError: it is no bundle, or a member is not as listed.
        DocumentError: a file cannot be read.
        IdentityValidationError: the manifest is not sound.
        LedgerError: the header of the ledger is not.
        VerificationError: ``requirement_not_exact`` or ``selection_unknown``.
    """
    bundle = read_bundle(path)
    header = LedgerReader(io.BytesIO(bundle.texts["ledger"])).header
    return sound_manifest(bundle), LiveManifests(bound).of(header)


class Verifier:
    """Verifies run bundles against one bound runtime, whose live manifests are made once.

    A bundle can be anything: whatever is wrong with it is in the report, and nothing of it is raised. What the bound
    runtime raises passes.
    """

    def __init__(self, bound: BoundRuntime, issuers: TrustedIssuers | None = None) -> None:
        self._bound = bound
        self._issuers = issuers
        self._manifests = LiveManifests(bound)

    def verify(self, path: str | os.PathLike[str], *, expect: str | None = None) -> VerificationReport:
        """Verify one bundle; see :func:`verify`."""
        return self._verification(path, expect).report()

    def replay_exactly(self, path: str | os.PathLike[str]) -> ReplayCapability:
        """Verify a bundle as far as its replay, and return the right to regrade what came out, once.

        Raises:
            OperateBenchError: what the verdict rests on, if the bundle is refused or was not replayed exactly.
        """
        verification = self._verification(path, None)
        report = verification.report()
        # What was changed and sealed again comes out as it was recorded, if only the grading components were changed.
        if report.verdict is Verdict.REFUSED or report.check("10").state is not State.PASSED:
            raise report.refusal or VerificationError("runtime_differs")
        return verification.capability()

    def _verification(self, path: str | os.PathLike[str], expect: str | None) -> _Verification:
        return _Verification(self._bound, self._manifests, self._issuers, path, expect)


class _Verification:
    """One verification. A check finds what earlier ones made in the attributes; it runs only when those passed."""

    artifact: Artifact
    bundle: Bundle
    cards: Mapping[str, Mapping[str, Any]]
    manifest: IdentityManifest
    ledger: RecordedLedger
    evidence: Mapping[str, Any]
    recording: Recording
    evaluation: Mapping[str, Any]
    live: IdentityManifest
    comparison: ManifestComparison
    reproduction: Reproduction

    def __init__(
        self,
        bound: BoundRuntime,
        manifests: LiveManifests,
        issuers: TrustedIssuers | None,
        path: str | os.PathLike[str],
        expect: str | None,
    ) -> None:
        self._bound = bound
        self._manifests = manifests
        self._issuers = issuers
        self._path = path
        self._expect = expect
        self._readable = False
        self._results: dict[str, CheckResult] = {}

    def report(self) -> VerificationReport:
        """Run all checks and return what they found."""
        for check in _CHECKS:
            self._run(check)
        verdict, refusal = self._verdict()
        impossible = refusal is not None and refusal.code == "impossible_for_this_source"
        state = State.FAILED if impossible else State.PASSED
        self._results["12"] = CheckResult("12", "verdict", state, verdict.value, refusal if impossible else None)
        reproduction = getattr(self, "reproduction", None)
        return VerificationReport(
            verdict=verdict,
            readable=self._readable,
            checks=tuple(self._results[number] for number in _ORDER),
            refusal=refusal,
            agent="not run" if reproduction is None else reproduction.agent_said,
            artifact=getattr(self, "artifact", None),
            comparison=getattr(self, "comparison", None),
            divergence=None if reproduction is None else reproduction.divergence,
        )

    def capability(self) -> ReplayCapability:
        """Return the right to regrade a run that was replayed exactly."""
        return ReplayCapability.mint(
            Replayed(
                self.artifact,
                self.recording.selection,
                self.ledger.header.requirements,
                self.live.validated,
                self.evaluation,
                self.reproduction.execution,
            )
        )

    def _run(self, check: _Check) -> None:
        missing = [need for need in check.needs if self._results[need].state is not State.PASSED]
        if missing:
            detail = f"needs check {missing[0]} {self._results[missing[0]].name}"
            self._results[check.number] = CheckResult(check.number, check.name, State.NOT_REACHED, detail)
            return
        try:
            state, detail = check.work(self)
        except OperateBenchError as refusal:
            if check.asks_here and not isinstance(refusal, VerificationError):
                raise  # a fault of what is here says nothing about the bundle
            self._results[check.number] = CheckResult(check.number, check.name, State.FAILED, "", refusal.detached())
        else:
            self._results[check.number] = CheckResult(check.number, check.name, state, detail)

    def _verdict(self) -> tuple[Verdict, OperateBenchError | None]:
        """Return the first verdict that holds, in the order of the contract, and what it rests on."""
        failed = {number: result for number, result in self._results.items() if result.state is State.FAILED}
        for number in _ON_THE_BUNDLE:
            if number in failed:
                return Verdict.REFUSED, failed[number].refusal
        unknown = "4b" in failed
        writer = self.artifact.writer
        ours = (self._bound.source_identity_digest_sha256, self._bound.spec_sha256)
        if (unknown or self.comparison.moved) and (writer.source_identity_digest_sha256, writer.spec_sha256) == ours:
            return Verdict.REFUSED, self._impossible(failed["4b"].refusal if unknown else None)
        if unknown or "7" in failed:
            return Verdict.CONSISTENT_ONLY, failed["4b" if unknown else "7"].refusal
        if "10" in failed:
            return Verdict.DIVERGED, failed["10"].refusal
        if self.comparison.moved or not self.reproduction.agent:
            return Verdict.REPLAYED, None
        if "11" in failed:
            return Verdict.DIVERGED, failed["11"].refusal
        return Verdict.VERIFIED, None

    def _impossible(self, unknown: OperateBenchError | None) -> VerificationError:
        if unknown is not None:
            place, expected, actual = unknown.path, unknown.expected, unknown.actual
        else:
            first = self.comparison.moved[0]
            path = first.paths[0] if first.paths else ""
            place = f"{PLACES['manifest'].path}#/components/{first.component}"
            expected = f"what this source projects{' at ' if path else ''}{path}"
            actual = f"another value in {', '.join(self.comparison.other_contents)}"
        return VerificationError("impossible_for_this_source", path=place, expected=expected, actual=actual)

    def check_members(self) -> tuple[State, str]:
        try:
            with open_bundle(self._path) as opened:
                self._readable = True
                self.artifact = opened.artifact
                self.bundle = opened.read()
        except BundleError as refusal:
            self._readable = self._readable or refusal.code not in _UNREADABLE
            raise
        return State.PASSED, f"{len(self.bundle.texts)} members and artifact.json"

    def check_cards(self) -> tuple[State, str]:
        self.cards = sound_cards(self.bundle)
        return State.PASSED, ", ".join(card["id"] for card in self.cards.values())

    def check_manifest(self) -> tuple[State, str]:
        self.manifest = sound_manifest(self.bundle)
        return State.PASSED, self.manifest.validated.manifest_digest_sha256

    def check_census(self) -> tuple[State, str]:
        require_derived_census(self.bundle, self.manifest)
        return State.PASSED, "follows from the manifest"

    def check_ledger(self) -> tuple[State, str]:
        try:
            self.ledger = RecordedLedger.read(self.bundle.texts["ledger"])
        except OperateBenchError as refusal:
            raise refusal.moved_to(f"{PLACES['ledger'].path} {refusal.path}".rstrip()) from None
        summary = self.ledger.summary
        return State.PASSED, f"{summary.rows} rows, root {summary.merkle_root_sha256}"

    def check_evidence(self) -> tuple[State, str]:
        self.evidence = sound_evidence(self.bundle)
        return State.PASSED, self.evidence["runtime_evidence_digest_sha256"]

    def check_live(self) -> tuple[State, str]:
        self.live = self._manifests.of(self.ledger.header)
        self.comparison = ManifestComparison.between(self.manifest.validated, self.live.validated)
        others = self.comparison.other_contents
        return State.PASSED, f"differs: {', '.join(others)}" if others else "equal"

    def check_binding(self) -> tuple[State, str]:
        self.recording = Recording(self.bundle, self.cards, self.manifest, self.ledger, self.evidence)
        self.evaluation = require_bound(self.recording)
        return State.PASSED, "written for one another"

    def check_requirements(self) -> tuple[State, str]:
        decision = can_runtime_replay(self.ledger.header.requirements, self.live.validated.components)
        if not decision.allowed:
            at = f"{PLACES['ledger'].path} line 1 /requirements"
            expected, actual = "the nine exact digests of what is here", ", ".join(decision.reasons)
            raise VerificationError("runtime_differs", path=at, expected=expected, actual=actual)
        return State.PASSED, "the nine exact digests are those of what is here"

    def check_authorization(self) -> tuple[State, str]:
        if AUTHORIZATION not in self.bundle.documents:
            return State.NOT_PRESENT, "the run says nothing of an authorization"
        return State.PASSED, require_authorized(self.recording, self._issuers)

    def check_replay(self) -> tuple[State, str]:
        with isolated():
            self.reproduction = reproduce(self.recording, self._bound)
        if self.reproduction.refusal is not None:
            raise self.reproduction.refusal
        who = "agent and engine" if self.reproduction.agent else "engine; agent: recorded, not reproduced"
        return State.PASSED, f"{who}: {len(self.ledger.rows)} rows"

    def check_grade(self) -> tuple[State, str]:
        if self.comparison.moved:  # all that decides the episode is the same, or it had not been replayed
            return State.NOT_REACHED, f"another one here: {', '.join(self.comparison.other_contents)}"
        run = self.reproduction.execution
        with isolated():
            # What came out is what was recorded: either is the second execution of the other.
            found = self._bound.evaluate(dict(self.recording.selection), run, run)
        grade = seal_evaluation(
            found,
            evaluator_digest=self.evaluation["evaluator_content_digest_sha256"],
            analysis_digest=self.evaluation["analysis_content_digest_sha256"],
        )
        # The digests follow from the rest, of which the first difference is to be named.
        said, came_out = ({**each, SELF_DIGEST: ""} for each in (self.evaluation, grade))
        require_equal("grade_differs", f"{PLACES['evaluation'].path}#", came_out, said)
        failed = [row["dimension"] for row in grade["vector"] if not row["ok"]]
        return State.PASSED, f"{grade['outcome_class']}; fails {', '.join(failed) or 'nothing'}"

    def check_expected(self) -> tuple[State, str]:
        if self._expect is None:
            return State.NOT_PRESENT, "no digest was expected"
        found = {
            "artifact": self.artifact.artifact_digest_sha256,
            "manifest": self.manifest.validated.manifest_digest_sha256,
            "evidence": self.evidence["runtime_evidence_digest_sha256"],
        }
        for name, digest in found.items():
            if digest == self._expect:
                return State.PASSED, f"the digest of the {name}"
        actual = ", ".join(f"{name} {digest[:12]}" for name, digest in found.items())
        raise VerificationError("expected_digest_differs", expected=self._expect, actual=actual)


@dataclass(frozen=True, slots=True)
class _Check:
    """A check.

    Attributes:
        needs: the checks that must have passed before it.
        work: what it does.
        asks_here: whether it asks the bound runtime for something.
    """

    number: str
    name: str
    needs: tuple[str, ...]
    work: Callable[[_Verification], tuple[State, str]]
    asks_here: bool = False


_CHECKS = (
    _Check("1", "members", (), _Verification.check_members),
    _Check("2", "cards", ("1",), _Verification.check_cards),
    _Check("4a", "manifest.self", ("1",), _Verification.check_manifest),
    _Check("3", "census", ("4a",), _Verification.check_census),
    _Check("5", "ledger", ("1",), _Verification.check_ledger),
    _Check("9", "evidence", ("1",), _Verification.check_evidence),
    _Check("4b", "manifest.live", ("4a", "5"), _Verification.check_live, asks_here=True),
    _Check("6", "binding", ("2", "4a", "5", "9"), _Verification.check_binding),
    _Check("7", "requirements", ("4b",), _Verification.check_requirements),
    _Check("8", "authorization", ("6",), _Verification.check_authorization),
    _Check("10", "replay", ("6", "7", "9"), _Verification.check_replay, asks_here=True),
    _Check("11", "evaluation", ("10",), _Verification.check_grade, asks_here=True),
    # Last, on digests that were all computed again.
    _Check("0", "expected", ("1", "4a", "9"), _Verification.check_expected),
)
"""In the order in which they run."""

_ORDER = ("0", "1", "2", "3", "4a", "4b", "5", "6", "7", "8", "9", "10", "11", "12")
"""In the order in which they are reported."""
