"""What commands that use authorizations share: reading them, whose word counts, and what an admission came to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AuthorizationError, SigningKeyError, escape
from .inputs import file_label, read_bytes, require_standard_input_once
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load keys and schema engine
    from ..authority import Admission, Moved, Pair, SourceBoundAuthorizationV1, Trust, TrustedIssuers, UsedAuthorization
    from ..identity.comparison import ManifestComparison
    from ..tracks.lifecycle import MaintenanceRuntime

RegisterOption = Annotated[
    str, typer.Option("--register", metavar="FILE", help="The register that remembers what was used.")
]
IssuersOption = Annotated[
    str | None, typer.Option("--issuers", metavar="FILE", help="The trusted issuers, whose signatures count.")
]
UnsignedOption = Annotated[bool, typer.Option("--allow-unsigned", help="Let an authorization pass that names no key.")]

_LOCK_WAITS = 3

ROLE = "authorization"
"""What the path of a refusal of an authorization starts with."""


def inputs_of(authorization: str, issuers: str | None) -> dict[str, str]:
    """Return the role of each document in refusals -> its file.

    Raises:
        typer.BadParameter: standard input is named for both.
    """
    files = {ROLE: authorization} if issuers is None else {ROLE: authorization, "issuers": issuers}
    require_standard_input_once(files.values())
    return files


def read_authorization(file: str) -> SourceBoundAuthorizationV1:
    """Read the authorization in a file.

    Raises:
        DocumentError: the file cannot be read.
        AuthorizationError: ``malformed`` or ``digest_mismatch``.
    """
    from ..authority import SourceBoundAuthorizationV1
    from ..identity.profile import MAX_CANONICAL_UTF8_PAYLOAD_BYTES

    text = read_bytes(file, MAX_CANONICAL_UTF8_PAYLOAD_BYTES)
    try:
        return SourceBoundAuthorizationV1.parse(text)
    except AuthorizationError as refusal:
        raise refusal.moved_to(f"{ROLE}#{refusal.path}") from None


def read_issuers(file: str) -> TrustedIssuers:
    """Read the trusted issuers in a file.

    Raises:
        DocumentError: the file cannot be read.
        SigningKeyError: ``issuers_shape`` or ``issuer_key``.
    """
    from ..authority import TrustedIssuers
    from ..identity.profile import MAX_CANONICAL_UTF8_PAYLOAD_BYTES

    text = read_bytes(file, MAX_CANONICAL_UTF8_PAYLOAD_BYTES)
    try:
        return TrustedIssuers.parse(text)
    except SigningKeyError as refusal:
        raise refusal.moved_to(f"issuers#{refusal.path}") from None


def trust_of(issuers: str | None, allow_unsigned: bool) -> Trust:
    """Return whose word counts.

    Raises:
        DocumentError: the file of issuers cannot be read.
        SigningKeyError: it is no list of trusted issuers.
    """
    from ..authority import Trust

    return Trust(None if issuers is None else read_issuers(issuers), allow_unsigned)


def ask(
    judge: Callable[..., Admission],
    runtime: MaintenanceRuntime,
    authorization: SourceBoundAuthorizationV1,
    pairs: Collection[Pair],
    *,
    file: str,
    register: str,
    trust: Trust,
    episodes: int,
    provider_calls: int = 0,
) -> Admission:
    """Ask whether an authorization permits runs of what is installed here, now.

    Args:
        judge: :func:`operatebench.authority.admit`, which records the use, or ``check``, which records nothing.
        runtime: the operation and its agents.
        authorization: that in the file.
        pairs: what shall run.
        file: of the authorization; what is beside it says what moved.
        register: the file of the register.
        trust: whose word counts.
        episodes: how many.
        provider_calls: at most.
    """
    from ..authority import RUN, Register, Request
    from ..tracks.lifecycle import build_beside, live_build

    def asked() -> Admission:
        return judge(
            authorization.to_wire(),
            build,
            Request(RUN, runtime.spec.operation_id, frozenset(pairs), episodes, provider_calls),
            datetime.now(UTC),
            Register(register),
            trust=trust,
            beside=beside,
        )

    build, beside = live_build(runtime, pairs), build_beside(file, authorization)
    for _ in range(_LOCK_WAITS):
        admission = asked()
        if admission.reasons != ("clock_rollback",):
            return admission
        # Another process may have got the register first, in a second that began while this one waited for it.
    return asked()


def say_refused(reply: Reply, admission: Admission, file: str) -> list[dict[str, Any]]:
    """Say what moved and everything that stands against an authorization; return the refusals as plain objects."""
    if admission.moved is not None:
        reply.data(*_moved_lines(admission.moved))
    refusals = [
        reply.say(
            refusal if refusal.code == "register_unavailable" else refusal.moved_to(f"{ROLE}#{refusal.path}"),
            {ROLE: file},
        )
        for refusal in admission.refusals
    ]
    reply.verdict(f"REFUSED: {file_label(file)}: {', '.join(admission.reasons)}")
    return refusals


def _moved_lines(found: Moved) -> list[str]:
    """Return what moved since an authorization was issued, and what did not."""
    lines = []
    if "source" not in found.unchanged:
        if found.source is None:
            lines.append("  files: the list of those that were authorized is not at hand")
        else:
            lines += [f"  {each.change:<7}  {each.path}  {each.owner}" for each in found.source.changes]
    if "manifest" not in found.unchanged:
        for pair, comparison in found.runs.items():
            lines += _run_lines(pair, comparison)
    head = ["moved since it was issued", *lines] if lines else []
    return [*head, f"unchanged: {', '.join(found.unchanged) or 'nothing'}"]


def _run_lines(pair: Pair, comparison: ManifestComparison | None) -> Iterable[str]:
    named = " ".join(map(escape, pair))
    if comparison is None:
        yield f"  {named}: the manifest that was authorized is not at hand"
        return
    if not comparison.moved:
        return
    yield f"  {named}: {', '.join(comparison.bundles) or 'no bundle'} moved"
    for row in comparison.moved:
        yield f"    {row.component}{'' if row.paths else ' follows'}"
        yield from (f"      {escape(path, 1_024)}" for path in row.paths)
    for gone in comparison.reassigned:
        yield f"    {escape(gone.path, 1_024)} belonged to {gone.old_owner}, now to {gone.new_owner}"


@dataclass(frozen=True, slots=True)
class Permit:
    """What was named on the command line to permit runs.

    Attributes:
        file: the authorization.
        register: records the use.
        issuers: the file of trusted issuers.
        allow_unsigned: whether an authorization that names no key may pass.
    """

    file: str
    register: str
    issuers: str | None
    allow_unsigned: bool

    def admit(self, runtime: MaintenanceRuntime, pairs: Iterable[tuple[str, str]], *, episodes: int) -> Admission:
        """Use the authorization once, for runs of these variants and agents.

        Raises:
            DocumentError: a file cannot be read.
            AuthorizationError: ``malformed`` or ``digest_mismatch``.
            SigningKeyError: there is no list of trusted issuers.
        """
        from ..authority import Pair, admit

        return ask(
            admit,
            runtime,
            read_authorization(self.file),
            [Pair(*pair) for pair in pairs],
            file=self.file,
            register=self.register,
            trust=trust_of(self.issuers, self.allow_unsigned),
            episodes=episodes,
        )

    def refuse(self, reply: Reply, admission: Admission) -> Exit:
        """Finish a command that was not permitted to run."""
        return reply.end(Exit.REFUSED, admission=admission_json(admission, say_refused(reply, admission, self.file)))

    def used(self, reply: Reply, admission: Admission) -> UsedAuthorization:
        """Say which use it is, and return what bundles keep of it."""
        from ..authority import UsedAuthorization

        used = UsedAuthorization.of(admission)
        most = used.authorization.limits.max_uses
        reply.verdict(f"ADMITTED: {file_label(self.file)}, use {used.use_index} of {most}")
        return used


def admission_json(admission: Admission, refusals: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an admission as a plain object."""
    from ..authority import instant_text

    return {
        "admitted": admission.admitted,
        "reasons": list(admission.reasons),
        "refusals": refusals,
        "moved": None if admission.moved is None else admission.moved.to_wire(),
        "at": instant_text(admission.admitted_at),
        "use_index": None if admission.use is None else admission.use.index,
        "register_head": None if admission.use is None else admission.use.head,
        "unsigned": admission.authorization is not None and admission.authorization.signature is None,
    }


def status_of(refusal: AuthorizationError) -> Exit:
    """Return how a command ends whose authorization could not be read: what is none is no input, the rest a no."""
    return Exit.REFUSED if refusal.code == "malformed" else Exit.NO
