"""``operatebench run``: runs an agent through an operation, or all agents through all variants."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import escape
from ..files import shown
from .episode import episode_json
from .operation import read_spec
from .options import JsonOption, ending, group_of
from .output import Exit, Reply, forcible
from .progress import Progress

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle import EpisodeRecord, Finished, OperationSpec

group = group_of("Run agents through simulated operations.", "run maintenance --variant V1 --agent reference")

_MOST_TRIALS = 1_000
_MOST_JOBS = 64


@group.command(
    epilog=ending(
        "run maintenance --variant V1 --agent reference",
        "run maintenance --variant V2 --agent reference --out episode.json",
        "run maintenance --all --trials 3 --out episodes",
        yes="the agent was reliable; with --all, every episode was run and is in DIR",
        no="the agent was not reliable",
        refused="the spec was refused, or a file could not be written",
    )
)
def maintenance(
    *,
    variant: Annotated[str | None, typer.Option(metavar="ID", help="The variant of the operation, such as V1.")] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="ID", help="The agent that is measured, such as reference.")
    ] = None,
    trial: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="The number of the trial; without it, 0.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every agent in every variant.")] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, max=_MOST_TRIALS, metavar="N", help="With --all: trials of each; without, 1.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=_MOST_JOBS, metavar="J", help="With --all: processes at work; without, one per processor."
        ),
    ] = None,
    spec_file: Annotated[
        str | None, typer.Option("--spec", metavar="FILE", help="The operation spec; without it, the packaged one.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write the episode here, to a new file; with --all, the folder of all files."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of an earlier episode.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Run an agent in one variant of the Maintenance operation, twice, and grade it.

    The second execution shows that the first can be reproduced. With --all, every agent runs in every variant; each
    episode is a file. A file that is whole, and of today's spec and evaluator, is kept; any other is replaced by a new
    run, and the last line says how many were outdated or damaged.
    """
    if out == "-":
        raise typer.BadParameter("'-' names no output file: give --out a path")
    if every:
        _forbid(variant=variant, agent=agent, trial=trial, force=force or None, beside="--all")
        if out is None:
            raise typer.BadParameter("--all needs --out DIR: every episode is a file there")
        folder = out
        return Reply("run maintenance", as_json).give(
            lambda reply: _run_all(
                reply, read_spec(spec_file), trials or 1, jobs or min(os.cpu_count() or 1, _MOST_JOBS), folder
            )
        )
    _forbid(trials=trials, jobs=jobs, beside="--variant and --agent")
    if force and out is None:
        raise typer.BadParameter("--force replaces the file of --out: give --out FILE")

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import AGENTS, EpisodeRecord, run_one, write_episode

        spec = read_spec(spec_file)
        run = run_one(spec, _known("--variant", variant, spec.variants), _known("--agent", agent, AGENTS), trial or 0)
        record = EpisodeRecord.of(spec, run)
        if out is not None:
            with forcible():
                write_episode(out, record, replace=force)
        return _give(reply, record, out)

    return Reply("run maintenance", as_json).give(work)


def _forbid(*, beside: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} does not go with {beside}")


def _known(option: str, name: str | None, known: Any) -> str:
    """Return a name that is known; else it is wrong usage, and what exists is listed."""
    choices = ", ".join(map(escape, known))
    if name is None:
        raise typer.BadParameter(f"{option} is missing: give one of {choices}; or --all")
    if name not in known:
        raise typer.BadParameter(f"{option} {escape(name)} is unknown: there are {choices}")
    return name


def _give(reply: Reply, record: EpisodeRecord, out: str | None) -> Exit:
    from ..tracks.lifecycle import grade_lines, head_lines, verdict_line

    reply.data(*head_lines(record), "", *grade_lines(record))
    reply.verdict(verdict_line(record))
    status = Exit.YES if record.evaluation["reliable"] else Exit.NO
    return reply.end(status, **episode_json(record), file=None if out is None else shown(out))


def _run_all(reply: Reply, spec: OperationSpec, trials: int, jobs: int, folder: str) -> Exit:
    from ..cards.authoring.words import listed
    from ..tracks.lifecycle import all_selections, run_matrix

    selections = all_selections(spec, trials)
    found: list[Finished] = []
    with Progress("episodes", wanted=not reply.as_json) as progress:
        for episode in run_matrix(spec, selections, folder, jobs=jobs):
            found.append(episode)
            progress.show(len(found), len(selections))
    reply.data(*_lines(found))
    earlier = Counter(each.earlier.value for each in found)
    replaced = {name: earlier[name] for name in ("outdated", "damaged")}
    counts = {"run": len(found) - earlier["current"], **replaced, "kept": earlier["current"]}
    again = listed((f"{count} {name}" for name, count in replaced.items() if count), "")
    reply.verdict(
        f"{shown(folder)}: {len(found)} episodes, {sum(each.reliable for each in found)} reliable; "
        f"{counts['run']} run{again and f' ({again})'}, {counts['kept']} kept"
    )
    return reply.end(Exit.YES, folder=shown(folder), counts=counts, episodes=[_json(each) for each in found])


def _lines(found: list[Finished]) -> list[str]:
    from ..cards.authoring.words import listed, table

    return table(
        (
            (
                escape(each.selection.variant_id),
                each.selection.agent_id,
                str(each.selection.trial),
                "reliable" if each.reliable else "unreliable",
                each.outcome_class,
                listed(each.failed_dimensions, ""),
            )
            for each in found
        ),
        "",
    )


def _json(episode: Finished) -> dict[str, Any]:
    return {
        "selection": episode.selection.to_wire(),
        "file": episode.file,
        "kept": episode.kept,
        "earlier_file": episode.earlier.value,
        "outcome_class": episode.outcome_class,
        "reliable": episode.reliable,
        "failed_dimensions": list(episode.failed_dimensions),
        "finding_codes": list(episode.finding_codes),
    }
