"""Run bundles: everything that one run was bound to, did and was graded, in one folder that lists itself.

This is the public surface of the replay contract, section 3; the modules are private.
"""

from ...errors import BundleError
from .artifact import Artifact, LedgerFacts, Member, Writer
from .contract import ARTIFACT_SCHEMA
from .discard import discard_run, require_discardable
from .oci import export_oci, import_oci
from .read import Bundle, BundleFolder, open_bundle, read_bundle
from .write import BundleWriter

__all__ = [
    "ARTIFACT_SCHEMA",
    "Artifact",
    "Bundle",
    "BundleError",
    "BundleFolder",
    "BundleWriter",
    "LedgerFacts",
    "Member",
    "Writer",
    "discard_run",
    "export_oci",
    "import_oci",
    "open_bundle",
    "read_bundle",
    "require_discardable",
]
