"""The form of the values in header and terminal line; their truth is for those who have more than the ledger."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...errors import LedgerError, describe
from ...identity.grammar import is_digest, is_name
from ...identity.profile import MAX_INTEROPERABLE_INTEGER
from .contract import LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION

CARD_ROLES = ("operation", "semantic_scenario", "variant")
SELECTION_TEXTS = ("track", "pack", "operation_id", "variant_id", "agent_id", "arm", "plan")

_MAX_SHORT_TEXT = 256
_INSTANCE = re.compile(r"opinst_[0-9a-f]{32}+")
_CARD_ID = re.compile(r"[a-z][a-z0-9]*+(?:[._-][a-z0-9]++)*+(?:@[0-9]++\.[0-9]++\.[0-9]++)?+")
_MAX_CARD_ID = 255
_DIGEST = "64 lowercase hexadecimal characters"
_SHORT_TEXT = f"text of 1 to {_MAX_SHORT_TEXT} characters"


def require_digest(value: object, at: str) -> None:
    """Refuse what is no digest.

    Raises:
        LedgerError: ``ledger_value``.
    """
    _require(is_digest(value), at, _DIGEST, value)


def require_count(value: object, at: str) -> None:
    """Refuse what is no integer from 0 to 2**53 - 1.

    Raises:
        LedgerError: ``ledger_value``.
    """
    counts = type(value) is int and 0 <= value <= MAX_INTEROPERABLE_INTEGER
    _require(counts, at, f"an integer from 0 to {MAX_INTEROPERABLE_INTEGER}", value)


def require_short_text(value: object, at: str) -> None:
    """Refuse what is no text of 1 to 256 characters.

    Raises:
        LedgerError: ``ledger_value``.
    """
    _require(type(value) is str and 0 < len(value) <= _MAX_SHORT_TEXT, at, _SHORT_TEXT, value)


def require_members(value: object, names: Collection[str], at: str) -> dict[str, Any]:
    """Return an object that has exactly the members ``names``.

    Raises:
        LedgerError: ``ledger_value``.
    """
    wanted = f"an object of exactly {', '.join(names)}"
    if type(value) is not dict:
        raise LedgerError.found("ledger_value", at, wanted, value)
    if value.keys() != set(names):
        raise LedgerError("ledger_value", path=at, expected=wanted, actual=f"an object of {', '.join(value)}")
    return value


def require_header(header: Mapping[str, Any], at: str) -> None:
    """Check the values of a header, whose members are the right ones already.

    Raises:
        LedgerError: ``ledger_value``; the path is ``at`` and the JSON Pointer of the value.
    """
    _require(header["schema"] == LEDGER_SCHEMA, f"{at}/schema", LEDGER_SCHEMA, header["schema"])
    version = header["schema_version"]
    is_version = type(version) is int and version == LEDGER_SCHEMA_VERSION
    _require(is_version, f"{at}/schema_version", str(LEDGER_SCHEMA_VERSION), version)
    instance = header["operation_instance_id"]
    is_instance = type(instance) is str and _INSTANCE.fullmatch(instance) is not None
    _require(is_instance, f"{at}/operation_instance_id", "opinst_ and 32 lowercase hexadecimal characters", instance)
    for name in ("identity_manifest", "runtime_bundle", "experiment_bundle"):
        require_digest(header[f"{name}_digest_sha256"], f"{at}/{name}_digest_sha256")
    _require_selection(header["selection"], f"{at}/selection")
    references = require_members(header["card_refs"], CARD_ROLES, f"{at}/card_refs")
    for role in CARD_ROLES:
        _require_card_reference(references[role], role, f"{at}/card_refs/{role}")
    requirements = header["requirements"]
    _require(type(requirements) is list, f"{at}/requirements", "an array of exact_digest rows", requirements)
    for index, row in enumerate(requirements):
        _require_requirement(row, f"{at}/requirements/{index}")


TERMINAL_FORMS: Mapping[str, Callable[[object, str], None]] = {
    "status": require_short_text,
    "outcome_class": require_short_text,
    "final_state_digest_sha256": require_digest,
    "trajectory_digest_sha256": require_digest,
    "row_count": require_count,
    "merkle_root_sha256": require_digest,
}
"""Member of the terminal record -> what checks its value."""


def require_terminal(terminal: Mapping[str, Any], at: str) -> None:
    """Check the values of a terminal line, whose members are the right ones already.

    Raises:
        LedgerError: ``ledger_value``; the path is ``at`` and the JSON Pointer of the value.
    """
    for name, check in TERMINAL_FORMS.items():
        check(terminal[name], f"{at}/{name}")


def _require_selection(value: object, at: str) -> None:
    selection = require_members(value, (*SELECTION_TEXTS, "trial"), at)
    for name in SELECTION_TEXTS:
        require_short_text(selection[name], f"{at}/{name}")
    require_count(selection["trial"], f"{at}/trial")


def _require_card_reference(value: object, role: str, at: str) -> None:
    reference = require_members(value, ("schema", "id", "content_digest_sha256"), at)
    schema = f"operatebench.{role}_card.v1"
    _require(reference["schema"] == schema, f"{at}/schema", schema, reference["schema"])
    name = reference["id"]
    is_id = type(name) is str and len(name) <= _MAX_CARD_ID and _CARD_ID.fullmatch(name) is not None
    _require(is_id, f"{at}/id", "a card id", name)
    require_digest(reference["content_digest_sha256"], f"{at}/content_digest_sha256")


def _require_requirement(value: object, at: str) -> None:
    row = require_members(value, ("component", "compatible"), at)
    named = is_name(row["component"])
    _require(named, f"{at}/component", "the name of a component", row["component"])
    compatible = require_members(row["compatible"], ("kind", "content_digest_sha256"), f"{at}/compatible")
    _require(compatible["kind"] == "exact_digest", f"{at}/compatible/kind", "exact_digest", compatible["kind"])
    require_digest(compatible["content_digest_sha256"], f"{at}/compatible/content_digest_sha256")


def _require(holds: bool, at: str, expected: str, value: object) -> None:
    if not holds:
        raise LedgerError("ledger_value", path=at, expected=expected, actual=describe(value))
