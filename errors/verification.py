"""Refusals of the verifier: what a run bundle says does not belong together, or does not come out again."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError

_PUT_TOGETHER = "Get the bundle as it was written; its members were not written for one another."
_NOT_REPRODUCED = "Trust what can be reproduced: the run as it is recorded did not happen here."


class VerificationError(OperateBenchError, ValueError):
    """A run bundle whose members are sound does not pass a check of the verifier.

    The codes stand in the order of the checks.
    """

    codes = MappingProxyType(
        {
            "expected_digest_differs": (
                "Neither artifact, manifest nor evidence has the digest that was expected.",
                "Get the bundle that the digest was given for, or ask who gave it.",
            ),
            "card_not_of_role": ("A card is of another kind than its place in the bundle says.", _PUT_TOGETHER),
            "census_not_derived": (
                "The census is not the one that follows from the manifest's own projections.",
                _PUT_TOGETHER,
            ),
            "requirement_not_exact": (
                "A component of the manifest requires another one by something weaker than its exact digest.",
                "Trust no such manifest: it would fit other components too.",
            ),
            "selection_unknown": (
                "Nothing here has the operation, variant and agent of that name.",
                "Verify it with the build that wrote it; give --spec for a spec that is not the packaged one.",
            ),
            "card_not_of_manifest": ("A card is not the one that the manifest binds.", _PUT_TOGETHER),
            "card_refs_differ": ("A reference to a card is not that of the card in the bundle.", _PUT_TOGETHER),
            "repeated_value_differs": (
                "A digest, a count or a name is not that of what it repeats.",
                _PUT_TOGETHER,
            ),
            "requirements_not_derived": (
                "The requirements of the ledger are not the nine exact digests that follow from the manifest.",
                "Trust no such ledger: it is bound to something else, or to nothing.",
            ),
            "selection_not_of_cards": (
                "The ledger selects another operation or variant than the cards.",
                _PUT_TOGETHER,
            ),
            "instance_not_derived": (
                "The operation instance id does not follow from the runtime bundle and the trial.",
                _PUT_TOGETHER,
            ),
            "row_not_of_evidence": ("A row of the ledger is not that of the evidence.", _PUT_TOGETHER),
            "terminal_not_of_outcome": ("The terminal line does not end as the evidence does.", _PUT_TOGETHER),
            "outcome_source_not_of_plan": (
                "The decisions did not come from where the manifest's provider plan says.",
                "Trust no such run: a recorded one would be passed off as another kind.",
            ),
            "runtime_differs": (
                "The run was made by another runtime, or from another spec, than what is here.",
                "Verify it with the build that wrote it; give --spec for a spec that is not the packaged one.",
            ),
            "socket_opened": (
                "What ran again tried to use the network.",
                "Nothing that is replayed or graded may; take it out of the agent, the operation or the evaluator.",
            ),
            "agent_differs": ("The agent that is here decides otherwise than the recorded one.", _NOT_REPRODUCED),
            "engine_differs": (
                "The recorded decisions do not lead to the recorded episode.",
                _NOT_REPRODUCED,
            ),
            "outcome_class_differs": (
                "The terminal line calls the ending another kind of ending than it is.",
                "Trust what can be reproduced: the kind of ending follows from the episode.",
            ),
            "grade_differs": (
                "The evaluator that is here grades the episode otherwise.",
                "Trust the grade that can be computed again: `operatebench regrade` writes it.",
            ),
            "impossible_for_this_source": (
                "The bundle says that it was written by exactly what is here, which cannot have written it.",
                "Trust none of it: it was changed and sealed again, or its writer was.",
            ),
        }
    )


class CapabilityError(OperateBenchError, ValueError):
    """The right to regrade a run cannot be used, or does not reach so far."""

    codes = MappingProxyType(
        {
            "capability_used": (
                "The capability was used before; it is good for one regrade.",
                "Replay the run again; a second regrade needs a second replay.",
            ),
            "capability_foreign": (
                "The capability was minted in another process.",
                "Replay the run in the process that regrades it.",
            ),
            "regrade_not_allowed": (
                "What is here may not regrade the run.",
                "Use the runtime that the run was made with; the evaluator alone may be another.",
            ),
        }
    )
