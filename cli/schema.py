"""``operatebench schema``: checks a document against the packaged JSON Schemas, offline."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from typing import Annotated, Any

import typer

from ..files import shown
from .inputs import file_label, read_document, unknown_kind
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply
from .packaged import copy_documents

group = group_of(
    "Check documents against the packaged JSON Schemas, or write those to disk.", "schema check manifest.json"
)

_MAX_FAULTS = 20


class SchemaName(StrEnum):
    """The schemas a document can be checked against; ``auto`` is the one its ``schema`` member names."""

    AUTO = "auto"
    MANIFEST = "manifest"
    CENSUS = "census"


@group.command(
    epilog=ending(
        "schema check manifest.json",
        yes="the document keeps the schema",
        no="it does not, or the two engines disagree",
        refused="the document was refused: unreadable, not strict JSON, over a limit, or no schema is known for it",
    )
)
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The document; - is standard input.")],
    schema: Annotated[
        SchemaName, typer.Option(help="The schema; auto is the one the document's schema member names.")
    ] = SchemaName.AUTO,
    *,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask a second engine, and fail when the two disagree.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check the shape of a document with the packaged JSON Schema, offline.

    The schema is not the whole rule: bytes, nodes, order, digests and cross references are checked by
    'manifest validate' only. Faults are printed by place and keyword; values of the document are not shown.
    """

    def work(reply: Reply) -> Exit:
        from .schema_engines import check_document

        document = read_document("document", file)
        name = _kind(document) if schema is SchemaName.AUTO else schema
        result = check_document(document, name.value, second_opinion=second_opinion)
        reply.data(*(fault.line() for fault in result.faults[:_MAX_FAULTS]))
        if len(result.faults) > _MAX_FAULTS:
            reply.data(f"... and {len(result.faults) - _MAX_FAULTS} more")
        reply.verdict(*result.verdict(file_label(file)))
        return reply.end(
            Exit.YES if result.agreed and not result.faults else Exit.NO,
            schema=name.value,
            valid=not result.faults,
            second_opinion=result.second_opinion,
            faults=len(result.faults),
            first_faults=[fault.to_json() for fault in result.faults[:_MAX_FAULTS]],
        )

    return Reply("schema check", as_json, {"document": file}).give(work)


@group.command(
    epilog=ending(
        "schema export --out schemas",
        yes="written",
        refused="a name is taken, or a file could not be written; then no file was",
    )
)
def export(
    *,
    out: Annotated[str, typer.Option(metavar="DIR", help="Write into this folder, which is made if it is not there.")],
    as_json: JsonOption = False,
) -> int:
    """Write the packaged JSON Schemas and registries, for whoever checks documents with tools of their own."""
    require_output("--out", out, filled=True)

    def work(reply: Reply) -> Exit:
        from .. import schemas

        written = [shown(path) for path in copy_documents(files(schemas), out)]
        reply.data(*written)
        reply.verdict(f"written: {len(written)} files")
        return reply.end(Exit.YES, files=written)

    return Reply("schema export", as_json).give(work)


def _kind(document: Any) -> SchemaName:
    """Return the schema that a document names.

    Raises:
        DocumentError: ``document_kind`` if it names none that is known.
    """
    from ..identity import IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA, IDENTITY_MANIFEST_SCHEMA

    known = {
        IDENTITY_MANIFEST_SCHEMA: SchemaName.MANIFEST,
        IDENTITY_MANIFEST_PROJECTION_CENSUS_SCHEMA: SchemaName.CENSUS,
    }
    found = document.get("schema") if type(document) is dict else None
    if type(found) is not str or found not in known:
        raise unknown_kind("document", document, " or ".join(known))
    return known[found]
