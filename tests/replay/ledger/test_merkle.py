"""Trees that grow leaf by leaf are those of RFC 6962; every audit path leads to the root and no other one does."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operatebench.errors import LedgerError
from operatebench.replay.ledger import InclusionProof, LedgerReader, check_proof, prove
from operatebench.replay.ledger.merkle import AuditedTree, MerkleTree, path_length, root_of_path
from tests.replay.ledger.ledgers import DIGEST, ROWS, path_of, root_of, stream, text_of, whole

SIZES = range(71)


def leaves_of(size: int) -> list[bytes]:
    return [hashlib.sha256(b"%d" % index).digest() for index in range(size)]


def grown(leaves: list[bytes], audited: int | None = None) -> Any:
    tree = MerkleTree() if audited is None else AuditedTree(audited)
    for leaf in leaves:
        tree.append(leaf)
    return tree


@pytest.mark.parametrize("size", SIZES)
def test_roots(size: int) -> None:
    leaves = leaves_of(size)
    tree = grown(leaves)

    assert (tree.root(), tree.root(), tree.size) == (root_of(leaves), root_of(leaves), size)
    assert len(tree._peaks) == size.bit_count()


def test_the_root_of_nothing_and_the_known_trees_of_rfc_6962() -> None:
    """The test vectors of Certificate Transparency: leaves "", 00, 10, 2021."""
    leaves = [bytes.fromhex(each) for each in ("", "00", "10", "2021")]
    roots = [grown(leaves[:size]).root().hex() for size in range(5)]
    assert roots == [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_audit_paths(size: int) -> None:
    leaves = leaves_of(size)
    for index in range(size):
        tree = grown(leaves, index)
        root = tree.root()
        assert tree.path == path_of(index, leaves)
        assert len(tree.path) == path_length(index, size)
        assert root_of_path(leaves[index], index, size, tree.path) == root == root_of(leaves)


@given(st.lists(st.sampled_from([b"a", b"b"]), min_size=1, max_size=40), st.data())
def test_equal_leaves_are_told_apart_by_their_place(leaves: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    tree = grown(leaves, index)
    assert tree.root() == root_of(leaves)
    assert tree.path == path_of(index, leaves)


@pytest.mark.parametrize("size", [2, 3, 7, 8, 33])
def test_another_leaf_index_or_sibling_leads_elsewhere(size: int) -> None:
    leaves = leaves_of(size)
    root = root_of(leaves)
    for index in range(size):
        path = path_of(index, leaves)
        assert root_of_path(b"x", index, size, path) != root
        for other in range(size):
            if other != index and path_length(other, size) == len(path):
                assert root_of_path(leaves[index], other, size, path) != root
        for place in range(len(path)):
            assert root_of_path(leaves[index], index, size, [*path[:place], b"\0" * 32, *path[place + 1 :]]) != root


def proof_of(rows: int, index: int) -> InclusionProof:
    return prove(LedgerReader(stream(text_of(whole(ROWS[:1] * rows)))), index)


@pytest.mark.parametrize(("rows", "index"), [(1, 0), (2, 1), (3, 0), (7, 6), (8, 3), (13, 12)])
def test_a_proof_is_the_documented_document(rows: int, index: int) -> None:
    lines = whole(ROWS[:1] * rows)
    proof = proof_of(rows, index)

    leaves = [bytes.fromhex(line[DIGEST]) for line in lines[1:-1]]
    assert json.loads(proof.to_bytes()) == {
        "schema": "operatebench.ledger_inclusion_proof.v1",
        "schema_version": 1,
        "index": index,
        "tree_size": rows,
        "row_digest_sha256": lines[1 + index][DIGEST],
        "audit_path": [sibling.hex() for sibling in path_of(index, leaves)],
        "merkle_root_sha256": lines[-1]["merkle_root_sha256"],
    }
    assert InclusionProof.from_wire(json.loads(proof.to_bytes())) == proof
    check_proof(proof, lines[-1]["merkle_root_sha256"], len(lines) - 2)


WRONG: dict[str, tuple[str, Any]] = {
    "index": ("/index", 13),
    "negative": ("/index", -1),
    "index as truth": ("/index", True),
    "size": ("/tree_size", 0),
    "size as text": ("/tree_size", "13"),
    "size with other paths": ("/tree_size", 14),
    "digest": ("/row_digest_sha256", "A" * 64),
    "root": ("/merkle_root_sha256", "0" * 63),
    "path": ("/audit_path", []),
    "path of other things": ("/audit_path", [None] * 2),
    "schema": ("/schema", "operatebench.ledger_inclusion_proof.v2"),
    "version": ("/schema_version", 1.0),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_proof_is_refused(case: str) -> None:
    place, value = WRONG[case]
    wire = {**proof_of(13, 12).to_wire(), place[1:]: value}

    with pytest.raises(LedgerError) as refused:
        InclusionProof.from_wire(wire)
    assert refused.value.code == "ledger_proof_form"
    assert refused.value.path.startswith("/audit_path" if "path" in case else place)


@pytest.mark.parametrize("change", ["more", "less", "none"])
def test_a_proof_has_exactly_its_members(change: str) -> None:
    wire: Any = proof_of(3, 1).to_wire()
    if change == "more":
        wire["note"] = ""
    elif change == "less":
        del wire["index"]
    else:
        wire = []
    with pytest.raises(LedgerError) as refused:
        InclusionProof.from_wire(wire)
    assert (refused.value.code, refused.value.path) == ("ledger_proof_form", "")


@pytest.mark.parametrize("name", ["row_digest_sha256", "audit_path", "merkle_root_sha256", "index", "root"])
def test_a_proof_that_leads_elsewhere_is_refused(name: str) -> None:
    wire = proof_of(8, 3).to_wire()
    root = wire["merkle_root_sha256"]
    other = "f" * 64
    if name == "root":
        root = other
    else:
        wire[name] = {"audit_path": [other, *wire["audit_path"][1:]], "index": 4}.get(name, other)
    with pytest.raises(LedgerError) as refused:
        check_proof(InclusionProof.from_wire(wire), root, 8)
    assert (refused.value.code, refused.value.expected) == ("ledger_proof_root", root)


def test_a_proof_that_states_another_size_could_lead_to_the_root_under_another_index() -> None:
    proof = proof_of(5, 4)
    lies = [
        replace(proof, index=index, tree_size=size)
        for size in range(1, 40)
        for index in range(size)
        if (index, size) != (4, 5) and leads(proof, index, size)
    ]
    assert lies
    for lie in lies:
        with pytest.raises(LedgerError) as refused:
            check_proof(lie, proof.merkle_root_sha256, 5)
        assert (refused.value.code, refused.value.expected) == ("ledger_proof_size", "5 rows")


def leads(proof: InclusionProof, index: int, size: int) -> bool:
    """Tell whether the path of a proof has the form of one of another index and size, and leads to its root."""
    try:
        InclusionProof.from_wire({**proof.to_wire(), "index": index, "tree_size": size})
        check_proof(replace(proof, index=index, tree_size=size), proof.merkle_root_sha256, size)
    except LedgerError:
        return False
    return True


@pytest.mark.parametrize("row", [3, 10**12, -1])
def test_a_missing_row_has_no_proof(row: int) -> None:
    with pytest.raises(LedgerError) as refused:
        prove(LedgerReader(stream(text_of(whole()))), row)
    assert (refused.value.code, refused.value.actual) == ("ledger_row_missing", str(row))


def test_an_unfinished_ledger_has_no_root_to_prove_against(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(text_of(whole()[:-1]))
    with pytest.raises(LedgerError) as refused, (tmp_path / "l").open("rb") as file:
        prove(LedgerReader(file), 0)
    assert refused.value.code == "ledger_incomplete"
