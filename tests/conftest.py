"""Holds every test to the installed wheel, without network and credentials, and provides the command line runner."""

import gc
import importlib.util
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import ROOT, RunCli, credential_names

NO_NETWORK = ROOT / "tests" / "no_network"

settings.register_profile("local", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


def pytest_configure(config: pytest.Config) -> None:
    """Stop when not the wheel is tested; take network and credentials from this process and all it starts."""
    if config.rootpath != ROOT:
        # Named from the root, a test is `tests.docs.test_x`; named from here, `docs.test_x` hides the folder `docs`.
        raise pytest.UsageError("run `make test`, or from the root: pytest tests --rootdir=.")
    spec = importlib.util.find_spec("operatebench")
    if spec is None or spec.origin is None:
        raise pytest.UsageError("operatebench is not installed here: run `make test`, which tests the wheel")
    if Path(spec.origin).resolve().parent == ROOT:
        raise pytest.UsageError(
            f"{spec.origin} is the checkout, not the installed wheel: run `make test`, or unset PYTHONPATH"
        )
    for name in credential_names(list(os.environ)):
        del os.environ[name]
    os.environ["PYTHONPATH"] = str(NO_NETWORK)
    runpy.run_path(str(NO_NETWORK / "sitecustomize.py"))


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every later search for garbage: they live to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def preloaded_bin() -> Iterator[Path]:
    """Return a folder to be put first on a PATH: its ``operatebench`` runs at once, as tests/preloaded/server.py says.

    For pages and programs that call the command many times. How the installed script starts is what ``run_cli`` tests.
    """
    with tempfile.TemporaryDirectory(prefix="operatebench-") as name:  # short: a socket's address has 100 bytes
        folder = Path(name)
        client = (ROOT / "tests" / "preloaded" / "client.py").read_text(encoding="utf-8")
        (folder / "operatebench").write_text(f"#!{sys.executable} -IS\n{client}", encoding="utf-8")
        (folder / "operatebench").chmod(0o755)
        with subprocess.Popen(
            [sys.executable, ROOT / "tests" / "preloaded" / "server.py", folder / "socket"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield folder
            server.stdin.close()
        assert server.returncode == 0


@pytest.fixture(scope="session")
def run_cli() -> RunCli:
    """Return the runner of the installed console script; see :class:`tests.support.RunCli`."""
    script = Path(sys.executable).parent / "operatebench"

    def run(
        *arguments: str | Path,
        stdin: str | bytes | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [script, *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin or b"",
            cwd=cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            check=False,
            timeout=120,
        )
        out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run
