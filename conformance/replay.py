"""The vector language `operatebench.conformance.replay.v1`: run bundles, ledgers, and the automata behind them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from ..errors import DocumentError, LedgerError, OperateBenchError, describe, pointer
from ..replay.conformance import Automaton, AutomatonRuntime
from ..replay.ledger import LedgerReader
from ..replay.regrade import regrade
from ..replay.verify import Verifier
from .judging import Outcome, judge
from .model import Case, Expectation, Strict, read_model
from .patching import PatchOp, patched

LANGUAGE = "operatebench.conformance.replay.v1"

MAX_BUNDLE_CHARACTERS = 32 * 1024 * 1024

_Path = Annotated[str, Field(pattern=r"^[a-z_]+(/[a-z_]+)?\.[a-z]+$")]
_LEDGER = "ledger.ndjson"
_LINE = re.compile(r"line ([0-9]+)")


class Splice(Strict):
    """``text`` in the place of the characters from ``start`` to ``end``, counted in the text that is changed."""

    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    text: str


class Folder(Strict):
    """The files of a folder: those of ``base``, with some changed, written anew, or taken away."""

    base: str | None = None
    splices: dict[_Path, list[Splice]] = Field(default_factory=dict)
    files: dict[_Path, str | None] = Field(default_factory=dict)


class Runtime(Strict):
    """An automaton: as it is, or another one of the file with a patch."""

    automaton: dict[str, Any] | None = None
    base: str | None = None
    patch: list[PatchOp] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_source(self) -> Runtime:
        if (self.automaton is None) == (self.base is None):
            raise ValueError("exactly one of automaton and base")
        return self


class Verdict(Strict):
    """What comes of a verification: the verdict, and the check and code that it rests on."""

    verdict: Literal["verified", "replayed", "diverged", "consistent_only", "refused"]
    check: str | None = None
    code: str = ""


class BundleCase(Strict):
    """A folder is verified against a runtime."""

    kind: Literal["bundle"]
    name: str
    note: str = ""
    folder: str
    runtime: str
    expected_digest: str | None = None
    expect: Verdict


class Ledger(Strict):
    """What comes of reading a ledger: what it comes to, or the line in which it is refused, and the code."""

    verdict: Literal["complete", "incomplete", "refused"]
    rows: int | None = None
    head_digest_sha256: str | None = None
    merkle_root_sha256: str | None = None
    line: int | None = None
    code: str = ""


class LedgerCase(Strict):
    """The ledger of a folder is read."""

    kind: Literal["ledger"]
    name: str
    note: str = ""
    folder: str
    expect: Ledger


class Regrade(Strict):
    """What comes of regrading: the digest of the regrade, or the code of the refusal."""

    verdict: Literal["regraded", "refused"]
    regrade_digest_sha256: str | None = None
    code: str = ""


class RegradeCase(Strict):
    """A folder is replayed exactly by a runtime and graded by it."""

    kind: Literal["regrade"]
    name: str
    note: str = ""
    folder: str
    runtime: str
    expect: Regrade


class ReplayVectorFile(Strict):
    """A whole file. A folder and a runtime have a base that stands before them."""

    vectors: str
    about: str
    runtimes: dict[str, Runtime]
    folders: dict[str, Folder]
    count: int
    cases: list[Annotated[BundleCase | LedgerCase | RegradeCase, Field(discriminator="kind")]]


def run(document: object) -> list[Outcome]:
    """Run every case of a parsed file of this language, in order.

    Raises:
        DocumentError: ``vector_file`` if the shape is wrong, the count does not match, two cases share a name, a case
            names what is not there, or a folder or runtime cannot be made. No case of such a file is run.
    """
    file = read_model(ReplayVectorFile, document, "vector_file")
    if file.count != len(file.cases):
        raise _misfit("/count", str(len(file.cases)), file.count)
    runtimes, folders = _runtimes(file.runtimes), _folders(file.folders)
    seen: set[str] = set()
    for index, case in enumerate(file.cases):
        if case.name in seen:
            raise _misfit(pointer("cases", index, "name"), "a name no other case has", case.name)
        seen.add(case.name)
        if case.folder not in folders or (isinstance(case, LedgerCase) and _LEDGER not in folders[case.folder]):
            raise _misfit(pointer("cases", index, "folder"), "a folder of the file, with a ledger", case.folder)
        if not isinstance(case, LedgerCase) and case.runtime not in runtimes:
            raise _misfit(pointer("cases", index, "runtime"), "a runtime of the file", case.runtime)
    benches = {name: _Bench(runtime, Verifier(runtime)) for name, runtime in runtimes.items()}
    return [_judge(case, benches, folders[case.folder]) for case in file.cases]


class _Bench(NamedTuple):
    """A runtime, and its verifier, which makes what is live there once for all cases."""

    runtime: AutomatonRuntime
    verifier: Verifier


def _misfit(path: str, expected: str, found: object) -> DocumentError:
    return DocumentError("vector_file", path=path, expected=expected, actual=describe(found))


def _runtimes(given: Mapping[str, Runtime]) -> dict[str, AutomatonRuntime]:
    documents: dict[str, Any] = {}
    made: dict[str, AutomatonRuntime] = {}
    for name, runtime in given.items():
        at = pointer("runtimes", name)
        source = _based(documents, runtime.base, f"{at}/base") if runtime.automaton is None else runtime.automaton
        try:
            documents[name] = patched(source, runtime.patch)
            made[name] = AutomatonRuntime(read_model(Automaton, documents[name], "vector_file"))
        except DocumentError as refusal:
            place = at + refusal.path if refusal.code == "vector_file" else f"{at}/patch"
            texts = {"expected": refusal.expected, "actual": refusal.actual}
            raise DocumentError("vector_file", path=place, **texts) from None
    return made


def _folders(given: Mapping[str, Folder]) -> dict[str, dict[str, str]]:
    made: dict[str, dict[str, str]] = {}
    for name, folder in given.items():
        at = pointer("folders", name)
        base = {} if folder.base is None else _based(made, folder.base, f"{at}/base")
        files = {**base, **{path: text for path, text in folder.files.items() if text is not None}}
        for path, splices in folder.splices.items():
            files[path] = _spliced(base.get(path, ""), splices, at + pointer("splices", path))
        for path in (path for path, text in folder.files.items() if text is None):
            files.pop(path, None)
        if sum(map(len, files.values())) > MAX_BUNDLE_CHARACTERS:
            raise _misfit(at, f"files of at most {MAX_BUNDLE_CHARACTERS} characters", "more")
        made[name] = files
    return made


def _based(made: dict[str, Any], name: str | None, at: str) -> Any:
    if name not in made:
        raise _misfit(at, "a name that stands before this one", name)
    return made[name]


def _spliced(text: str, splices: list[Splice], at: str) -> str:
    parts: list[str] = []
    done = 0
    for splice in splices:
        if not done <= splice.start <= splice.end <= len(text):
            raise _misfit(at, "places inside the text, one after the other", splice.start)
        parts += text[done : splice.start], splice.text
        done = splice.end
    return "".join([*parts, text[done:]])


def _judge(
    case: BundleCase | LedgerCase | RegradeCase, benches: Mapping[str, _Bench], files: Mapping[str, str]
) -> Outcome:
    found: dict[str, Any] = {}

    def decide(_: dict[str, Any]) -> dict[str, Any]:
        found.update(_answer(case, benches, files))
        return {name: value for name, value in found.items() if name != "code"}

    expected = case.expect.model_dump()
    code = expected.pop("code")
    plain = Case(id=case.name, note="", kind=case.kind, input={}, expect=Expectation(ok=expected))
    outcome = judge(plain, decide, OperateBenchError)
    said = f"{found.get('verdict')} {found.get('code')}".rstrip()
    return outcome if outcome.failure else replace(outcome, label=code, code=found["code"], said=said)


def _answer(
    case: BundleCase | LedgerCase | RegradeCase, benches: Mapping[str, _Bench], files: Mapping[str, str]
) -> dict[str, Any]:
    if isinstance(case, LedgerCase):
        return _read_ledger(files[_LEDGER].encode())
    bench = benches[case.runtime]
    with tempfile.TemporaryDirectory(prefix="operatebench-vectors-") as place:
        for name, text in files.items():
            path = Path(place) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        return _verify(place, bench, case.expected_digest) if isinstance(case, BundleCase) else _regrade(place, bench)


def _verify(path: str, bench: _Bench, expected_digest: str | None) -> dict[str, Any]:
    report = bench.verifier.verify(path, expect=expected_digest)
    refusal = report.refusal
    rests_on = next((check.number for check in report.checks if refusal is not None and check.refusal is refusal), None)
    return {"verdict": report.verdict.value, "check": rests_on, "code": "" if refusal is None else refusal.code}


def _read_ledger(text: bytes) -> dict[str, Any]:
    nothing = dict.fromkeys(("rows", "head_digest_sha256", "merkle_root_sha256", "line"))
    try:
        summary = LedgerReader(BytesIO(text)).read_to_end()
    except (DocumentError, LedgerError) as refusal:
        line = _LINE.match(refusal.path)
        return {**nothing, "verdict": "refused", "line": int(line[1]) if line else None, "code": refusal.code}
    return {
        **nothing,
        "verdict": "incomplete" if summary.terminal is None else "complete",
        "rows": summary.rows,
        "head_digest_sha256": summary.head_digest_sha256,
        "merkle_root_sha256": summary.merkle_root_sha256,
        "code": "",
    }


def _regrade(path: str, bench: _Bench) -> dict[str, Any]:
    try:
        document = regrade(bench.verifier.replay_exactly(path), bench.runtime)
    except OperateBenchError as refusal:
        return {"verdict": "refused", "regrade_digest_sha256": None, "code": refusal.code}
    return {"verdict": "regraded", "regrade_digest_sha256": document["regrade_digest_sha256"], "code": ""}
