"""The process as a whole: interrupts, readers that go away, full disks and closed streams end it quietly and truly."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).parent / "operatebench"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which $0 is the command."""
    return subprocess.run(["/bin/sh", "-c", line, SCRIPT], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", ["manifest build projections.json", "digest --help", "--version"])
def test_a_reader_that_went_away_ends_it_quietly(made: Path, words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [SCRIPT, *words.split()], cwd=made, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (141, "")


def test_a_full_disk_is_reported(made: Path) -> None:
    done = shell('"$0" digest projections.json >/dev/full', made)

    assert done.returncode == 1
    assert done.stderr == "operatebench: the answer could not be written: No space left on device\n"


def test_a_closed_standard_output_is_reported(made: Path) -> None:
    done = shell('"$0" digest projections.json >&-', made)

    assert done.returncode == 1
    assert done.stderr == "operatebench: the answer could not be written: Bad file descriptor\n"


def test_a_closed_standard_error_changes_nothing_else(made: Path) -> None:
    done = shell('"$0" digest projections.json no.json 2>&-', made)

    assert (done.returncode, done.stdout.count("\n")) == (1, 1)


def test_a_closed_standard_input_is_refused(made: Path) -> None:
    done = shell('"$0" digest - <&-', made)

    assert done.returncode == 1
    assert done.stderr.startswith("refused   file_unreadable: ")
    assert "where     standard input\nexpected  an open file\nactual    a closed one\n" in done.stderr


def test_an_interrupt_ends_it_with_one_line(made: Path) -> None:
    running = subprocess.Popen(
        [SCRIPT, "digest", "projections.json", "-"],
        cwd=made,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline().endswith("  projections.json\n")
    time.sleep(0.1)  # now it waits for standard input
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)

    assert (running.returncode, out, err) == (130, "", "operatebench: interrupted\n")
