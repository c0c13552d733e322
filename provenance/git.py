"""Asks git about a repository that may be hostile: settings of our own, a built environment, bounded waiting.

A repository says in its own configuration which programs git starts: for file system watching, hooks, filters,
transports. Whoever names such a repository must not thereby run them. The commands here read alone, and of what they
could start nothing is left: :data:`_SETTINGS` stand above any configuration, filters are switched off by name, no
transport is allowed, and nothing of the caller's environment but the search path gets in.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from collections.abc import Generator
from contextlib import closing
from tempfile import TemporaryFile
from typing import NamedTuple

from ..errors import RepositoryError
from ..files import shown

PATIENCE = 600.0
"""How many seconds git may be silent."""

_SETTINGS = {
    "core.fsmonitor": "false",  # else a program of the repository's choice, or a service, says what changed
    "core.hooksPath": os.devnull,
    "core.untrackedCache": "false",  # what the index says of folders could hide files in them
    "core.checkStat": "default",  # with less than all of the status, a change of the same size could be missed
    "core.trustCtime": "true",
    "core.excludesFile": os.devnull,  # of no tree; it may be a pipe
    "core.attributesFile": os.devnull,
}
_CHUNK = 65_536
_MAX_RECORD = 8_192
_MAX_SETTING = 1_024
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\n")


class Git:
    """The repository whose working tree has its top level in one folder.

    Args:
        root: that folder, without links.
        search_path: the folders to look for git in, as in ``PATH``; those that are not absolute are passed over.

    Raises:
        RepositoryError: ``git_missing`` or ``no_repository``.
    """

    def __init__(self, root: bytes, search_path: str) -> None:
        absolute = os.pathsep.join(place for place in search_path.split(os.pathsep) if place.startswith("/"))
        program = shutil.which("git", path=absolute)
        if program is None:
            raise RepositoryError("git_missing", expected="git in a folder of the search path", actual="none")
        place = root.rstrip(b"/") + b"/.git"
        if not os.path.lexists(place):
            raise RepositoryError("no_repository", path=shown(root), expected="a folder with .git in it", actual="none")
        self._root = root
        self._settings = [f"{name}={value}" for name, value in _SETTINGS.items()]
        self._program = program
        self._environment = {
            "PATH": absolute,
            "HOME": os.devnull,
            "LC_ALL": "C",
            # Both given: the repository's core.worktree and core.bare do not count, and no folder above is tried.
            "GIT_DIR": os.fsdecode(place),
            "GIT_WORK_TREE": os.fsdecode(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",  # set and empty: none, whatever protocol.allow says
        }

    def switch_off_filters(self) -> None:
        """Give an empty value to all settings of filters: each could name a program that changes what git sees.

        Raises:
            RepositoryError: see :meth:`records`; ``git_failed`` also for a filter that cannot be named in a setting.
        """
        query = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        with closing(self.records(*query, statuses=(0, 1))) as names:  # 1: there are none
            for name in names:
                if b"=" in name or len(name) > _MAX_SETTING:  # git would take it for another, or not all of it is here
                    expected = f"names of filters of at most {_MAX_SETTING} bytes, without '='"
                    raise RepositoryError("git_failed", path=".git", expected=expected, actual=shown(name))
                self._settings.append(f"{os.fsdecode(name)}=")

    def commit(self) -> str:
        """Return the object name of the commit that is checked out.

        Raises:
            RepositoryError: see :meth:`records`; ``no_commit``.
        """
        answer = self.answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if answer.status == 1:
            raise RepositoryError("no_commit", path=shown(self._root), expected="a commit", actual="none")
        answer.require("rev-parse", 0)
        if _COMMIT.fullmatch(answer.output) is None:
            raise RepositoryError("git_output", expected="an object name", actual=shown(answer.output))
        return answer.output.decode().rstrip()

    def tree(self) -> Generator[tuple[bytes, bytes], None, None]:
        """Give out mode and path of each entry of the commit that is checked out, while git lists them, in its order.

        Raises:
            RepositoryError: see :meth:`records`.
        """
        with closing(self.records("ls-tree", "-r", "-z", "--full-tree", "HEAD")) as records:
            for record in records:
                head, tab, path = record.partition(b"\t")
                mode, space, _ = head.partition(b" ")
                if not tab or not space:
                    raise RepositoryError("git_output", expected="mode, type, object, path", actual=shown(record))
                yield mode, path

    def answer(self, *words: str) -> Answer:
        """Run a command to its end and return how it ended, and the beginning of what it wrote.

        Raises:
            RepositoryError: ``git_failed`` if it cannot be started; ``git_timeout``.
        """
        with closing(self._start(words)) as running:
            output = running.read()
            while more := running.read():
                output = (output + more)[:_MAX_RECORD]
            return running.end(output)

    def records(self, *words: str, statuses: tuple[int, ...] = (0,)) -> Generator[bytes, None, None]:
        """Run a command and give out what it writes, cut at zero bytes, while it writes.

        Of a record that is longer than 8 KiB, not all is given out.

        Args:
            *words: the command.
            statuses: those that it may end with.

        Raises:
            RepositoryError: ``git_failed``, ``git_timeout``; ``git_output`` if the last record has no end.
        """
        with closing(self._start(words)) as running:
            rest = b""
            while chunk := running.read():
                *whole, rest = (rest + chunk).split(b"\0")
                yield from whole
                rest = rest[:_MAX_RECORD]
            running.end(b"").require(words[0], *statuses)
            if rest:
                raise RepositoryError("git_output", expected="records that end in a zero byte", actual=shown(rest))

    def _start(self, words: tuple[str, ...]) -> _Running:
        settings = [word for setting in self._settings for word in ("-c", setting)]
        return _Running([self._program, *settings, *words], words[0], self._root, self._environment)


class Answer(NamedTuple):
    """How a command ended.

    Attributes:
        status: its exit status.
        output: the beginning of what it wrote.
        message: the beginning of what it said of itself.
    """

    status: int
    output: bytes
    message: bytes

    def require(self, command: str, *statuses: int) -> None:
        """Refuse any other status.

        Raises:
            RepositoryError: ``git_failed``.
        """
        if self.status not in statuses:
            expected = f"git {command} to end with {' or '.join(map(str, statuses))}"
            raise RepositoryError("git_failed", expected=expected, actual=self.failure)

    @property
    def failure(self) -> str:
        """The status, with the last line of the message."""
        line = self.message.strip().rpartition(b"\n")[2]
        return f"{self.status}: {shown(line)}" if line else str(self.status)


class _Running:
    """A command that runs; to be closed, which ends it."""

    def __init__(self, line: list[str], command: str, place: bytes, environment: dict[str, str]) -> None:
        self._command = command
        self._said = TemporaryFile()  # noqa: SIM115 - closed with the command
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a list of words, no shell, our own environment
                line,
                cwd=place,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._said,
                bufsize=0,
            )
        except OSError as fault:
            self._said.close()
            actual = os.strerror(fault.errno or 0)
            raise RepositoryError("git_failed", expected="a program that starts", actual=actual) from None
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)

    def read(self) -> bytes:
        """Return more of what the command writes, or nothing at its end."""
        if not self._poll.poll(PATIENCE * 1000):
            raise self._silent()
        return os.read(self._output.fileno(), _CHUNK)

    def end(self, output: bytes) -> Answer:
        try:
            status = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise self._silent() from None
        self._said.seek(0)
        return Answer(status, output, self._said.read(_MAX_RECORD))

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._output.close()
        self._process.wait()
        self._said.close()

    def _silent(self) -> RepositoryError:
        expected = f"an answer of git {self._command} within {PATIENCE:g} seconds"
        return RepositoryError("git_timeout", expected=expected, actual="none")
