"""The bytes of a ledger are those of the contract, made a second way; what is written is read back."""

from pathlib import Path

import pytest

from operatebench.errors import LedgerError
from operatebench.identity import build_identity_manifest, build_projection_census, validate_identity_manifest
from operatebench.replay.ledger import LedgerHeader, LedgerWriter, exact_requirements, open_ledger, verify_ledger
from tests.replay.ledger.ledgers import DIGEST, END, HEADER, ROWS, root_of, sha256, text_of, whole


def write(path: Path, rows: list[dict[str, object]] = ROWS, group: int = 1) -> None:
    with LedgerWriter(path, LedgerHeader.from_wire(HEADER)) as writer:
        for number, row in enumerate(rows, 1):
            writer.append(**row)  # type: ignore[arg-type]
            if number % group == 0:
                writer.flush()
        writer.finish(**END)


def test_the_bytes_are_those_of_the_contract(tmp_path: Path) -> None:
    write(tmp_path / "l")

    assert (tmp_path / "l").read_bytes() == text_of(whole())


def test_the_golden_ledger_has_its_digest() -> None:
    assert sha256(text_of(whole())) == "56240b5e6e523aab4b06954918f24b4ae6ac9a3825e1dd9f95dd5ddca563d206"
    assert whole()[-1][DIGEST] == "22a58793b240a48a32281b941a26482dfd9207bfc06396e2ceb4bd153a223275"
    assert whole()[-1]["merkle_root_sha256"] == "0093112953d29082d6065de8f6b3faabadd0b888c75f7db2c2eeccc294333991"


@pytest.mark.parametrize("group", [1, 2, 3, 100])
def test_groups_leave_no_trace(tmp_path: Path, group: int) -> None:
    write(tmp_path / "l", group=group)

    assert (tmp_path / "l").read_bytes() == text_of(whole())


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write(tmp_path / "l")

    lines = whole()
    with open_ledger(tmp_path / "l") as reader:
        header = reader.header
        rows = list(reader)
        summary = reader.summary()
    assert header == LedgerHeader.from_wire(HEADER)
    assert header.to_wire() == HEADER
    assert [{"at": row.at, "record_type": row.record_type, "body": row.body} for row in rows] == ROWS
    assert [(row.index, row.digest_sha256) for row in rows] == [
        (index, line[DIGEST]) for index, line in enumerate(lines[1:-1])
    ]
    assert (summary.lines, summary.rows, summary.head_digest_sha256) == (5, 3, lines[-1][DIGEST])
    assert summary.merkle_root_sha256 == lines[-1]["merkle_root_sha256"]
    terminal = summary.require_complete()
    assert terminal.to_wire() == {
        **END,
        "record": "terminal",
        "row_count": 3,
        "merkle_root_sha256": summary.merkle_root_sha256,
    }


def test_the_writer_says_what_a_reader_finds(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "l", LedgerHeader.from_wire(HEADER)) as writer:
        for row in ROWS:
            writer.append(**row)
        said = writer.finish(**END)

    assert said == verify_ledger(tmp_path / "l")


def test_a_ledger_without_rows(tmp_path: Path) -> None:
    write(tmp_path / "l", [])

    summary = verify_ledger(tmp_path / "l")
    assert (tmp_path / "l").read_bytes() == text_of(whole([]))
    assert (summary.rows, summary.lines) == (0, 2)
    assert summary.merkle_root_sha256 == sha256(b"") == root_of([]).hex()


def test_the_header_of_a_run_follows_from_its_manifest() -> None:
    projections = {
        name: {f"/{name}": 1}
        for name in (
            "card_schema_content",
            "build_provenance_content",
            "operation_core_content",
            "semantic_scenario_content",
            "variant_content",
            "runtime_contract_content",
            "scaffold_content",
            "arm_protocol_content",
            "provider_run_plan_content",
            "evaluator_bundle_content",
            "analysis_contract_content",
        )
    }
    document = build_identity_manifest(projections)
    manifest = validate_identity_manifest(document, build_projection_census(projections), projections)

    header = LedgerHeader.of(
        manifest,
        operation_instance_id=HEADER["operation_instance_id"],
        selection=HEADER["selection"],
        card_refs=HEADER["card_refs"],
    )

    wire = header.to_wire()
    assert wire["identity_manifest_digest_sha256"] == document["manifest_digest_sha256"]
    assert wire["runtime_bundle_digest_sha256"] == document["composites"]["runtime_bundle"]["bundle_digest_sha256"]
    assert (
        wire["experiment_bundle_digest_sha256"] == (document["composites"]["experiment_bundle"]["bundle_digest_sha256"])
    )
    assert wire["requirements"] == exact_requirements(manifest)
    assert wire["requirements"] == [
        {
            "component": name,
            "compatible": {
                "kind": "exact_digest",
                "content_digest_sha256": document["components"][name]["content_digest_sha256"],
            },
        }
        for name in list(projections)[:9]
    ]


def test_a_summary_without_terminal_line_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(text_of(whole()[:-1]))

    summary = verify_ledger(tmp_path / "l")

    assert (summary.terminal, summary.lines, summary.rows) == (None, 4, 3)
    with pytest.raises(LedgerError) as refused:
        summary.require_complete()
    assert (refused.value.code, refused.value.actual) == ("ledger_incomplete", "3 rows and the end of the file")
