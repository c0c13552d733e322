"""Reads a run bundle: its artifact first, then exactly the files it lists, each once and within its listed size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from ...errors import BundleError, DocumentError
from ...files import Folder, read_file, shown
from ...identity.boundary import public
from ...identity.profile import Profile
from ...identity.strictjson import parse_json
from .artifact import Artifact, Member, require_generation
from .contract import ARTIFACT_PATH, MAX_ARTIFACT_BYTES, PLACES

_LEDGER_PATH = PLACES["ledger"].path


@dataclass(frozen=True, slots=True)
class Bundle:
    """A run bundle whose files are exactly the listed ones. What they say is for the other checks.

    Attributes:
        artifact: the list.
        texts: role -> the bytes of the file.
        documents: role -> the value of the file, for all but the ledger; plain JSON that nobody changes.
    """

    artifact: Artifact
    texts: Mapping[str, bytes]
    documents: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BundleFolder:
    """An open folder with a sound ``artifact.json``; nothing else in it was looked at."""

    artifact: Artifact
    folder: Folder

    def read(self) -> Bundle:
        """Read all members.

        Raises:
            BundleError: ``member_…``; the path is that of the file.
            DocumentError: ``file_missing``, ``file_type``, ``file_unreadable`` or ``file_too_large``; likewise.
        """
        self._require_nothing_else()
        return bundle_of(self.artifact, lambda member: self.folder.read(member.path, member.size))

    def _require_nothing_else(self) -> None:
        known = {ARTIFACT_PATH, *(member.path for member in self.artifact.members)}
        folders = {path.partition("/")[0] for path in known if "/" in path}
        for place in ("", *sorted(folders)):
            prefix = f"{place}/" if place else ""
            for name in self.folder.names(place):
                path = prefix + name
                if path not in known and path not in folders:
                    expected = "the files that artifact.json lists, and nothing else"
                    raise BundleError("member_unlisted", path=shown(path), expected=expected, actual="another entry")


@contextmanager
def open_bundle(path: str | os.PathLike[str]) -> Iterator[BundleFolder]:
    """Open the folder of a run bundle and read its ``artifact.json``.

    Args:
        path: the folder; a link to one will do.

    Raises:
        BundleError: ``not_a_bundle``, ``bundle_incomplete`` or ``artifact_…``.
        DocumentError: ``file_missing``, ``file_type``, ``file_unreadable`` or ``file_too_large``.
    """
    if os.path.isfile(path):  # noqa: PTH113  (the caller's path may be any kind of path)
        _refuse_file(path)
    with Folder(path) as folder:
        try:
            text = folder.read(ARTIFACT_PATH, MAX_ARTIFACT_BYTES)
        except DocumentError as refusal:
            if refusal.code != "file_missing":
                raise
            raise _no_artifact(folder, path) from None
        yield BundleFolder(Artifact.parse(text), folder)


@public
def read_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Read a run bundle: exactly the listed files, each a regular file of the listed size, digest and canonical form.

    Raises:
        BundleError: whatever breaks a rule of the folder; the path is that of the file.
        DocumentError: a file cannot be read as a regular one.
    """
    with open_bundle(path) as opened:
        return opened.read()


def bundle_of(artifact: Artifact, read: Callable[[Member], bytes]) -> Bundle:
    """Read the listed members, wherever they are kept, and hold each of them to the list.

    Args:
        artifact: the list.
        read: returns the bytes of a member, and refuses more of them than are listed.

    Raises:
        BundleError: ``member_…``; the path is that of the member.
        DocumentError: what ``read`` raises.
    """
    texts: dict[str, bytes] = {}
    documents: dict[str, Any] = {}
    for member in artifact.members:
        try:
            text = read(member)
        except DocumentError as refusal:
            if refusal.code != "file_too_large":
                raise
            raise _other("member_size", member, f"{member.size} bytes", "more") from None
        if len(text) != member.size:
            raise _other("member_size", member, f"{member.size} bytes", f"{len(text)} bytes")
        digest = sha256(text).hexdigest()
        if digest != member.digest_sha256:
            raise _other("member_digest", member, member.digest_sha256, digest)
        texts[member.role] = text
        profile = PLACES[member.role].profile
        if profile is not None:
            documents[member.role] = _document(member, text, profile)
    return Bundle(artifact, MappingProxyType(texts), MappingProxyType(documents))


def _document(member: Member, text: bytes, profile: Profile) -> Any:
    admitted = parse_json(text, profile, at=f"{member.path}#")
    if bytes(admitted.canonical) + b"\n" != text:
        raise _other("member_canonical", member, "canonical JSON and one line feed", "other bytes")
    return admitted.value


def _other(code: str, member: Member, expected: str, actual: str) -> BundleError:
    return BundleError(code, path=member.path, expected=expected, actual=actual)


def _no_artifact(folder: Folder, path: str | os.PathLike[str]) -> BundleError:
    begun = _LEDGER_PATH in folder.names()
    code = "bundle_incomplete" if begun else "not_a_bundle"
    actual = f"{_LEDGER_PATH} without it" if begun else "a folder without it"
    return BundleError(code, path=shown(path), expected=ARTIFACT_PATH, actual=actual)


def _refuse_file(path: str | os.PathLike[str]) -> None:
    """Refuse a file; one that is the artifact of an earlier generation is refused as that."""
    text = read_file(path, MAX_ARTIFACT_BYTES)
    require_generation(text, "")
    raise BundleError("not_a_bundle", path=shown(path), expected="a folder", actual="a file")
