"""Refusals of source identities: what code there is, and whether it stayed the same."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class ProvenanceError(OperateBenchError, ValueError):
    """The source of a package could not be identified, or is not what it was said to be."""

    codes = MappingProxyType(
        {
            "source_root": (
                "The folder is no package: there is no regular `__init__.py` in it.",
                "Name the folder that holds the package's own `__init__.py`.",
            ),
            "file_without_owner": (
                "A file of the package is in no entry of the owner table.",
                "Remove the file if it is a leftover; a new file of the package needs an entry in the table.",
            ),
            "source_changed_during_run": (
                "A source file was changed, added or removed after the source identity was taken.",
                "Run again, and leave the package alone until the end.",
            ),
            "source_shape": (
                "The document is no source identity: a member is missing, unknown, or of another type than expected.",
                "Write it again with `operatebench source show --json`.",
            ),
            "source_digest": (
                "The digest in the document is not that of its files.",
                "Write it again with `operatebench source show --json`; it was changed after it was written.",
            ),
        }
    )
