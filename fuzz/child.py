"""Fuzzes one target in a process of its own, because the fuzzer ends the process it runs in."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]  # it has no types

with atheris.instrument_imports(include=["operatebench"], enable_loader_override=False):
    from fuzz.targets import TARGETS, seeds


def main(target: str, seconds: str, corpus: str, crashes: str) -> None:
    """Fuzz ``target`` for ``seconds``, starting from its seeds, which are written to ``corpus``.

    Inputs that crash go to ``crashes``.
    """
    for index, seed in enumerate(seeds(target)):
        (Path(corpus) / f"seed-{index:04}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}", f"-artifact_prefix={crashes}/{target}-",
        "-max_len=65536", "-timeout=20", "-rss_limit_mb=2048",
        "-verbosity=0", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, corpus], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
