"""The declared analysis of episodes: what is counted, over what, and how sure one may be of a rate."""

from __future__ import annotations

from typing import Any


def analysis_contract() -> dict[str, Any]:
    """Return the contract as fresh plain JSON, by part. Fractions are decimal text."""
    return {
        "endpoints": {
            "reliable": "legitimate completion with all eleven dimensions passed; one truth value per episode",
            "dimension": "one truth value per episode and dimension",
            "outcome_class": "one of seven classes per episode",
            "human_touches": "count per episode and kind",
            "opportunities": "verdict per occasion of the opportunity table",
        },
        "estimands": {
            "reliability": "share of episodes of one runtime bundle that are reliable",
            "dimension_pass_rate": "share of episodes of one runtime bundle that pass the dimension",
            "autonomy": "share of decisions of an episode that no human took part in",
            "occasion_rate": "share of occasions of one kind that were met",
        },
        "denominators": {
            "reliability": "all finished episodes, halted ones included; none is left out for its outcome",
            "dimension_pass_rate": "all finished episodes, halted ones included; none is left out for its outcome",
            "autonomy": "decisions on the tape, reads left out",
            "occasion_rate": "occasions that came up; unreached and censored ones are shown beside it, not counted",
        },
        "interval": {"method": "wilson_score", "level": "0.95", "sided": 2},
        "pooling": "none across variants, agents or bundles",
        "missing_episodes": "an excluded or aborted trial has no result; its number is reported beside every rate",
    }
