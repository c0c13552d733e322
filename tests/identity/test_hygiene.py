"""No hook of a caller's object runs on refused input, and nothing of a caller stays reachable from a raised error."""

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import pytest

from operatebench import identity
from operatebench.errors import IdentityValidationError, describe
from operatebench.identity.admission import admit
from operatebench.identity.strictjson import parse_json
from tests.identity import documents, entries, hostile
from tests.identity.entries import Call
from tests.identity.hostile import NAMES, VALUES, armed, assert_nothing_kept
from tests.identity.oracle import CARD, CORE, SCAFFOLD
from tests.identity.refusals import assert_well_formed, refusal


def refuse_unhooked(calls: Iterator[Call]) -> int:
    """Assert that every call is refused, that no hook runs, and that the error keeps nothing; return how many."""
    count = 0
    for place, call, arguments in calls:
        caught: BaseException | None = None
        with armed() as ran:
            try:
                call(*arguments)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is judged below
                caught = error
        assert not ran, f"{place}: hooks ran: {ran}"
        assert type(caught) is IdentityValidationError, f"{place}: {type(caught)}"
        assert_well_formed(caught)
        assert caught.__cause__ is None, place
        assert caught.__context__ is None, place
        assert_nothing_kept(caught, *arguments)
        count += 1
    return count


@pytest.mark.parametrize("kind", VALUES)
def test_hostile_roots_are_refused_unread(kind: str) -> None:
    roots = entries.at_roots(VALUES[kind]())
    read = {"bundle/resolver", "wire/resolver"}  # a read-only mapping is read here, and the contract says so
    wanted = (call for call in roots if not (kind == "proxy of a hostile dict" and call[0] in read))
    assert refuse_unhooked(wanted) >= 17


@pytest.mark.parametrize("kind", VALUES)
def test_hostile_values_anywhere_are_refused_unread(kind: str) -> None:
    assert refuse_unhooked(entries.at_values(VALUES[kind])) > 400


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_member_names_anywhere_are_refused_unread(kind: str) -> None:
    assert refuse_unhooked(entries.at_names(NAMES[kind])) > 400


@pytest.mark.parametrize("kind", [kind for kind in VALUES if kind != "proxy of a hostile dict"])
@pytest.mark.parametrize(("index", "field"), entries.record_fields())
def test_hostile_record_fields_are_refused_unread(kind: str, index: int, field: str) -> None:
    record = entries.with_field(entries.records()[index], field, VALUES[kind]())
    assert refuse_unhooked(entries.record_uses(record)) >= 2


@pytest.mark.parametrize("kind", ["object", "object with hostile metaclass", "text", "dict", "tuple"])
@pytest.mark.parametrize("field", ["owned_fields", "excludes", "requires"])
def test_hostile_items_of_record_tuples_are_refused_unread(kind: str, field: str) -> None:
    for count in (1, 2, 100_000):
        record = entries.with_field(entries.records()[0], field, (VALUES[kind](),) * count)
        assert refuse_unhooked(entries.record_uses(record)) == 5


@pytest.mark.parametrize("kind", ["object", "object with hostile metaclass", "text", "dict", "tuple"])
def test_hostile_values_inside_record_mappings_are_refused_unread(kind: str) -> None:
    scaffold, row, composite, manifest = entries.records()
    value = VALUES[kind]()
    name: Any = value if kind != "dict" else hostile.HostileText("/a")
    for inside in ({"/a": value}, {"/a": (value,)}, {"/a": MappingProxyType({"x": [value]})}, {name: 1}):
        for holder in (inside, MappingProxyType(inside)):
            calls = [
                *entries.record_uses(entries.with_field(scaffold, "owned_projection", holder)),
                *entries.record_uses(entries.with_field(row, "compatible", holder)),
                *entries.record_uses(entries.with_field(manifest, "compatibility_contract", holder)),
            ]
            assert refuse_unhooked(iter(calls)) == 12
    members = (value,) * len(composite.members)
    assert refuse_unhooked(entries.record_uses(entries.with_field(composite, "members", members))) == 2


WIDE: dict[str, Callable[[], Any]] = {
    "list": lambda: [hostile.HostileObject()] * 100_000,
    "tuple": lambda: (hostile.HostileObject(),) * 100_000,
    "dict": lambda: {index: hostile.HostileObject() for index in range(100_000)},
    "read-only mapping": lambda: MappingProxyType({str(index): hostile.HostileObject() for index in range(100_000)}),
}


@pytest.mark.parametrize("kind", WIDE)
def test_roots_100000_wide_are_refused_fast_and_unread(kind: str) -> None:
    value = WIDE[kind]()
    for place, call, arguments in entries.at_roots(value):
        with armed() as ran:
            error = refusal(call, *arguments)
        assert not ran, place
        assert error.code != "manifest_digest", place


@pytest.mark.parametrize("kind", WIDE)
def test_record_fields_100000_wide_are_refused_unread(kind: str) -> None:
    value = WIDE[kind]()
    for index, field in entries.record_fields():
        record = entries.with_field(entries.records()[index], field, value)
        for place, call, arguments in entries.record_uses(record):
            with armed() as ran:
                refusal(call, *arguments)
            assert not ran, (place, field)


@pytest.mark.parametrize("kind", VALUES)
def test_describing_a_hostile_object_runs_nothing(kind: str) -> None:
    value = VALUES[kind]()
    with armed() as ran:
        text = describe(value)
    assert not ran
    assert type(text) is str
    assert text.startswith("a Python object of type ")


def refused_documents() -> Iterator[Call]:
    """Yield plain inputs that are refused late, so that much of them has been handled by then."""
    places: list[documents.Tokens] = [
        ("manifest_digest_sha256",),
        ("composites", "runtime_bundle", "members"),
        ("components", CORE, "excludes"),
        ("components", CARD, "owned_projection", "/a", 1),
        ("compatibility_contract", "schema"),
    ]
    for tokens in places:
        given = documents.rich()
        documents.put(given.manifest, tokens, "a wrong text that is long enough to be looked for by its identity" * 3)
        arguments = (given.manifest, given.census, given.projections)
        yield "validate", identity.validate_identity_manifest, arguments
    given = documents.rich()
    given.census["entries"].reverse()
    yield "census", identity.validate_identity_manifest, (given.manifest, given.census, given.projections)
    given = documents.rich()
    given.projections[CARD]["/a"].append("x" * 2_000_000)
    yield "oversized", identity.validate_identity_manifest, (given.manifest, given.census, given.projections)
    yield "build", identity.build_identity_manifest, (documents.rich_projections() | {CORE: {"/a": [["x" * 344_064]]}},)
    yield "claimed", identity.claimed_projections, ({"components": {"x" * 100: ["y" * 100]}},)
    yield "digest", identity.recompute_manifest_digest, (documents.rich().manifest | {"schema": ["x" * 100]},)
    yield "component", identity.recompute_component, (CARD, {"/a": ["x" * 400_000]}, [])
    yield "name", identity.recompute_component, ("an_unregistered_name_" + "x" * 100, {}, [])
    row = {"component": SCAFFOLD, "compatible": {"kind": "x" * 100}}
    yield "evaluate", identity.evaluate_component_requirements, ([row], {CARD: entries.validated().components[CARD]})


@pytest.mark.parametrize("index", range(13))
def test_an_error_about_plain_documents_keeps_nothing_of_them(index: int) -> None:
    _, call, arguments = list(refused_documents())[index]
    assert_nothing_kept(refusal(call, *arguments), *arguments)


@pytest.mark.parametrize(
    "document", [b'{"a":[1.5]}', b'["' + b"x" * 1_048_577 + b'"]', b"[" * 65 + b"]" * 65, b"{,}", b"[1e400]"]
)
def test_an_error_of_the_parser_keeps_neither_text_nor_value(document: bytes) -> None:
    error = refusal(parse_json, document)
    assert_nothing_kept(error, document)
    assert error.__context__ is None


class Unreadable(dict[str, Any]):
    """A mapping whose iteration raises what it was given."""

    fault: BaseException

    def items(self) -> Any:
        raise self.fault


def unreadable(fault: BaseException) -> MappingProxyType[str, Any]:
    mapping = Unreadable()
    mapping.fault = fault
    return MappingProxyType(mapping)


def mapping_uses(holder: Any) -> Iterator[Call]:
    """Yield every entry that reads a read-only mapping of a caller."""
    scaffold, row, composite, manifest = entries.records()
    yield "bundle/resolver", identity.recompute_bundle, ("runtime_bundle", holder)
    yield "wire/resolver", lambda: identity.identity_to_json(composite, resolved_member_identities=holder), ()
    yield from entries.record_uses(entries.with_field(scaffold, "owned_projection", holder))
    yield from entries.record_uses(entries.with_field(scaffold, "owned_projection", MappingProxyType({"/a": holder})))
    yield from entries.record_uses(entries.with_field(row, "compatible", holder))
    for field in ("components", "composites", "compatibility_contract"):
        yield from entries.record_uses(entries.with_field(manifest, field, holder))


@pytest.mark.parametrize(
    "fault",
    [
        ExceptionGroup("several", [ValueError("one"), TypeError("two")]),
        BaseExceptionGroup("several", [KeyboardInterrupt()]),
        KeyboardInterrupt("stop"),
        SystemExit(3),
        GeneratorExit("closing"),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_groups_and_interrupts_out_of_a_mapping_pass_as_the_same_object(fault: BaseException) -> None:
    count = 0
    for place, call, arguments in mapping_uses(unreadable(fault)):
        caught: BaseException | None = None
        try:
            call(*arguments)
        except BaseException as error:  # noqa: BLE001 - interrupts too
            caught = error
        assert caught is fault, place
        count += 1
    assert count == 23


@pytest.mark.parametrize(
    "fault",
    [ValueError("theirs"), TypeError("theirs"), RuntimeError("theirs"), KeyError("theirs"), RecursionError("theirs"),
     MemoryError("theirs"), StopIteration("theirs"), OSError("theirs"), AssertionError("theirs")],
    ids=lambda fault: type(fault).__name__,
)  # fmt: skip
def test_ordinary_exceptions_out_of_a_mapping_become_ours(fault: BaseException) -> None:
    for place, call, arguments in mapping_uses(unreadable(fault)):
        error = refusal(call, *arguments)
        assert error.code not in {"manifest_digest", "resource_limits"}, place
        assert error.__cause__ is None, place
        assert error.__context__ is None, place
        assert fault not in list(hostile.reachable(error)), place
        assert_nothing_kept(error, *arguments)


def test_a_mapping_of_malformed_items_is_refused() -> None:
    class Malformed(dict[str, Any]):
        shape: Any = None

        def items(self) -> Any:
            return self.shape

    for shape in (None, 1, [1], [()], [(1, 2, 3)], ["abc"], [None], "ab", [("/a", 1), ("/a", 2)], iter([("a",)])):
        mapping = Malformed()
        mapping.shape = shape
        for _, call, arguments in mapping_uses(MappingProxyType(mapping)):
            refusal(call, *arguments)


def test_an_endless_mapping_is_bounded() -> None:
    class Endless(dict[str, Any]):
        asked = 0

        def items(self) -> Any:
            while True:
                self.asked += 1
                yield f"/{self.asked}", {}

    for _, call, arguments in mapping_uses(MappingProxyType(Endless())):
        refusal(call, *arguments)


def test_a_fault_of_the_encoder_passes_untranslated(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> bytes:
        raise TypeError("a fault of the library")

    monkeypatch.setattr("operatebench.identity.admission.encode", broken)
    with pytest.raises(TypeError, match="a fault of the library"):
        admit({"a": 1})
    with pytest.raises(TypeError, match="a fault of the library"):
        identity.recompute_component(CARD, {"/a": 1}, [])
