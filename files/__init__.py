"""Documents on disk: reading of regular files, bounded or piece by piece, and atomic publication of new ones."""

from .below import FileBelow, Stamp, visit_below
from .naming import shown
from .read import Folder, open_file, open_standard_input, read_descriptor, read_file, read_standard_input
from .write import make_folder, make_new_folder, require_free, write_files

__all__ = [
    "FileBelow",
    "Folder",
    "Stamp",
    "make_folder",
    "make_new_folder",
    "open_file",
    "open_standard_input",
    "read_descriptor",
    "read_file",
    "read_standard_input",
    "require_free",
    "shown",
    "visit_below",
    "write_files",
]
