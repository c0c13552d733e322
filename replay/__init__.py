"""What a run leaves behind, and how anybody checks it: evidence, ledger, run bundle, verifier."""
