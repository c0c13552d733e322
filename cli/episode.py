"""``operatebench episode``: tells and draws the episode in a run bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files import shown, write_files
from .options import JsonOption, RunArgument, ending, group_of, require_output
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle import EpisodeRecord

group = group_of("Show episodes that were run.", "episode show run")

_OUTCOME = (
    "status",
    "terminal_outcome",
    "replay_final",
    "started_at",
    "ended_at",
    "simulated_minutes",
    "invocations",
    "final_state_digest_sha256",
    "trajectory_digest_sha256",
)
"""What programs are told of the outcome of a run; all of it stands in the bundle, and in what ``episode show`` says."""


@group.command(
    epilog=ending(
        "episode show run --svg episode.svg",
        yes="shown; whether the agent was reliable is part of what is shown",
        refused="no sound run bundle is there, or the picture could not be written",
    )
)
def show(
    run: RunArgument,
    *,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the episode into this new SVG file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Tell an episode as a timeline, and show its grade with the rows that each finding rests on.

    A line says what matters, as far as it has room; --json has all of every row.

    The bundle is checked for damage only; `verify` says whether what it records can be true. Nothing is run again.
    """
    if svg is not None:
        require_output("--svg", svg)

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import (
            grade_lines,
            head_lines,
            picture,
            read_episode,
            timeline,
            timeline_lines,
            verdict_line,
        )

        record = read_episode(run)
        if svg is not None:
            write_files({svg: picture(record)})
        reply.data(*head_lines(record), "", "timeline", *timeline_lines(record), "", *grade_lines(record))
        reply.verdict(f"{shown(run)}: {verdict_line(record)}")
        return reply.end(
            Exit.YES,
            **episode_json(record),
            trajectory=record.outcome["trajectory"],
            events=record.outcome["events"],
            svg_file=None if svg is None else shown(svg),
            timeline=[
                {
                    "day": moment.day,
                    "time": moment.clock,
                    "kind": moment.kind.value,
                    "text": moment.text,
                    "rows": list(moment.rows),
                }
                for moment in timeline(record)
            ],
        )

    return Reply("episode show", as_json).give(work)


def episode_json(record: EpisodeRecord) -> dict[str, Any]:
    """Return which episode it is and how it was graded, for programs."""
    return {
        "selection": record.selection.to_wire(),
        "operation_instance_id": record.instance_id,
        "outcome": {name: record.outcome[name] for name in _OUTCOME},
        "evaluation": record.evaluation,
        "reliable": record.reliable,
        "failed_dimensions": list(record.failed_dimensions),
        "finding_codes": list(record.finding_codes),
    }
