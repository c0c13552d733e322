"""The shipped sample is a complete, synthetic set of projections that the schemas accept."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest

Accepts = Callable[[Any], bool]


@pytest.fixture
def sample() -> Any:
    """The sample projections, parsed."""
    return json.loads(files("operatebench.samples").joinpath("projections.json").read_text("utf-8"))


def values(value: Any) -> Iterator[Any]:
    """Every value below `value`, itself included."""
    yield value
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from values(item)


def test_sample_has_the_eleven_owners_in_registry_order(sample: Any, component_registry: Any) -> None:
    assert list(sample) == [row["name"] for row in component_registry["components"]]


def test_every_path_has_one_owner(sample: Any) -> None:
    paths = [path for projection in sample.values() for path in projection]
    assert len(paths) == len(set(paths))
    assert all(4 <= len(projection) <= 9 for projection in sample.values())


def test_sample_says_that_it_is_synthetic(sample: Any) -> None:
    assert sample["operation_core_content"]["/privacy/data_classification"] == "SYNTHETIC_ONLY"
    assert sample["provider_run_plan_content"]["/provider/name"] == "synthetic-provider"


def test_sample_shows_nesting_nulls_and_text_beyond_ascii_but_no_floats(sample: Any) -> None:
    found = list(values(sample))
    assert {type(value) for value in found} == {dict, list, str, int, bool, type(None)}
    assert any(isinstance(value, str) and not value.isascii() for value in found)


def test_manifest_and_census_of_the_sample_are_accepted(
    sample: Any,
    manifest_of: Callable[[Any], Any],
    census_of: Callable[[Any], Any],
    manifest_accepts: Accepts,
    census_accepts: Accepts,
) -> None:
    assert manifest_accepts(manifest_of(sample))
    assert census_accepts(census_of(sample))
