"""What becomes of every leaf of the sample cards under three mutations; as a script, it writes the table anew.

The table, ``leaf_mutations.json`` beside this file, is read by people: each row says, for one leaf, what another type,
another value and absence lead to: the code of the refusal, or ``moved`` where the sealed card is accepted and its
digest is another one.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from operatebench.cards import CardValidationError, recompute_card_digest, validate_card
from operatebench.conformance.linking import FILES, CardFile
from tests.cards.chain import leaves, sample, sealed

TABLE = Path(__file__).with_suffix(".json")
KINDS = ("type", "value", "presence")
Table = Mapping[CardFile, Mapping[str, list[str]]]


def other_type(value: Any) -> Any:
    """Return a value of another JSON type."""
    return 7 if value is None or isinstance(value, str) else "7"


def other_value(value: Any) -> Any:
    """Return another value of the same type, if possible of the same grammar; null has no other, so a text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value < 2**63 - 1 else value - 1
    if isinstance(value, list):
        return [*value, "zz"]
    if isinstance(value, dict):
        return {**value, "zz": 1}
    if value is None:
        return "x"
    if re.fullmatch("[0-9a-f]{64}", value):
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    if re.fullmatch(r"[0-9-]{10}T[0-9:.]{15}Z", value):
        return value[:-2] + "1Z"
    return value + "x"


def mutated(name: CardFile, pointer: str, kind: str) -> Any:
    """Return a sample card with one leaf mutated, sealed again unless the leaf is the digest."""
    card = sample(name)
    parts = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
    holder: Any = card
    for part in parts[:-1]:
        holder = holder[int(part)] if isinstance(holder, list) else holder[part]
    last: Any = int(parts[-1]) if isinstance(holder, list) else parts[-1]
    if kind == "presence":
        del holder[last]
    else:
        holder[last] = (other_type if kind == "type" else other_value)(holder[last])
    return card if pointer == "/content_digest_sha256" else sealed(card)


def outcome(name: CardFile, card: Any) -> str:
    """Return what becomes of a mutated card among the untouched ones."""
    upstream = [sample(other) for other in FILES[: FILES.index(name)]]
    try:
        digest = validate_card(card, references=upstream)["content_digest_sha256"]
    except CardValidationError as refusal:
        return refusal.code
    before = sample(name)["content_digest_sha256"]
    return "moved" if digest == recompute_card_digest(card) != before else "kept"


def table() -> Table:
    """Return the outcome of every mutation of every leaf."""
    return {
        name: {
            pointer: [outcome(name, mutated(name, pointer, kind)) for kind in KINDS]
            for pointer, _ in leaves(sample(name))
        }
        for name in FILES
    }


def expected() -> Table:
    """Return the table as it is written down."""
    written: Table = json.loads(TABLE.read_bytes())
    return written


def write() -> None:
    """Write the table, one leaf a line."""
    parts = []
    for name, rows in table().items():
        lines = ",\n".join(f"    {json.dumps(pointer)}: {json.dumps(row)}" for pointer, row in rows.items())
        parts.append(f"  {json.dumps(name)}: {{\n{lines}\n  }}")
    TABLE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
