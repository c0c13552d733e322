"""The packaged census has its published bytes, is handed out fresh, and reads each file once."""

import hashlib
import json
from importlib.resources import files

import pytest

from operatebench import census
from operatebench.census import load_field_census, load_field_census_schema, validate_field_census
from operatebench.census.resources import CENSUS, CENSUS_SCHEMA
from operatebench.identity.registry import B1_ARTIFACT_SCHEMA, B1_CENSUS_SCHEMA
from operatebench.identity.resources import PinnedResource

PUBLISHED = "056b7acf26a0fcdc01b04abe7552b3f0c35a0ad70935434d01d94ef70ef1ef61"


def test_the_census_has_the_published_bytes() -> None:
    data = files("operatebench.schemas").joinpath(CENSUS.name).read_bytes()

    assert hashlib.sha256(data).hexdigest() == CENSUS.sha256 == PUBLISHED
    assert (len(data), load_field_census()) == (45_641, json.loads(data))


@pytest.mark.parametrize("resource", [CENSUS, CENSUS_SCHEMA], ids=lambda resource: resource.name)
def test_the_pins_are_those_of_the_files(resource: PinnedResource) -> None:
    data = files("operatebench.schemas").joinpath(resource.name).read_bytes()

    assert hashlib.sha256(data).hexdigest() == resource.sha256


def test_what_is_handed_out_is_fresh() -> None:
    for load in (load_field_census, load_field_census_schema):
        first = load()
        first.clear()
        assert load()
    poisoned = load_field_census()
    poisoned["entries"][0]["owner"] = "nobody"
    assert validate_field_census(load_field_census())["entries"][0]["owner"] == "card_schema_content"


def test_the_census_names_its_kind_and_its_surface() -> None:
    found = load_field_census()

    assert list(found) == ["schema", "schema_version", "artifact_schema", "entries"]
    assert (found["schema"], found["artifact_schema"]) == (B1_CENSUS_SCHEMA, B1_ARTIFACT_SCHEMA)


def test_the_public_surface() -> None:
    assert sorted(census.__all__) == [
        "BundleError",
        "CardValidationError",
        "FieldOwnership",
        "OWNERS",
        "load_field_census",
        "load_field_census_schema",
        "load_run_bundle_census",
        "owner_of",
        "validate_field_census",
        "validate_run_bundle_census",
    ]
    assert all(hasattr(census, name) for name in census.__all__)
