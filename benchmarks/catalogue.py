"""The whole table of figures, sorted by name. A module of figures registers them when it is imported here."""

from . import (
    admissions,
    cards,
    episodes,
    figures,
    hostile,
    ledgers,
    manifests,
    parsing,
    processes,
    sources,
    verification,
)

FIGURES = dict(sorted(figures.FIGURES.items()))
"""Every figure by name, whatever the order of the imports above."""

__all__ = [
    "FIGURES",
    "admissions",
    "cards",
    "episodes",
    "hostile",
    "ledgers",
    "manifests",
    "parsing",
    "processes",
    "sources",
    "verification",
]
