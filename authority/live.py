"""What there is of a build: its source and the manifests of what it can run; and what of it moved since another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..identity import ValidatedIdentityManifest
from ..identity.comparison import ManifestComparison
from ..provenance import SourceDifference, SourceIdentityV1
from .authorization import BoundRun, Pair, SourceBoundAuthorizationV1
from .contract import SETTINGS

NOT_AT_HAND = "not at hand"


@dataclass(frozen=True, slots=True)
class LiveRun:
    """The digests of what an agent in a variant is bound to now."""

    runtime_bundle_digest_sha256: str
    experiment_bundle_digest_sha256: str
    manifest_digest_sha256: str
    settings_digest_sha256: str

    @classmethod
    def of(cls, manifest: ValidatedIdentityManifest) -> LiveRun:
        """Return those of a manifest."""
        return cls(
            manifest.composites["runtime_bundle"].bundle_digest_sha256,
            manifest.composites["experiment_bundle"].bundle_digest_sha256,
            manifest.manifest_digest_sha256,
            manifest.components[SETTINGS].content_digest_sha256,
        )


@dataclass(frozen=True, slots=True)
class Live:
    """The digests that an authorization is held to.

    Attributes:
        source_identity_digest_sha256: of the source.
        runs: what could run.
    """

    source_identity_digest_sha256: str
    runs: Mapping[Pair, LiveRun]


@dataclass(frozen=True, slots=True)
class Build:
    """What there is of a build, whole or in part.

    Attributes:
        source: all its files; None if that list is not at hand.
        manifests: of what it can run, as far as they are at hand.
    """

    source: SourceIdentityV1 | None
    manifests: Mapping[Pair, ValidatedIdentityManifest]

    def live(self) -> Live:
        """Return the digests of a build whose source is at hand."""
        if self.source is None:
            raise TypeError("what is live has a source")
        return Live(self.source.digest_sha256, {pair: LiveRun.of(each) for pair, each in self.manifests.items()})


def bound_run(pair: Pair, manifest: ValidatedIdentityManifest) -> BoundRun:
    """Return what an authorization says of an agent in a variant that may be nothing but what it is now."""
    run = LiveRun.of(manifest)
    return BoundRun(
        pair, run.runtime_bundle_digest_sha256, run.experiment_bundle_digest_sha256, run.manifest_digest_sha256
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """What moved since an authorization was issued, and what did not.

    Attributes:
        source: which files changed, and who owns each; None if the list of the old ones is not at hand.
        runs: what moved in the manifest of each requested run that is bound; None if the old manifest is not at hand,
            or there is no new one.
        unchanged: of ``source``, ``runtime_bundle``, ``experiment_bundle``, ``manifest`` and ``settings``, what is the
            same for all of these runs, in this order; nothing of a run if there are none.
    """

    source: SourceDifference | None
    runs: Mapping[Pair, ManifestComparison | None]
    unchanged: tuple[str, ...]

    @classmethod
    def since(
        cls, authorization: SourceBoundAuthorizationV1, beside: Build, build: Build, pairs: Iterable[Pair]
    ) -> Moved:
        """Compare what was authorized with what is live.

        Args:
            authorization: says what was bound.
            beside: what was written beside it; only what has the bound digests.
            build: what is live.
            pairs: what is asked for; what is not bound is left out.
        """
        live = build.live()
        bound = {run.pair: run for run in authorization.runs}
        asked = [pair for pair in pairs if pair in bound]
        source = None
        if beside.source is not None and build.source is not None:
            source = SourceDifference.between(beside.source, build.source)
        return cls(
            source,
            {
                pair: ManifestComparison.between(beside.manifests[pair], build.manifests[pair])
                if pair in beside.manifests and pair in build.manifests
                else None
                for pair in asked
            },
            _unchanged(authorization, live, asked, bound),
        )

    def to_wire(self) -> dict[str, Any]:
        """Return it as a fresh plain object."""
        return {
            "source": None if self.source is None else self.source.to_wire(),
            "runs": [
                {**pair._asdict(), "comparison": None if found is None else found.to_wire()}
                for pair, found in self.runs.items()
            ],
            "unchanged": list(self.unchanged),
        }


def _unchanged(
    authorization: SourceBoundAuthorizationV1, live: Live, pairs: list[Pair], bound: Mapping[Pair, BoundRun]
) -> tuple[str, ...]:
    both = [(bound[pair], live.runs.get(pair)) for pair in pairs]
    same = {"source": authorization.source_identity_digest_sha256 == live.source_identity_digest_sha256}
    if both:
        for name in ("runtime_bundle", "experiment_bundle", "manifest"):
            same[name] = all(_same(then, now, f"{name}_digest_sha256") for then, now in both)
        settings = authorization.settings_digest_sha256
        same["settings"] = all(now is not None and now.settings_digest_sha256 == settings for _, now in both)
    return tuple(name for name, kept in same.items() if kept)


def _same(then: BoundRun, now: LiveRun | None, member: str) -> bool:
    return getattr(then, member) in (None, getattr(now, member, None))
