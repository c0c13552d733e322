"""Cards that refer to one another: resolution, and validation of each card at most once (card contract, section 12)."""

from __future__ import annotations

from typing import Any

from ..errors import CardValidationError
from ..identity.admission import Admitted
from .contract import OPERATION_CARD_SCHEMA, SEMANTIC_SCENARIO_CARD_SCHEMA
from .envelope import require_digest, require_generation
from .operation import OperationFacts, check_operation
from .refusal import refusal
from .scenario import check_scenario
from .shape import require_shape_of
from .variant import check_variant


class Entry:
    """An admitted card and what is known of it.

    Attributes:
        card: the card, a plain dict that nobody else holds or changes.
        at: what the paths of its refusals start with.
        canonical: its canonical bytes, if they are at hand.
        facts: facts of its operation once it is validated.
        fault: its refusal once it was refused.
    """

    __slots__ = ("at", "canonical", "card", "facts", "fault")

    @classmethod
    def of(cls, admitted: Admitted, at: str) -> Entry:
        """Return the entry of a card that was just admitted."""
        return cls(admitted.value, at, bytes(admitted.canonical))

    def __init__(self, card: Any, at: str, canonical: bytes | None = None) -> None:
        self.card = card
        self.canonical = canonical
        self.at = at
        self.facts: OperationFacts | None = None
        self.fault: CardValidationError | None = None


class Library:
    """A collection of cards in which references are looked up by schema and id.

    * A reference resolves to the card of its schema and id, and the digests must be equal.
    * A variant's operation is the one its scenario refers to.
    * Two cards of one schema and id are ambiguous, even if they are equal.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], Entry] = {}

    def add(self, entry: Entry) -> None:
        """Add a card as a possible target.

        Raises:
            CardValidationError: ``references.target_not_object``, ``references.target_without_identity`` or
                ``references.ambiguous``.
        """
        card = entry.card
        if type(card) is not dict:
            raise refusal("references.target_not_object", entry.at, "an object", card)
        schema, name = card.get("schema"), card.get("id")
        if type(schema) is not str or type(name) is not str:
            raise refusal("references.target_without_identity", entry.at, "text members schema and id", card)
        if (schema, name) in self._entries:
            first = self._entries[schema, name].at
            raise refusal("references.ambiguous", f"{entry.at}/id", f"an id that {first} does not have", name)
        self._entries[schema, name] = entry

    def require_sound(self, entry: Entry) -> None:
        """Check what a card says by itself: generation, shape, digest.

        Raises:
            CardValidationError: ``generation.…``, ``shape.…`` or ``digest.…``.
        """
        schema = require_generation(entry.card, entry.at)
        require_shape_of(schema, entry.card, entry.at)
        require_digest(entry.card, entry.at, entry.canonical)

    def facts(self, entry: Entry) -> OperationFacts:
        """Validate a card fully, with the cards it refers to, and return the facts of its operation.

        A card that was validated or refused before is not looked at again.

        Raises:
            CardValidationError: the first rule it breaks; ``references.target_invalid`` if that is one of a card
                upstream.
        """
        if entry.fault is not None:
            raise entry.fault.detached()
        if entry.facts is None:
            try:
                self.require_sound(entry)
                entry.facts = self.check_meaning(entry)
            except CardValidationError as fault:
                entry.fault = fault.detached()
                raise
        return entry.facts

    def check_meaning(self, entry: Entry) -> OperationFacts:
        """Check a sound card against the cards it refers to.

        Raises:
            CardValidationError: ``references.…`` or ``semantic.…``.
        """
        content, at = entry.card["content"], f"{entry.at}/content"
        schema = entry.card["schema"]
        if schema == OPERATION_CARD_SCHEMA:
            return check_operation(content, at)
        member = "operation_core" if schema == SEMANTIC_SCENARIO_CARD_SCHEMA else "semantic_scenario"
        facts = self.target_facts(self._resolve(content[member], f"{at}/{member}"))
        check = check_scenario if schema == SEMANTIC_SCENARIO_CARD_SCHEMA else check_variant
        check(content, facts, at)
        return facts

    def target_facts(self, target: Entry) -> OperationFacts:
        """Validate a card that another one needs.

        Raises:
            CardValidationError: ``references.target_invalid``, at the place in the target.
        """
        try:
            return self.facts(target)
        except CardValidationError as fault:
            code = fault.code if fault.code == "references.target_invalid" else f"{fault.code}: {fault.cause}"
            raise CardValidationError(
                "references.target_invalid",
                path=fault.path,
                expected=fault.expected,
                actual=fault.actual,
                hint=fault.hint if fault.code == "references.target_invalid" else f"{code} {fault.hint}",
            ) from None

    def _resolve(self, reference: dict[str, str], at: str) -> Entry:
        target = self._entries.get((reference["schema"], reference["id"]))
        if target is None:
            raise refusal(
                "references.unresolved", at, "a card of this schema and id among those given", reference["id"]
            )
        digest = target.card.get("content_digest_sha256")
        if digest != reference["content_digest_sha256"]:
            place = f"{at}/content_digest_sha256"
            raise refusal(
                "references.unresolved", place, f"the digest of {target.at}", reference["content_digest_sha256"]
            )
        return target
