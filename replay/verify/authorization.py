"""Check 8: the authorization that a run used, if it used one, permitted exactly this run."""

from __future__ import annotations

from ...authority import RUN, Live, LiveRun, Pair, Request, Trust, TrustedIssuers, UsedAuthorization, judge
from ...errors import AuthorizationError
from ..bundle.contract import ARTIFACT_PATH, AUTHORIZATION, PLACES
from .differences import require_equal
from .recording import Recording

_AT = f"{PLACES[AUTHORIZATION].path}#"


def require_authorized(recording: Recording, issuers: TrustedIssuers | None) -> str:
    """Hold the authorization in a bundle to the bundle. No register is asked, and no clock.

    Args:
        recording: has an authorization.
        issuers: whose signatures count; None leaves signatures unchecked.

    Returns:
        What was found, for people.

    Raises:
        AuthorizationError: the first reason against it; the path is that in the member.
        VerificationError: ``repeated_value_differs``.
    """
    used = UsedAuthorization.read(recording.bundle.documents[AUTHORIZATION], _AT)
    authorization, artifact = used.authorization, recording.bundle.artifact
    place = f"{ARTIFACT_PATH}#/authorization_digest_sha256"
    stated = artifact.authorization_digest_sha256
    require_equal("repeated_value_differs", place, authorization.authorization_digest_sha256, stated)
    selection, manifest = recording.selection, recording.manifest.validated
    pair = Pair(selection["variant_id"], selection["agent_id"])
    live = Live(artifact.writer.source_identity_digest_sha256, {pair: LiveRun.of(manifest)})
    binding = recording.evidence["provider_binding"]
    calls = 0 if binding is None else binding["provider_calls"]
    request = Request(RUN, selection["operation_id"], frozenset({pair}), episodes=1, provider_calls=calls)
    trust = None if issuers is None else Trust(issuers)
    for refusal in judge(authorization, live, request, used.admitted_at, trust):
        raise refusal.moved_to(f"{_AT}/authorization{refusal.path}")
    if used.use_index > authorization.limits.max_uses:
        path, most = f"{_AT}/admission/use_index", f"at most {authorization.limits.max_uses}"
        raise AuthorizationError.found("uses_exhausted", path, most, used.use_index)
    if used.unsigned:
        signed = "unsigned: nobody vouches for it"
    elif issuers is None:
        signed = "its signature was not checked: no --issuers"
    else:
        signed = f"signed by key {authorization.key_id}"
    return f"{authorization.authorization_id}, use {used.use_index}; {signed}"
