"""What leaves a public function is a fresh refusal; whatever is none of ours passes through as it is."""

import inspect
from collections.abc import Callable

import pytest

from operatebench import identity
from operatebench.errors import DocumentError, IdentityValidationError, OperateBenchError
from operatebench.identity.boundary import public


@public
def fail(fault: BaseException) -> None:
    """Raise what is given."""
    secret = object()
    assert secret
    raise fault


@pytest.mark.parametrize("make", [lambda: IdentityValidationError("name", path="p", expected="e", actual="a", hint="h"),
                                  lambda: DocumentError("file_missing", path="p")])  # fmt: skip
def test_a_refusal_leaves_as_an_equal_fresh_error(make: Callable[[], OperateBenchError]) -> None:
    original = make()
    with pytest.raises(OperateBenchError) as caught:
        fail(original)
    error = caught.value
    assert error is not original
    assert type(error) is type(original)
    assert error.to_json() == original.to_json()
    assert error.__cause__ is None
    assert error.__context__ is None
    frames = []
    trace = error.__traceback__
    while trace:
        frames.append(trace.tb_frame.f_code.co_name)
        assert "secret" not in trace.tb_frame.f_locals
        trace = trace.tb_next
    assert frames[-1] == "entry"


def test_a_cause_chained_on_purpose_is_kept_without_frames_and_context() -> None:
    original = DocumentError("file_missing", path="p")
    try:
        fail(FileNotFoundError("gone"))
    except FileNotFoundError as fault:
        cause = fault
    cause.__context__ = ValueError("theirs")
    original.__cause__ = cause
    with pytest.raises(DocumentError) as caught:
        fail(original)
    assert caught.value.__cause__ is cause
    assert cause.__traceback__ is None
    assert cause.__context__ is None


@pytest.mark.parametrize(
    "fault", [TypeError("x"), ValueError("x"), KeyboardInterrupt(), SystemExit(2), ExceptionGroup("g", [OSError()])]
)
def test_anything_else_passes_as_the_same_object(fault: BaseException) -> None:
    with pytest.raises(type(fault)) as caught:
        fail(fault)
    assert caught.value is fault


def test_every_public_function_is_wrapped_and_keeps_its_signature() -> None:
    for name in identity.__all__:
        function = getattr(identity, name)
        if not inspect.isfunction(function) or name.startswith("load_"):
            continue
        assert function.__code__.co_name == "entry", name
        assert function.__doc__
        assert "args" not in inspect.signature(function).parameters
