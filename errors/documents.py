"""Refusals of files: what could not be read or written as the document it should be."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError


class DocumentError(OperateBenchError, ValueError):
    """A file could not be read, or not be written, as the document it should be."""

    codes = MappingProxyType(
        {
            "file_missing": ("No file has this name.", "Check the path."),
            "file_type": (
                "The path names no regular file.",
                "Name a regular file; links below the given folder are not followed.",
            ),
            "file_unreadable": (
                "The operating system refused to read the file.",
                "Check the permissions of the file and its folder.",
            ),
            "file_too_large": (
                "The file is larger than any document of this kind may be.",
                "Name the right file, or make the document smaller.",
            ),
            "file_changed": (
                "The file was changed, or replaced, while it was read.",
                "Try again when nothing writes to it.",
            ),
            "file_exists": (
                "A file of this name exists already and nothing was written.",
                "Name a new file, or remove the old one first.",
            ),
            "file_unwritable": (
                "The operating system refused to write the file; nothing was published.",
                "Check the folder, its permissions and free space.",
            ),
            "file_unsynced": (
                "The file was published, but its folder could not be synced to disk.",
                "The new file is in place; check the disk before relying on it.",
            ),
            "document_kind": (
                "The document is of no kind this command knows.",
                "Give a document whose schema field names a supported kind.",
            ),
            "vector_file": (
                "The file does not keep the rules of the vector language it names.",
                "Compare the file with the language's FORMAT.md.",
            ),
            "vector_case": (
                "The input of a vector case cannot be built.",
                "Use only the recipes, ops and members the language's FORMAT.md names.",
            ),
        }
    )
