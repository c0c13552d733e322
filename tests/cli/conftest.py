"""Fixtures for the command line tests: documents made once by the installed command, and answers read back."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from operatebench.cli import main
from operatebench.identity import build_identity_manifest, build_projection_census
from tests.support import RunCli

Answer: TypeAlias = Callable[[subprocess.CompletedProcess[str]], dict[str, Any]]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, run_cli: RunCli) -> Path:
    """Return a folder with sample projections, their manifest and census, and the same after the runtime changed."""
    folder = tmp_path_factory.mktemp("made")
    projections = json.loads(run_cli("sample", "projections").stdout)
    changed = json.loads(json.dumps(projections))
    changed["runtime_contract_content"]["/runtime/clock"]["tick_seconds"] = 30
    for prefix, values in (("", projections), ("new-", changed)):
        documents = {
            "projections": values,
            "manifest": build_identity_manifest(values),
            "census": build_projection_census(values),
        }
        for name, document in documents.items():
            (folder / f"{prefix}{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> RunCli:
    """Return a runner like ``run_cli`` without a process: for further answers of commands that have run in one."""

    def run(
        *arguments: str | Path,
        stdin: str | bytes | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        assert env is None, "the environment belongs to the process"
        source = tmp_path_factory.mktemp("stdin") / "stdin"
        source.write_bytes(stdin.encode() if isinstance(stdin, str) else stdin or b"")
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as here, source.open() as opened, contextlib.chdir(cwd or Path.cwd()):
            here.setattr(sys, "argv", ["operatebench", *map(str, arguments)])
            here.setattr(sys, "stdin", opened)
            here.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
            here.setattr(sys, "stderr", io.TextIOWrapper(err, "ascii"))
            status = main()
            texts = [stream.getvalue().decode() for stream in (out, err)]
        return subprocess.CompletedProcess(arguments, status, *texts)

    return run


@pytest.fixture
def work(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the documents that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "work"))


@pytest.fixture
def answer() -> Answer:
    """Return what reads the one JSON object a command printed, after checking that it printed nothing else."""

    def read(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
        assert done.stderr == ""
        assert done.stdout.isascii()
        assert done.stdout.count("\n") == 1
        found: dict[str, Any] = json.loads(done.stdout)
        assert found["exit"] == done.returncode
        return found

    return read
