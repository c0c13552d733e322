"""``sample projections``: the packaged bytes, or the same inside the one object."""

import json
from importlib.resources import files

from tests.cli.conftest import Answer
from tests.support import RunCli

SAMPLE = files("operatebench.samples").joinpath("projections.json").read_bytes()


def test_the_sample_is_printed_as_it_is(run_cli: RunCli) -> None:
    done = run_cli("sample", "projections")

    assert (done.returncode, done.stdout.encode(), done.stderr) == (0, SAMPLE, "")


def test_json_holds_the_sample(run_cli: RunCli, answer: Answer) -> None:
    found = answer(run_cli("sample", "projections", "--json"))

    assert found == {"command": "sample projections", "exit": 0, "projections": json.loads(SAMPLE)}
