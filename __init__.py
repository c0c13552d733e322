"""OperateBench: content-addressed identities, manifests and a replay verifier for benchmark runs of AI agents."""

__all__ = ["__version__"]

__version__ = "0.1.0"
