"""The lifecycle track: runs an operation's agents from the first event to the end, grades, keeps and shows it."""

from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.spec import OperationSpec, load_spec, packaged_spec
from .digests import MAX_EPISODE_TEXT_BYTES
from .explain import explain
from .gate import GateReport, check_gate
from .matrix import Earlier, Finished, all_selections, run_matrix
from .ownership import evaluator_source_digest, owner_of
from .packaged import packaged_spec_text
from .picture import picture
from .record import EpisodeRecord, parse_episode, read_episode, write_episode
from .run import AgentFactory, LifecycleRun, run_one
from .selection import Selection, operation_instance_id
from .timeline import Moment, Standing, grade_lines, head_lines, standing, timeline, timeline_lines, verdict_line

__all__ = [
    "AGENTS",
    "MAX_EPISODE_TEXT_BYTES",
    "AgentFactory",
    "Earlier",
    "EpisodeRecord",
    "Finished",
    "GateReport",
    "LifecycleRun",
    "Moment",
    "OperationSpec",
    "Selection",
    "Standing",
    "all_selections",
    "check_gate",
    "evaluator_source_digest",
    "explain",
    "grade_lines",
    "head_lines",
    "load_spec",
    "operation_instance_id",
    "owner_of",
    "packaged_spec",
    "packaged_spec_text",
    "parse_episode",
    "picture",
    "read_episode",
    "run_matrix",
    "run_one",
    "standing",
    "timeline",
    "timeline_lines",
    "verdict_line",
    "write_episode",
]
