"""Packaged resources are read within bounds, pinned, and refused without keeping a byte (contract, section 15)."""

import gc
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from operatebench import identity
from operatebench.errors import IdentityValidationError
from operatebench.identity import resources
from operatebench.identity.resources import PinnedResource, read_resource
from tests.identity import hostile, oracle
from tests.identity.refusals import assert_well_formed, refusal

KIB = 1024
LOADERS: dict[str, Callable[[], dict[str, Any]]] = {
    "MANIFEST_SCHEMA": identity.load_identity_schema,
    "CENSUS_SCHEMA": identity.load_identity_manifest_projection_census_schema,
    "COMPONENT_REGISTRY": identity.load_component_registry,
    "COMPATIBILITY_REGISTRY": identity.load_compatibility_registry,
    "GOLDEN_VECTORS": identity.load_identity_golden_vectors,
}


class Stream:
    """A stand-in for an open resource that counts what is done to it."""

    def __init__(self, read: Callable[[int], Any], close: Callable[[], None] = lambda: None) -> None:
        self._read = read
        self._close = close
        self.asked: list[int] = []
        self.closed = 0

    def read(self, size: int) -> Any:
        self.asked.append(size)
        return self._read(size)

    def close(self) -> None:
        self.closed += 1
        self._close()


def raising(fault: BaseException) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise fault

    return fail


class Folder:
    """A stand-in for the folder of a package."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened

    def joinpath(self, *_: str) -> "Folder":
        return self

    def open(self, mode: str) -> Any:
        assert mode == "rb"
        return self._opened()


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    resources._verified.cache_clear()
    yield
    resources._verified.cache_clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Stream], Stream]:
    """Return a function that puts a stream in the place of every resource."""

    def put(stream: Stream) -> Stream:
        monkeypatch.setattr(resources, "files", lambda _: Folder(lambda: stream))
        return stream

    return put


def of_bytes(data: bytes) -> Stream:
    return Stream(io.BytesIO(data).read)


def resource(data: bytes) -> PinnedResource:
    return PinnedResource("schemas", "made-up.json", hashlib.sha256(data).hexdigest())


def actual_bytes(name: str) -> bytes:
    return read_resource(getattr(resources, name))


@pytest.mark.parametrize("name", LOADERS)
def test_loads_the_pinned_document_fresh_at_every_call(name: str) -> None:
    first = LOADERS[name]()
    data = actual_bytes(name)
    assert first == json.loads(data)
    assert hashlib.sha256(data).hexdigest() == getattr(resources, name).sha256
    first.clear()
    second = LOADERS[name]()
    assert second == json.loads(data)
    for value in second.values():
        if isinstance(value, dict | list):
            value.clear()
    assert LOADERS[name]() == json.loads(data)


def test_published_pins_are_the_contracts() -> None:
    assert resources.COMPONENT_REGISTRY.sha256 == "852690707e5864ba3d15591094a9c1872dbce2ec4458483c2523ea554553db5f"
    assert resources.COMPATIBILITY_REGISTRY.sha256 == "bcb84fdac5a545e34f002113eed1ac7231d7387c0cd61a6043acc6895282ba44"
    assert resources.GOLDEN_VECTORS.sha256 == "01bceeb07cf195415d519f570e13c697b80f0c4ab4ae7945763fcc1a83225948"


def test_the_registries_are_those_of_the_oracle() -> None:
    registry = identity.load_component_registry()
    assert {row["name"]: tuple(row["requires"]) for row in registry["components"]} == oracle.EDGES
    assert {row["name"]: tuple(row["members"]) for row in registry["composites"]} == oracle.MEMBERS
    compatibility = identity.load_compatibility_registry()
    assert compatibility["contract"] == oracle.CONTRACT
    assert compatibility["reason_codes"] == []


def test_a_resource_is_read_once_and_then_cached(serve: Callable[[Stream], Stream]) -> None:
    data = actual_bytes("MANIFEST_SCHEMA")
    stream = serve(of_bytes(data))
    assert identity.load_identity_schema() == identity.load_identity_schema()
    assert stream.closed == 1


@pytest.mark.parametrize("name", LOADERS)
def test_one_changed_byte_is_refused_by_the_pin(name: str, serve: Callable[[Stream], Stream]) -> None:
    data = actual_bytes(name)
    for changed in (data + b" ", data[:-1], data.replace(b"1", b"2", 1), b"{}", b""):
        stream = serve(of_bytes(changed))
        error = refusal(LOADERS[name])
        pin = getattr(resources, name)
        assert (error.code, error.path) == ("resource_pin", pin.name)
        assert (error.expected, error.actual) == (pin.sha256, hashlib.sha256(changed).hexdigest())
        assert stream.closed == 1


def test_the_pin_is_checked_before_anything_is_parsed(serve: Callable[[Stream], Stream]) -> None:
    serve(of_bytes(b"\xff{{{"))
    assert refusal(identity.load_identity_schema).code == "resource_pin"


@pytest.mark.parametrize("name", LOADERS)
def test_an_import_failure_of_the_package_is_translated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = ModuleNotFoundError("no package")
    monkeypatch.setattr(resources, "files", raising(fault))
    error = refusal(LOADERS[name])
    assert (error.code, error.path) == ("resource_unavailable", getattr(resources, name).name)
    assert error.expected == "an installed package"
    assert error.__cause__ is fault


@pytest.mark.parametrize(
    "fault", [RuntimeError("x"), ValueError("x"), KeyboardInterrupt(), ExceptionGroup("g", [ImportError()])]
)
def test_any_other_failure_of_the_package_passes_through(fault: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "files", raising(fault))
    with pytest.raises(type(fault)) as caught:
        identity.load_identity_schema()
    assert caught.value is fault


@pytest.mark.parametrize("fault", [FileNotFoundError("x"), PermissionError("x"), OSError("x"), IsADirectoryError("x")])
def test_a_failure_to_open_is_translated(fault: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "files", lambda _: Folder(raising(fault)))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "a readable file")
    assert error.__cause__ is fault
    assert fault.__traceback__ is None


@pytest.mark.parametrize(
    "fault", [RuntimeError("x"), TypeError("x"), SystemExit(1), BaseExceptionGroup("g", [KeyboardInterrupt()])]
)
def test_any_other_failure_to_open_passes_through(fault: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "files", lambda _: Folder(raising(fault)))
    with pytest.raises(type(fault)) as caught:
        identity.load_identity_schema()
    assert caught.value is fault


CLOSINGS: dict[str, Callable[[], BaseException | None]] = {
    "closes": lambda: None,
    "os error": lambda: OSError("close"),
    "group": lambda: ExceptionGroup("close", [OSError()]),
    "interrupt": lambda: KeyboardInterrupt("close"),
}


@pytest.mark.parametrize("closing", CLOSINGS)
def test_a_failure_to_read_wins_over_a_failure_to_close(closing: str, serve: Callable[[Stream], Stream]) -> None:
    closing_fault = CLOSINGS[closing]()
    close = raising(closing_fault) if closing_fault else lambda: None
    fault = OSError("read")
    stream = serve(Stream(raising(fault), close))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "a readable file")
    assert error.__cause__ is fault
    assert stream.closed == 1
    for other in (TypeError("x"), SystemExit(1), ExceptionGroup("g", [OSError()]), KeyboardInterrupt()):
        stream = serve(Stream(raising(other), close))
        with pytest.raises(type(other)) as caught:
            identity.load_identity_schema()
        assert caught.value is other
        assert stream.closed == 1


@pytest.mark.parametrize("fault", [OSError("x"), RuntimeError("x"), ValueError("x")])
def test_a_failure_to_close_alone_is_translated(fault: Exception, serve: Callable[[Stream], Stream]) -> None:
    stream = serve(Stream(io.BytesIO(actual_bytes("MANIFEST_SCHEMA")).read, raising(fault)))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "a file that can be closed")
    assert error.__cause__ is fault
    assert stream.closed == 1


@pytest.mark.parametrize(
    "fault", [KeyboardInterrupt(), SystemExit(1), ExceptionGroup("g", [OSError()]), GeneratorExit()]
)
def test_groups_and_interrupts_out_of_closing_pass_through(
    fault: BaseException, serve: Callable[[Stream], Stream]
) -> None:
    stream = serve(Stream(io.BytesIO(actual_bytes("MANIFEST_SCHEMA")).read, raising(fault)))
    with pytest.raises(type(fault)) as caught:
        identity.load_identity_schema()
    assert caught.value is fault
    assert stream.closed == 1


@pytest.mark.parametrize("value", [None, "", "text", bytearray(b"x"), memoryview(b"x"), 0, []])
def test_a_read_that_returns_no_bytes_is_refused(value: Any, serve: Callable[[Stream], Stream]) -> None:
    stream = serve(Stream(lambda _: value))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "bytes")
    assert type(error.__cause__) is TypeError
    assert (stream.closed, stream.asked) == (1, [64 * KIB])


def test_a_read_that_returns_more_than_asked_is_refused(serve: Callable[[Stream], Stream]) -> None:
    stream = serve(Stream(lambda size: b"x" * (size + 1)))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "at most 65536 bytes a read")
    assert type(error.__cause__) is ValueError
    assert (stream.closed, len(stream.asked)) == (1, 1)


def test_an_endless_stream_is_refused_on_its_65th_read(serve: Callable[[Stream], Stream]) -> None:
    stream = serve(Stream(lambda size: b"x" * size))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "at most 4194304 bytes")
    assert stream.asked == [64 * KIB] * 64 + [1]
    assert sum(stream.asked) == 4 * KIB * KIB + 1
    assert stream.closed == 1


def test_a_trickling_stream_is_refused_before_its_129th_read(serve: Callable[[Stream], Stream]) -> None:
    stream = serve(Stream(lambda _: b"x"))
    error = refusal(identity.load_identity_schema)
    assert (error.code, error.expected) == ("resource_unavailable", "at most 128 reads")
    assert len(stream.asked) == 128
    assert stream.closed == 1


@pytest.mark.parametrize("size", [0, 1, 64 * KIB, 1024 * KIB, 4096 * KIB])
def test_a_resource_within_the_bounds_is_read_exactly(size: int, serve: Callable[[Stream], Stream]) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    stream = serve(of_bytes(data))
    assert read_resource(resource(data)) == data
    assert stream.closed == 1


def test_127_short_reads_and_the_end_are_within_the_bounds(serve: Callable[[Stream], Stream]) -> None:
    source = io.BytesIO(b"x" * 127)
    serve(Stream(lambda _: source.read(1)))
    assert read_resource(resource(b"")) == b"x" * 127


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"a":1,"a":1}', "strict_json"),
        (b'{"a":1.0}', "strict_json"),
        (b'{"a":1e3}', "strict_json"),
        (b'{"a":NaN}', "strict_json"),
        (b'{"a":-Infinity}', "strict_json"),
        (b'{"a":"\xff"}', "strict_json"),
        (b'{"a":9007199254740992}', "strict_json"),
        (b'{"a":"\\ud800"}', "strict_json"),
        (b"[" * 65 + b"]" * 65, "resource_limits"),
        (b"[" * 100_000, "resource_limits"),
        (b"[]", "resource_content"),
        (b'"x"', "resource_content"),
        (b"null", "resource_content"),
        (b"", "strict_json"),
    ],
)
def test_a_pinned_resource_is_still_parsed_strictly(data: bytes, code: str, serve: Callable[[Stream], Stream]) -> None:
    serve(of_bytes(data))
    assert refusal(resources.load_pinned, resource(data)).code == code


REGISTRY_EDITS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "version 2": ("COMPONENT_REGISTRY", lambda document: document.update(schema_version=2)),
    "version true": ("COMPONENT_REGISTRY", lambda document: document.update(schema_version=True)),
    "row version true": ("COMPONENT_REGISTRY", lambda document: document["components"][0].update(schema_version=True)),
    "edge dropped": ("COMPONENT_REGISTRY", lambda document: document["components"][3]["requires"].pop()),
    "order": ("COMPONENT_REGISTRY", lambda document: document["components"].reverse()),
    "member order": ("COMPONENT_REGISTRY", lambda document: document["composites"][0]["members"].reverse()),
    "domain": ("COMPONENT_REGISTRY", lambda document: document["components"][0].update(domain="a.b")),
    "extra": ("COMPONENT_REGISTRY", lambda document: document.update(extra=1)),
    "contract version true": (
        "COMPATIBILITY_REGISTRY",
        lambda document: document["contract"].update(schema_version=True),
    ),
    "kind true": (
        "COMPATIBILITY_REGISTRY",
        lambda document: document["contract"]["requirement_kinds"].update(exact_digest=True),
    ),
    "reasons": ("COMPATIBILITY_REGISTRY", lambda document: document["reason_codes"].append("x")),
    "predicates": (
        "COMPATIBILITY_REGISTRY",
        lambda document: document["contract"]["named_requirement_predicates"].append("a.b"),
    ),
}


@pytest.mark.parametrize("edit", REGISTRY_EDITS)
def test_a_registry_that_is_not_the_frozen_one_is_refused_although_pinned(
    edit: str, serve: Callable[[Stream], Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, change = REGISTRY_EDITS[edit]
    document = json.loads(actual_bytes(name))
    change(document)
    data = json.dumps(document).encode()
    monkeypatch.setattr(resources, name, resource(data))
    serve(of_bytes(data))
    error = refusal(LOADERS[name])
    assert (error.code, error.path) == ("resource_content", "made-up.json")


def refusing_streams() -> Iterator[tuple[str, Stream]]:
    """Yield streams that are refused after they have given out payload."""
    payload = b"payload of the resource" * 2_000
    yield "endless", Stream(lambda size: b"x" * size)
    yield "over-return", Stream(lambda size: payload + b"x" * size)
    yield "not bytes", Stream(lambda _: bytearray(payload))
    yield "trickle", Stream(lambda _: b"xyz")
    yield "pin", of_bytes(payload)
    yield "close", Stream(io.BytesIO(payload).read, raising(OSError("close")))
    reads = iter([payload])
    yield "read", Stream(lambda _: next(reads, None) or raising(OSError("read"))())


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("kind", [kind for kind, _ in refusing_streams()])
def test_neither_bytes_nor_stream_stay_reachable(name: str, kind: str, serve: Callable[[Stream], Stream]) -> None:
    serve(dict(refusing_streams())[kind])
    with pytest.raises(IdentityValidationError) as caught:
        LOADERS[name]()
    assert_well_formed(caught.value)
    for item in hostile.reachable(caught.value):
        assert type(item) is not Stream
        assert not (isinstance(item, bytes | bytearray) and len(item) > 2)
    gc.collect()


def test_resources_lie_in_the_package_and_nowhere_else() -> None:
    folder = Path(resources.__file__).parent.parent
    for name in LOADERS:
        pin = getattr(resources, name)
        assert (folder / pin.folder / pin.name).read_bytes() == actual_bytes(name)
