"""``operatebench run``: runs an agent through an operation, or all agents through all variants."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import escape
from ..files import make_folder, require_free, shown
from .admission import IssuersOption, Permit, UnsignedOption, inputs_of
from .episode import episode_json
from .operation import read_spec
from .options import MOST_JOBS, JsonOption, SpecOption, ending, group_of, processes, require_output
from .output import Exit, Reply
from .progress import Progress
from .surroundings import writer_of

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle import EpisodeRecord, Finished

group = group_of("Run agents through simulated operations.", "run maintenance --variant V1 --agent reference")

_LAST_TRIAL = 2**53 - 1
"""A bigger number has no place in a ledger."""
_MOST_TRIALS = 1_000


@group.command(
    epilog=ending(
        "run maintenance --variant V1 --agent reference",
        "run maintenance --variant V2 --agent reference --out run",
        "run maintenance --all --trials 3 --out runs",
        "run maintenance --variant V1 --agent reference --out run --authorization permit.json --register register.db",
        yes="the agent was reliable; with --all, every run is in DIR",
        no="the agent was not reliable",
        refused="the spec or the authorization was refused, the bundle could not be written, or the source changed",
    )
)
def maintenance(
    *,
    variant: Annotated[str | None, typer.Option(metavar="ID", help="The variant of the operation, such as V1.")] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="ID", help="The agent that is measured, such as reference.")
    ] = None,
    trial: Annotated[
        int | None, typer.Option(min=0, max=_LAST_TRIAL, metavar="N", help="The number of the trial; without it, 0.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every agent in every variant.")] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, max=_MOST_TRIALS, metavar="N", help="With --all: trials of each; without, 1.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_JOBS, metavar="J", help="With --all: processes at work; without, one per processor."
        ),
    ] = None,
    spec_file: SpecOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Keep the run as a bundle in this new folder; with --all, the folder of all bundles."
        ),
    ] = None,
    authorization: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Run with one use of this authorization, which the bundle keeps."),
    ] = None,
    register: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --authorization: the register that records the use.")
    ] = None,
    issuers: IssuersOption = None,
    allow_unsigned: UnsignedOption = False,
    as_json: JsonOption = False,
) -> int:
    """Run an agent in one variant of the Maintenance operation, twice, and grade it.

    The second execution shows that the first can be reproduced. A bundle says what produced it, and `verify`
    checks it. With --all, every agent runs in every variant. A bundle that verifies is kept; any other is
    replaced, once the new run is whole, and the last line says how many were outdated or damaged.

    An authorization permits nothing but the source it was issued for. One use of it is recorded before anything runs,
    and never given back. Agents that ask no provider need none, and there are no others yet.
    """
    if out is not None:
        require_output("--out", out, filled=every)
    permit = _permit(authorization, register, issuers, allow_unsigned, out)
    files = {} if permit is None else inputs_of(permit.file, permit.issuers)
    if every:
        _forbid(variant=variant, agent=agent, trial=trial, beside="--all")
        if out is None:
            raise typer.BadParameter("--all needs --out DIR: every run is a bundle there")
        folder = out
        return Reply("run maintenance", as_json, files).give(
            lambda reply: _run_all(reply, spec_file, trials or 1, processes(jobs), folder, permit=permit)
        )
    _forbid(trials=trials, jobs=jobs, beside="--variant and --agent")

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import MaintenanceRuntime, Selection, keep_run, run_one

        runtime = MaintenanceRuntime(read_spec(spec_file))
        chosen = known("--variant", variant, runtime.spec.variants), known("--agent", agent, runtime.agents)
        if out is None:
            record = run_one(runtime, *chosen, trial or 0)
        else:
            selection = Selection(runtime.spec.operation_id, *chosen, trial or 0)
            used = None
            if permit is not None:
                require_free(out)  # a use is not given back
                admission = permit.admit(runtime, [chosen], episodes=1)
                if not admission.admitted:
                    return permit.refuse(reply, admission)
                used = permit.used(reply, admission)
            record = keep_run(runtime, selection, out, writer_of(runtime), authorization=used)
        runtime.require_unchanged_source()
        return _give(reply, record, out)

    return Reply("run maintenance", as_json, files).give(work)


def _permit(
    authorization: str | None, register: str | None, issuers: str | None, allow_unsigned: bool, out: str | None
) -> Permit | None:
    """Return what was named to permit the runs, if anything was."""
    if authorization is None:
        if register is not None or issuers is not None or allow_unsigned:
            raise typer.BadParameter("--register, --issuers and --allow-unsigned go with --authorization")
        return None
    if register is None:
        raise typer.BadParameter("--authorization needs --register: a use is recorded before anything runs")
    if out is None:
        raise typer.BadParameter("--authorization needs --out: the bundle keeps what was used")
    return Permit(authorization, register, issuers, allow_unsigned)


def _forbid(*, beside: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} does not go with {beside}")


def known(option: str, name: str | None, known: Any) -> str:
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
    status = Exit.YES if record.reliable else Exit.NO
    return reply.end(status, **episode_json(record), bundle=None if out is None else shown(out))


def _run_all(
    reply: Reply, spec_file: str | None, trials: int, jobs: int, folder: str, *, permit: Permit | None
) -> Exit:
    from ..cards.authoring.words import listed
    from ..tracks.lifecycle import MaintenanceRuntime, all_selections, run_matrix

    runtime = MaintenanceRuntime(read_spec(spec_file))
    selections = all_selections(runtime.spec, trials)
    used = None
    if permit is not None:
        pairs = dict.fromkeys((each.variant_id, each.agent_id) for each in selections)
        with ExitStack() as if_refused:
            if make_folder(folder):  # first, as a use is not given back
                if_refused.callback(Path(folder).rmdir)
            admission = permit.admit(runtime, pairs, episodes=len(selections))
            if not admission.admitted:
                return permit.refuse(reply, admission)
            if_refused.pop_all()
        used = permit.used(reply, admission)
    found: list[Finished] = []
    with Progress("runs", wanted=not reply.as_json) as progress:
        for run in run_matrix(runtime, selections, folder, writer_of(runtime), jobs=jobs, authorization=used):
            found.append(run)
            progress.show(len(found), len(selections))
    runtime.require_unchanged_source()
    reply.data(*_lines(found))
    earlier = Counter(each.earlier.value for each in found)
    replaced = {name: earlier[name] for name in ("outdated", "damaged")}
    counts = {"run": len(found) - earlier["current"], **replaced, "kept": earlier["current"]}
    again = listed((f"{count} {name}" for name, count in replaced.items() if count), "")
    reply.verdict(
        f"{shown(folder)}: {len(found)} runs, {sum(each.reliable for each in found)} reliable; "
        f"{counts['run']} run{again and f' ({again})'}, {counts['kept']} kept"
    )
    return reply.end(Exit.YES, folder=shown(folder), counts=counts, runs=[_json(each) for each in found])


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


def _json(run: Finished) -> dict[str, Any]:
    return {
        "selection": run.selection.to_wire(),
        "bundle": run.bundle,
        "kept": run.kept,
        "earlier": run.earlier.value,
        "outcome_class": run.outcome_class,
        "reliable": run.reliable,
        "failed_dimensions": list(run.failed_dimensions),
        "finding_codes": list(run.finding_codes),
    }
