"""``operatebench keys``: makes the Ed25519 keys that sign authorizations, and shows their public part."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..files import shown, write_files
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, write_out

group = group_of("Make keys that sign authorizations, and show their public part.", "keys new --out issuer.pem")


@group.command(
    epilog=ending("keys new --out issuer.pem", yes="written", refused="the file could not be written; there is no key")
)
def new(
    *,
    out: Annotated[str, typer.Option(metavar="FILE", help="The new file of the private key, for its owner alone.")],
    as_json: JsonOption = False,
) -> int:
    """Make an Ed25519 key. The private key is written to the file and shown nowhere."""
    require_output("--out", out)

    def work(reply: Reply) -> Exit:
        from ..authority import SigningKey

        key = SigningKey.new()
        write_files({out: key.to_pem()}, private=True)
        reply.data(f"key id {key.public.key_id}")
        reply.verdict(f"written: {shown(out)}: keep it to yourself")
        return reply.end(Exit.YES, file=shown(out), key_id=key.public.key_id, public_key_pem=key.public.to_pem())

    return Reply("keys new", as_json).give(work)


@group.command(
    epilog=ending(
        "keys show issuer.pem",
        "keys show issuer.pem --issuer operations-desk > issuers.json",
        yes="shown",
        refused="no Ed25519 key in PEM, or a private one that others can read",
    )
)
def show(
    key_file: Annotated[str, typer.Argument(metavar="KEY", help="The file of a private or a public key.")],
    *,
    issuer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Print the document in which an issuer of this name is trusted."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show key id and public key; with --issuer, a list of trusted issuers with this one."""

    def work(reply: Reply) -> Exit:
        from ..authority import TrustedIssuers, issuers_document, read_verifying_key

        key = read_verifying_key(key_file)
        members = {"key_id": key.key_id, "public_key_pem": key.to_pem()}
        if issuer is None:
            reply.data(f"key id {key.key_id}", key.to_pem().rstrip("\n"))
            return reply.end(Exit.YES, **members)
        document = issuers_document(issuer, key)
        TrustedIssuers.read(document)  # refuses a name that no list can hold
        if not as_json:
            write_out(json.dumps(document, indent=2).encode() + b"\n")
        return reply.end(Exit.YES, **members, issuers=document)

    return Reply("keys show", as_json).give(work)
