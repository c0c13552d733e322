"""What code runs: the identity of a package's source, from the bytes on disk, and what changed between two."""

from .difference import SourceChange, SourceDifference
from .owners import OwnerTable
from .record import RecordComparison, compare_with_record
from .snapshot import SourceSnapshot, take_source_snapshot
from .source import SOURCE_IDENTITY_SCHEMA, SourceFile, SourceIdentityV1, read_source_identity

__all__ = [
    "SOURCE_IDENTITY_SCHEMA",
    "OwnerTable",
    "RecordComparison",
    "SourceChange",
    "SourceDifference",
    "SourceFile",
    "SourceIdentityV1",
    "SourceSnapshot",
    "compare_with_record",
    "read_source_identity",
    "take_source_snapshot",
]
