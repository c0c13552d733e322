"""``operatebench operation``: checks an operation spec, and says in tables what one says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CardValidationError, SpecError
from ..files import shown
from .options import JsonOption, ending, group_of
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle import OperationSpec

group = group_of("Check and explain operation specs.", "operation explain")

PACKAGED = "the packaged spec"


def read_spec(file: str | None) -> OperationSpec:
    """Return the spec in a file, or the packaged one if none is named.

    Raises:
        DocumentError: the file cannot be read.
        SpecError: it is no sound spec.
    """
    from ..tracks.lifecycle import load_spec, packaged_spec

    return packaged_spec() if file is None else load_spec(file)


@group.command(
    epilog=ending(
        "operation validate maintenance.yaml",
        yes="the spec is sound",
        no="it is not; the reason names file, line and field",
        refused="the file was refused: unreadable, or not the strict YAML that a spec is written in",
    )
)
def validate(
    file: Annotated[str, typer.Argument(metavar="SPEC", help="The operation spec, a YAML file.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Check an operation spec: its form, its names, what refers to what, and what can happen in each variant.

    Its variants must also become cards, and fit the identity components that hold them.
    """

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import live_source_files, require_bindable

        try:
            spec = read_spec(file)
            require_bindable(spec, source_files=live_source_files())
        except SpecError as refusal:
            return reply.refuse(refusal, Exit.REFUSED if refusal.code.startswith("yaml_") else Exit.NO)
        except CardValidationError as refusal:
            return reply.refuse(refusal, Exit.NO)
        reply.verdict(f"OK: {shown(file)} {spec.digest_sha256}")
        return reply.end(Exit.YES, **_identity(spec))

    return Reply("operation validate", as_json).give(work)


@group.command(
    epilog=ending(
        "operation explain",
        "operation explain maintenance.yaml",
        yes="explained",
        refused="the spec was refused; nothing is explained",
    )
)
def explain(
    file: Annotated[
        str | None, typer.Argument(metavar="SPEC", help="The operation spec; without one, the packaged one.")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    """Say in tables what an operation is: actors, authority, policy, and the timeline of each variant."""

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import explain as in_words

        spec = read_spec(file)
        lines = in_words(spec)
        reply.data(*lines)
        return reply.end(Exit.YES, **_identity(spec), lines=lines)

    return Reply("operation explain", as_json).give(work)


def _identity(spec: OperationSpec) -> dict[str, object]:
    return {
        "operation_id": spec.operation_id,
        "operation_version": spec.operation_version,
        "spec_sha256": spec.sha256,
        "spec_digest_sha256": spec.digest_sha256,
        "variants": list(spec.variants),
    }
