"""Refusals of provenance: source identities, clean source trees and the repositories they lie in, build descriptors."""

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
            "build_descriptor_shape": (
                "The document is no build descriptor: a member is missing, unknown, or not what it has to be.",
                "Get the descriptor again from whoever built; it is not to be edited.",
            ),
            "build_backend": (
                "The build backend of the project, or its version, is not known.",
                "Name the backend in `[build-system]` of `pyproject.toml`, and run in the environment that builds.",
            ),
            "build_artifact": (
                "The file is not what such a build makes.",
                "Name the wheel and the source archive of one build, made in this environment.",
            ),
        }
    )


class CleanTreeError(OperateBenchError, ValueError):
    """A tracked source tree is not clean, or not one of which every system makes the same (evidence contract, 8).

    These twelve codes are a closed vocabulary. What keeps git from answering at all is a `RepositoryError`.
    """

    codes = MappingProxyType(
        {
            "dirty_tracked_content": (
                "The working tree is not what was committed: a file was changed, removed, or is not tracked.",
                "Commit, remove or ignore what `git status` lists; take back `git update-index --assume-unchanged`.",
            ),
            "duplicate_path": ("Two entries have the same path.", "The tree is damaged; see `git fsck`."),
            "frame_length_overflow": (
                "A length does not fit into 64 bits.",
                "Lengths are from 0 to 18446744073709551615.",
            ),
            "mode_observation_unavailable": (
                "Git does not look at executable bits or links here, so they may be other than committed.",
                "Use a POSIX file system, and unset `core.fileMode` and `core.symlinks`.",
            ),
            "non_canonical_path": (
                "A path is not in Unicode normalization form NFC.",
                "Rename the file; some systems would do so by themselves.",
            ),
            "out_of_order": ("An entry comes before one with a smaller path.", "The tree is damaged; see `git fsck`."),
            "portable_path_collision": (
                "Two paths differ in the case of ASCII letters alone.",
                "Rename one of the files; some file systems hold only one of them.",
            ),
            "staged_index_drift": (
                "The index is not what was committed.",
                "Commit what is staged, or take it back with `git reset`.",
            ),
            "submodule_entry": (
                "The tree has a submodule, whose content is not part of it.",
                "Remove the submodule, or copy its files into the tree.",
            ),
            "unreadable_bytes": (
                "The content of an entry could not be read, is of another kind, or changed meanwhile.",
                "Check the file and its permissions, and try again when nothing writes to it.",
            ),
            "unsafe_path": (
                "A path is empty, too long, no UTF-8, or has parts that are not safe to use everywhere.",
                "Rename the file.",
            ),
            "unsupported_mode": (
                "An entry is neither a regular file, an executable one, nor a link.",
                "Commit the file again; modes are 100644, 100755 and 120000.",
            ),
        }
    )


class RepositoryError(OperateBenchError, ValueError):
    """Git could not say what is tracked. These codes are no part of the closed vocabulary of clean trees."""

    codes = MappingProxyType(
        {
            "git_missing": ("There is no program `git`.", "Install git, and have its folder in `PATH`."),
            "no_repository": (
                "The folder is not the top level of a checkout: there is no `.git` in it.",
                "Name the folder that was cloned into, not one in it; a repository without working tree has none.",
            ),
            "no_commit": ("Nothing was committed yet.", "Commit the source first."),
            "git_failed": ("Git ended with a failure.", "See what git says; `git fsck` checks a repository."),
            "git_output": ("Git answered something that it never should.", "Install a released version of git."),
            "git_timeout": (
                "Git gave no answer for too long.",
                "Try again when the disk is less busy; see whether a file in the repository is a pipe.",
            ),
            "head_moved": (
                "Another commit was checked out while the tree was read.",
                "Try again when nothing works in the repository.",
            ),
        }
    )
