"""Loads an operation spec: reads the file, checks it rule by rule, and returns it frozen and detached."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.resources import files
from pathlib import Path

import orjson

from ....errors import escape
from ....files import read_file
from ....identity.canonical import encode
from ....identity.profile import IDENTITY_PROFILE
from ....identity.records import freeze_owned
from .agreement import check_agreement
from .build import spec_of
from .forms import Place
from .records import OperationSpec
from .references import check_references
from .scenario import check_semantic_scenario
from .shape import check_shape
from .timeline import check_variants
from .yaml import MAX_BYTES, Document, read_yaml

PACKAGED = "maintenance.yaml"


def load_spec(path: str | os.PathLike[str]) -> OperationSpec:
    """Load an operation spec from a file.

    Raises:
        DocumentError: the file cannot be read, or is too large.
        SpecError: the first rule the spec breaks, with file, line and field.
    """
    return parse_spec(read_file(path, MAX_BYTES), escape(Path(path).name))


@cache
def packaged_spec() -> OperationSpec:
    """Return the operation that comes with the package.

    Raises:
        SpecError: somebody has changed the installed file.
    """
    return parse_spec(files(__package__).joinpath(PACKAGED).read_bytes(), PACKAGED)


def check_document(document: Document) -> None:
    """Check everything a spec must keep, part by part: shape, the code's names, references, events, scenario.

    Raises:
        SpecError: the first rule the spec breaks, with file, line and field.
    """
    spec = Place(document, (), document.value)
    for check in (check_shape, check_agreement, check_references, check_variants, check_semantic_scenario):
        check(spec)


def parse_spec(data: bytes, name: str) -> OperationSpec:
    """Return the spec that the bytes of a file hold.

    Args:
        data: the file's bytes.
        name: what refusals call the file.

    Raises:
        SpecError: the first rule the spec breaks, with file, line and field.
    """
    return spec_of_document(read_yaml(data, name), hashlib.sha256(data).hexdigest())


def spec_of_document(document: Document, sha256: str) -> OperationSpec:
    """Return the spec that a document holds, once it has been checked.

    Args:
        document: what the file says.
        sha256: of the file.

    Raises:
        SpecError: the first rule the spec breaks, with file, line and field.
    """
    check_document(document)
    # The canonical form sorts every mapping, so that the order of keys in the file cannot show anywhere.
    canonical = encode(document.value, IDENTITY_PROFILE)
    content = freeze_owned(orjson.loads(canonical))
    return spec_of(content, sha256, hashlib.sha256(canonical).hexdigest())
