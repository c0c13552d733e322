"""Writes figures for people (one aligned line each) and for programs (JSON with samples, medians and spread)."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import version
from os import cpu_count
from statistics import median
from typing import Any

from .figures import Figure, Measurement
from .samples import Sample

_PACKAGES = ("orjson", "jiter", "jsonschema", "rfc8785", "typer")


def line(figure: Figure, measurement: Measurement, width: int) -> str:
    """Return ``name  ratio  target  ok|short``.

    Args:
        figure: what was measured.
        measurement: what was seen.
        width: length of the longest name in the table.
    """
    verdict = "ok" if figure.target.met_by(measurement.ratio) else "short"
    return f"{figure.name:<{width}}  {measurement.ratio:7.2f}  {figure.target!s:>7}  {verdict}"


def listing(figures: Iterable[Figure]) -> str:
    """Return name, target and description of every figure, one paragraph each."""
    return "\n".join(f"{figure.name}  {figure.target}  {figure.about}" for figure in figures)


def document(results: Iterable[tuple[Figure, Measurement]]) -> dict[str, Any]:
    """Return everything that was seen, and on what, as plain JSON."""
    return {
        "machine": {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": cpu_count(),
            "packages": {name: version(name) for name in _PACKAGES},
        },
        "figures": [_entry(figure, measurement) for figure, measurement in results],
    }


def _entry(figure: Figure, measurement: Measurement) -> dict[str, Any]:
    return {
        "name": figure.name,
        "about": figure.about,
        "ratio": round(measurement.ratio, 4),
        "bound": figure.target.bound,
        "target": figure.target.value,
        "ok": figure.target.met_by(measurement.ratio),
        "reference": measurement.reference,
        "rounds": len(measurement.ratios),
        "unit": measurement.unit,
        "ours_median": round(median(measurement.ours), 4),
        "reference_median": round(median(measurement.theirs), 4),
        "spread": round(measurement.spread, 4),
        "ratios": [round(ratio, 4) for ratio in measurement.ratios],
        "details": {name: round(value, 4) for name, value in measurement.details.items()},
        "samples": [_sample(sample) for sample in measurement.samples],
    }


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "shape": sample.shape,
        "bytes": len(sample.data),
        "nodes": sample.nodes,
        "non_ascii_text": round(sample.non_ascii, 4),
    }
