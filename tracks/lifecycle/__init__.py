"""The lifecycle track: runs an operation's agents from the first event to the end; binds, grades and keeps that."""

from ...runtime.maintenance.agents import AGENTS
from ...runtime.maintenance.spec import OperationSpec, load_spec, packaged_spec
from .authorized import Subject, build_beside, live_build, subject
from .binding import require_bindable
from .bound import AgentFactory, MaintenanceRuntime
from .explain import explain
from .gate import GateReport, check_gate
from .keep import keep_run
from .many import Judged, verify_many
from .matrix import Earlier, Finished, all_selections, run_matrix
from .ownership import live_source, live_source_files, owner_of
from .packaged import packaged_spec_text
from .picture import picture
from .record import EpisodeRecord, read_episode
from .run import run_one
from .selection import Selection
from .tape import TapeAgent
from .timeline import Moment, Standing, grade_lines, head_lines, standing, timeline, timeline_lines, verdict_line

__all__ = [
    "AGENTS",
    "AgentFactory",
    "Earlier",
    "EpisodeRecord",
    "Finished",
    "GateReport",
    "Judged",
    "MaintenanceRuntime",
    "Moment",
    "OperationSpec",
    "Selection",
    "Standing",
    "Subject",
    "TapeAgent",
    "all_selections",
    "build_beside",
    "check_gate",
    "explain",
    "grade_lines",
    "head_lines",
    "keep_run",
    "live_build",
    "live_source",
    "live_source_files",
    "load_spec",
    "owner_of",
    "packaged_spec",
    "packaged_spec_text",
    "picture",
    "read_episode",
    "require_bindable",
    "run_matrix",
    "run_one",
    "standing",
    "subject",
    "timeline",
    "timeline_lines",
    "verdict_line",
    "verify_many",
]
