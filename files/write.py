"""Publishes new files atomically: each name leads to its old content or to the new one, never to a part of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import DocumentError
from .naming import shown
from .read import kind_of

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_TEMPORARY = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_files(
    contents: Mapping[str, bytes], *, replace: bool = False, staging: str | None = None, private: bool = False
) -> None:
    """Publish all ``contents``, or none of them as far as the operating system allows.

    Steps, each done for every file before the next one starts:

    1. the target's name must be free; with ``replace`` it may be a regular file;
    2. the content is written to a temporary file in the target's own folder and synced to disk;
    3. the temporary file gets the target's name: without ``replace`` by a link, which fails rather than replaces what
       has come there meanwhile; with it by a rename. A link at the target is never followed;
    4. the folder is synced.

    A file that replaces another one keeps its permissions.

    Up to the end of step 2 a failure, or a crash, changes nothing. If step 3 fails for a later file, the earlier ones
    are taken back if they were new; one that replaced an old file stays, as the old one is gone. Temporary files are
    removed in any case but a crash.

    Args:
        contents: path -> content; the paths name different files.
        replace: whether regular files may be replaced.
        staging: a folder of the same file system for the temporary files, so that even a crash leaves none of them
            beside the targets.
        private: whether new files are for their owner alone, mode 0600, from their first byte on.

    Raises:
        DocumentError: ``file_exists``, ``file_type`` or ``file_unwritable``, with nothing published but what is said
            above; ``file_unsynced`` if step 4 failed and everything is published. The path is the name.
    """
    with ExitStack() as undone_at_the_end:
        targets = [_Target.open(path, staging, undone_at_the_end) for path in contents]
        modes = [target.require_free(replace=replace) for target in targets]
        for target, content, mode in zip(targets, contents.values(), modes, strict=True):
            target.stage(content, mode, undone_at_the_end, private=private)
        for index, target in enumerate(targets):
            try:
                target.publish(replace=replace)
            except DocumentError:
                for earlier in () if replace else targets[:index]:
                    earlier.withdraw()
                raise
        for target in targets:
            target.settle()


def make_folder(path: str | os.PathLike[str]) -> bool:
    """Make a folder, unless it is there already, and tell whether it was made.

    Raises:
        DocumentError: ``file_unwritable``; the path is the name.
    """
    try:
        Path(path).mkdir()
    except OSError as fault:
        if Path(path).is_dir():
            return False
        raise _unwritable(fault, shown(path), "a folder, or a free name in one") from None
    return True


def require_free(path: str) -> None:
    """Refuse a name that something has already. Whoever makes something of that name later must still be exclusive.

    Raises:
        DocumentError: ``file_exists``; the path is the name.
    """
    if os.path.lexists(path):
        raise DocumentError("file_exists", path=shown(path), expected="a free name", actual="a name that is taken")


def make_new_folder(path: str) -> None:
    """Make a folder that nothing has the name of yet, and sync the one it is in.

    Raises:
        DocumentError: ``file_exists`` or ``file_unwritable``, and no folder was made; the path is the name.
    """
    expected = "a free name in a folder"
    try:
        os.mkdir(path)  # noqa: PTH102  (as the rest of this module)
    except FileExistsError:
        actual = "a name that is taken"
        raise DocumentError("file_exists", path=shown(path), expected="a free name", actual=actual) from None
    except OSError as fault:
        raise _unwritable(fault, shown(path), expected) from None
    try:
        parent = os.open(os.path.split(path.rstrip("/"))[0] or ".", _FOLDER)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    except OSError as fault:
        with suppress(OSError):
            os.rmdir(path)  # noqa: PTH106
        raise _unwritable(fault, shown(path), expected) from None


@dataclass(frozen=True, slots=True)
class _Target:
    """A file to be published.

    Attributes:
        shown: its path, for refusals.
        name: its name in the folder.
        folder: descriptor of the folder, so that all steps happen in the same one.
        staging: descriptor of the folder of the temporary file.
        temporary: name of the temporary file in it.
    """

    shown: str
    name: str
    folder: int
    staging: int
    temporary: str

    @classmethod
    def open(cls, path: str, staging: str | None, undone_at_the_end: ExitStack) -> _Target:
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            raise DocumentError("file_type", path=shown(path), expected="the name of a file", actual="a folder")
        descriptors = []
        for place in (folder or ".", *(() if staging is None else (staging,))):
            try:
                descriptors.append(os.open(place, _FOLDER))
            except OSError as fault:
                raise _unwritable(fault, shown(path)) from None
            undone_at_the_end.callback(os.close, descriptors[-1])
        return cls(shown(path), name, descriptors[0], descriptors[-1], f".operatebench-{os.urandom(8).hex()}.tmp")

    def require_free(self, *, replace: bool) -> int | None:
        """Return the permissions of the file that will be replaced, if there is one."""
        try:
            mode = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise _unwritable(fault, self.shown) from None
        if not replace:
            raise DocumentError("file_exists", path=self.shown, expected="a free name", actual=kind_of(mode))
        if not stat.S_ISREG(mode):
            raise DocumentError("file_type", path=self.shown, expected="a regular file", actual=kind_of(mode))
        return stat.S_IMODE(mode)

    def stage(self, content: bytes, mode: int | None, undone_at_the_end: ExitStack, *, private: bool) -> None:
        try:
            descriptor = os.open(self.temporary, _TEMPORARY, 0o600 if private else 0o666, dir_fd=self.staging)
            undone_at_the_end.callback(self._remove_temporary)
            try:
                if mode is not None:
                    os.fchmod(descriptor, mode)
                rest = memoryview(content)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as fault:
            raise _unwritable(fault, self.shown) from None

    def publish(self, *, replace: bool) -> None:
        folders = {"src_dir_fd": self.staging, "dst_dir_fd": self.folder}
        try:
            if replace:
                os.rename(self.temporary, self.name, **folders)  # noqa: PTH104  (pathlib has no folders by descriptor)
            else:
                os.link(self.temporary, self.name, **folders, follow_symlinks=False)
        except FileExistsError:
            raise DocumentError("file_exists", path=self.shown, expected="a free name", actual="a new file") from None
        except OSError as fault:
            raise _unwritable(fault, self.shown) from None

    def withdraw(self) -> None:
        with suppress(OSError):  # the failure that led here is the one to report
            os.unlink(self.name, dir_fd=self.folder)

    def settle(self) -> None:
        self._remove_temporary()
        try:
            os.fsync(self.folder)
        except OSError as fault:
            actual = os.strerror(fault.errno or 0)
            raise DocumentError("file_unsynced", path=self.shown, expected="a synced folder", actual=actual) from None

    def _remove_temporary(self) -> None:
        with suppress(OSError):  # after a rename it is not there any more
            os.unlink(self.temporary, dir_fd=self.staging)


def _unwritable(fault: OSError, name: str, expected: str = "a folder that takes a new file") -> DocumentError:
    return DocumentError("file_unwritable", path=name, expected=expected, actual=os.strerror(fault.errno or 0))
