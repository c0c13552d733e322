"""Synthetic sample projections and cards as packaged data, for the demo, the tutorials and the tests."""
