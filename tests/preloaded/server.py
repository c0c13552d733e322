"""Holds the loaded package and forks a process for every command that a client asks for.

Each command has a process of its own, with the files, the folder and the environment of its client. All that it is
spared is loading the modules once more.
"""

import gc
import importlib
import json
import os
import pkgutil
import select
import socket
import sys
from pathlib import Path
from typing import NoReturn

import operatebench
from operatebench.cli import main

BY_ITSELF = 256
READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ")
"""Starts of the names of variables that an interpreter reads when it starts, so that these must be the server's."""


def serve(address: Path) -> None:
    """Answer clients until standard input is closed: whoever started this has ended, or wants no more."""
    for module in pkgutil.walk_packages(operatebench.__path__, "operatebench."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(address))
        listener.listen()
        os.write(1, b"ready\n")
        answering: set[int] = set()
        while listener.fileno() in select.select([listener.fileno(), 0], [], [])[0]:
            connection, _ = listener.accept()
            process = os.fork()
            if process == 0:
                listener.close()
                answer(connection)
            connection.close()
            answering = {each for each in answering | {process} if os.waitpid(each, os.WNOHANG) == (0, 0)}
        for process in answering:
            os.waitpid(process, 0)


def answer(connection: socket.socket) -> NoReturn:
    """Run the command of one client in a child, and send its exit status."""
    size, files, _, _ = socket.recv_fds(connection, 4, 3)
    request = bytearray()
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 16)
    arguments, folder, environment = json.loads(request)
    status = BY_ITSELF
    if read_at_start(environment) == read_at_start(dict(os.environ)):
        child = os.fork()
        if child == 0:
            connection.close()
            run(arguments, files, folder, environment)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        status = ended if ended >= 0 else 128 - ended  # as a shell reports a signal
    connection.sendall(b"%d" % status)
    os._exit(0)


def read_at_start(environment: dict[str, str]) -> dict[str, str]:
    """Return those variables that an interpreter reads when it starts."""
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


def run(arguments: list[str], files: list[int], folder: str, environment: dict[str, str]) -> NoReturn:
    """Become the process of one command."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["operatebench", *arguments]
    # As an interpreter opens them when it starts: what it knows of a file is of the one that was there at the time.
    sys.stdin = open(0)  # noqa: SIM115 - open as long as the process is, as the next two
    sys.stdout = open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace")  # noqa: SIM115
    sys.exit(main())


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
