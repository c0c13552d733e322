"""``operatebench requirements``: evaluates requirement rows against the components of a manifest."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .inputs import file_label, read_document, require_standard_input_once
from .options import JsonOption, ending, group_of
from .output import Exit, Reply
from .selfcheck import check_against_itself, read_manifest

group = group_of("Evaluate requirement rows.", "requirements check requirements.json --manifest manifest.json")


@group.command(
    epilog=ending(
        "requirements check requirements.json --manifest manifest.json",
        yes="satisfied",
        no="not satisfied; the reasons are printed",
        refused="an input was refused, or the manifest is not consistent in itself",
    )
)
def check(
    requirements: Annotated[
        str, typer.Argument(metavar="REQUIREMENTS", help="JSON array of requirement rows; - is standard input.")
    ],
    *,
    manifest: Annotated[str, typer.Option(metavar="FILE", help="The manifest whose components are asked.")],
    as_json: JsonOption = False,
) -> int:
    """Evaluate requirement rows against a manifest's components, and give the reasons if they are not satisfied.

    The manifest is checked against the projections it claims itself. Being satisfied authorizes nothing.
    """
    files = {"requirements": requirements, "manifest": manifest}
    require_standard_input_once(files.values())

    def work(reply: Reply) -> Exit:
        from ..identity import evaluate_component_requirements

        rows = read_document("requirements", requirements)
        components = dict(check_against_itself("manifest", read_manifest("manifest", manifest)).components)
        evaluation = evaluate_component_requirements(rows, components)
        reply.data(*(evaluation.reasons or ["satisfied"]))
        unmet = _unmet_rows(rows, {name: component.content_digest_sha256 for name, component in components.items()})
        reply.verdict(*(f"  {file_label(requirements)}#{row['path']} {row['text']}" for row in unmet))
        return reply.end(
            Exit.YES if evaluation.satisfied else Exit.NO,
            satisfied=evaluation.satisfied,
            reasons=list(evaluation.reasons),
            unmet=[{name: row[name] for name in ("path", "component", "reasons")} for row in unmet],
        )

    return Reply("requirements check", as_json, files).give(work)


def _unmet_rows(rows: list[Any], digests: dict[str, str]) -> list[dict[str, Any]]:
    """Say which of the evaluated rows are not met, and what their component has instead."""
    from ..identity.requirements import read_requirement, unmet
    from .manifest_text import requirement_text, short

    found = []
    for index, row in enumerate(rows):
        requirement = read_requirement(row, f"requirements#/{index}")
        digest = digests[requirement.component]
        reasons = unmet(requirement, digest)
        if reasons:
            asked = f"requires {requirement.component} {requirement_text(requirement)}"
            text = f"{asked}; the manifest has version 1, {short(digest)}"
            found.append(
                {"path": f"/{index}", "component": requirement.component, "reasons": list(reasons), "text": text}
            )
    return found
