"""Documents on disk: bounded reading of one regular file, and atomic, exclusive publication of new ones."""

from .naming import shown
from .read import read_file, read_standard_input
from .write import make_folder, write_files

__all__ = ["make_folder", "read_file", "read_standard_input", "shown", "write_files"]
