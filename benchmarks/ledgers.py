"""Figures of the trajectory ledger: verifying a million rows, the memory it takes, and appending a row."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter_ns, thread_time_ns
from typing import Any

import orjson

from operatebench.replay.ledger import LEDGER_SCHEMA, LedgerHeader, LedgerWriter, verify_ledger

from . import peak
from .figures import Measurement, at_most, figure
from .measure import time_ms
from .samples import Sample, sample

ROWS = 1_000_000
"""Rows of the ledger that is verified."""

GROUP = 8
"""Rows of a step of the engine, about as many as in an episode."""

APPENDED = 50
"""Rows of a group in which appending is timed; they take less than the 64 KiB that are synced."""

EPISODE = 228
"""Lines that are written under several sync policies: about as many as in the V1 reference episode."""

_WORDS = (
    "leak",
    "tap",
    "kitchen",
    "visit",
    "agreed",
    "quote",
    "approval",
    "evidence",
    "supplier",
    "customer",
    "wait",
    "until",
    "morning",
    "größer",
    "naïve",
)


@cache
def bodies() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return 1,000 record types and bodies, in sizes and shapes like those of an episode."""
    draw = random.Random(5)
    return tuple(_body(draw, number) for number in range(1_000))


def _body(draw: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    call = {"invocation_index": number // 9 + 1, "turn_index": number % 9}
    text = " ".join(draw.choices(_WORDS, k=draw.randint(3, 25)))
    match draw.randint(0, 4):
        case 0:
            return "timer_scheduled", {
                "event_id": f"timer_{number}",
                "event_type": "obligation_due",
                "due_at": _at(number),
            }
        case 1:
            event = {"event_id": f"event_{number}", "event_type": "work_reported", "actor_id": "plumber_1"}
            return "event_observed", {**event, "authority": "actor_claim", "caused_by": None, "code": "ACCEPTED"}
        case 2:
            refs = [f"record_{draw.randrange(10**6)}" for _ in range(draw.randint(1, 4))]
            outcome = {"kind": "ACT", "action_type": "send_message", "evidence_refs": refs, "rationale": text}
            return "agent_outcome", {**call, "outcome": {**outcome, "payload": {"amount_minor": draw.randrange(10**6)}}}
        case 3:
            digest = hashlib.sha256(text.encode()).hexdigest()
            return "agent_session", {**call, "events_digest_sha256": digest, "count": draw.randrange(10)}
        case _:
            records = [
                {"cycle_id": f"work_cycle_{each}", "status": "OPEN", "at": _at(each), "note": text, "final": False}
                for each in range(draw.randint(2, 8))
            ]
            return "retrieval_served", {**call, "tool": "get_case_record", "schema_id": "case.v1", "records": records}


def _at(minute: int) -> str:
    return f"2032-04-{minute // 1440 % 28 + 1:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z"


def rows_of(count: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield so many rows: instant, record type, body."""
    for number, (record_type, body) in enumerate(islice(cycle(bodies()), count)):
        yield _at(number // 4), record_type, body


def header() -> LedgerHeader:
    """Return the header of a ledger that belongs to no run."""
    digest = hashlib.sha256(b"benchmark").hexdigest()
    selection = dict.fromkeys(("track", "pack", "operation_id", "variant_id", "agent_id", "arm", "plan"), "benchmark")
    bound = ("identity_manifest", "runtime_bundle", "experiment_bundle")
    return LedgerHeader.from_wire(
        {
            "schema": LEDGER_SCHEMA,
            "schema_version": 1,
            "operation_instance_id": f"opinst_{digest[:32]}",
            "selection": {**selection, "trial": 0},
            "card_refs": {
                role: {"schema": f"operatebench.{role}_card.v1", "id": "benchmark", "content_digest_sha256": digest}
                for role in ("operation", "semantic_scenario", "variant")
            },
            "requirements": [],
            **{f"{name}_digest_sha256": digest for name in bound},
        }
    )


def write(path: Path, count: int, group: int = GROUP) -> None:
    """Write a whole ledger of so many rows."""
    digest = hashlib.sha256(b"end").hexdigest()
    with LedgerWriter(path, header()) as writer:
        for number, row in enumerate(rows_of(count), 1):
            writer.append(*row)
            if number % group == 0:
                writer.flush()
        writer.finish(
            status="completed_successfully",
            outcome_class="successful_completion",
            final_state_digest_sha256=digest,
            trajectory_digest_sha256=digest,
        )


@cache
def big_ledger() -> tuple[TemporaryDirectory[str], Path]:
    """Return a ledger of a million rows, and the folder it lies in, which goes away with the process."""
    folder = TemporaryDirectory()
    path = Path(folder.name, "ledger.ndjson")
    write(path, ROWS)
    return folder, path


def parse_and_hash(path: Path) -> None:
    """Do to each line what anybody who reads it does at least."""
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)
            hashlib.sha256(line).hexdigest()


@figure("ledger-verify-1m", at_most(2.0), rounds=3)
def ledger_verify_1m(rounds: int) -> Measurement:
    """Verify a ledger of 1,000,000 rows in a file, line by line, against json.loads and SHA-256 of each line."""
    _, path = big_ledger()
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append(time_ms(partial((verify_ledger, parse_and_hash)[side], path)))
    return Measurement(
        reference="json.loads + SHA-256 of each line",
        ratios=tuple(ours / theirs for ours, theirs in zip(*times, strict=True)),
        ours=tuple(times[0]),
        theirs=tuple(times[1]),
        samples=_samples(),
        details={"bytes a line": path.stat().st_size / (ROWS + 2)},
    )


@figure("ledger-memory", at_most(40), rounds=1)
def ledger_memory(rounds: int) -> Measurement:
    """Verify the same ledger in a fresh process: its peak resident memory in MB, interpreter and imports included."""
    _, path = big_ledger()
    peaks = []
    for _ in range(rounds):
        command = [sys.executable, peak.__file__, "ledger", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        peaks.append(int(done.stdout.split()[1]) / 1e6)
    return Measurement("1 MB", tuple(peaks), tuple(peaks), (1.0,) * rounds, unit="MB", samples=_samples())


@figure("ledger-append", at_most(2.0), rounds=31)
def ledger_append(rounds: int) -> Measurement:
    """Append 1,000 rows in groups of 50 (encode, chain, buffer), against a sorted orjson dump and SHA-256 of each.

    Details: what handing the group over costs, and what an episode costs under three sync policies, wall-clock time.
    """
    many = list(rows_of(len(bodies())))
    spent: list[tuple[float, ...]] = []
    with TemporaryDirectory() as folder:
        write(Path(folder, "sample.ndjson"), len(many))
        texts = Path(folder, "sample.ndjson").read_bytes().splitlines(keepends=True)
        # The same bodies on both sides, so that encoding them takes the same time.
        lines = [{**orjson.loads(text), "body": row[2]} for row, text in zip(many, texts[1:], strict=False)]
        for number in range(rounds):
            with LedgerWriter(Path(folder, f"{number}.ndjson"), header()) as writer:
                spent.append(_append_in_groups(writer, many, lines))
        episode = texts[:EPISODE]
        policies = {
            "each group": GROUP,
            "each 64 KiB": 65_536 * len(episode) // sum(map(len, episode)),
            "once": EPISODE,
        }
        synced = {name: _synced_ms(Path(folder, name), episode, count) for name, count in policies.items()}
    appended, flushed, referred = zip(*spent, strict=True)
    return Measurement(
        reference="orjson.dumps, sorted, + SHA-256 of each line",
        ratios=tuple(ours / theirs for ours, theirs in zip(appended, referred, strict=True)),
        ours=appended,
        theirs=referred,
        samples=_samples(),
        details={
            "µs a row to flush": median(flushed) * 1e3 / len(many),
            **{f"ms an episode, synced {name}": cost for name, cost in synced.items()},
        },
    )


def _append_in_groups(
    writer: LedgerWriter, many: list[tuple[str, str, dict[str, Any]]], lines: list[dict[str, Any]]
) -> tuple[float, ...]:
    """Return the milliseconds of appending, of flushing, and of dumping and hashing the same lines.

    The side that goes first changes from group to group, because it finds the bodies out of the processor's cache.
    """
    spent = [0, 0, 0]

    def timed(side: int, work: Callable[[], None]) -> None:
        began = thread_time_ns()
        work()
        spent[side] += thread_time_ns() - began

    for number, start in enumerate(range(0, len(many), APPENDED)):
        here = slice(start, start + APPENDED)
        sides = [
            partial(timed, 0, partial(_append, writer, many[here])),
            partial(timed, 2, partial(_dump_and_hash, lines[here])),
        ]
        for side in sides if number % 2 == 0 else reversed(sides):
            side()
        timed(1, writer.flush)
    return tuple(total / 1e6 for total in spent)


def _append(writer: LedgerWriter, many: list[tuple[str, str, dict[str, Any]]]) -> None:
    for at, record_type, body in many:
        writer.append(at, record_type, body)


def _dump_and_hash(lines: list[Any]) -> None:
    for line in lines:
        hashlib.sha256(orjson.dumps(line, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _synced_ms(path: Path, lines: list[bytes], due: int) -> float:
    """Return what it takes to write lines group by group, and to sync whenever ``due`` lines were written."""
    took = []
    for _ in range(9):
        began = perf_counter_ns()
        with path.open("wb", buffering=0) as file:
            for start in range(0, len(lines), GROUP):
                file.write(b"".join(lines[start : start + GROUP]))
                if start // due != (start + GROUP) // due:
                    os.fsync(file.fileno())
            os.fsync(file.fileno())
        took.append((perf_counter_ns() - began) / 1e6)
    return median(took)


def _samples() -> tuple[Sample, ...]:
    return (sample("bodies of rows", [body for _, body in bodies()]),)
