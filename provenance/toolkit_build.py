"""The build descriptor of this toolkit: what source, which lock file, what built, and what came out."""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ..errors import ProvenanceError, describe
from ..files import Folder, open_file, shown
from .build_form import (
    ANYTHING,
    DIGEST,
    DistributionArtifact,
    Rule,
    Toolchain,
    exactly,
    matching,
    one_of,
    read_artifacts,
    read_toolchain,
    require,
    require_members,
)
from .checkout import SourceTree
from .clean_tree import CLEAN_TREE_ALGORITHM
from .owners import is_source_path

TOOLKIT_BUILD_SCHEMA = "operatebench.toolkit_build_descriptor.v1"

_CHECKOUT, _PAIR = "checkout", "distribution_pair"
_COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILENAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_.+!-]{0,255}")
_SUFFIXES = {"wheel": ".whl", "sdist": ".tar.gz"}
_MAX_PROJECT_BYTES = 1024 * 1024
_MAX_LOCK_BYTES = 64 * 1024 * 1024
_MAX_GENERATOR_BYTES = 65_536
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LockFile:
    """The file in the tree that pins what builds.

    Attributes:
        path: from the top of the tree.
        sha256: of its bytes.
    """

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ToolkitBuildDescriptorV1:
    """What a build of this toolkit was made of (authority contract, section 1). Like upstream's, it has no self digest.

    Attributes:
        source_commit: evidence of where it was built, and no more.
        source_tree_digest_sha256: of the clean tracked source tree.
        lock: the lock file.
        distribution_artifacts: wheel and source archive; None for a checkout that nothing was built of.
        toolchain: what built.
    """

    source_commit: str
    source_tree_digest_sha256: str
    lock: LockFile
    distribution_artifacts: tuple[DistributionArtifact, DistributionArtifact] | None
    toolchain: Toolchain

    def to_wire(self) -> dict[str, Any]:
        """Return the document: a fresh plain object."""
        pair = self.distribution_artifacts
        return {
            "schema": TOOLKIT_BUILD_SCHEMA,
            "schema_version": 1,
            "source_commit": self.source_commit,
            "source_tree_algorithm": CLEAN_TREE_ALGORITHM,
            "source_tree_digest_sha256": self.source_tree_digest_sha256,
            "lock": {"path": self.lock.path, "sha256": self.lock.sha256},
            "build_mode": _CHECKOUT if pair is None else _PAIR,
            "distribution_artifacts": None if pair is None else [artifact.to_wire() for artifact in pair],
            "toolchain": self.toolchain.to_wire(),
        }


def read_toolkit_build(document: Any) -> ToolkitBuildDescriptorV1:
    """Return what a descriptor says.

    Args:
        document: plain JSON, as the strict parser gives it.

    Raises:
        ProvenanceError: ``build_descriptor_shape``; the path is a JSON Pointer.
    """
    rules: dict[str, Rule] = {
        "schema": exactly(TOOLKIT_BUILD_SCHEMA),
        "schema_version": exactly(1),
        "source_commit": (matching(_COMMIT), "40 or 64 lowercase hexadecimal digits"),
        "source_tree_algorithm": exactly(CLEAN_TREE_ALGORITHM),
        "source_tree_digest_sha256": DIGEST,
        "lock": ANYTHING,
        "build_mode": one_of(_CHECKOUT, _PAIR),
        "distribution_artifacts": ANYTHING,
        "toolchain": ANYTHING,
    }
    require_members(document, "", rules)
    lock = document["lock"]
    require_members(lock, "/lock", {"path": ANYTHING, "sha256": DIGEST})
    path = lock["path"]
    require(type(path) is str and is_source_path(path), "/lock/path", "a relative path", path)
    artifacts = read_artifacts(document, _PAIR)
    return ToolkitBuildDescriptorV1(
        source_commit=document["source_commit"],
        source_tree_digest_sha256=document["source_tree_digest_sha256"],
        lock=LockFile(path, lock["sha256"]),
        distribution_artifacts=artifacts,
        toolchain=read_toolchain(document["toolchain"], {}),
    )


def describe_build(source: SourceTree, lock: str, artifacts: tuple[str, str] | None = None) -> ToolkitBuildDescriptorV1:
    """Describe a build of a checkout.

    The version of the build backend is the one installed here, so this must run in the environment that builds. A wheel
    says which version made it, and must say the same.

    Args:
        source: the checkout, just read.
        lock: path of the lock file, from the top of the tree, with slashes.
        artifacts: names of wheel and source archive; None if nothing was built.

    Raises:
        ProvenanceError: ``build_backend`` or ``build_artifact``; ``build_descriptor_shape`` for another path of a lock.
        DocumentError: a file cannot be read.
    """
    require(is_source_path(lock), "/lock/path", "a relative path", lock)
    with Folder(source.root) as tree:
        locked = LockFile(lock, hashlib.sha256(tree.read(lock, _MAX_LOCK_BYTES)).hexdigest())
        backend = _backend(tree.read("pyproject.toml", _MAX_PROJECT_BYTES))
    toolchain = Toolchain(
        python_implementation=sys.implementation.name,
        python_version=".".join(map(str, sys.version_info[:3])),
        build_backend=backend,
        build_backend_version=version(backend),
    )
    pair = None
    if artifacts is not None:
        wheel, sdist = artifacts
        pair = _artifact("wheel", wheel, toolchain), _artifact("sdist", sdist, toolchain)
    return ToolkitBuildDescriptorV1(source.commit, source.tree.digest_sha256, locked, pair, toolchain)


def _backend(project: bytes) -> str:
    """Return the name of the installed distribution that holds the build backend of a project."""
    place = "pyproject.toml"
    try:
        system = tomllib.loads(project.decode()).get("build-system")
    except ValueError as fault:  # no TOML, or no UTF-8
        raise ProvenanceError("build_backend", path=place, expected="TOML", actual=describe(str(fault))) from None
    module = system.get("build-backend") if isinstance(system, dict) else None
    if not isinstance(system, dict) or not isinstance(module, str) or "backend-path" in system:
        expected = "[build-system] with build-backend, and no backend-path"
        raise ProvenanceError("build_backend", path=place, expected=expected, actual=describe(system))
    names = set(packages_distributions().get(re.split("[.:]", module)[0], ()))
    if len(names) != 1:
        expected = f"one installed distribution that holds {describe(module)}"
        raise ProvenanceError("build_backend", path=place, expected=expected, actual=str(len(names)))
    return names.pop()


def _artifact(kind: Literal["wheel", "sdist"], path: str, toolchain: Toolchain) -> DistributionArtifact:
    filename = Path(path).name
    if _FILENAME.fullmatch(filename) is None or not filename.endswith(_SUFFIXES[kind]):
        expected = f"a name that ends in {_SUFFIXES[kind]}"
        raise ProvenanceError.found("build_artifact", shown(path), expected, filename)
    digest = hashlib.sha256()
    with open_file(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        if kind == "wheel":
            _require_generator(file, shown(path), toolchain.build_backend_version)
    return DistributionArtifact(kind, filename, digest.hexdigest())


def _require_generator(wheel: BinaryIO, place: str, expected: str) -> None:
    """Require a wheel to say that the installed version of the build backend made it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
            with archive.open(name) as file:
                text = file.read(_MAX_GENERATOR_BYTES).decode()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise ProvenanceError("build_artifact", path=place, expected="a wheel", actual="no readable one") from None
    generator = next((line for line in text.splitlines() if line.startswith("Generator:")), "")
    if expected not in re.split(r"[\s()]+", generator):
        found = describe(generator)
        raise ProvenanceError("build_artifact", path=place, expected=f"a wheel made by {expected}", actual=found)
