"""Every measured ratio of the project beside its target: `make bench`, or `python -m benchmarks` in its environment."""
