"""What an authorization is issued for, and held to: the source that is here, and the manifests of what it can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...authority import SETTINGS, BoundRun, Build, Pair, SourceBoundAuthorizationV1, bound_run, read_beside
from ...errors import AuthorizationError
from ...provenance import SourceIdentityV1
from .bound import MaintenanceRuntime
from .ownership import OWNER_TABLE, live_source


@dataclass(frozen=True, slots=True)
class Subject:
    """What an authorization can be issued for.

    Attributes:
        source: what is here.
        runs: what may run, each nothing but what it is now.
        settings: field path -> value of the provider's plan, which all of them share.
        manifests: of each of them.
    """

    source: SourceIdentityV1
    runs: tuple[BoundRun, ...]
    settings: Mapping[str, Any]
    manifests: Mapping[Pair, Mapping[str, Any]]


def subject(runtime: MaintenanceRuntime, pairs: Iterable[Pair]) -> Subject:
    """Return what is here of some runs, to have it authorized.

    Args:
        runtime: the operation and its agents.
        pairs: variants and agents of it, at least one.

    Raises:
        KeyError: there is no such variant or agent.
        AuthorizationError: ``plans_differ``.
    """
    identities = {pair: runtime.identity(*pair) for pair in pairs}
    plans = {identity.content_digest(SETTINGS): identity.projections[SETTINGS] for identity in identities.values()}
    if len(plans) != 1:
        raise AuthorizationError("plans_differ", path="/settings", expected="one plan", actual=f"{len(plans)}")
    (settings,) = plans.values()
    return Subject(
        live_source().identity,
        tuple(bound_run(pair, identity.validated) for pair, identity in identities.items()),
        settings,
        {pair: identity.manifest for pair, identity in identities.items()},
    )


def live_build(runtime: MaintenanceRuntime, pairs: Iterable[Pair]) -> Build:
    """Return what is here of some runs; a variant or an agent that is not here is left out."""
    known = [pair for pair in pairs if pair.variant_id in runtime.spec.variants and pair.agent_id in runtime.agents]
    return Build(live_source().identity, {pair: runtime.identity(*pair).validated for pair in known})


def build_beside(path: str, authorization: SourceBoundAuthorizationV1) -> Build:
    """Return what is at hand beside an authorization, its files owned as they are here."""
    return read_beside(path, authorization, OWNER_TABLE)
