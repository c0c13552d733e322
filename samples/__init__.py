"""Synthetic sample projections as packaged data, for the demo, the tutorial and the tests."""
