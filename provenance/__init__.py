"""What code runs: the identity of a package's source, the clean source tree of a checkout, what a build was made of."""

from .build import BUILD_PROVENANCE_SCHEMA, BuildProvenanceDescriptorV1, read_build_provenance
from .build_form import DistributionArtifact, Toolchain
from .checkout import SourceTree, read_source_tree
from .clean_tree import CLEAN_TREE_ALGORITHM, CleanTree, Content, TreeFraming
from .difference import SourceChange, SourceDifference
from .owners import OwnerTable
from .record import RecordComparison, compare_with_record
from .snapshot import SourceSnapshot, take_source_snapshot
from .source import SOURCE_IDENTITY_SCHEMA, SourceFile, SourceIdentityV1, read_source_identity
from .toolkit_build import (
    TOOLKIT_BUILD_SCHEMA,
    LockFile,
    ToolkitBuildDescriptorV1,
    describe_build,
    read_toolkit_build,
)

__all__ = [
    "BUILD_PROVENANCE_SCHEMA",
    "CLEAN_TREE_ALGORITHM",
    "SOURCE_IDENTITY_SCHEMA",
    "TOOLKIT_BUILD_SCHEMA",
    "BuildProvenanceDescriptorV1",
    "CleanTree",
    "Content",
    "DistributionArtifact",
    "LockFile",
    "OwnerTable",
    "RecordComparison",
    "SourceChange",
    "SourceDifference",
    "SourceFile",
    "SourceIdentityV1",
    "SourceSnapshot",
    "SourceTree",
    "Toolchain",
    "ToolkitBuildDescriptorV1",
    "TreeFraming",
    "compare_with_record",
    "describe_build",
    "read_build_provenance",
    "read_source_identity",
    "read_source_tree",
    "read_toolkit_build",
    "take_source_snapshot",
]
