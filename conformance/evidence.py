"""The vector language `operatebench.conformance.evidence.v1`, in its format for executed runtime evidence."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from pydantic import Field, model_validator

from ..errors import DocumentError, EvidenceError, describe, pointer
from ..replay.evidence import ExecutedRuntimeEvidenceV1, parse_evidence, validate_evidence
from ..replay.evidence.digest import wrapper
from .judging import Outcome, judge
from .model import Case, Expectation, Strict, read_model
from .resealing import Generated, How, generated_evidence, places, swept

LANGUAGE = "operatebench.conformance.evidence.v1"


class Accepted(Strict):
    """The evidence is accepted: its digest, and how many bytes that is of."""

    verdict: Literal["accept"]
    digest: str
    wrapper_bytes: int

    def expectation(self) -> Expectation:
        """Return what judging compares with."""
        return Expectation(ok={"digest": self.digest, "wrapper_bytes": self.wrapper_bytes})


class Refused(Strict):
    """The evidence is refused: the marker of the check that is expected to do so."""

    verdict: Literal["refuse"]
    marker: str

    def expectation(self) -> Expectation:
        """Return what judging compares with: the label is the marker in snake case, as codes are."""
        label = self.marker.strip("<>").lower().replace("-", "_").replace(" ", "_")
        return Expectation(refused=label)


class EvidenceCase(Strict):
    """One case: exactly one of a document, JSON text and a recipe, and what becomes of it."""

    name: str
    expect: Accepted | Refused = Field(discriminator="verdict")
    document: Any = None
    text: str | None = None
    generate: Generated | None = None
    ambiguous: bool = False
    note: str = ""

    @model_validator(mode="after")
    def _one_input(self) -> EvidenceCase:
        if len(self.model_fields_set & {"document", "text", "generate"}) != 1:
            raise ValueError("exactly one of document, text and generate")
        return self


class Sweep(Strict):
    """A case document, changed at each of its places in turn; every result must be refused."""

    base: str
    how: How
    pointers: int
    expect: Literal["every one refused"]


class EvidenceVectorFile(Strict):
    """A whole file."""

    vectors: str
    about: str
    format: Literal["evidence-v1-vectors"]
    recipes: dict[str, str]
    substitution_rule: str
    sweeps: list[Sweep]
    count: int
    cases: list[EvidenceCase]


def run(document: object) -> list[Outcome]:
    """Run every case of a parsed file of this language, then every sweep; each sweep counts as one case.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, a count does not match, two cases share a name, or a base
            is no case with a document. No case of such a file is run.
    """
    file = read_model(EvidenceVectorFile, document, "vector_file")
    if file.count != len(file.cases):
        raise _misfit("/count", str(len(file.cases)), file.count)
    documents: dict[str, Any] = {}
    seen: set[str] = set()
    for index, case in enumerate(file.cases):
        if case.name in seen:
            raise _misfit(pointer("cases", index, "name"), "a name no other case has", case.name)
        seen.add(case.name)
        if case.document is not None:
            documents[case.name] = case.document
    for index, case in enumerate(file.cases):
        if case.generate is not None and case.generate.base_case not in documents:
            raise _misfit(pointer("cases", index, "generate", "base"), "the name of a base", case.generate.base)
    for index, sweep in enumerate(file.sweeps):
        if sweep.base not in documents:
            raise _misfit(pointer("sweeps", index, "base"), "the name of a case with a document", sweep.base)
        found = len(places(documents[sweep.base]))
        if sweep.pointers != found:
            raise _misfit(pointer("sweeps", index, "pointers"), str(found), sweep.pointers)
    return [
        *(_judge(case, documents) for case in file.cases),
        *(_judge_sweep(sweep, documents[sweep.base]) for sweep in file.sweeps),
    ]


def _misfit(path: str, expected: str, found: object) -> DocumentError:
    return DocumentError("vector_file", path=path, expected=expected, actual=describe(found))


def _judge(case: EvidenceCase, documents: dict[str, Any]) -> Outcome:
    def decide(_: dict[str, Any]) -> dict[str, Any]:
        return shown(_read(case, documents))

    outcome = judge(_plain(case.name, case.expect.expectation()), decide, EvidenceError)
    if case.ambiguous and outcome.failure:
        # The contract leaves it open; a refusal is named, and fails nothing.
        return judge(_plain(case.name, Expectation(refused=case.expect.verdict)), decide, EvidenceError)
    return outcome


def _plain(name: str, expect: Expectation) -> Case:
    """Return a case for judging. The language has recipes of its own, so those of the other have nothing to expand."""
    return Case(id=name, note="", kind="evidence", input={}, expect=expect)


def _read(case: EvidenceCase, documents: dict[str, Any]) -> ExecutedRuntimeEvidenceV1:
    if case.text is not None:
        return parse_evidence(case.text.encode())
    if case.generate is not None:
        return validate_evidence(generated_evidence(documents[case.generate.base_case], case.generate))
    return validate_evidence(case.document)


def shown(evidence: ExecutedRuntimeEvidenceV1) -> dict[str, Any]:
    """Return what a case says about accepted evidence: its digest, and how many bytes that is of."""
    size = len(wrapper(evidence.to_wire()))
    return {"digest": evidence.runtime_evidence_digest_sha256, "wrapper_bytes": size}


def _decide(evidence: Any, _: dict[str, Any]) -> dict[str, Any]:
    return shown(validate_evidence(evidence))


def _judge_sweep(sweep: Sweep, base: Any) -> Outcome:
    name = f"{sweep.base} {sweep.how}"
    for place in places(base):
        changed = swept(base, place, sweep.how)
        case = _plain(name, Expectation(refused="refused"))
        outcome = judge(case, partial(_decide, changed), EvidenceError)
        if outcome.failure:
            return Outcome(name, f"{place}: {outcome.failure}")
    return Outcome(name)
