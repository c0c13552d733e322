"""Figures of refusal: how long hostile input is looked at, against `json.loads` of the same text."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from operatebench.identity import (
    IdentityValidationError,
    evaluate_component_requirements,
    identity_to_json,
    recompute_bundle,
    recompute_component,
    recompute_manifest_digest,
    validate_identity_manifest,
)
from operatebench.identity.strictjson import parse_json

from .figures import Measurement, at_most, figure
from .measure import compare
from .samples import Sample, sample

_TARGET = at_most(2.0)
_FLOOR_MS = 0.2
"""The reference counts as this much: some hostile texts are so short that nothing but fixed costs would be compared."""

_WIDE = 100_000


def refuses(call: Callable[[], object], code: str) -> Callable[[], None]:
    """Return a call of ``call`` that must be refused with ``code``; it is tried once before anything is timed.

    Raises:
        AssertionError: ``call`` is not refused, or with another code.
    """

    def refused() -> None:
        try:
            call()
        except IdentityValidationError as fault:
            if fault.code == code:
                return
            raise AssertionError(f"refused with {fault.code}, not {code}") from fault
        raise AssertionError("not refused")

    refused()
    return refused


def _against_loads(refused: Callable[[], None], text: Sample, rounds: int) -> Measurement:
    def loads() -> None:
        with suppress(ValueError, RecursionError):  # json.loads refuses some of them itself
            json.loads(text.data)

    reference = "json.loads of the same text, at least 0.2 ms"
    return compare(refused, loads, reference=reference, rounds=rounds, samples=(text,), floor_ms=_FLOOR_MS)


def _parsed(text: Sample, code: str, rounds: int) -> Measurement:
    return _against_loads(refuses(lambda: parse_json(text.data), code), text, rounds)


@figure("hostile-wide-array", _TARGET, rounds=15)
def wide_array(rounds: int) -> Measurement:
    """Refuse the text of an array of 100,000 items."""
    return _parsed(sample("array of 100,000 zeros", [0] * _WIDE), "resource_limits", rounds)


@figure("hostile-wide-object", _TARGET, rounds=15)
def wide_object(rounds: int) -> Measurement:
    """Refuse the text of an object of 100,000 members."""
    return _parsed(sample("object of 100,000 members", wide_members()), "resource_limits", rounds)


@figure("hostile-long-number", _TARGET, rounds=15)
def long_number(rounds: int) -> Measurement:
    """Refuse the text of a number of 5,000 digits."""
    return _parsed(Sample("number of 5,000 digits", b"7" * 5_000, 1, 0.0), "strict_json", rounds)


@figure("hostile-deep-brackets", _TARGET, rounds=15)
def deep_brackets(rounds: int) -> Measurement:
    """Refuse the text of 100,000 nested arrays."""
    text = Sample("100,000 nested arrays", b"[" * _WIDE + b"]" * _WIDE, _WIDE, 0.0)
    return _parsed(text, "resource_limits", rounds)


@figure("hostile-long-key", _TARGET, rounds=15)
def long_key(rounds: int) -> Measurement:
    """Refuse the text of an object with a member name of 1 MiB and one byte."""
    return _parsed(sample("member name of 1 MiB and one byte", {"k" * (1024 * 1024 + 1): 0}), "resource_limits", rounds)


def wide_members() -> dict[str, int]:
    """Return 100,000 members."""
    return {f"/member/{index:06}": index for index in range(_WIDE)}


def _objects(call: Callable[[Any], object], value: Any, shape: str, code: str, rounds: int) -> Measurement:
    """Measure the refusal of a Python object against json.loads of the text that says the same."""
    return _against_loads(refuses(lambda: call(value), code), sample(shape, value), rounds)


@figure("hostile-object-root", _TARGET, rounds=15)
def object_root(rounds: int) -> Measurement:
    """Refuse a manifest that is a dict of 100,000 members, given to the validator."""
    shape = "manifest of 100,000 members"
    return _objects(
        lambda root: validate_identity_manifest(root, {}, {}), wide_members(), shape, "root_cardinality", rounds
    )


@figure("hostile-object-digest", _TARGET, rounds=15)
def object_digest(rounds: int) -> Measurement:
    """Refuse a manifest that is a dict of 100,000 members, given to the digest helper."""
    shape = "manifest of 100,000 members"
    return _objects(recompute_manifest_digest, wide_members(), shape, "resource_limits", rounds)


@figure("hostile-object-projection", _TARGET, rounds=15)
def object_projection(rounds: int) -> Measurement:
    """Refuse a projection that is a dict of 100,000 members, given to the component builder."""

    def build(projection: Any) -> object:
        return recompute_component("card_schema_content", projection, [])

    return _objects(build, wide_members(), "projection of 100,000 fields", "projection_shape", rounds)


@figure("hostile-object-rows", _TARGET, rounds=15)
def object_rows(rounds: int) -> Measurement:
    """Refuse a list of 100,000 requirement rows, given to the evaluator."""
    shape = "list of 100,000 requirement rows"
    return _objects(
        lambda rows: evaluate_component_requirements(rows, {}), [None] * _WIDE, shape, "resource_limits", rounds
    )


@figure("hostile-object-resolver", _TARGET, rounds=15)
def object_resolver(rounds: int) -> Measurement:
    """Refuse a resolver that is a read-only mapping of 100,000 entries, given to the bundle builder."""
    members = wide_members()
    refused = refuses(
        lambda: recompute_bundle("runtime_bundle", MappingProxyType(members)),  # type: ignore[arg-type]  # hostile
        "leaf_closure",
    )
    return _against_loads(refused, sample("resolver of 100,000 entries", members), rounds)


@figure("hostile-object-tuple", _TARGET, rounds=15)
def object_tuple(rounds: int) -> Measurement:
    """Refuse a component record that claims a tuple of 100,000 owned fields."""
    record = recompute_component("card_schema_content", {"/card": 1}, [])
    paths = list(wide_members())
    forged = replace(record, owned_fields=tuple(paths))
    refused = refuses(lambda: identity_to_json(forged), "component_identity")
    return _against_loads(refused, sample("record of 100,000 owned fields", paths), rounds)
