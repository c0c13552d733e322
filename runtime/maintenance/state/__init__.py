"""The state of one Maintenance operation: small mutable records, and the one canonical form of them."""
