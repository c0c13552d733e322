"""Does work in this process or in forked ones, and gives the results in the order asked for."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from ...errors import EpisodeError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_workers(work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int) -> Iterator[_Result]:
    """Yield the result of every item in order, as soon as it and all before it are there.

    A worker is forked, so it has work and items as they are here: only a number is sent to it, and a result or what was
    raised comes back. It gets the next number when it has done one, so whatever ends this generator lets each worker
    finish the item it is at and no other.

    Args:
        work: what to do with an item; its result, and what it raises, can be pickled.
        items: what there is to do.
        jobs: most worker processes; where fewer than two are needed, everything is done in this one.

    Raises:
        EpisodeError: ``worker_lost``.
        BaseException: whatever ``work`` raised.
    """
    workers = min(jobs, len(items))
    if workers < 2:
        yield from map(work, items)
        return
    ends: list[Connection[Any, Any]] = []
    processes = []
    for _ in range(workers):
        ours, theirs = get_context("fork").Pipe()
        ends.append(ours)
        processes.append(get_context("fork").Process(target=_serve, args=(work, items, theirs, ends), daemon=True))
        processes[-1].start()
        theirs.close()  # else the next worker would have it too, and its end would go unnoticed
    try:
        yield from _in_order(ends, len(items))
    finally:
        for end in ends:
            end.close()
        for process in processes:
            process.join()


def _in_order(ends: Sequence[Connection[Any, Any]], count: int) -> Iterator[Any]:
    numbers = iter(range(count))
    found: dict[int, tuple[bool, Any]] = {}
    try:
        for end, number in zip(ends, numbers, strict=False):
            end.send(number)
        for wanted in range(count):
            while wanted not in found:
                ready = wait(ends)
                for end in (each for each in ends if each in ready):
                    done, *answer = end.recv()
                    found[done] = answer
                    for number in numbers:
                        end.send(number)
                        break
            succeeded, result = found.pop(wanted)
            if not succeeded:
                raise result
            yield result
    except (EOFError, BrokenPipeError, ConnectionResetError):
        expected = "workers that live as long as their work"
        raise EpisodeError("worker_lost", expected=expected, actual="one that ended") from None


def _serve(
    work: Callable[[Any], Any], items: Sequence[Any], theirs: Connection[Any, Any], ends: Sequence[Connection[Any, Any]]
) -> None:
    """Do items until nobody asks for more, or is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the main one decides
    gc.freeze()  # what was there before the fork need not be looked at, and so not be copied
    for end in ends:
        end.close()  # so that the end of the main process, however it comes, is the end of the pipe
    try:
        while True:
            number = theirs.recv()
            try:
                answer = number, True, work(items[number])
            except BaseException as raised:  # noqa: BLE001  (it is raised again in the main process)
                answer = number, False, raised
            theirs.send(answer)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(0)
