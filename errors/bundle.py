"""Refusals of run bundles, of their layout as an OCI image, and of the evaluations in them."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError

_NOT_AS_WRITTEN = "Get the bundle as it was written: it was changed afterwards, and what it says proves nothing."


class BundleError(OperateBenchError, ValueError):
    """What should be a run bundle is none, or a member of it is not the one that it lists.

    The codes stand in the order in which a bundle meets them. Members that cannot be read as regular files are refused
    with the codes of files; the path is the member's.
    """

    codes = MappingProxyType(
        {
            "not_a_bundle": ("Nothing here is a run bundle.", "Name the folder that a run wrote."),
            "bundle_incomplete": (
                "The run did not come to its end: there is a ledger, and no artifact.json.",
                "Run again into a new folder; what is there is the beginning of a run, and no result.",
            ),
            "artifact_generation": (
                "The artifact is of a generation that is not read here.",
                "Nothing is converted; use the release that wrote it.",
            ),
            "artifact_json": ("The list artifact.json is no strict JSON.", _NOT_AS_WRITTEN),
            "artifact_limits": ("The list artifact.json is over a limit of strict JSON.", _NOT_AS_WRITTEN),
            "artifact_shape": (
                "The list artifact.json is not of the form that its schema asks for.",
                "Compare it with the packaged schema; every object is closed.",
            ),
            "artifact_canonical": (
                "The list artifact.json is not in canonical form with one line feed.",
                "Get the bundle as it was written; a file that was laid out anew is not what was written.",
            ),
            "artifact_members": (
                "The list artifact.json does not name exactly the members of a bundle, each at its place.",
                _NOT_AS_WRITTEN,
            ),
            "artifact_digest": ("The list artifact.json does not have the digest that it carries.", _NOT_AS_WRITTEN),
            "member_unlisted": (
                "The folder holds something that is no member of the bundle.",
                "Remove it if it is not of the run; a bundle is exactly its members.",
            ),
            "member_size": ("A member does not have the size that is listed.", _NOT_AS_WRITTEN),
            "member_digest": ("A member does not have the digest that is listed.", _NOT_AS_WRITTEN),
            "member_json": ("A member is no strict JSON.", _NOT_AS_WRITTEN),
            "member_limits": ("A member is over a limit of its contract.", _NOT_AS_WRITTEN),
            "member_canonical": (
                "A member is not in canonical form with one line feed.",
                "Get the bundle as it was written; a file that was laid out anew is not what was written.",
            ),
            "bundle_census": (
                "The census of run bundles and the schemas do not have the same fields.",
                "Give every new field an entry, and drop the entry of every field that is gone.",
            ),
            "oci_layout": (
                "The folder is no OCI image layout of exactly one run bundle.",
                "Name a folder that `operatebench bundle export --oci` wrote.",
            ),
        }
    )


class EvaluationError(OperateBenchError, ValueError):
    """A grade is no evaluation of the form that run bundles hold, or was changed after it was sealed."""

    codes = MappingProxyType(
        {
            "evaluation_json": ("The evaluation is no strict JSON.", "Give objects, arrays, texts and integers only."),
            "evaluation_limits": ("The evaluation is over a limit.", "No list may have more than 4,096 items."),
            "evaluation_shape": (
                "The evaluation is not of the form that its schema asks for.",
                "Compare it with the packaged schema; every object is closed.",
            ),
            "evaluation_canonical": (
                "The evaluation is not in canonical form with one line feed.",
                "Get the file as it was written; one that was laid out anew is not what was written.",
            ),
            "evaluation_digest": (
                "The evaluation does not have the digest that it carries.",
                "Grade the run again; the evaluation was changed after it was sealed.",
            ),
        }
    )
