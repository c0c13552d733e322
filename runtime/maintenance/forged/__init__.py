"""Forged records: an honest run's record, edited by a forger who then makes its digests and reproduction agree.

They stand in the gate for what no agent's behaviour can bring about, because guards and engine prevent it. They are
authored apart from agents and evaluator, and import neither.
"""

from .apply import forge
from .load import Forgery, load_forgeries

__all__ = ["Forgery", "forge", "load_forgeries"]
