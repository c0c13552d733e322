"""What does not change while the operation runs, in the form the rules ask for it: people, policy, money, time."""

from __future__ import annotations

from collections.abc import Callable

from ..core.clock import Clock
from .spec.records import OperationSpec
from .state.records import Invoice, Quote

APPROVAL_CHECKPOINT = "repair_quote_approval"
EXCEPTION_CHECKPOINT = "maintenance_exception_resolution"


class Rules:
    """The authored spec as reducers and actions consult it.

    Attributes:
        spec: the spec.
        policy: its policy.
        primary_channel: the channel of every message that recovers no other.
        instant: gives the canonical instant so many minutes after the start. These texts sort as the instants do.
    """

    __slots__ = ("instant", "policy", "primary_channel", "spec")

    def __init__(self, spec: OperationSpec, starts_at: str) -> None:
        self.spec = spec
        self.policy = spec.policy
        self.primary_channel = next(iter(spec.channels))
        self.instant: Callable[[int], str] = Clock(starts_at).instant

    def assignee(self, checkpoint_type: str) -> str:
        """Return the actor who decides at checkpoints of this type."""
        return self.spec.actor_of_role(self.spec.checkpoints[checkpoint_type].assignee_role)

    def due_within(self, obligation_kind: str) -> int:
        """Return how many minutes after it is opened an obligation of this kind is due."""
        minutes: int = getattr(self.policy, self.spec.obligations[obligation_kind].due_policy_field)
        return minutes

    def gross(self, terms: Quote | Invoice) -> int:
        """Return what a quote or an invoice comes to with tax, rounded half up, in minor units."""
        tax = (terms.amount_minor * self.policy.vat_percent + 50) // 100 if terms.plus_vat else 0
        return terms.amount_minor + tax

    def needs_approval(self, quote: Quote) -> bool:
        """Tell whether a human must approve: only strictly above the threshold."""
        return self.gross(quote) > self.policy.approval_threshold_minor
