"""The packaged schemas and registry of Card v1, each pinned by SHA-256 (card contract, sections 15 and 17)."""

from __future__ import annotations

from typing import Any

from ..errors import CardValidationError, IdentityValidationError
from ..identity.boundary import public
from ..identity.resources import PinnedResource, load_pinned
from .contract import (
    CARD_PROFILE,
    CARD_SCHEMAS,
    OPERATION_CARD_SCHEMA,
    SEMANTIC_SCENARIO_CARD_SCHEMA,
    VARIANT_CARD_SCHEMA,
)
from .refusal import refusal


def _pinned(name: str, sha256: str) -> PinnedResource:
    return PinnedResource("schemas", name, sha256, CARD_PROFILE)


SCHEMA_FILES = {
    OPERATION_CARD_SCHEMA: _pinned(
        "operation-card-v1.schema.json", "8a3d24d984d8bc03440dc10ca1b34ebb919afd9bd03fe71990c8cbf94b38bd09"
    ),
    SEMANTIC_SCENARIO_CARD_SCHEMA: _pinned(
        "semantic-scenario-card-v1.schema.json", "07b81773af472c68bf391e0daf4ce994edd94cfcb0a506c95aa729af2623e621"
    ),
    VARIANT_CARD_SCHEMA: _pinned(
        "variant-card-v1.schema.json", "1770334691af394a0cd5786a481b6e23fcc916360b8e6517ae4a51b388a06db4"
    ),
}
"""Card literal -> its schema."""

DEFINITIONS = _pinned("card-defs-v1.schema.json", "082de96b26764b3e7226daaf3d6189a7921c241db3260908efc816f9300ec6ed")
REGISTRY = _pinned("card-registry-v1.json", "a6f7569d7c1e06f1d7e0f56fb966c8c6c54e6d54bc5e01890fadc3342c547009")


@public
def load_schema(schema_literal: str) -> dict[str, Any]:
    """Return a fresh plain copy of the JSON Schema of one card.

    Args:
        schema_literal: exactly one of :data:`operatebench.cards.contract.CARD_SCHEMAS`.

    Raises:
        CardValidationError: ``resource.unknown`` or ``resource.unavailable``.
    """
    if type(schema_literal) is not str:
        raise refusal("resource.unknown", "", " or ".join(CARD_SCHEMAS), schema_literal) from TypeError("not text")
    if schema_literal not in SCHEMA_FILES:
        raise refusal("resource.unknown", "", " or ".join(CARD_SCHEMAS), schema_literal) from KeyError("unknown schema")
    return load_resource(SCHEMA_FILES[schema_literal])


@public
def load_card_registry() -> dict[str, Any]:
    """Return a fresh plain copy of the card registry.

    Raises:
        CardValidationError: ``resource.unavailable``.
    """
    return load_resource(REGISTRY)


def load_resource(resource: PinnedResource) -> dict[str, Any]:
    """Return a fresh plain copy of a packaged document of the card contract.

    Raises:
        CardValidationError: ``resource.unavailable``, with the operating system's error as cause if there is one.
    """
    try:
        return load_pinned(resource)
    except IdentityValidationError as fault:
        raise CardValidationError(
            "resource.unavailable", path=fault.path, expected=fault.expected, actual=fault.actual
        ) from fault.__cause__
