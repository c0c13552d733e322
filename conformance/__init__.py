"""Reads conformance vector files and runs them against this package; written to be read by implementers elsewhere."""
