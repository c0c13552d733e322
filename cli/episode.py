"""``operatebench episode``: shows what happened in an episode that was run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DocumentError, OperateBenchError
from ..files import shown, write_files
from .inputs import file_label, moved, read_bytes
from .options import JsonOption, ending, group_of
from .output import Exit, Reply

if TYPE_CHECKING:  # at run time it would load the runtime
    from ..tracks.lifecycle import EpisodeRecord

group = group_of("Show episodes that were run.", "episode show episode.json")

_ROLE = "episode"
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
"""What programs are told of the outcome of a run; all of it stands in the file, and in what ``episode show`` says."""


@group.command(
    epilog=ending(
        "episode show episode.json --svg episode.svg",
        yes="shown; whether the agent was reliable is part of what is shown",
        refused="the file is no whole and unchanged episode, or the picture could not be written",
    )
)
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The episode; - is standard input.")],
    *,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Draw the episode into this new SVG file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Tell an episode as a timeline, and show its grade with the rows that each finding rests on.

    A line says what matters, as far as it has room; --json has all of every row.

    The file is checked for damage only: it is what was written, if its writer is to be trusted. Nothing is run again.
    """
    if svg == "-":
        raise typer.BadParameter("'-' names no output file: give --svg a file")

    def work(reply: Reply) -> Exit:
        from ..tracks.lifecycle import grade_lines, head_lines, picture, timeline, timeline_lines, verdict_line

        record = _read(file)
        if svg is not None:
            write_files({svg: picture(record)})
        reply.data(*head_lines(record), "", "timeline", *timeline_lines(record), "", *grade_lines(record))
        reply.verdict(f"{file_label(file)}: {verdict_line(record)}")
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

    return Reply("episode show", as_json, {_ROLE: file}).give(work)


def _read(file: str) -> EpisodeRecord:
    """Read an episode file; the path of a refusal starts with the role."""
    from ..tracks.lifecycle import MAX_EPISODE_TEXT_BYTES, parse_episode

    try:
        text = read_bytes(file, MAX_EPISODE_TEXT_BYTES)
    except DocumentError as refusal:
        raise moved(refusal, f"{_ROLE}#") from None
    try:
        return parse_episode(text)
    except OperateBenchError as refusal:
        raise moved(refusal, f"{_ROLE}#{refusal.path}") from None


def episode_json(record: EpisodeRecord) -> dict[str, Any]:
    """Return which episode it is and how it was graded, for programs."""
    return {
        "selection": record.selection.to_wire(),
        "operation_instance_id": record.instance_id,
        "outcome": {name: record.outcome[name] for name in _OUTCOME},
        "evaluation": record.evaluation,
    }
