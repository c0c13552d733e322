"""Processes that use one register at once, and that are killed while they do; each piece of work prints JSON."""

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter

from operatebench.authority import Limits, Register
from tests.authority.builds import GOOD, authorization, judged

MANY = authorization(limits=Limits(400, 4, 0))


def race(path: str) -> None:
    """Let two hundred processes ask at once, and print how often each answer was given."""
    answers, answer = os.pipe()
    gate, opener = os.pipe()
    children = []
    for _ in range(200):
        child = os.fork()
        if child == 0:
            os.close(opener)
            os.read(gate, 1)
            admission = judged(GOOD, Register(path))
            said = f"admitted {admission.use.index}" if admission.use else " ".join(admission.reasons)
            os.write(answer, f"{said}\n".encode())
            os._exit(0)
        children.append(child)
    for end in (gate, opener, answer):
        os.close(end)
    with os.fdopen(answers) as lines:
        outcomes = Counter(line.rstrip("\n") for line in lines)
    for child in children:
        os.waitpid(child, 0)
    json.dump(outcomes, sys.stdout)


def kill(path: str) -> None:
    """Kill thirty processes that admit in a loop; print for each the last use it was told of, and what is recorded."""
    moments = random.Random(7)
    found = []
    for _ in range(30):
        uses, told = os.pipe()
        child = os.fork()
        if child == 0:
            while True:
                use = judged(MANY, Register(path)).use
                if use:
                    os.write(told, use.index.to_bytes(4, "big"))
        os.close(told)
        time.sleep(moments.uniform(0.0, 0.04))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(uses, "rb") as reports:
            last = reports.read()[-4:]
        with Register(path).reading() as entries:
            found.append((int.from_bytes(last, "big"), entries.standing(MANY).uses))
    json.dump(found, sys.stdout)


def die(path: str) -> None:
    """Let a process record a use and die while the log is still there."""
    child = os.fork()
    if child == 0:
        reader = sqlite3.connect(path)
        reader.execute("SELECT * FROM entries").fetchall()
        judged(GOOD, Register(path))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    json.dump(None, sys.stdout)
