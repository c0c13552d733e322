"""Runs whole vector files of any known language, and finds the packaged ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from .. import vectors
from ..errors import DocumentError, describe
from ..identity.profile import IDENTITY_PROFILE
from ..identity.strictjson import parse_values
from . import authority, cards, evidence, identity, provenance, replay
from .judging import Outcome

EVIDENCE_FORMATS: Mapping[str, Callable[[dict[str, Any]], list[Outcome]]] = MappingProxyType(
    {provenance.TREE_FORMAT: provenance.run_trees, provenance.BUILD_FORMAT: provenance.run_builds}
)
"""Formats of the language of evidence, as in a file's `format` member, that are read apart from it."""


def _run_evidence(document: dict[str, Any]) -> list[Outcome]:
    named = document.get("format")
    return EVIDENCE_FORMATS.get(named if type(named) is str else "", evidence.run)(document)


LANGUAGES: Mapping[str, Callable[[dict[str, Any]], list[Outcome]]] = MappingProxyType(
    {
        "operatebench.conformance.identity.v1": identity.run,
        "operatebench.conformance.cards.v1": cards.run,
        cards.DIGESTS: cards.run_digests,
        evidence.LANGUAGE: _run_evidence,
        replay.LANGUAGE: replay.run,
        authority.LANGUAGE: authority.run,
    }
)
"""Name of a vector language, as in a file's `vectors` member -> the function that runs a parsed file of it."""

_FAMILY = "operatebench.conformance."

VECTOR_FILE_PROFILE = replace(
    IDENTITY_PROFILE,
    integral_floats=False,
    max_nodes=4_000_000,
    max_items=100_000,
    max_bytes=64 * 1024 * 1024,
    max_string_bytes=8 * 1024 * 1024,
    max_text_bytes=128 * 1024 * 1024,
    max_depth=128,
)
"""What a vector file may hold: wider than any contract, because cases lie on both sides of a contract's limits.

A literal number is always an integer, of any size; floats come from recipes.
"""


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case that failed, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class OtherCode:
    """A case that was rightly refused, with another code than the label it names. Informative, never a failure."""

    id: str
    label: str
    code: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out of a case that passed."""

    id: str
    said: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of one file.

    Attributes:
        name: the file's name as given.
        language: the vector language it is written in.
        cases: how many cases it has; all of them ran.
        failures: those that failed.
        notes: those refused with another code than the label.
        answers: what came out, for those cases of which people want to see it.
    """

    name: str
    language: str
    cases: int
    failures: tuple[FailedCase, ...]
    notes: tuple[OtherCode, ...]
    answers: tuple[Answer, ...]

    @property
    def passed(self) -> int:
        """How many cases passed."""
        return self.cases - len(self.failures)

    def line(self) -> str:
        """Return the report in one line, such as ``identity/accept.json: 55 cases, 55 passed``."""
        return f"{self.name}: {self.cases} cases, {self.passed} passed"

    def to_json(self) -> dict[str, Any]:
        """Return the report as a fresh plain object: name, language, cases, passed, failures, notes, answers."""
        return {
            "name": self.name,
            "language": self.language,
            "cases": self.cases,
            "passed": self.passed,
            "failures": [asdict(failure) for failure in self.failures],
            "notes": [asdict(note) for note in self.notes],
            "answers": [asdict(answer) for answer in self.answers],
        }


def run_file(data: bytes, name: str) -> FileReport:
    """Run every case of one vector file.

    Args:
        data: the file's bytes.
        name: what to call it in the report.

    Raises:
        IdentityValidationError: ``strict_json`` or ``resource_limits``: the file is no strict JSON, or too big.
        DocumentError: ``document_kind`` if it names no known vector language; ``vector_file`` if it breaks the rules of
            the language it names. No case of a refused file is run.
    """
    document = parse_values(data, VECTOR_FILE_PROFILE)
    language = _language(document)
    if type(language) is not str or language not in LANGUAGES:
        names = ", ".join(name.removeprefix(_FAMILY) for name in LANGUAGES)
        expected = f"a known vector language: {_FAMILY}{{{names}}}"
        raise DocumentError("document_kind", path="/vectors", expected=expected, actual=describe(language))
    outcomes = LANGUAGES[language](document)
    return FileReport(
        name=name,
        language=language,
        cases=len(outcomes),
        failures=tuple(FailedCase(each.id, each.failure) for each in outcomes if each.failure),
        notes=tuple(OtherCode(each.id, each.label, each.code) for each in outcomes if each.code != each.label),
        answers=tuple(Answer(each.id, each.said) for each in outcomes if each.said),
    )


def _language(document: Any) -> Any:
    """Return the language that a file names. The sheet of card digests names none and is known by its members."""
    if type(document) is not dict:
        return None
    return cards.DIGESTS if document.keys() == cards.DIGEST_SHEET_MEMBERS else document.get("vectors")


def packaged_files() -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every packaged vector file, by name.

    Golden documents and the sample cards, which lie beside them, hold no cases.
    """
    for name, entry in _files_below(files(vectors), ""):
        if name.endswith(".json") and not name.endswith(".golden.json") and name not in cards.SAMPLES:
            yield name, entry.read_bytes()


def _files_below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files_below(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry
