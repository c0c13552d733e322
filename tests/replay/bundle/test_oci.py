"""A bundle goes into an image layout and comes back byte for byte; a layout of anything else is refused."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import DocumentError, OperateBenchError
from operatebench.replay.bundle import export_oci, import_oci, read_bundle
from tests.replay.bundle.bundles import PATHS, files, write_bundle
from tests.replay.permits import permit, used


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bundle ``run`` and its layout ``oci``."""
    folder = tmp_path_factory.mktemp("oci")
    write_bundle(folder / "run")
    export_oci(folder / "run", folder / "oci")
    return folder


@pytest.fixture
def layout(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original / "oci", tmp_path / "oci")
    return tmp_path / "oci"


def blob(layout: Path, digest: str) -> Path:
    return layout / "blobs" / "sha256" / digest.removeprefix("sha256:")


def manifest_of(layout: Path) -> dict[str, Any]:
    index = json.loads((layout / "index.json").read_bytes())
    manifest: dict[str, Any] = json.loads(blob(layout, index["manifests"][0]["digest"]).read_bytes())
    return manifest


def put_manifest(layout: Path, text: bytes) -> None:
    """Store an image manifest and let the index name it, as a forger would."""
    digest = hashlib.sha256(text).hexdigest()
    blob(layout, digest).write_bytes(text)
    index = json.loads((layout / "index.json").read_bytes())
    index["manifests"][0].update(digest=f"sha256:{digest}", size=len(text))
    (layout / "index.json").write_text(json.dumps(index))


def refusal(layout: Path) -> tuple[str, str]:
    """Return code and place of the refusal of a layout, of which nothing was written."""
    target = layout.parent / "back"
    with pytest.raises(OperateBenchError) as refused:
        import_oci(layout, target)
    assert not target.exists()
    return refused.value.code, refused.value.path


def test_a_bundle_comes_back_byte_for_byte(original: Path, tmp_path: Path) -> None:
    artifact = import_oci(original / "oci", tmp_path / "back")

    assert files(tmp_path / "back") == files(original / "run")
    assert artifact == read_bundle(original / "run").artifact
    assert [entry.name for entry in tmp_path.iterdir()] == ["back"]


def test_an_authorization_goes_with_it(tmp_path: Path) -> None:
    write_bundle(tmp_path / "run", authorization=used(permit()))
    export_oci(tmp_path / "run", tmp_path / "oci")
    import_oci(tmp_path / "oci", tmp_path / "back")

    assert files(tmp_path / "back") == files(tmp_path / "run")
    assert "authorization.json" in files(tmp_path / "back")


def test_the_layout_is_one_that_others_read_and_says_nothing_of_its_making(original: Path, tmp_path: Path) -> None:
    layout = original / "oci"
    digest = export_oci(original / "run", tmp_path / "again")

    assert files(tmp_path / "again") == files(layout)
    assert json.loads((layout / "oci-layout").read_bytes()) == {"imageLayoutVersion": "1.0.0"}
    index = json.loads((layout / "index.json").read_bytes())
    assert index["manifests"][0]["digest"] == f"sha256:{digest}"
    manifest = manifest_of(layout)
    assert (index["schemaVersion"], manifest["schemaVersion"]) == (2, 2)
    assert manifest["config"]["mediaType"] == "application/vnd.oci.empty.v1+json"
    titles = [layer["annotations"]["org.opencontainers.image.title"] for layer in manifest["layers"]]
    assert titles == ["artifact.json", *sorted(PATHS)]
    for described in (index["manifests"][0], manifest["config"], *manifest["layers"]):
        text = blob(layout, described["digest"]).read_bytes()
        assert described["digest"] == f"sha256:{hashlib.sha256(text).hexdigest()}"
        assert described["size"] == len(text)
    for layer, title in zip(manifest["layers"], titles, strict=True):
        assert blob(layout, layer["digest"]).read_bytes() == (original / "run" / title).read_bytes()


def test_an_index_may_name_the_image_and_other_blobs_may_lie_around(layout: Path) -> None:
    index = json.loads((layout / "index.json").read_bytes())
    index["manifests"][0]["annotations"] = {"org.opencontainers.image.ref.name": "run"}
    (layout / "index.json").write_text(json.dumps(index, indent=1))
    blob(layout, "0" * 64).write_bytes(b"something else")

    import_oci(layout, layout.parent / "back")

    assert "ledger" in read_bundle(layout.parent / "back").texts


@pytest.mark.parametrize("which", ["run", "oci"])
def test_a_name_that_is_taken_is_refused(original: Path, tmp_path: Path, which: str) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(DocumentError) as refused:
        (export_oci if which == "run" else import_oci)(original / which, tmp_path / "taken")

    assert refused.value.code == "file_exists"
    assert list((tmp_path / "taken").iterdir()) == []


def test_any_changed_or_missing_blob_is_refused(layout: Path) -> None:
    for place in sorted(layout.rglob("*")):
        if place.is_dir():
            continue
        text = place.read_bytes()
        place.write_bytes(text[:-1] + bytes([text[-1] ^ 1]))
        assert refusal(layout)[0] in ("oci_layout", "member_digest"), place
        place.unlink()
        assert refusal(layout)[0] in ("oci_layout", "file_missing"), place
        place.symlink_to("/dev/zero")
        assert refusal(layout)[0] == "file_type"
        place.unlink()
        place.touch()
        os.truncate(place, 2**40)
        assert refusal(layout)[0] in ("file_too_large", "member_size"), place
        place.unlink()
        place.write_bytes(text)


def _second_image(index: dict[str, Any]) -> None:
    index["manifests"].append(index["manifests"][0])


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda index: index.pop("manifests"), "index.json#/manifests"),
        (lambda index: index.update(manifests=[]), "index.json#/manifests"),
        (_second_image, "index.json#/manifests"),
        (lambda index: index.update(manifests=[1]), "index.json#/manifests/0/digest"),
        (lambda index: index["manifests"][0].update(digest="sha256:../../../../etc/passwd"), None),
        (lambda index: index["manifests"][0].update(digest="sha512:" + "0" * 64), None),
        (lambda index: index["manifests"][0].update(digest="sha256:" + "A" * 64), None),
        (lambda index: index["manifests"][0].update(digest=None), None),
        (lambda index: index["manifests"][0].update(size=1), "index.json"),
        (lambda index: index["manifests"][0].update(artifactType="x"), "index.json"),
        (lambda index: index["manifests"][0].update(urls=["x"]), "index.json"),
        (lambda index: index.update(schemaVersion=1), "index.json"),
        (lambda index: index.update(subject={}), "index.json"),
    ],
)
def test_an_index_of_something_else_is_refused(
    layout: Path, change: Callable[[dict[str, Any]], None], place: str | None
) -> None:
    index = json.loads((layout / "index.json").read_bytes())
    change(index)
    (layout / "index.json").write_text(json.dumps(index))

    assert refusal(layout) == ("oci_layout", place or "index.json#/manifests/0/digest")


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["layers"].pop(),
        lambda manifest: manifest["layers"].append(manifest["layers"][1]),
        lambda manifest: manifest["layers"].reverse(),
        lambda manifest: manifest.update(layers=[]),
        lambda manifest: manifest.update(layers=[None]),
        lambda manifest: manifest.pop("layers"),
        lambda manifest: manifest.update(annotations={"org.opencontainers.image.created": "2020-01-01T00:00:00Z"}),
        lambda manifest: manifest["layers"][2]["annotations"].update({"org.opencontainers.image.title": "../evil"}),
        lambda manifest: manifest["layers"][2].update(digest="sha256:../evil"),
        lambda manifest: manifest["layers"][2].update(size=1),
    ],
)
def test_an_image_of_something_else_is_refused(layout: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = manifest_of(layout)
    change(manifest)
    put_manifest(layout, json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode())

    assert refusal(layout)[0] in ("oci_layout", "artifact_shape")


@pytest.mark.parametrize("text", [b"", b"[]", b"[" * 10_000, b'{"layers":1,"layers":[]}', b"\xff"])
def test_what_is_no_manifest_is_refused(layout: Path, text: bytes) -> None:
    put_manifest(layout, text)
    assert refusal(layout)[0] == "oci_layout"

    (layout / "index.json").write_bytes(text)
    assert refusal(layout)[0] == "oci_layout"

    (layout / "oci-layout").write_bytes(text)
    assert refusal(layout)[0] == "oci_layout"
