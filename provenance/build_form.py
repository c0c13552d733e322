"""What build descriptors of both kinds have in common: artifacts, toolchain, and rules for their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..errors import ProvenanceError, describe, pointer
from ..identity.grammar import is_digest

_MAX_SHORT_TEXT = 256
_NUMBER = "(?:0|[1-9][0-9]*+)"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")


@dataclass(frozen=True, slots=True)
class DistributionArtifact:
    """One of the two files that a build makes.

    Attributes:
        kind: which of them.
        filename: without folders.
        sha256: of its bytes.
    """

    kind: Literal["wheel", "sdist"]
    filename: str
    sha256: str

    def to_wire(self) -> dict[str, Any]:
        """Return the artifact as a fresh plain object."""
        return {"kind": self.kind, "filename": self.filename, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What built.

    Attributes:
        python_implementation: such as ``cpython``.
        python_version: three numbers.
        build_backend: name of a distribution.
        build_backend_version: its version.
    """

    python_implementation: str
    python_version: str
    build_backend: str
    build_backend_version: str

    def to_wire(self) -> dict[str, Any]:
        """Return the toolchain as a fresh plain object."""
        return {
            "python_implementation": self.python_implementation,
            "python_version": self.python_version,
            "build_backend": self.build_backend,
            "build_backend_version": self.build_backend_version,
        }


Rule: TypeAlias = tuple[Callable[[Any], bool], str]
"""Whether a value is as it has to be, and how that is."""


def exactly(expected: str | int) -> Rule:
    """Return the rule that takes one value, of its exact type."""
    return lambda value: type(value) is type(expected) and value == expected, describe(expected)


def one_of(*expected: str) -> Rule:
    """Return the rule that takes these texts."""
    return lambda value: type(value) is str and value in expected, " or ".join(map(describe, expected))


def matching(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    """Return what tells a text that fits a pattern from beginning to end."""
    return lambda value: type(value) is str and pattern.fullmatch(value) is not None


def _is_short_text(value: Any) -> bool:
    return type(value) is str and 1 <= len(value) <= _MAX_SHORT_TEXT


DIGEST: Rule = (is_digest, "a SHA-256")
SHORT_TEXT: Rule = (_is_short_text, f"a text of 1 to {_MAX_SHORT_TEXT} characters")
ANYTHING: Rule = (lambda _: True, "")


def require_members(value: Any, place: str, rules: Mapping[str, Rule]) -> None:
    """Require an object of exactly these members, each as its rule says.

    Raises:
        ProvenanceError: ``build_descriptor_shape``.
    """
    names = f"an object of {', '.join(rules)}"
    require(type(value) is dict and value.keys() == rules.keys(), place, names, value)
    for name, (keeps, expected) in rules.items():
        require(keeps(value[name]), place + pointer(name), expected, value[name])


def require(kept: bool, place: str, expected: str, value: Any) -> None:
    """Refuse a value unless its rule is kept.

    Raises:
        ProvenanceError: ``build_descriptor_shape``.
    """
    if not kept:
        raise ProvenanceError.found("build_descriptor_shape", place, expected, value)


def read_toolchain(value: Any, rules: Mapping[str, Rule]) -> Toolchain:
    """Return the toolchain of a descriptor, after the rules that its kind has and the common ones.

    Raises:
        ProvenanceError: ``build_descriptor_shape``.
    """
    common: dict[str, Rule] = {
        "python_implementation": SHORT_TEXT,
        "python_version": (matching(_VERSION), "three numbers with dots between them"),
        "build_backend": SHORT_TEXT,
        "build_backend_version": SHORT_TEXT,
    }
    require_members(value, "/toolchain", common | dict(rules))
    return Toolchain(**value)


def read_artifacts(
    document: Mapping[str, Any], pair_mode: str
) -> tuple[DistributionArtifact, DistributionArtifact] | None:
    """Return the artifacts of a descriptor whose ``build_mode`` was read: wheel and source archive, or None.

    Raises:
        ProvenanceError: ``build_descriptor_shape``.
    """
    place, rows = "/distribution_artifacts", document["distribution_artifacts"]
    if document["build_mode"] != pair_mode:
        require(rows is None, place, "null", rows)
        return None
    require(type(rows) is list and len(rows) == 2, place, "wheel and sdist", rows)
    for index, kind in enumerate(("wheel", "sdist")):
        rules = {"kind": exactly(kind), "filename": SHORT_TEXT, "sha256": DIGEST}
        require_members(rows[index], f"{place}/{index}", rules)
    return DistributionArtifact(**rows[0]), DistributionArtifact(**rows[1])
