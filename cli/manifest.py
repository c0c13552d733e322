"""``operatebench manifest``: build, validate, show and compare identity manifests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated

import typer

from ..errors import IdentityValidationError
from ..files import shown, write_files
from .inputs import file_label, read_document, require_standard_input_once
from .options import JsonOption, ending, group_of, require_output
from .output import Exit, Reply, forcible, pretty, write_out
from .selfcheck import check_against_itself, read_manifest

group = group_of("Build, validate, show and compare identity manifests.", "manifest show manifest.json")

_ManifestArgument = Annotated[str, typer.Argument(metavar="MANIFEST", help="The manifest; - is standard input.")]


@group.command(
    epilog=ending(
        "manifest build projections.json --out manifest.json --census-out census.json",
        yes="built",
        refused="an input was refused, or a file could not be written",
    )
)
def build(
    projections: Annotated[
        str, typer.Argument(metavar="PROJECTIONS", help="JSON object of the eleven components' projections.")
    ],
    *,
    requirements: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON object: component to its requirement rows, in place of exact digests."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the manifest here instead of to standard output.")
    ] = None,
    census_out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the census of the projections here.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing output files.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Build a manifest from projections. Files are published whole or not at all.

    Of two files none is published unless both could be written to disk beside their names, and both names were free. If
    only the second can then not get its name, the first is taken back, except where --force has replaced an older one.
    """
    files = {"projections": projections} | ({} if requirements is None else {"requirements": requirements})
    require_standard_input_once(files.values())
    outputs = {"manifest": out, "census": census_out}
    _require_output_names([name for name in outputs.values() if name is not None], files.values())

    def work(reply: Reply) -> Exit:
        from ..identity import build_identity_manifest, build_projection_census

        documents = {role: read_document(role, file) for role, file in files.items()}
        built = {"manifest": build_identity_manifest(documents["projections"], documents.get("requirements"))}
        if census_out is not None:
            built["census"] = build_projection_census(documents["projections"])
        with forcible():
            write_files(
                {name: pretty(built[role]) for role, name in outputs.items() if name is not None}, replace=force
            )
        digest = built["manifest"]["manifest_digest_sha256"]
        if out is None and not as_json:
            write_out(pretty(built["manifest"]))
        reply.verdict(f"built: manifest {digest}")
        return reply.end(
            Exit.YES,
            manifest_digest_sha256=digest,
            manifest_file=None if out is None else shown(out),
            census_file=None if census_out is None else shown(census_out),
            manifest=built["manifest"] if out is None else None,
        )

    return Reply("manifest build", as_json, files).give(work)


@group.command(
    epilog=ending(
        "manifest validate manifest.json --census census.json --projections projections.json",
        yes="the manifest is valid",
        no="the manifest is refused; the reason says where, and what was expected",
    )
)
def validate(
    manifest: _ManifestArgument,
    *,
    census: Annotated[str, typer.Option(metavar="FILE", help="The manifest-projection census.")],
    projections: Annotated[
        str, typer.Option(metavar="FILE", help="The eleven projections, derived without the manifest.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Recompute a manifest from independently derived projections and compare everything."""
    files = {"manifest": manifest, "census": census, "projections": projections}
    require_standard_input_once(files.values())

    def work(reply: Reply) -> Exit:
        from ..identity import validate_identity_manifest

        documents = [read_document(role, file) for role, file in files.items()]
        try:
            digest = validate_identity_manifest(*documents).manifest_digest_sha256
        except IdentityValidationError as refusal:
            return reply.refuse(refusal, Exit.NO)
        reply.verdict(f"OK: {file_label(manifest)} {digest}")
        return reply.end(Exit.YES, manifest_digest_sha256=digest)

    return Reply("manifest validate", as_json, files).give(work)


@group.command(epilog=ending("manifest show manifest.json", yes="consistent in itself", no="not consistent in itself"))
def show(manifest: _ManifestArgument, *, as_json: JsonOption = False) -> int:
    """Show a manifest as a tree: components, what they require, and bundles.

    It is checked against the projections it claims itself. That shows consistency; only 'validate' compares it with
    independent projections.
    """

    def work(reply: Reply) -> Exit:
        from .manifest_text import manifest_json, manifest_tree

        document = read_manifest("manifest", manifest)
        try:
            checked = check_against_itself("manifest", document)
        except IdentityValidationError as refusal:
            return reply.refuse(refusal, Exit.NO)
        reply.data(*manifest_tree(checked))
        reply.verdict(f"{file_label(manifest)}: consistent in itself; not compared with independent projections")
        return reply.end(Exit.YES, **manifest_json(checked))

    return Reply("manifest show", as_json, {"manifest": manifest}).give(work)


@group.command(
    epilog=ending(
        "manifest diff old.json new.json",
        yes="identical",
        no="something moved",
        refused="an input was refused, is not consistent in itself, or gives a path to another owner",
    )
)
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The manifest before; - is standard input.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The manifest after.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Say what moved between two manifests, and what merely follows.

    A component moved when its own fields did. It follows when only what it requires changed. Each manifest is checked
    against the projections it claims itself.
    """
    files = {"old": old, "new": new}
    require_standard_input_once(files.values())

    def work(reply: Reply) -> Exit:
        from .manifest_text import Difference

        before, after = (check_against_itself(role, read_manifest(role, file)) for role, file in files.items())
        difference = Difference.between(before, after)
        reply.data(*difference.lines())
        return reply.end(Exit.YES if difference.identical else Exit.NO, **difference.to_json())

    return Reply("manifest diff", as_json, files).give(work)


def _require_output_names(names: list[str], inputs: Iterable[str]) -> None:
    if "-" in names:
        raise typer.BadParameter("'-' names no output file; without --out the manifest goes to standard output")
    for name in names:
        require_output("--out", name)
    if len({os.path.realpath(name) for name in names}) < len(names):
        raise typer.BadParameter("--out and --census-out name the same file")
    if {os.path.realpath(name) for name in names} & {os.path.realpath(name) for name in inputs if name != "-"}:
        raise typer.BadParameter("an output is one of the inputs, which it would replace")
