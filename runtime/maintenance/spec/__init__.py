"""The authored operation: the YAML file, its strict reader, its rules, and the frozen records made from it."""

from .load import load_spec, packaged_spec
from .records import OperationSpec

__all__ = ["OperationSpec", "load_spec", "packaged_spec"]
