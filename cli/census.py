"""``operatebench census``: shows and checks censuses of fields, and says who owns a place in a card."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Annotated, Any

import typer

from ..errors import CardValidationError, OperateBenchError, escape
from .inputs import file_label, read_text, unknown_kind
from .options import JsonOption, ending, group_of
from .output import Exit, Reply

group = group_of(
    "Show and check the field census: which identity component owns each leaf of the cards.",
    "census owner /variant_card/content/events/3/at",
)

_ROLE = "census"
_PACKAGED = "the packaged census"


class Owner(StrEnum):
    """The identity components that own leaves of the card contract."""

    CARD_SCHEMA = "card_schema_content"
    OPERATION_CORE = "operation_core_content"
    SEMANTIC_SCENARIO = "semantic_scenario_content"
    VARIANT = "variant_content"


@group.command(
    epilog=ending("census show --owner variant_content", yes="printed", refused="the packaged census cannot be read")
)
def show(
    *,
    owner: Annotated[Owner | None, typer.Option(help="Only the leaves of this component.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Print every leaf of the card contract with the one component that owns it."""

    def work(reply: Reply) -> Exit:
        from ..census import load_field_census

        census = load_field_census()
        entries = [entry for entry in census["entries"] if owner is None or entry["owner"] == owner]
        width = max(len(each) for each in Owner)
        reply.data(*(f"{entry['owner']:<{width}}  {entry['field_path_pattern']}" for entry in entries))
        counts = Counter(entry["owner"] for entry in entries)
        reply.verdict(f"{len(entries)} leaves: {', '.join(f'{name} {count}' for name, count in counts.items())}")
        return reply.end(Exit.YES, **(census | {"entries": entries}))

    return Reply("census show", as_json).give(work)


@group.command(
    epilog=ending(
        "census bundle", yes="every field has its owner and readers", refused="a packaged document is not ours"
    )
)
def bundle(*, as_json: JsonOption = False) -> int:
    """Print every field of every file of a run bundle: its one owner, and which checks and commands read it.

    The fields are derived from the packaged schemas, and compared with the census before anything is shown.
    """

    def work(reply: Reply) -> Exit:
        from ..census import load_run_bundle_census

        census = load_run_bundle_census()
        entries = census["entries"]
        width = max(len(entry["owner"]) for entry in entries)
        reply.data(
            *(f"{entry['owner']:<{width}}  {entry['field']}: {', '.join(entry['consumers'])}" for entry in entries)
        )
        reply.verdict(f"{len(entries)} fields of {census['artifact_schema']}")
        return reply.end(Exit.YES, **census)

    return Reply("census bundle", as_json).give(work)


@group.command(
    epilog=ending(
        "census check",
        "census check census.json --source-root .",
        yes="every leaf has exactly one owner, and every rule is kept",
        no="the census is refused; the reason says where, and what was expected",
    )
)
def check(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="The census; - is standard input; without, the packaged one.")
    ] = None,
    *,
    source_root: Annotated[
        str | None, typer.Option(metavar="DIR", help="The source tree in which every source path must exist.")
    ] = None,
    artifact_schema: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the census is wanted for; some artifacts need more.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check a census against the leaves of the packaged card schemas. Without --source-root no source is looked up."""
    files = {} if file is None else {_ROLE: file}

    def work(reply: Reply) -> Exit:
        from ..census import load_field_census, validate_field_census

        census = load_field_census() if file is None else _read(file)
        try:
            entries = validate_field_census(census, artifact_schema=artifact_schema, source_root=source_root)["entries"]
        except CardValidationError as refusal:
            return reply.refuse(refusal, Exit.REFUSED if refusal.code == "census.source_root" else Exit.NO)
        label = _PACKAGED if file is None else file_label(file)
        reply.verdict(f"OK: {label} gives each of the {len(entries)} leaves one owner")
        return reply.end(Exit.YES, leaves=len(entries), owners=Counter(entry["owner"] for entry in entries))

    return Reply("census check", as_json, files).give(work)


@group.command(
    epilog=ending(
        "census owner /variant_card/content/events/3/at",
        yes="found",
        no="no one component owns the place",
        refused="the packaged census cannot be read",
    )
)
def owner(
    pointer: Annotated[
        str, typer.Argument(metavar="POINTER", help="JSON Pointer: a census path; indexes of arrays are skipped.")
    ],
    *,
    as_json: JsonOption = False,
) -> int:
    """Say which component owns a place in a card, through which leaf, and who reads it.

    What lies below a leaf belongs to it; a place above several leaves is answered with all of them.
    """

    def work(reply: Reply) -> Exit:
        from ..census import owner_of

        try:
            found = owner_of(pointer)
        except CardValidationError as refusal:
            if refusal.code == "census.pointer_syntax":
                raise typer.BadParameter(f"{escape(pointer)} is no JSON Pointer") from None
            if refusal.code != "census.pointer_unowned":
                raise
            return reply.refuse(refusal, Exit.NO)
        reply.data(
            found.owner,
            *(f"  leaf     {leaf}" for leaf in found.leaves),
            f"  read by  {', '.join(found.consumers)}",
            *(f"  source   {source}" for source in found.source_paths),
        )
        return reply.end(
            Exit.YES,
            owner=found.owner,
            leaves=list(found.leaves),
            consumers=list(found.consumers),
            source_paths=list(found.source_paths),
        )

    return Reply("census owner", as_json).give(work)


def _read(file: str) -> Any:
    """Read a document that calls itself a B1 census.

    Raises:
        DocumentError: the file cannot be read; ``document_kind`` if it does not call itself a B1 census.
        CardValidationError: ``parse.…`` or ``projection.…``; the path starts with the role.
    """
    from ..cards.contract import CARD_TEXT_PROFILE
    from ..identity.registry import B1_CENSUS_SCHEMA
    from ..identity.strictjson import parse_json

    text = read_text(_ROLE, file)
    try:
        document = parse_json(text, CARD_TEXT_PROFILE).value
    except OperateBenchError as refusal:
        raise refusal.moved_to(f"{_ROLE}#{refusal.path}") from None
    if type(document) is not dict or document.get("schema") != B1_CENSUS_SCHEMA:
        raise unknown_kind(_ROLE, document, B1_CENSUS_SCHEMA)
    return document
