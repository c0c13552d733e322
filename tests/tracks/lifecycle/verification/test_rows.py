"""Every row of a ledger counts: left out, doubled, swapped or changed, by whatever is sealed again, it is refused."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import BundleError, OperateBenchError
from operatebench.replay.bundle import read_bundle
from operatebench.replay.verify import Verdict
from operatebench.replay.verify.recording import RecordedLedger
from tests.tracks.lifecycle.verification.forging import (
    Forgery,
    listed_anew,
    read_alone,
    texts_of,
    verifier,
    write_texts,
)

Rows = list[Any]
LEDGER = "ledger.ndjson"
STEP = 7
"""Every seventh row is tried where the whole ledger must be read; every one where the list alone shows it."""
SAMPLE = 2
"""Rows of which each change is sealed and verified as a whole."""


def drop(rows: Rows, index: int) -> None:
    del rows[index]


def double(rows: Rows, index: int) -> None:
    rows.insert(index, rows[index])


def swap(rows: Rows, index: int) -> None:
    other = index - 1 if index else len(rows) - 1
    rows[index], rows[other] = rows[other], rows[index]


def change(rows: Rows, index: int) -> None:
    row = rows[index]
    rows[index] = row.replace(b'"at":"2032', b'"at":"2033', 1) if type(row) is bytes else {**row, "at": row["at"] + " "}


CHANGES: list[Callable[[Rows, int], None]] = [drop, double, swap, change]


@pytest.mark.parametrize("how", CHANGES)
def test_without_sealing_the_list_refuses_it(run: Path, how: Callable[[Rows, int], None]) -> None:
    artifact = read_bundle(run).artifact
    lines = (run / LEDGER).read_bytes().splitlines(keepends=True)
    for index in range(len(lines) - 2):
        changed = lines[1:-1]
        how(changed, index)
        with pytest.raises(BundleError) as refused:
            read_alone(artifact, LEDGER, b"".join([lines[0], *changed, lines[-1]]))
        assert refused.value.code in {"member_size", "member_digest"}


@pytest.mark.parametrize("how", CHANGES)
def test_in_the_list_anew_the_chain_refuses_it(run: Path, how: Callable[[Rows, int], None]) -> None:
    texts = texts_of(run)
    lines = texts[LEDGER].splitlines(keepends=True)
    for index in range(0, len(lines) - 2, STEP):
        changed = lines[1:-1]
        how(changed, index)
        text = b"".join([lines[0], *changed, lines[-1]])
        with pytest.raises(OperateBenchError):
            RecordedLedger.read(text)
    report = verifier().verify(write_texts(run, listed_anew({**texts, LEDGER: text})))
    assert report.verdict is Verdict.REFUSED
    assert report.refusal is not None
    assert report.check("5").refusal is report.refusal
    assert report.refusal.path.startswith(f"{LEDGER} line ")


@pytest.mark.parametrize("how", CHANGES)
def test_chained_anew_it_is_not_that_of_the_evidence(
    original: Path, tmp_path: Path, how: Callable[[Rows, int], None]
) -> None:
    texts = texts_of(original)
    rows = len(texts[LEDGER].splitlines()) - 2
    for index in random.Random(how.__name__).sample(range(rows), SAMPLE):
        forged = Forgery(texts)
        how(forged.rows, index)
        forged.rows = [{**row, "index": number} for number, row in enumerate(forged.rows)]
        report = forged.verified(tmp_path)
        assert report.verdict is Verdict.REFUSED
        assert report.refusal is not None
        assert report.check("6").refusal is report.refusal
        assert report.refusal.code == "row_not_of_evidence"
        assert int(report.refusal.path.split()[2]) in {index + 1, index + 2, index + 3, 2}  # line 2 is row 0


@pytest.mark.parametrize("which", ["first", "last", "all"])
def test_rows_cut_off_and_closed_anew(forgery: Forgery, tmp_path: Path, which: str) -> None:
    keep = {"first": slice(1, None), "last": slice(0, -1), "all": slice(0, 0)}[which]
    forgery.rows = [{**row, "index": number} for number, row in enumerate(forgery.rows[keep])]

    report = forgery.verified(tmp_path)

    assert report.refusal is not None
    assert report.check("6").refusal is report.refusal
    assert report.refusal.code == "row_not_of_evidence"
    assert report.refusal.path.startswith(LEDGER)


def test_a_ledger_without_its_end(run: Path) -> None:
    texts = texts_of(run)
    lines = texts[LEDGER].splitlines(keepends=True)

    report = verifier().verify(write_texts(run, listed_anew({**texts, LEDGER: b"".join(lines[:-1])})))

    assert report.refusal is not None
    assert report.check("5").refusal is report.refusal
    assert (report.refusal.code, report.refusal.path) == ("ledger_incomplete", LEDGER)


@pytest.mark.parametrize("row", [None, 1, "x", [], {}, {"record_type": 1}, {"at": None, "body": {}}])
def test_a_trajectory_of_anything(forgery: Forgery, tmp_path: Path, row: Any) -> None:
    forgery.evidence["outcome"]["trajectory"][3] = row

    forgery.bind_evidence()
    forgery.terminal["trajectory_digest_sha256"] = forgery.evidence["outcome"]["trajectory_digest_sha256"]

    report = forgery.verified(tmp_path)

    assert report.refusal is not None
    assert report.check("6").refusal is report.refusal
    assert report.refusal.code == "row_not_of_evidence"
    assert report.refusal.path.startswith(f"{LEDGER} line 5 ")


def test_a_row_may_have_members_called_as_those_of_a_line(forgery: Forgery, tmp_path: Path) -> None:
    """The body of a line is a row without its place: a member `body` of the row stays inside of it."""
    forgery.evidence["outcome"]["trajectory"][3] |= {"body": {"at": 1}, "record": "row"}

    report = forgery.bind().verified(tmp_path)

    assert report.verdict is Verdict.DIVERGED
    assert report.divergence is not None
    assert report.divergence.place == "row 3 /body"
    assert json.loads((tmp_path / LEDGER).read_bytes().splitlines()[4])["body"]["body"] == {"at": 1}
