"""The packaged sample chain as files that the card commands read."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

SAMPLES = files("operatebench.samples") / "cards"
NAMES = ("operation", "scenario", "variant")
TEXTS = {name: (SAMPLES / f"{name}.json").read_bytes() for name in NAMES}
DIGESTS = {name: json.loads(text)["content_digest_sha256"] for name, text in TEXTS.items()}


def write_chain(folder: Path) -> Path:
    """Write the three cards into a folder and return it."""
    for name, text in TEXTS.items():
        (folder / f"{name}.json").write_bytes(text)
    return folder


def change(path: Path, old: str, new: str) -> None:
    """Change the one place in a file."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def read(path: Path) -> Any:
    """Return the document in a file."""
    return json.loads(path.read_bytes())
