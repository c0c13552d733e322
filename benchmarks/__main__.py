"""Measures the figures and prints them: exit 0 when all are met, 2 when one is short, 64 for wrong usage."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NoReturn

from . import report
from .catalogue import FIGURES
from .figures import Figure, Measurement

OK, SHORT, USAGE = 0, 2, 64


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with 64, as the project's own command line does; argparse's 2 means "short" here."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code.

    Args:
        arguments: command line words; those of this process when None.
    """
    parser = _Parser(prog="python -m benchmarks", description="Measure every ratio beside its target.")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="this figure, or those matching, as in 'parse-*'; repeatable"
    )
    parser.add_argument("--rounds", metavar="N", type=_rounds, help="rounds of every figure, instead of its own number")
    parser.add_argument("--json", action="store_true", help="print samples, rounds, medians and spread as well")
    parser.add_argument("--list", action="store_true", help="say what every figure is, and measure nothing")
    options = parser.parse_args(arguments)
    chosen = _chosen(parser, options.only)
    if options.list:
        print(report.listing(chosen))
        return OK
    return _measure(chosen, options.rounds, as_json=options.json)


def _rounds(text: str) -> int:
    rounds = int(text)
    if rounds < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return rounds


def _chosen(parser: _Parser, patterns: list[str] | None) -> list[Figure]:
    if patterns is None:
        return list(FIGURES.values())
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in FIGURES):
            parser.error(f"no figure is named {pattern}; --list names them")
    return [figure for name, figure in FIGURES.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _measure(chosen: list[Figure], rounds: int | None, *, as_json: bool) -> int:
    """Measure one figure after the other, printing each line of the table as soon as it is known."""
    width = max(len(figure.name) for figure in chosen)
    results: list[tuple[Figure, Measurement]] = []
    for number, figure in enumerate(chosen, 1):
        _progress(f"{number}/{len(chosen)} {figure.name}")
        measurement = figure.measure(rounds or figure.rounds)
        _progress("")
        results.append((figure, measurement))
        if not as_json:
            print(report.line(figure, measurement, width), flush=True)
    if as_json:
        print(json.dumps(report.document(results), indent=2))
    return OK if all(figure.target.met_by(measurement.ratio) for figure, measurement in results) else SHORT


def _progress(text: str) -> None:
    """Show what is being measured, where a person is looking."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
