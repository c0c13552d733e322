"""What each action needs and does: one module for each group of actions, all of them here by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...core.protocol import Effect, Environment, Proposal
from ..rules import Rules
from ..state.state import State
from . import billing, completion, corrections, exceptions, messages, quotes, visits

Judge = Callable[[State, Proposal, Rules], tuple[str, ...]]
"""Returns the references a grant of a well-formed proposal rests on, or refuses by raising
:class:`..refusals.RefusalError`; it changes nothing."""

Commit = Callable[[State, Proposal, Rules, Environment], Effect]
"""Carries a granted proposal out; it cannot refuse."""


class Action(NamedTuple):
    """One action.

    Attributes:
        advances: it takes the business further, so it is refused once the operation is handed over.
        opens_checkpoint: it calls upon a human.
    """

    judge: Judge
    commit: Commit
    advances: bool = True
    opens_checkpoint: bool = False


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "authorise_supplier_work": Action(quotes.judge_authorisation, quotes.commit_authorisation),
        "complete": Action(completion.judge_completion, completion.commit_completion, advances=False),
        "request_approval": Action(quotes.judge_approval, quotes.commit_approval, opens_checkpoint=True),
        "request_exception_resolution": Action(
            exceptions.judge_exception, exceptions.commit_exception, opens_checkpoint=True
        ),
        "request_invoice_validation": Action(billing.judge_validation, billing.commit_validation),
        "request_payment": Action(billing.judge_payment, billing.commit_payment),
        "request_supplier_correction": Action(corrections.judge_correction, corrections.commit_correction),
        "request_supplier_visit": Action(visits.judge_visit, visits.commit_visit),
        "send_message": Action(messages.judge_message, messages.commit_message, advances=False),
    }
)
