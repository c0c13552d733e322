"""The read contract: which reads and which evidence an action needs, as data one guard and one evaluator share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Condition:
    """Restricts a selector to proposals whose payload field has one of these values."""

    payload_field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One look-up: in ``root`` of ``tool``, the record whose ``match`` field is the value so far; ``take`` is next."""

    tool: str
    root: str
    match: str
    take: str


@dataclass(frozen=True, slots=True)
class RegistryKey:
    """Cite the key the payload names, if ``root`` holds a record with it."""

    name: str
    payload_field: str
    tool: str
    root: str
    key: str
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class RelatedRecord:
    """Cite what following ``steps`` from the payload field ends at."""

    name: str
    payload_field: str
    steps: tuple[Step, ...]
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class VersionedKey:
    """Cite ``<id>:v<version>`` of the record in ``root`` that the payload field selects."""

    name: str
    payload_field: str
    tool: str
    root: str
    key: str
    id_field: str
    version_field: str
    when: Condition | None = None


Selector = RegistryKey | RelatedRecord | VersionedKey


@dataclass(frozen=True, slots=True)
class ActionReads:
    """What one action needs: tool -> whether it is required (others are shown and never gate), and evidence."""

    tools: Mapping[str, bool]
    evidence: tuple[Selector, ...] = field(default=())


ReadContract = Mapping[str, ActionReads]
"""Action type -> what it needs."""
