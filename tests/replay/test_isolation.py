"""Sockets and credentials are gone while a block runs, for every thread, and back after it."""

import os
import socket
import threading

import pytest

from operatebench.errors import VerificationError
from operatebench.replay.isolation import credential_variables, isolated
from tests.support import credential_names

NAMES = ["OPENAI_API_KEY", "AWS_PROFILE", "GITHUB_TOKEN", "DB_PASSWORD", "NETRC", "SSH_AUTH_SOCK", "GOOGLE_X", "A_PAT"]
OTHERS = ["PATH", "HOME", "KEYBOARD", "PATTERN", "TZ", "MONKEY", "OPERATEBENCH_SPEC", "PASSAGE", "PYTHONHASHSEED"]


def test_names_of_credentials_are_known() -> None:
    assert credential_variables([*NAMES, *OTHERS, "some_secret"]) == [*NAMES, "some_secret"]
    assert credential_names(NAMES) == NAMES  # what tests take for credentials, the package takes for some too


def test_no_socket_no_name_and_no_credential_in_any_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    said: list[str] = []

    def attempts() -> None:
        said.append(os.environ.get("GITHUB_TOKEN", "none"))
        for attempt in (socket.socket, socket.gethostname):
            try:
                attempt()
            except VerificationError as refusal:
                said.append(refusal.code)

    with isolated():
        attempts()
        thread = threading.Thread(target=attempts)
        thread.start()
        thread.join()

    assert said == ["none", *["socket_opened"] * 2] * 2
    assert os.environ.get("GITHUB_TOKEN") == "secret"
    for each in socket.socketpair():
        each.close()


def test_blocks_overlap_and_the_last_one_gives_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    first, second = isolated(), isolated()
    first.__enter__()
    monkeypatch.setenv("LATE_TOKEN", "late")
    second.__enter__()
    assert "LATE_TOKEN" not in os.environ

    first.__exit__(None, None, None)
    assert "GITHUB_TOKEN" not in os.environ
    with pytest.raises(VerificationError):
        socket.socket()

    second.__exit__(None, None, None)
    assert (os.environ["GITHUB_TOKEN"], os.environ["LATE_TOKEN"]) == ("secret", "late")


def test_a_failure_inside_gives_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")

    with pytest.raises(KeyError), isolated():
        raise KeyError

    assert os.environ.get("GITHUB_TOKEN") == "secret"
