"""The trajectory ledger: what happened in a run, line by line, each line bound to all before it.

This is the public surface of the replay contract, section 2; the modules are private.
"""

from .contract import LEDGER_PROFILE, LEDGER_SCHEMA, PROOF_SCHEMA
from .proof import InclusionProof, check_proof, prove
from .reader import LedgerReader, open_ledger, verify_ledger
from .records import LedgerHeader, LedgerRow, LedgerSummary, LedgerTerminal
from .requirements import exact_requirements
from .writer import LedgerWriter

__all__ = [
    "LEDGER_PROFILE",
    "LEDGER_SCHEMA",
    "PROOF_SCHEMA",
    "InclusionProof",
    "LedgerHeader",
    "LedgerReader",
    "LedgerRow",
    "LedgerSummary",
    "LedgerTerminal",
    "LedgerWriter",
    "check_proof",
    "exact_requirements",
    "open_ledger",
    "prove",
    "verify_ledger",
]
