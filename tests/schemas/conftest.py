"""Fixtures for the schema tests: the two schemas under both engines, and documents built from the vectors.

The builder here follows `vectors/identity/FORMAT.md` and uses only the standard library, so what the schemas accept is
never judged by documents that the package under test produced.
"""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import referencing

MANIFEST_SCHEMA_FILE = "identity-manifest-v1.schema.json"
CENSUS_SCHEMA_FILE = "identity-manifest-projection-census-v1.schema.json"


def read_schema_document(name: str) -> Any:
    """Parse one JSON document of the installed `operatebench.schemas`."""
    return json.loads(files("operatebench.schemas").joinpath(name).read_bytes())


def read_vector_document(name: str) -> Any:
    """Parse one JSON document of the installed `operatebench.vectors`."""
    return json.loads(files("operatebench.vectors").joinpath("identity", name).read_bytes())


def both_engines(schema: Any) -> Callable[[Any], bool]:
    """Return a function that says whether `schema` accepts a document, and fails when the two engines disagree."""
    second_opinion = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
    compiled = jsonschema_rs.Draft202012Validator(schema, offline=True)

    def accepts(document: Any) -> bool:
        try:
            fast = compiled.is_valid(document)
        except UnicodeEncodeError:
            fast = False  # text with a lone surrogate cannot even reach the compiled engine
        slow: bool = second_opinion.is_valid(document)
        assert fast == slow, f"jsonschema-rs says {fast}, jsonschema says {slow}"
        return slow

    return accepts


@pytest.fixture(scope="session")
def manifest_schema() -> Any:
    """The manifest schema, parsed."""
    return read_schema_document(MANIFEST_SCHEMA_FILE)


@pytest.fixture(scope="session")
def census_schema() -> Any:
    """The census schema, parsed."""
    return read_schema_document(CENSUS_SCHEMA_FILE)


@pytest.fixture(scope="session")
def component_registry() -> Any:
    """The component registry, parsed."""
    return read_schema_document("identity-component-registry-v1.json")


@pytest.fixture(scope="session")
def manifest_accepts(manifest_schema: Any) -> Callable[[Any], bool]:
    """The joint verdict of both engines on a manifest."""
    return both_engines(manifest_schema)


@pytest.fixture(scope="session")
def census_accepts(census_schema: Any) -> Callable[[Any], bool]:
    """The joint verdict of both engines on a census."""
    return both_engines(census_schema)


@pytest.fixture
def golden_manifest() -> Any:
    """The golden manifest, free to be changed."""
    return read_vector_document("identity-manifest-digest-v1.golden.json")["manifest"]["manifest"]


@pytest.fixture
def golden_census() -> Any:
    """The census of the golden projections, free to be changed."""
    return build_census(base_projections("golden"))


def digest(domain: str, schema: str, content: Any) -> str:
    """SHA-256 over the canonical wrapper (identity contract, section 7)."""
    wrapper = {"domain": domain, "schema": schema, "content": content}
    text = json.dumps(wrapper, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """Replace integral floats by integers, as normalization does."""
    match value:
        case float():
            return int(value)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {name: plain(item) for name, item in value.items()}
    return value


def base_projection(base: str, name: str, index: int) -> dict[str, Any]:
    """The projection of one component in a vector base: golden, plain or empty."""
    if base == "empty":
        return {}
    return {f"/fixture/{name}": {"index": index} if base == "golden" else index}


def base_projections(base: str) -> dict[str, Any]:
    """The eleven projections of a vector base."""
    rows = read_schema_document("identity-component-registry-v1.json")["components"]
    return {row["name"]: base_projection(base, row["name"], index) for index, row in enumerate(rows)}


def build_census(projections: dict[str, Any]) -> dict[str, Any]:
    """The census of exactly these projections."""
    return {
        "schema": "operatebench.identity_manifest_projection_census.v1",
        "schema_version": 1,
        "manifest_schema": "operatebench.identity_manifest.v1",
        "owners": list(projections),
        "entries": [{"field_path": path, "owner": name} for name in projections for path in sorted(projections[name])],
    }


def build_manifest(projections: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """A sealed manifest of these projections under a requirement plan."""
    registry = read_schema_document("identity-component-registry-v1.json")
    contract = read_schema_document("identity-compatibility-v1.registry.json")["contract"]
    components: dict[str, Any] = {}
    for row in registry["components"]:
        name, projection = row["name"], plain(projections[row["name"]])
        requires = []
        for dependency in row["requires"]:
            choice = plan.get(name, {}).get(dependency, plan.get("default", "exact"))
            compatible: dict[str, Any]
            if choice == "exact":
                target = components[dependency]["content_digest_sha256"]
                compatible = {"kind": "exact_digest", "content_digest_sha256": target}
            else:
                compatible = {"kind": "closed_schema_version_range"}
                compatible |= {"minimum_schema_version": choice[0], "maximum_schema_version": choice[1]}
            requires.append({"component": dependency, "compatible": compatible})
        components[name] = {
            "schema": row["schema"],
            "schema_version": 1,
            "domain": row["domain"],
            "content_digest_sha256": digest(row["domain"], row["schema"], projection),
            "owned_fields": sorted(projection),
            "owned_projection": projection,
            "excludes": [],
            "requires": requires,
        }
    composites: dict[str, Any] = {}
    for row in registry["composites"]:
        identities = components | composites
        members = {"members": [{"name": member, "identity": identities[member]} for member in row["members"]]}
        composites[row["name"]] = {
            "schema": row["schema"],
            "schema_version": 1,
            "domain": row["domain"],
            "members": row["members"],
            "bundle_digest_sha256": digest(row["domain"], row["schema"], members),
        }
    manifest = {
        "schema": "operatebench.identity_manifest.v1",
        "schema_version": 1,
        "components": components,
        "composites": composites,
        "compatibility_contract": contract,
    }
    own = digest("operatebench.digest.identity_manifest.v1", "operatebench.identity_manifest.v1", manifest)
    return manifest | {"manifest_digest_sha256": own}


RECIPES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "float": lambda recipe: float(recipe["text"]),
    "utf16": lambda recipe: "".join(chr(int(unit, 16)) for unit in recipe["units"]),
    "repeat": lambda recipe: recipe["text"] * recipe["count"],
    "concat": lambda recipe: "".join(recipe["parts"]),
    "fill": lambda recipe: [recipe["value"]] * recipe["count"],
    "object": lambda recipe: dict(recipe["pairs"]),
}


def expand(value: Any) -> Any:
    """Expand the recipes that occur in cases with a manifest; any other recipe is a `KeyError`."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: expand(item) for name, item in value.items()}
    return RECIPES[members["$gen"]](members) if "$gen" in members else members


def apply_op(documents: dict[str, Any], op: dict[str, Any]) -> None:
    """Apply one op. Resealing is left out: it changes digests only, and no schema knows a digest's value."""
    if op["op"] == "reseal":
        return
    if op["op"] == "replace_root":
        documents[op["root"]] = expand(op["value"])
        return
    steps: list[Any] = [op["root"], *op["path"]]
    parents, last = steps[:-1], steps[-1]
    place: Any = documents
    for step in parents:
        place = place[step]
    match op["op"]:
        case "set":
            place[last] = expand(op["value"])
        case "delete":
            del place[last]
        case "insert":
            place.insert(last, expand(op["value"]))
        case "append":
            place[last].append(expand(op["value"]))
        case "reverse":
            place[last].reverse()
        case "swap":
            items, i, j = place[last], op["i"], op["j"]
            items[i], items[j] = items[j], items[i]
        case other:
            raise AssertionError(f"no case that reaches a schema uses the op {other}")


def build_case(given: dict[str, Any]) -> dict[str, Any]:
    """The three documents of an `accept_manifest` or `validate` input, ops applied."""
    projections = base_projections(given["base"]) | expand(given.get("override", {}))
    documents = {
        "manifest": build_manifest(projections, given.get("requirements", {})),
        "census": build_census(projections),
        "projections": projections,
    }
    documents = copy.deepcopy(documents)
    for op in given.get("ops", []):
        apply_op(documents, op)
    return documents


def cases(name: str, kind: str) -> Iterator[dict[str, Any]]:
    """The cases of one kind in one vector file that do not need a Python process."""
    return (case for case in read_vector_document(name)["cases"] if case["kind"] == kind and "host" not in case)


@pytest.fixture(scope="session")
def accepted_manifests() -> dict[str, Any]:
    """Every manifest the accept vectors build, by case id; its digest is checked against the vector first."""
    built = {}
    for case in cases("accept.json", "accept_manifest"):
        manifest = build_case(case["input"])["manifest"]
        assert manifest["manifest_digest_sha256"] == case["expect"]["ok"]["digests"]["manifest"], case["id"]
        built[case["id"]] = manifest
    return built


@pytest.fixture(scope="session")
def accepted_projections() -> dict[str, Any]:
    """The projections behind `accepted_manifests`, by case id."""
    return {case["id"]: build_case(case["input"])["projections"] for case in cases("accept.json", "accept_manifest")}


@pytest.fixture(scope="session")
def tolerated_documents() -> dict[str, Any]:
    """Manifest and census of the `validate` cases that are accepted, by case id."""
    return {case["id"]: build_case(case["input"]) for case in cases("accept.json", "validate")}


@pytest.fixture(scope="session")
def refused_documents() -> list[tuple[str, str, set[str], dict[str, Any]]]:
    """Refused `validate` cases: id, label, the roots their ops touch, and the edited documents."""
    found = []
    for case in cases("refuse.json", "validate"):
        given = case["input"]
        roots = {op["root"] for op in given["ops"] if "root" in op}
        found.append((case["id"], case["expect"]["refused"], roots, build_case(given)))
    return found


@pytest.fixture(scope="session")
def manifest_of() -> Callable[[dict[str, Any]], Any]:
    """Build a manifest with exact digests from eleven projections."""
    return lambda projections: build_manifest(projections, {})


@pytest.fixture(scope="session")
def census_of() -> Callable[[dict[str, Any]], Any]:
    """Build the census of eleven projections."""
    return build_census
