"""Wheels and descriptors for the tests of build descriptors."""

import zipfile
from pathlib import Path
from typing import Any


def make_wheel(path: Path, generator: str, member: str = "x-1.dist-info/WHEEL") -> Path:
    """Write a wheel that says what made it."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, f"Wheel-Version: 1.0\nGenerator: {generator}\nRoot-Is-Purelib: true\n")
    return path


TOOLCHAIN = {
    "python_implementation": "cpython",
    "python_version": "3.11.7",
    "build_backend": "hatchling",
    "build_backend_version": "1.27.0",
}


def artifact(kind: str, filename: str) -> dict[str, Any]:
    return {"kind": kind, "filename": filename, "sha256": 64 * "d"}
