"""The vector language `operatebench.conformance.evidence.v1`, in its formats for source trees and build descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from ..errors import CleanTreeError, DocumentError, ProvenanceError, describe, pointer
from ..provenance import Content, TreeFraming, read_build_provenance
from ..provenance.clean_tree import frame_length
from .judging import Outcome, judge
from .model import Case, Expectation, Strict, read_model

TREE_FORMAT = "clean-tracked-source-tree-vectors"
BUILD_FORMAT = "build-provenance-vectors"

_Hex: TypeAlias = Annotated[str, Field(pattern="^(?:[0-9a-f]{2})*$")]


class Entry(Strict):
    """An entry of a tree. No content, or null, means that it could not be read."""

    mode: str
    path_hex: _Hex
    content_hex: _Hex | None = None
    content: None = None


class AcceptedTree(Strict):
    """The tree is accepted: its digest, and how many bytes that is of."""

    verdict: Literal["accept"]
    sha256: str
    framed_bytes: int


class RefusedTree(Strict):
    """The tree is refused, with exactly this code: the vocabulary is closed."""

    verdict: Literal["refuse"]
    code: str


class TreeCase(Strict):
    """One case: either the entries of a tree, or a single length."""

    name: str
    entries: list[Entry] | None = None
    length: int | None = None
    note: str = ""
    expect: AcceptedTree | RefusedTree = Field(discriminator="verdict")

    @model_validator(mode="after")
    def _one_input(self) -> TreeCase:
        if (self.entries is None) == (self.length is None):
            raise ValueError("exactly one of entries and length")
        if self.length is not None and self.expect.verdict == "accept":
            raise ValueError("a length that is refused")
        return self


class Precondition(Strict):
    """What a checkout must be before its entries count. It takes a repository to try, so no case has it."""

    code: str
    order: int
    when: str


class TreeVectorFile(Strict):
    """A whole file of trees."""

    vectors: str
    about: str = ""
    format: Literal["clean-tracked-source-tree-vectors"]
    preconditions: list[Precondition] = Field(default_factory=list)
    count: int
    cases: list[TreeCase]


class BuildCase(Strict):
    """One case: a document, and whether it is a build descriptor."""

    name: str
    document: Any
    note: str = ""
    expect: Literal["accept", "refuse"]


class BuildVectorFile(Strict):
    """A whole file of build descriptors."""

    vectors: str
    about: str = ""
    format: Literal["build-provenance-vectors"]
    count: int
    cases: list[BuildCase]


def run_trees(document: object) -> list[Outcome]:
    """Run every case of a parsed file of source trees, in order.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, or two cases share a name.
    """
    file = read_model(TreeVectorFile, document, "vector_file")
    _require_names(file.count, file.cases)
    return [_judge_tree(case) for case in file.cases]


def run_builds(document: object) -> list[Outcome]:
    """Run every case of a parsed file of build descriptors, in order.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, or two cases share a name.
    """
    file = read_model(BuildVectorFile, document, "vector_file")
    _require_names(file.count, file.cases)
    return [_judge_build(case) for case in file.cases]


def _require_names(count: int, cases: Sequence[TreeCase | BuildCase]) -> None:
    if count != len(cases):
        raise DocumentError("vector_file", path="/count", expected=str(len(cases)), actual=describe(count))
    seen: set[str] = set()
    for index, case in enumerate(cases):
        if case.name in seen:
            path, expected = pointer("cases", index, "name"), "a name no other case has"
            raise DocumentError("vector_file", path=path, expected=expected, actual=describe(case.name))
        seen.add(case.name)


def _judge_tree(case: TreeCase) -> Outcome:
    expect = case.expect
    if isinstance(expect, RefusedTree):
        outcome = judge(_plain(case.name, Expectation(refused=expect.code)), partial(_tree, case), CleanTreeError)
        if outcome.failure or outcome.code == expect.code:
            return outcome
        return Outcome(case.name, f"refused with {outcome.code}, expected {expect.code}")
    ok = {"sha256": expect.sha256, "framed_bytes": expect.framed_bytes}
    return judge(_plain(case.name, Expectation(ok=ok)), partial(_tree, case), CleanTreeError)


def _tree(case: TreeCase, _: dict[str, Any]) -> dict[str, Any]:
    if case.length is not None:
        return {"frame": frame_length(case.length).hex()}
    framing = TreeFraming()
    for entry in case.entries or ():
        framing.add(entry.mode.encode(), bytes.fromhex(entry.path_hex), partial(_content, entry))
    tree = framing.result()
    return {"sha256": tree.digest_sha256, "framed_bytes": tree.framed_bytes}


def _content(entry: Entry, mode: bytes, path: bytes) -> Content:
    if entry.content_hex is None:
        raise CleanTreeError.found("unreadable_bytes", path.decode(), f"the content of a {mode.decode()}", None)
    content = bytes.fromhex(entry.content_hex)
    return Content(len(content), (content,))


def _judge_build(case: BuildCase) -> Outcome:
    accepted = Expectation(ok={}) if case.expect == "accept" else Expectation(refused="build_descriptor_shape")
    return judge(_plain(case.name, accepted), partial(_build, case.document), ProvenanceError)


def _build(document: Any, _: dict[str, Any]) -> dict[str, Any]:
    read_build_provenance(document)
    return {}


def _plain(name: str, expect: Expectation) -> Case:
    """Return a case for judging. The formats have no recipes, so there is nothing to expand."""
    return Case(id=name, note="", kind="provenance", input={}, expect=expect)
