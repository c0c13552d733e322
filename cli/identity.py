"""``operatebench identity``: what is installed here, and what moved between a run and here."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import escape
from ..files import shown
from .operation import read_spec
from .options import JsonOption, RunArgument, SpecOption, ending, group_of
from .output import Exit, Reply

group = group_of("Show the identity of what is installed here.", "identity live")


@group.command(epilog=ending("identity live", "identity live --variant V2 --agent always_wait", yes="shown"))
def live(
    *,
    variant: Annotated[str, typer.Option(metavar="ID", help="A variant of the operation.")] = "V1",
    agent: Annotated[str, typer.Option(metavar="ID", help="An agent.")] = "reference",
    spec_file: SpecOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what a run of an agent in a variant would be bound to here and now, as a tree of its identity manifest."""

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import MaintenanceRuntime
        from .manifest_text import manifest_json, manifest_tree
        from .run_episodes import known

        runtime = MaintenanceRuntime(read_spec(spec_file))
        chosen = known("--variant", variant, runtime.spec.variants), known("--agent", agent, runtime.agents)
        validated = runtime.identity(*chosen).validated
        runtime.require_unchanged_source()
        source = runtime.source_identity_digest_sha256
        reply.data(f"source {source}", f"spec   {runtime.spec.sha256}", "", *manifest_tree(validated))
        return reply.end(
            Exit.YES,
            source_identity_digest_sha256=source,
            spec_sha256=runtime.spec.sha256,
            **manifest_json(validated),
        )

    return Reply("identity live", as_json).give(work)


@group.command(
    epilog=ending(
        "identity diff run",
        yes="identical: the run was bound to exactly what is here",
        no="something moved",
        refused="no sound bundle, or nothing here has its operation, variant and agent",
    )
)
def diff(
    run: RunArgument,
    *,
    spec_file: SpecOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say what moved between a run and what is installed here, and what merely follows.

    The bundle's manifest is checked against itself; `verify` checks the rest. Nothing is run.
    """

    def work(reply: Reply) -> Exit:
        from ..identity.reassigned import reassigned
        from ..replay.verify import recorded_identity
        from ..tracks.lifecycle import MaintenanceRuntime
        from .manifest_text import Difference

        runtime = MaintenanceRuntime(read_spec(spec_file))
        recorded, live = recorded_identity(run, runtime)
        runtime.require_unchanged_source()
        gone = reassigned(recorded.projections, live.projections)
        if gone:
            reply.data(*(f"{escape(row.path, 1_024)}: {row.old_owner} there, {row.new_owner} here" for row in gone))
            reply.verdict(f"{shown(run)}: {len(gone)} paths have another owner here")
            return reply.end(Exit.NO, reassigned=[row._asdict() for row in gone])
        difference = Difference.between(recorded.validated, live.validated)
        reply.data(*difference.lines())
        return reply.end(Exit.YES if difference.identical else Exit.NO, reassigned=[], **difference.to_json())

    return Reply("identity diff", as_json).give(work)
