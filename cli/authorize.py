"""``operatebench authorize``: issues authorizations, says whether one still permits a run, and keeps the register."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import AuthorizationError, DocumentError, escape
from ..files import shown, write_files
from .admission import (
    ROLE,
    IssuersOption,
    RegisterOption,
    UnsignedOption,
    admission_json,
    ask,
    inputs_of,
    read_authorization,
    say_refused,
    status_of,
    trust_of,
)
from .inputs import file_label
from .operation import read_spec
from .options import JsonOption, SpecOption, ending, group_of, require_digest, require_output
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..authority import Pair, SigningKey
    from ..tracks.lifecycle import MaintenanceRuntime

group = group_of(
    "Issue authorizations of runs, check them, and keep the register of their uses.",
    "authorize issue --run V1:reference --serial 1 --issuer desk --key issuer.pem --out permit.json",
)

_LARGEST = 2**53 - 1
_SUFFIX = ".json"
_MOST_DAYS = 3_650
_LAST_DESCRIPTOR = 2**31 - 1
_INSTANT = "YYYY-MM-DDTHH:MM:SSZ"

_RunsOption = Annotated[
    list[str] | None,
    typer.Option("--run", metavar="VARIANT:AGENT", help="A variant and an agent; may be given many times."),
]


@group.command(
    epilog=ending(
        "authorize init register.db", yes="made", refused="the name is taken, or the file could not be written"
    )
)
def init(
    register: Annotated[str, typer.Argument(metavar="REGISTER", help="The new file of the register.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Make a register, a database for its owner alone that remembers which authorizations were seen and used."""
    require_output("REGISTER", register)

    def work(reply: Reply) -> Exit:
        from ..authority import Register

        head = Register.create(register, datetime.now(UTC))
        reply.data(f"head {head}")
        reply.verdict(f"made: {shown(register)}")
        return reply.end(Exit.YES, register=shown(register), head=head)

    return Reply("authorize init", as_json).give(work)


@group.command(
    epilog=ending(
        "authorize issue --run V1:reference --serial 1 --issuer desk --key issuer.pem --out permit.json",
        "authorize issue --all --serial 2 --issuer desk --unsigned --uses 3 --episodes 200 --out permit.json",
        yes="written, with the source and the manifests it is bound to beside it",
        refused="the spec or the key was refused, the source changed meanwhile, or a file could not be written",
    )
)
def issue(
    *,
    runs: _RunsOption = None,
    every: Annotated[bool, typer.Option("--all", help="Every agent in every variant.")] = False,
    serial: Annotated[
        int,
        typer.Option(
            min=1, max=_LARGEST, metavar="N", help="Higher than all earlier ones of this issuer and operation."
        ),
    ],
    issuer: Annotated[str, typer.Option(metavar="NAME", help="Who issues it.")],
    key_file: Annotated[
        str | None, typer.Option("--key", metavar="FILE", help="Sign with the private key in this file.")
    ] = None,
    key_descriptor: Annotated[
        int | None,
        typer.Option(
            "--key-fd",
            min=0,
            max=_LAST_DESCRIPTOR,
            metavar="N",
            help="Sign with the private key read from this descriptor.",
        ),
    ] = None,
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Do not sign it.")] = False,
    uses: Annotated[int, typer.Option(min=1, max=_LARGEST, metavar="N", help="How often it may be used.")] = 1,
    episodes: Annotated[int, typer.Option(min=1, max=_LARGEST, metavar="N", help="Episodes in one use.")] = 1,
    provider_calls: Annotated[
        int, typer.Option(min=0, max=_LARGEST, metavar="N", help="Calls of a provider in one use.")
    ] = 0,
    not_before: Annotated[
        str | None, typer.Option(metavar=_INSTANT, help="The first second in which it is valid; without it, now.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=_MOST_DAYS, metavar="N", help="Days that it is valid.")] = 7,
    spec_file: SpecOption = None,
    out: Annotated[
        str, typer.Option(metavar="NAME.json", help="The new file; what it is bound to is written beside it.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Permit agents to run in variants, with exactly what is installed here and for a time.

    The authorization holds digests of the source, of what can change an episode and a result, and of the provider
    settings. When one of them moves it permits nothing any more, and the files beside it say what moved.
    """
    if (runs is None) != every:
        raise typer.BadParameter("give --run once or more, or --all")
    if [key_file is not None, key_descriptor is not None, unsigned].count(True) != 1:
        raise typer.BadParameter("give one of --key, --key-fd and --unsigned")
    require_output("--out", out)
    if not out.endswith(_SUFFIX):
        raise typer.BadParameter(f"--out must end with {_SUFFIX}: the files beside it share the rest of its name")

    def work(reply: Reply) -> Exit:
        from .. import authority
        from ..tracks.lifecycle import AGENTS, MaintenanceRuntime, subject

        now = datetime.now(UTC)
        start = now if not_before is None else _instant(not_before)
        try:
            end = start + timedelta(days=days)
        except OverflowError:
            raise typer.BadParameter("--not-before is too late for the days given") from None
        runtime = MaintenanceRuntime(read_spec(spec_file))
        pairs = [authority.Pair(variant, agent) for variant in runtime.spec.variants for agent in AGENTS]
        what = subject(runtime, pairs if every else known_pairs(runtime, runs or ()))
        authorization = authority.issue(
            serial=serial,
            operation_id=runtime.spec.operation_id,
            source_identity_digest_sha256=what.source.digest_sha256,
            runs=what.runs,
            settings=what.settings,
            limits=authority.Limits(uses, episodes, provider_calls),
            issued_at=now,
            not_before=start,
            expires_at=end,
            issuer_name=issuer,
            key=_key(key_file, key_descriptor),
        )
        runtime.require_unchanged_source()
        files = authority.files_of(out, authorization, what.source, what.manifests)
        write_files(files)
        reply.data(f"{authorization.authorization_id}  {authorization.authorization_digest_sha256}")
        reply.verdict(*(f"written: {shown(path)}" for path in files))
        return reply.end(Exit.YES, files=[shown(path) for path in files], authorization=authorization.to_wire())

    return Reply("authorize issue", as_json).give(work)


@group.command(
    epilog=ending(
        "authorize check permit.json --register register.db --issuers issuers.json",
        yes="it would be admitted",
        no="it would not; every reason is named, and what moved since it was issued",
        refused="no authorization, or a file that could not be read",
    )
)
def check(
    file: Annotated[str, typer.Argument(metavar="AUTHORIZATION", help="The authorization.")],
    *,
    register: RegisterOption,
    runs: _RunsOption = None,
    episodes: Annotated[int, typer.Option(min=1, max=_LARGEST, metavar="N", help="Episodes to be asked for.")] = 1,
    provider_calls: Annotated[
        int, typer.Option(min=0, max=_LARGEST, metavar="N", help="Calls of a provider to be asked for.")
    ] = 0,
    issuers: IssuersOption = None,
    allow_unsigned: UnsignedOption = False,
    spec_file: SpecOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say whether an authorization would be admitted now, with what is installed here. Nothing is used or recorded.

    Without --run, all that it is for is asked for.
    """
    files = inputs_of(file, issuers)

    def work(reply: Reply) -> Exit:
        from .. import authority
        from ..tracks.lifecycle import MaintenanceRuntime

        trust = trust_of(issuers, allow_unsigned)
        runtime = MaintenanceRuntime(read_spec(spec_file))
        try:
            authorization = read_authorization(file)
        except AuthorizationError as refusal:
            return reply.refuse(refusal, status_of(refusal))
        pairs = [run.pair for run in authorization.runs] if runs is None else known_pairs(runtime, runs)
        admission = ask(
            authority.check,
            runtime,
            authorization,
            pairs,
            file=file,
            register=register,
            trust=trust,
            episodes=episodes,
            provider_calls=provider_calls,
        )
        runtime.require_unchanged_source()
        if not admission.admitted:
            return reply.end(Exit.NO, **admission_json(admission, say_refused(reply, admission, file)))
        reply.verdict(f"ADMITTED: {file_label(file)}, as it is now; nothing was used")
        return reply.end(Exit.YES, **admission_json(admission, []))

    return Reply("authorize check", as_json, files).give(work)


@group.command(
    epilog=ending(
        "authorize revoke permit.json --register register.db",
        yes="revoked, now or before",
        refused="no authorization, or a register that could not be written",
    )
)
def revoke(
    which: Annotated[
        str, typer.Argument(metavar="AUTHORIZATION|DIGEST", help="The authorization, or the digest that it carries.")
    ],
    *,
    register: RegisterOption,
    as_json: JsonOption = False,
) -> int:
    """Revoke an authorization in a register: nothing is admitted with it any more, whatever it says."""

    def work(reply: Reply) -> Exit:
        from ..authority import Register, instant_text
        from ..identity.grammar import is_digest

        digest = which if is_digest(which) else read_authorization(which).authorization_digest_sha256
        now = datetime.now(UTC)
        with Register(register).transaction() as entries:
            before = entries.revoked_at(digest)
            if before is None:
                entries.revoke(digest, now)
        at = instant_text(now) if before is None else before
        reply.verdict(f"REVOKED: {digest}{'' if before is None else f', before, at {before}'}")
        return reply.end(Exit.YES, authorization_digest_sha256=digest, revoked_at=at, already=before is not None)

    return Reply("authorize revoke", as_json, {ROLE: which}).give(work)


@group.command(
    epilog=ending(
        "authorize audit register.db",
        "authorize audit register.db --head 64de7342...",
        yes="the register is sound",
        no="it is damaged, or the head is in no row of it; the place is named",
        refused="no such file",
    )
)
def audit(
    register: Annotated[str, typer.Argument(metavar="REGISTER", help="The register.")],
    *,
    head: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="A head seen earlier, such as in a run bundle; it must be in the register."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Walk through a register from its first row to its last, and check every digest. Nothing is written.

    An older copy of a register is sound too; only a head that was written down elsewhere tells it from the newest.
    """
    if head is not None:
        require_digest("--head", head)

    def work(reply: Reply) -> Exit:
        from ..authority import Register

        if not os.path.lexists(register):
            raise DocumentError("file_missing", path=shown(register), expected="a register", actual="no such file")
        try:
            found = Register(register).audit()
        except AuthorizationError as refusal:
            return reply.refuse(refusal, Exit.NO)
        kinds = dict(sorted(found.kinds.items()))
        reply.data(
            f"rows  {found.rows}", *(f"  {kind:<8} {count}" for kind, count in kinds.items()), f"head  {found.head}"
        )
        missing = head is not None and head not in found.digests
        reply.verdict(
            f"NOT THERE: {shown(register)} is sound, and no row of it has the digest {head}"
            if missing
            else f"OK: {shown(register)}"
        )
        status = Exit.NO if missing else Exit.YES
        return reply.end(status, rows=found.rows, kinds=kinds, head=found.head, contains_head=not missing)

    return Reply("authorize audit", as_json).give(work)


def known_pairs(runtime: MaintenanceRuntime, runs: list[str] | tuple[()]) -> list[Pair]:
    """Return the pairs that were named; one that is not known here is wrong usage."""
    from ..authority import Pair
    from .run_episodes import known

    pairs = []
    for named in runs:
        variant, _, agent = named.partition(":")
        pairs.append(Pair(known("--run", variant, runtime.spec.variants), known("--run", agent, runtime.agents)))
    return list(dict.fromkeys(pairs))


def _instant(text: str) -> datetime:
    from ..authority import instant

    try:
        return instant(text)
    except ValueError:
        raise typer.BadParameter(f"--not-before {escape(text)} is no instant: {_INSTANT}") from None


def _key(file: str | None, descriptor: int | None) -> SigningKey | None:
    from ..authority import SigningKey

    if file is not None:
        return SigningKey.read(file)
    return None if descriptor is None else SigningKey.read_descriptor(descriptor)
