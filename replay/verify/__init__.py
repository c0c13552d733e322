"""Verifies run bundles against the runtime that is here: fourteen checks, one verdict (replay contract, section 5).

What is named here is public; the modules are not.
"""

from .recording import IdentityManifest
from .report import MEANINGS, NOT_ESTABLISHED, CheckResult, State, Verdict, VerificationReport
from .reproduction import Divergence
from .verifier import Verifier, recorded_identity, verify

__all__ = [
    "MEANINGS",
    "NOT_ESTABLISHED",
    "CheckResult",
    "Divergence",
    "IdentityManifest",
    "State",
    "Verdict",
    "VerificationReport",
    "Verifier",
    "recorded_identity",
    "verify",
]
