"""A small run bundle: its documents are of the right kinds, but say next to nothing."""

from pathlib import Path
from typing import Any

from operatebench.replay.bundle import Artifact, BundleWriter, Writer
from operatebench.replay.evaluation import seal_evaluation
from operatebench.replay.ledger import LedgerHeader
from tests.replay.evidence.documents import built, provider_null
from tests.replay.ledger.ledgers import END, HEADER, ROWS

WRITER = Writer("operatebench", "0.1.0", "3.11.7", "linux", {"orjson": "3.10.15"}, None, "a" * 64, None)
GRADE: dict[str, Any] = {
    "vector": [{"dimension": "terminal_outcome", "ok": True}, {"dimension": "recovery", "ok": False}],
    "findings": [{"dimension": "recovery", "code": "LATE", "detail": "too late", "at": None, "rows": [1, 2]}],
    "human_touches": [
        {"kind": "required", "checkpoint_type": None, "checkpoint_id": "c-1", "at": "2032-04-05T08:30:00Z", "rows": []}
    ],
    "opportunities": [
        {"opportunity_id": "o-1", "kind": "k", "opened_at": None, "due_at": None, "verdict": "met", "rows": [0]}
    ],
    "load": {"decisions": 3},
    "outcome_class": "successful_completion",
}
PATHS = (
    "cards/operation.json",
    "cards/semantic_scenario.json",
    "cards/variant.json",
    "census.json",
    "evaluation.json",
    "evidence.json",
    "ledger.ndjson",
    "manifest.json",
)


def evaluation(**changes: Any) -> dict[str, Any]:
    return seal_evaluation({**GRADE, **changes}, evaluator_digest="b" * 64, analysis_digest="c" * 64)


def publish(writer: BundleWriter, /, **changes: Any) -> Artifact:
    """Finish the ledger and publish documents, some of which may be others."""
    documents: dict[str, Any] = {
        "manifest": {"m": 1},
        "census": {"c": []},
        "cards": {"operation": {"o": 1}, "semantic_scenario": {"s": 1}, "variant": {"v": "é"}},
        "evidence": built(provider_null()),
        "evaluation": evaluation(),
        "writer": WRITER,
    }
    for row in ROWS:
        writer.ledger.append(**row)
    writer.ledger.finish(**END)
    return writer.publish(**{**documents, **changes})


def write_bundle(path: Path, **changes: Any) -> Artifact:
    with BundleWriter(path, LedgerHeader.from_wire(HEADER)) as writer:
        return publish(writer, **changes)


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if not path.is_dir()}
