"""The test run itself: no network, no credentials, nothing but the installed wheel, here and in started processes."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import ROOT, credential_names

CONNECT = "import socket; socket.create_connection(('127.0.0.1', 9))"


def look_up() -> None:
    """Resolve a name."""
    socket.getaddrinfo("localhost", 80)


def connect() -> None:
    """Open a connection on this machine."""
    with socket.socket() as opened:
        opened.connect(("127.0.0.1", 9))


def send() -> None:
    """Send a datagram."""
    with socket.socket(type=socket.SOCK_DGRAM) as opened:
        opened.sendto(b"x", ("127.0.0.1", 9))


def listen() -> None:
    """Open a port."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))


@pytest.mark.parametrize("attempt", [look_up, connect, send, listen])
def test_network_is_refused_in_this_process(attempt: Callable[[], None]) -> None:
    with pytest.raises(RuntimeError, match=r"tests may not use the network: socket\."):
        attempt()


def test_network_is_refused_in_started_processes() -> None:
    done = subprocess.run([sys.executable, "-c", CONNECT], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RuntimeError: tests may not use the network: socket." in done.stderr


def test_credential_variables_are_known_by_name() -> None:
    credentials = [
        "AWS_PROFILE",
        "GITHUB_TOKEN",
        "OPENAI_API_KEY",
        "SIGNING_KEY",
        "my_secret",
        "PGPASSWORD_FILE",
        "DB_PASSWORD",
    ]
    harmless = ["PATH", "HOME", "KEYBOARD", "LANG", "TOKENIZERS_PARALLELISM", "MONKEY", "PWD", "CI", "COLUMNS"]
    assert credential_names(credentials + harmless) == [name for name in credentials if name != "PGPASSWORD_FILE"]


def run_pytest(
    checkout: Path, *, rootdir: str = ".", path: str = "", extra: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the tests of ``checkout``: modules named from ``rootdir``, PYTHONPATH ``path``, ``extra`` variables."""
    options = ["-c", "tests/pytest.ini", f"--rootdir={rootdir}", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "tests", *options]
    variables = {**os.environ, "PYTHONPATH": path, **(extra or {})}
    return subprocess.run(command, cwd=checkout, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a small checkout in a folder named like the package, with this run's settings and one test."""
    folder = tmp_path / "operatebench"
    tests = folder / "tests"
    (tests / "no_network").mkdir(parents=True)
    for name in ("conftest.py", "support.py", "pytest.ini", "no_network/sitecustomize.py"):
        shutil.copy(ROOT / "tests" / name, tests / name)
    shutil.copy(ROOT / "__init__.py", folder)
    (tests / "test_probe.py").write_text(
        "import os, operatebench\n"
        "def test_surroundings():\n"
        f"    assert operatebench.__file__ != {str(folder / '__init__.py')!r}\n"
        "    assert 'PROBE_TOKEN' not in os.environ\n"
        "    assert os.environ['PROBE_PLAIN'] == 'kept'\n"
    )
    return folder


def test_a_run_loses_credentials_and_keeps_the_rest(checkout: Path) -> None:
    done = run_pytest(checkout, extra={"PROBE_TOKEN": "x", "PROBE_PLAIN": "kept"})
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_a_run_on_the_checkout_stops_and_says_so(checkout: Path) -> None:
    done = run_pytest(checkout, path=str(checkout.parent))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "is the checkout, not the installed wheel: run `make test`" in done.stderr


def test_a_run_with_modules_named_from_elsewhere_stops_and_says_so(checkout: Path) -> None:
    done = run_pytest(checkout, rootdir="tests")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "pytest tests --rootdir=." in done.stderr


def test_test_folders_are_no_packages() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []
