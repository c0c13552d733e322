"""Documents on disk: reading of regular files, bounded or piece by piece, and atomic publication of new ones."""

from .naming import shown
from .read import open_file, open_standard_input, read_file, read_standard_input
from .write import make_folder, write_files

__all__ = [
    "make_folder",
    "open_file",
    "open_standard_input",
    "read_file",
    "read_standard_input",
    "shown",
    "write_files",
]
