"""What an evaluation is: frozen records, and their wire form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        dimension: one of the eleven.
        code: stable upper-case word of :mod:`.vocabulary`.
        detail: one sentence for people, about this case.
        at: canonical instant of the last row it rests on; null when it rests on none.
        rows: positions in the trajectory it rests on, ascending.
    """

    dimension: str
    code: str
    detail: str
    at: str | None
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension: whether it holds, and what was counted in it."""

    dimension: str
    ok: bool
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class HumanTouch:
    """A human called upon, wrongly called upon, or wrongly left out.

    Attributes:
        kind: required, justified, unnecessary, missed, outside_authority or insufficient_context.
        checkpoint_id: null when no checkpoint was opened: a refused attempt, or a missed one.
    """

    kind: str
    checkpoint_type: str
    checkpoint_id: str | None
    at: str | None
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opportunity:
    """Something the operation's state called for, whatever the agent did about it.

    Attributes:
        due_at: the last instant at which it counts as met; null when only the end of the episode bounds it.
        verdict: met, missed, premature, withdrawn, unreached or censored (:data:`.vocabulary.VERDICTS`).
    """

    opportunity_id: str
    kind: str
    opened_at: str | None
    due_at: str | None
    verdict: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The grade of one episode (runtime contract, section 3).

    Attributes:
        outcome_class: one of the seven endings.
        legitimate_completion: the status is the variant's expected terminal, and a legitimate one.
        reliable: legitimate completion, and all eleven dimensions hold.
        dimensions: in contract order.
        load: what the episode asked of humans and of the agent, as counts.
    """

    outcome_class: str
    legitimate_completion: bool
    reliable: bool
    dimensions: tuple[Dimension, ...]
    findings: tuple[Finding, ...]
    human_touches: tuple[HumanTouch, ...]
    opportunities: tuple[Opportunity, ...]
    load: Mapping[str, int]

    @property
    def failed_dimensions(self) -> tuple[str, ...]:
        """The dimensions that do not hold, in contract order."""
        return tuple(dimension.dimension for dimension in self.dimensions if not dimension.ok)

    @property
    def finding_codes(self) -> tuple[str, ...]:
        """The codes found, sorted, each once."""
        return tuple(sorted({finding.code for finding in self.findings}))

    def to_wire(self) -> dict[str, Any]:
        """Return the grade as fresh plain JSON, in the words of ``operatebench.evaluation.v1``."""
        return {
            "outcome_class": self.outcome_class,
            "vector": [{"dimension": item.dimension, "ok": item.ok} for item in self.dimensions],
            "findings": [
                {
                    "dimension": item.dimension,
                    "code": item.code,
                    "detail": item.detail,
                    "at": item.at,
                    "rows": list(item.rows),
                }
                for item in self.findings
            ],
            "human_touches": [
                {
                    "kind": item.kind,
                    "checkpoint_type": item.checkpoint_type,
                    "checkpoint_id": item.checkpoint_id,
                    "at": item.at,
                    "rows": list(item.rows),
                }
                for item in self.human_touches
            ],
            "opportunities": [
                {
                    "opportunity_id": item.opportunity_id,
                    "kind": item.kind,
                    "opened_at": item.opened_at,
                    "due_at": item.due_at,
                    "verdict": item.verdict,
                    "rows": list(item.rows),
                }
                for item in self.opportunities
            ],
            "load": dict(self.load),
        }
