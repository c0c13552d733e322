"""The oracle: what each negative control must fail and pass, authored apart from agents and evaluator."""

from .load import Control, Oracle, load_oracle, packaged_oracle

__all__ = ["Control", "Oracle", "load_oracle", "packaged_oracle"]
