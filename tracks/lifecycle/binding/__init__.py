"""Binds a run to identities: from spec and installed code to cards, the eleven projections and the live manifest."""

from .cards import Cards, cards_of
from .live import live_identity, require_bindable
from .project import Projections, SourceFiles, project
from .sections import SECTIONS, WHOLE_ON_A_CARD, owner_of_section

__all__ = [
    "SECTIONS",
    "WHOLE_ON_A_CARD",
    "Cards",
    "Projections",
    "SourceFiles",
    "cards_of",
    "live_identity",
    "owner_of_section",
    "project",
    "require_bindable",
]
