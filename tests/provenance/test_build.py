"""Build descriptors of upstream and of this toolkit: read exactly, every member; ours also written."""

import copy
import hashlib
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import DocumentError, ProvenanceError
from operatebench.provenance import (
    CLEAN_TREE_ALGORITHM,
    DistributionArtifact,
    SourceTree,
    Toolchain,
    describe_build,
    read_build_provenance,
    read_source_tree,
    read_toolkit_build,
)
from tests.provenance.builds import TOOLCHAIN, artifact, make_wheel
from tests.provenance.repositories import SEARCH_PATH, make_repository

PAIR = [artifact("wheel", "kiln-1-py3-none-any.whl"), artifact("sdist", "kiln-1.tar.gz")]
UPSTREAM = {
    "schema": "operatebench.build_provenance_descriptor.v1",
    "schema_version": 1,
    "source_commit": 40 * "a",
    "source_tree_algorithm": CLEAN_TREE_ALGORITHM,
    "source_tree_digest_sha256": 64 * "b",
    "tree_clean": True,
    "uv_lock_sha256": 64 * "c",
    "build_mode": "audited_distribution_pair",
    "distribution_artifacts": PAIR,
    "toolchain": TOOLCHAIN,
}
OURS = {
    "schema": "operatebench.toolkit_build_descriptor.v1",
    "schema_version": 1,
    "source_commit": 64 * "a",
    "source_tree_algorithm": CLEAN_TREE_ALGORITHM,
    "source_tree_digest_sha256": 64 * "b",
    "lock": {"path": "requirements/dev.txt", "sha256": 64 * "c"},
    "build_mode": "distribution_pair",
    "distribution_artifacts": PAIR,
    "toolchain": TOOLCHAIN,
}
SETUPTOOLS = version("setuptools")


def changed(document: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """Return a copy with another value at a place."""
    made = copy.deepcopy(document)
    *way, last = place.split("/")[1:]
    found: Any = made
    for step in way:
        found = found[int(step) if type(found) is list else step]
    found[int(last) if type(found) is list else last] = value
    return made


def refusal_of(read: Callable[[Any], object], document: Any) -> tuple[str, str, str]:
    """Return path, expected and actual of the refusal of a descriptor."""
    with pytest.raises(ProvenanceError) as refused:
        read(document)
    assert refused.value.code == "build_descriptor_shape"
    return refused.value.path, refused.value.expected, refused.value.actual


def test_an_upstream_descriptor_says_what_was_built_of_what() -> None:
    descriptor = read_build_provenance(UPSTREAM)

    assert descriptor.distribution_artifacts is not None
    wheel, sdist = descriptor.distribution_artifacts
    assert wheel == DistributionArtifact("wheel", "kiln-1-py3-none-any.whl", 64 * "d")
    assert (sdist.kind, descriptor.toolchain) == ("sdist", Toolchain("cpython", "3.11.7", "hatchling", "1.27.0"))
    assert (descriptor.source_commit, descriptor.uv_lock_sha256) == (40 * "a", 64 * "c")
    assert descriptor.source_tree_digest_sha256 == 64 * "b"


DIGEST, SHORT, VERSION = "a SHA-256", "a text of 1 to 256 characters", "three numbers with dots between them"
COMMON = [
    ("/schema", "x", None),
    ("/schema_version", True, "1"),
    ("/schema_version", 1.0, "1"),
    ("/schema_version", "1", "1"),
    ("/schema_version", 2, "1"),
    ("/source_commit", 40 * "A", None),
    ("/source_commit", 39 * "a", None),
    ("/source_commit", 40 * "a" + "\n", None),
    ("/source_commit", None, None),
    ("/source_tree_algorithm", "operatebench.clean_tracked_source_tree.v2", f'"{CLEAN_TREE_ALGORITHM}"'),
    ("/source_tree_digest_sha256", 63 * "b", DIGEST),
    ("/source_tree_digest_sha256", 64 * "B", DIGEST),
    ("/build_mode", "container", None),
    ("/build_mode", [], None),
    ("/distribution_artifacts", None, "wheel and sdist"),
    ("/distribution_artifacts", {}, "wheel and sdist"),
    ("/distribution_artifacts", PAIR[:1], "wheel and sdist"),
    ("/distribution_artifacts", [*PAIR, PAIR[0]], "wheel and sdist"),
    ("/distribution_artifacts/0", PAIR[1], None),
    ("/distribution_artifacts/1/kind", "wheel", '"sdist"'),
    ("/distribution_artifacts/1/filename", "", SHORT),
    ("/distribution_artifacts/1/filename", 257 * "é", SHORT),
    ("/distribution_artifacts/0/filename", 1, SHORT),
    ("/distribution_artifacts/0/sha256", None, DIGEST),
    ("/distribution_artifacts/0/size", 1, None),
    ("/toolchain", None, None),
    ("/toolchain/more", 1, None),
    ("/toolchain/python_version", "3.11", VERSION),
    ("/toolchain/python_version", "3.11.7.1", VERSION),
    ("/toolchain/python_version", "3.11.07", VERSION),
    ("/toolchain/python_version", "3.11.7rc1", VERSION),
    ("/toolchain/python_version", "3.11.7\n", VERSION),
    ("/toolchain/python_version", "3.11.\u0667", VERSION),
    ("/toolchain/build_backend_version", "", SHORT),
    ("/toolchain/build_backend_version", 257 * "1", SHORT),
]


@pytest.mark.parametrize(("read", "document"), [(read_build_provenance, UPSTREAM), (read_toolkit_build, OURS)])
def test_every_value_of_both_is_read_exactly(read: Callable[[Any], object], document: dict[str, Any]) -> None:
    read(document)
    for place, value, expected in COMMON:
        path, said, _ = refusal_of(read, changed(document, place, value))
        within = path in (place, place.rpartition("/")[0]) or path.startswith(f"{place}/")
        assert within, (place, value, path)
        assert expected in (None, said), (place, value)
    for name in document:
        members = ", ".join(document)
        without = {key: value for key, value in document.items() if key != name}
        count = len(document)
        assert refusal_of(read, without) == ("", f"an object of {members}", f"an object with {count - 1} members")
    assert refusal_of(read, [])[0] == refusal_of(read, {**document, "more": 1})[0] == ""
    checkout = {**document, "build_mode": "checkout"}
    assert refusal_of(read, checkout) == ("/distribution_artifacts", "null", "an array of 2 items")
    read({**checkout, "distribution_artifacts": None})


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("/tree_clean", 1, "true"),
        ("/tree_clean", False, "true"),
        ("/uv_lock_sha256", None, DIGEST),
        ("/source_commit", 64 * "a", "40 lowercase hexadecimal digits"),
        ("/build_mode", "distribution_pair", '"checkout" or "audited_distribution_pair"'),
        ("/toolchain/python_implementation", "pypy", '"cpython"'),
        ("/toolchain/build_backend", "setuptools", '"hatchling"'),
    ],
)
def test_what_only_upstream_asks_for(place: str, value: Any, expected: str) -> None:
    assert refusal_of(read_build_provenance, changed(UPSTREAM, place, value))[:2] == (place, expected)


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("/lock", None, "an object of path, sha256"),
        ("/lock/sha256", 64 * "g", DIGEST),
        ("/lock/path", "../lock", "a relative path"),
        ("/lock/path", "/lock", "a relative path"),
        ("/lock/path", None, "a relative path"),
        ("/build_mode", "audited_distribution_pair", '"checkout" or "distribution_pair"'),
        ("/toolchain/build_backend", "", SHORT),
    ],
)
def test_what_only_the_toolkit_asks_for(place: str, value: Any, expected: str) -> None:
    assert refusal_of(read_toolkit_build, changed(OURS, place, value))[:2] == (place, expected)


def test_what_is_read_is_what_was_written() -> None:
    assert read_toolkit_build(OURS).to_wire() == OURS
    checkout = {**OURS, "build_mode": "checkout", "distribution_artifacts": None, "source_commit": 40 * "a"}
    assert read_toolkit_build(checkout).to_wire() == checkout


PROJECT = b'[build-system]\nrequires = []\nbuild-backend = "setuptools.build_meta"\n'


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    """Return a checkout of a project with a lock file."""
    files = {b"pyproject.toml": (b"100644", PROJECT), b"requirements/dev.txt": (b"100644", b"pins\n")}
    return read_source_tree(make_repository(tmp_path_factory.mktemp("made") / "project", files), SEARCH_PATH)


def test_a_checkout_is_described_with_what_would_build_it(source: SourceTree) -> None:
    descriptor = describe_build(source, "requirements/dev.txt")

    assert descriptor.to_wire() == {
        **OURS,
        "source_commit": source.commit,
        "source_tree_digest_sha256": source.tree.digest_sha256,
        "lock": {"path": "requirements/dev.txt", "sha256": hashlib.sha256(b"pins\n").hexdigest()},
        "build_mode": "checkout",
        "distribution_artifacts": None,
        "toolchain": {
            "python_implementation": sys.implementation.name,
            "python_version": "{}.{}.{}".format(*sys.version_info),
            "build_backend": "setuptools",
            "build_backend_version": SETUPTOOLS,
        },
    }
    assert read_toolkit_build(descriptor.to_wire()) == descriptor


def test_a_pair_is_described_by_names_and_digests(source: SourceTree, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "x-1-py3-none-any.whl", f"setuptools ({SETUPTOOLS})")
    sdist = tmp_path / "x-1.tar.gz"
    sdist.write_bytes(b"sdist")

    descriptor = describe_build(source, "requirements/dev.txt", (str(wheel), str(sdist)))

    assert descriptor.distribution_artifacts == (
        DistributionArtifact("wheel", wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()),
        DistributionArtifact("sdist", sdist.name, hashlib.sha256(b"sdist").hexdigest()),
    )
    assert read_toolkit_build(descriptor.to_wire()) == descriptor


def test_a_pair_that_such_a_build_does_not_make_is_refused(source: SourceTree, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "good.whl", f"setuptools ({SETUPTOOLS})")
    sdist = tmp_path / "x.tar.gz"
    sdist.write_bytes(b"")
    (tmp_path / "none.whl").write_bytes(b"PK")
    (tmp_path / "link.whl").symlink_to(wheel)
    other = make_wheel(tmp_path / "other.whl", "setuptools (1.0)")
    empty = make_wheel(tmp_path / "empty.whl", "x", member="x/WHEEL")

    def refusal(made: Path, packed: Path) -> tuple[str, str, str]:
        with pytest.raises((ProvenanceError, DocumentError)) as refused:
            describe_build(source, "requirements/dev.txt", (str(made), str(packed)))
        return refused.value.code, refused.value.path, refused.value.actual

    assert refusal(sdist, wheel) == ("build_artifact", str(sdist), '"x.tar.gz"')
    assert refusal(wheel, wheel) == ("build_artifact", str(wheel), '"good.whl"')
    assert refusal(other, sdist) == ("build_artifact", str(other), '"Generator: setuptools (1.0)"')
    for damaged in (tmp_path / "none.whl", empty):
        assert refusal(damaged, sdist) == ("build_artifact", str(damaged), "no readable one")
    assert refusal(tmp_path / "link.whl", sdist)[:2] == ("file_type", str(tmp_path / "link.whl"))
    assert refusal(tmp_path / "gone.whl", sdist)[:2] == ("file_missing", str(tmp_path / "gone.whl"))


def test_a_lock_file_is_in_the_tree(source: SourceTree) -> None:
    with pytest.raises(DocumentError) as missing:
        describe_build(source, "uv.lock")

    assert (missing.value.code, missing.value.path) == ("file_missing", "uv.lock")
    for path in ("../lock", "/lock", ""):
        assert refusal_of(lambda lock: describe_build(source, lock), path)[:2] == ("/lock/path", "a relative path")


@pytest.mark.parametrize(
    ("project", "expected", "actual"),
    [
        (b"[", "TOML", '"'),
        (b"\xff", "TOML", '"'),
        (b"[project]\n", "[build-system] with build-backend, and no backend-path", "null"),
        (b"build-system = 1\n", "[build-system] with build-backend, and no backend-path", "1"),
        (PROJECT + b"backend-path = []\n", "[build-system] with build-backend, and no backend-path", "an object"),
        (PROJECT.replace(b"setuptools", b"nowhere"), 'one installed distribution that holds "nowhere.build_meta"', "0"),
    ],
)
def test_a_build_backend_that_is_not_known(
    source: SourceTree, tmp_path: Path, project: bytes, expected: str, actual: str
) -> None:
    (tmp_path / "lock").write_bytes(b"")
    (tmp_path / "pyproject.toml").write_bytes(project)
    elsewhere = SourceTree(source.tree, source.commit, str(tmp_path))

    with pytest.raises(ProvenanceError) as refused:
        describe_build(elsewhere, "lock")

    refusal = refused.value
    assert (refusal.code, refusal.path, refusal.expected) == ("build_backend", "pyproject.toml", expected)
    assert refusal.actual.startswith(actual)
