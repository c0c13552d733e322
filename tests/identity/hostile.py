"""Objects whose every hook is recorded, and a search of what a raised error still reaches."""

import gc
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

HOOKS = [
    "__eq__",
    "__ne__",
    "__hash__",
    "__repr__",
    "__str__",
    "__format__",
    "__len__",
    "__iter__",
    "__bool__",
    "__contains__",
    "__getitem__",
    "__index__",
    "__int__",
    "__float__",
    "__bytes__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__call__",
    "__getattribute__",
    "__reduce__",
    "__reduce_ex__",
    "__length_hint__",
    "__reversed__",
    "__next__",
    "__sizeof__",
    "__dir__",
    "__add__",
    "__radd__",
    "__or__",
    "__ror__",
    "__mod__",
    "__deepcopy__",
    "keys",
    "items",
    "values",
    "get",
    "copy",
    "encode",
    "is_integer",
    "bit_length",
    "isascii",
    "startswith",
    "join",
]
META_HOOKS = [
    "__eq__",
    "__hash__",
    "__repr__",
    "__instancecheck__",
    "__subclasscheck__",
    "__getattribute__",
    "__dir__",
    "__iter__",
    "__len__",
    "__bool__",
    "mro",
]


class HookRan(Exception):  # noqa: N818 - recorded, never handled
    """A hook of a hostile object ran."""


class _Recorder:
    """What ran while it was switched on."""

    def __init__(self) -> None:
        self.armed = False
        self.ran: list[str] = []


RECORDER = _Recorder()


@contextmanager
def armed() -> Iterator[list[str]]:
    """Record every hook that runs inside; outside hostile objects behave."""
    RECORDER.ran = []
    RECORDER.armed = True
    try:
        yield RECORDER.ran
    finally:
        RECORDER.armed = False


def _hook(owner: str, name: str, base: type) -> Callable[..., Any]:
    def run(self: Any, *arguments: Any, **named: Any) -> Any:
        if RECORDER.armed:
            RECORDER.ran.append(f"{owner}.{name}")
            raise HookRan(name)
        plain = type.__getattribute__(base, name)  # the hostile class's base, without a metaclass's hook
        return plain(self, *arguments, **named)

    return run


def _class_property(owner: str) -> property:
    def lie(_: Any) -> type:
        if RECORDER.armed:
            RECORDER.ran.append(f"{owner}.__class__")
        return dict

    return property(lie)


class HostileMeta(type):
    """A metaclass whose hooks are recorded."""


for _name in META_HOOKS:
    if hasattr(type, _name):
        setattr(HostileMeta, _name, _hook("metaclass", _name, type))


class HookedName(str):
    """A class name that is itself a hostile text."""

    __slots__ = ()


for _name in HOOKS:
    if hasattr(str, _name):
        setattr(HookedName, _name, _hook("name", _name, str))


def _hostile_class(base: type, label: str, metaclass: type = type, name: Callable[[str], str] = str) -> Any:
    members: dict[str, Any] = {
        hook: _hook(label, hook, base) for hook in HOOKS if hasattr(base, hook) or (base is object and hook[:2] != "__")
    }
    if base is object:
        members["__len__"] = members["__iter__"] = members["__bool__"] = _hook(label, "protocol", base)
        members["__class__"] = _class_property(label)
    return metaclass(name(f"Hostile{label}"), (base,), members)


HostileObject = _hostile_class(object, "Object")
HostileMetaObject = _hostile_class(object, "MetaObject", HostileMeta)
HostileNameObject = _hostile_class(object, "NameObject", name=HookedName)
HostileText = _hostile_class(str, "Text")
HostileInt = _hostile_class(int, "Int")
HostileFloat = _hostile_class(float, "Float")
HostileDict = _hostile_class(dict, "Dict")
HostileList = _hostile_class(list, "List")
HostileTuple = _hostile_class(tuple, "Tuple")
HostileBytes = _hostile_class(bytes, "Bytes")

VALUES: dict[str, Callable[[], Any]] = {
    "object": HostileObject,
    "object with hostile metaclass": HostileMetaObject,
    "class with hostile metaclass": lambda: HostileMetaObject,
    "object whose class has a hostile name": HostileNameObject,
    "text": lambda: HostileText("schema"),
    "integer": lambda: HostileInt(1),
    "float": lambda: HostileFloat(1.0),
    "dict": lambda: HostileDict({"schema": 1}),
    "list": lambda: HostileList([1]),
    "tuple": lambda: HostileTuple((1,)),
    "bytes": lambda: HostileBytes(b"x"),
    "proxy of a hostile dict": lambda: types.MappingProxyType(HostileDict({"schema": 1})),
}
NAMES: dict[str, Callable[[str], Any]] = {
    "object": lambda name: HostileObject(),
    "object with hostile metaclass": lambda name: HostileMetaObject(),
    # The same hash as the real name: a look-up before the check of types would compare the two.
    "text of the same hash": HostileText,
    "class with hostile metaclass": lambda name: HostileMetaObject,
}

_CLOSED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


def reachable(error: BaseException) -> Iterator[Any]:
    """Yield everything an error still reaches: itself, causes, contexts, traceback frames, and what those hold.

    Frames of the tests and of pytest are left out, and no module, class or function is entered: through those
    everything reaches everything.
    """
    seen: set[int] = set()
    pending: list[Any] = [error]
    while pending:
        item = pending.pop()
        if id(item) in seen or isinstance(item, _CLOSED):
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, types.TracebackType):
            pending += [item.tb_next, item.tb_frame]
        elif isinstance(item, types.FrameType):
            if "operatebench" in item.f_globals.get("__name__", ""):
                pending.append(item.f_locals)
        elif isinstance(item, BaseException):
            pending += [
                item.args,
                item.__cause__,
                item.__context__,
                item.__traceback__,
                getattr(item, "__dict__", None),
            ]
            pending += gc.get_referents(item)
        else:
            pending += gc.get_referents(item)


_SCALARS = frozenset({type(None), bool, int, float})


def containers(*roots: Any) -> list[Any]:
    """Return every object of a caller that has an identity worth finding: no scalars but long texts."""
    found: list[Any] = []
    pending = _worth_finding(roots)
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if id(item) in seen or item is type:
            continue
        seen.add(id(item))
        found.append(item)
        kind = type(item)
        if kind is dict or kind is types.MappingProxyType:
            held = dict(item)
            pending += [*_worth_finding(held), *_worth_finding(held.values())]
        elif kind is list or kind is tuple:
            pending += _worth_finding(item)
        elif hasattr(kind, "__dataclass_fields__"):
            pending += _worth_finding(getattr(item, name, None) for name in kind.__dataclass_fields__)
    return found


def _worth_finding(items: Iterable[Any]) -> list[Any]:
    """Return the items that are no scalars but long texts: most are, so that they are left out before all else."""
    return [item for item in items if (kind := type(item)) not in _SCALARS and (kind is not str or len(item) > 60)]


def assert_nothing_kept(error: BaseException, *roots: Any) -> None:
    """Assert that the error reaches none of the caller's objects."""
    theirs = {id(item): type(item).__mro__ for item in containers(*roots)}
    for item in reachable(error):
        assert id(item) not in theirs, f"the error reaches a caller's object of {theirs[id(item)]}"
