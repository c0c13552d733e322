"""The wheel holds exactly the package, byte for byte, and installs, imports and reports itself as promised."""

import importlib.metadata
import importlib.resources
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import operatebench
from operatebench.tracks.lifecycle.ownership import live_source
from tests.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = tuple(name.removeprefix("operatebench.") for name in PROJECT["tool"]["setuptools"]["packages"] if "." in name)
DATA_FOLDERS = ("samples", "schemas", "vectors")
INSTALLED = Path(operatebench.__file__).parent
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
HEAVY = ("canonicaljson", "click", "jsonschema", "jsonschema_rs", "pydantic", "rfc8785", "rich", "typer")


def packaged_files() -> dict[str, bytes]:
    """Return what of the checkout belongs into the wheel: path below the package, and content."""
    paths = [ROOT / "__init__.py", ROOT / "py.typed"]
    for folder in FOLDERS:
        inside = (ROOT / folder.replace(".", "/")).iterdir()
        paths += [path for path in inside if path.suffix in {".py", ".yaml"}]
    for folder in DATA_FOLDERS:
        paths += [path for path in (ROOT / folder).rglob("*") if path.suffix in {".json", ".md"}]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


def environments(folder: str, names: list[str]) -> set[str]:
    """Name the entries of ``folder`` that are environments or never belong into a copy of the checkout."""
    return set(NOT_COPIED(folder, names)) | {name for name in names if (Path(folder) / name / "pyvenv.cfg").is_file()}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a clean copy of the checkout, tests and benchmarks included, that a build may write into."""
    target = tmp_path_factory.mktemp("copy") / "checkout"
    shutil.copytree(ROOT, target, ignore=environments)
    return target


@pytest.fixture(scope="module")
def wheel(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a wheel built from the clean copy: name and content."""
    target = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(copy)], check=True)
    (built,) = target.iterdir()
    with zipfile.ZipFile(built) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(wheel: dict[str, bytes]) -> Message:
    """Return the metadata of the wheel."""
    return BytesParser().parsebytes(wheel[f"operatebench-{operatebench.__version__}.dist-info/METADATA"])


def test_wheel_holds_exactly_the_package_byte_for_byte(wheel: dict[str, bytes]) -> None:
    inside = {
        name.removeprefix("operatebench/"): data for name, data in wheel.items() if name.startswith("operatebench/")
    }
    assert inside == packaged_files()


def test_wheel_holds_nothing_beside_package_and_metadata(wheel: dict[str, bytes]) -> None:
    assert {name.partition("/")[0] for name in wheel} == {
        "operatebench",
        f"operatebench-{operatebench.__version__}.dist-info",
    }


def test_wheel_holds_one_module_of_the_root(wheel: dict[str, bytes]) -> None:
    at_root = {name for name in wheel if name.count("/") == 1 and name.startswith("operatebench/")}
    assert at_root == {"operatebench/__init__.py", "operatebench/py.typed"}


def test_every_folder_with_modules_is_packaged_or_known_to_stay_outside() -> None:
    folders = {path.parent.relative_to(ROOT) for path in ROOT.glob("[!.]*/**/*.py")}
    outside = {"benchmarks", "docs", "fuzz", "schemas_gen", "tests"}
    inside = {folder for folder in folders if folder.parts[0] not in outside and not folder.parts[0].startswith(".")}
    assert {".".join(folder.parts) for folder in inside} == set(FOLDERS)


def test_installed_package_is_the_checkout_byte_for_byte() -> None:
    found = [path for path in INSTALLED.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {path.relative_to(INSTALLED).as_posix(): path.read_bytes() for path in found} == packaged_files()


@pytest.mark.parametrize("folder", DATA_FOLDERS)
def test_packaged_data_is_found_through_the_package(folder: str) -> None:
    there = importlib.resources.files("operatebench") / folder
    in_checkout = {path.name for path in (ROOT / folder).iterdir() if path.name != "__pycache__"}
    assert {item.name for item in there.iterdir() if item.name != "__pycache__"} == in_checkout
    assert len(in_checkout) > 1


def test_metadata_states_version_licence_and_python(metadata: Message, wheel: dict[str, bytes]) -> None:
    assert metadata["Version"] == operatebench.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert (
        wheel[f"operatebench-{operatebench.__version__}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    )


def test_metadata_requires_the_declared_dependencies_with_both_bounds(metadata: Message) -> None:
    required = {Requirement(row) for row in metadata.get_all("Requires-Dist", [])}
    assert required == {Requirement(row) for row in PROJECT["project"]["dependencies"]}
    assert {frozenset(part.operator for part in row.specifier) for row in required} == {frozenset({">=", "<"})}


def test_version_constant_is_the_installed_version() -> None:
    assert importlib.metadata.version("operatebench") == operatebench.__version__


def test_package_exports_its_version_and_nothing_else() -> None:
    assert operatebench.__all__ == ["__version__"]


def loaded_by(statement: str) -> set[str]:
    """Return the names of all modules loaded after ``statement`` in a fresh process."""
    program = f"{statement}; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_identity_loads_no_upper_layer_and_no_heavy_package() -> None:
    loaded = loaded_by("import operatebench.identity")
    assert "operatebench.identity.canonical" in loaded
    assert loaded.isdisjoint({*HEAVY, "operatebench.cli", "operatebench.conformance"})


def test_importing_the_package_loads_nothing_more() -> None:
    assert {name for name in loaded_by("import operatebench") if name.startswith("operatebench")} == {"operatebench"}


def test_editable_installation_works_for_those_who_make_one(copy: Path, tmp_path: Path) -> None:
    """Imports come from the checkout, and its source identity is that of the wheel.

    The scratch environment borrows packages, as there is no network.
    """
    borrowed = sysconfig.get_path("purelib")
    scratch = tmp_path / "scratch"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(scratch)], check=True)
    python = scratch / "bin" / "python"
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--ignore-installed"]
    subprocess.run(
        [python, "-m", "pip", "install", *options, "--editable", copy],
        env={**os.environ, "PYTHONPATH": borrowed},
        check=True,
    )
    program = (
        "import operatebench, sys; sys.path.append(sys.argv[1]); import operatebench.identity;"
        "print(operatebench.__file__, operatebench.identity.__file__, sep='\\n');"
        "from operatebench.provenance import compare_with_record;"
        "from operatebench.tracks.lifecycle.ownership import live_source;"
        "print(live_source().identity.digest_sha256, compare_with_record(live_source()).verdict, sep='\\n')"
    )
    done = subprocess.run([python, "-c", program, borrowed], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == [
        str(copy / "__init__.py"),
        str(copy / "identity" / "__init__.py"),
        live_source().identity.digest_sha256,
        "not_applicable",
    ]
