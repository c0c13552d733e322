"""Makes `vectors/authority/authority.json`: `python -m tests.conformance.authority_file`, from the root."""

import json
from typing import Any

from cryptography.hazmat.primitives import serialization

from operatebench.conformance.authority import LANGUAGE
from tests.conformance.authority_admissions import LIVE, LIVES, REQUEST, REQUESTS, TRUSTS, admissions, table
from tests.conformance.authority_vectors import (
    ALL,
    CHAINS,
    DIGEST,
    KEYS,
    MADE,
    REFUSED,
    SEEDS,
    SOUND,
    key_id,
    row_digest,
    signed_bytes,
)
from tests.support import ROOT

FILE = ROOT / "vectors" / "authority" / "authority.json"

Document = dict[str, Any]

DIGESTS: dict[str, tuple[str | None, bool | None]] = {
    "good": ("first", True),
    "of_second_key": ("second", True),
    "signed_by_another": ("first", False),
    "signature_over_hex": ("first", False),
    "unsigned": (None, None),
    "signature_taken_away": (None, None),
    "null_digests": ("first", True),
    "runs_by_code_point": ("first", True),
    "largest_serial": ("first", True),
}
"""Authorizations of which the signed bytes are shown, the key to check with, and what comes of it."""


def cases() -> list[Document]:
    rows: list[Document] = [
        {
            "kind": "digest",
            "name": f"digest {name}",
            "document": name,
            "key": key,
            "expect": {
                "digest": SOUND[name][DIGEST],
                "signed_bytes_hex": signed_bytes(SOUND[name]).hex(),
                "verified": verified,
            },
        }
        for name, (key, verified) in DIGESTS.items()
    ]
    rows += [
        {"kind": "read", "name": f"read {name}", "document": name, "expect": {"verdict": "accepted"}} for name in SOUND
    ]
    for name, (_, code, path) in REFUSED.items():
        expect = {"verdict": "refused", "code": code, "path": path}
        rows.append({"kind": "read", "name": f"read {name}", "document": name, "expect": expect})
    for row in ALL[:4] + ALL[-1:]:
        content = {name: value for name, value in row.items() if name != "row_digest_sha256"}
        name = f"register_row {row['position']} {row['kind']}"
        rows.append({"kind": "register_row", "name": name, "row": content, "expect": {"digest": row_digest(row)}})
    for name, (chain, wrong) in CHAINS.items():
        sound: Document = {"verdict": "sound", "head": chain[-1]["row_digest_sha256"] if chain else None}
        found = sound if wrong is None else {"verdict": "refused", "row": wrong}
        rows.append({"kind": "register_chain", "name": f"register_chain {name}", "chain": name, "expect": found})
    return rows + admissions()


def patched(values: dict[str, Any]) -> dict[str, Document]:
    """Return the table of some values: the first as it is, others of its type as patches of it."""
    (base, first), *rest = values.items()
    made: dict[str, Document] = {base: {"value": first}}
    for name, value in rest:
        made[name] = {"base": base, "patch": list(changes(first, value, ""))}
    return made


def changes(old: Any, new: Any, at: str) -> Any:
    """Yield the ops that make `new` of `old`; lists of equal length are compared item by item."""
    if type(old) is type(new) is dict:
        yield from ({"op": "remove", "path": f"{at}/{escaped(name)}"} for name in old if name not in new)
        for name, value in new.items():
            place = f"{at}/{escaped(name)}"
            if name in old:
                yield from changes(old[name], value, place)
            else:
                yield {"op": "add", "path": place, "value": value}
    elif type(old) is type(new) is list and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from changes(before, after, f"{at}/{index}")
    elif type(old) is not type(new) or old != new:
        yield {"op": "replace", "path": at, "value": new}


def escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def document() -> Document:
    """Return the whole file."""
    pem = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    rows = cases()
    return {
        "vectors": LANGUAGE,
        "about": "Authorizations, rows of their register, and admissions. The keys are known to everybody: tests only.",
        "register_made_at": MADE,
        "keys": {
            name: {
                "seed_hex": SEEDS[name],
                "key_id": key_id(name),
                "public_key_pem": key.public_key().public_bytes(*pem).decode(),
            }
            for name, key in KEYS.items()
        },
        "trusts": TRUSTS,
        "lives": patched(table(LIVE, LIVES)),
        "requests": patched(table(REQUEST, REQUESTS)),
        "chains": patched({name: rows for name, (rows, _) in CHAINS.items()}),
        "documents": patched(SOUND | {name: value for name, (value, _, _) in REFUSED.items()}),
        "count": len(rows),
        "cases": rows,
    }


def render(value: Document) -> bytes:
    """Return the bytes of the file: one line for each entry of a table, and each case."""
    parts = {name: json.dumps(part, ensure_ascii=False) for name, part in value.items()}
    for name in ("keys", "trusts", "lives", "requests", "chains", "documents"):
        inner = (f"    {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}" for key, part in value[name].items())
        parts[name] = "{\n" + ",\n".join(inner) + "\n  }"
    parts["cases"] = "[\n" + ",\n".join(f"    {json.dumps(case)}" for case in value["cases"]) + "\n  ]"
    return ("{\n" + ",\n".join(f'  "{name}": {text}' for name, text in parts.items()) + "\n}\n").encode()


if __name__ == "__main__":
    FILE.write_bytes(render(document()))
