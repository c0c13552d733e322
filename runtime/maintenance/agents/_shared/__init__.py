"""What the agents share: a view of what was read, when to read what, and the rules the reference decides by."""

from .agent import CaseAgent, DeviatesOnce
from .case import Case
from .messages import recover, send, sent
from .reading import action_type_of
from .rules import next_step, request_visit

__all__ = [
    "Case",
    "CaseAgent",
    "DeviatesOnce",
    "action_type_of",
    "next_step",
    "recover",
    "request_visit",
    "send",
    "sent",
]
