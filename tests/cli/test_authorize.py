"""``authorize`` and ``run --authorization``: issued, checked, used, revoked, audited; refused with every reason."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from operatebench.authority import Register, SourceBoundAuthorizationV1
from operatebench.replay.bundle import read_bundle
from tests.cli.conftest import Answer
from tests.support import RunCli

SCRIPT = Path(sys.executable).parent / "operatebench"
PERMIT = ("--authorization", "permit.json", "--register", "register.db", "--issuers", "issuers.json")
ISSUE = ("authorize", "issue", "--run", "V1:reference", "--issuer", "desk", "--key", "key.pem")
RUN = ("run", "maintenance", "--variant", "V1", "--agent", "reference")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, run_cli: RunCli) -> Path:
    """Return a folder with key, issuers, register, and an authorization of two uses; to be copied."""
    folder = tmp_path_factory.mktemp("authorize")
    for words in (
        ("keys", "new", "--out", "key.pem"),
        ("authorize", "init", "register.db"),
        (*ISSUE, "--run", "V2:reference", "--serial", "1", "--uses", "2", "--episodes", "2", "--out", "permit.json"),
    ):
        assert run_cli(*words, cwd=folder).returncode == 0
    issuers = run_cli("keys", "show", "key.pem", "--issuer", "desk", cwd=folder)
    (folder / "issuers.json").write_text(issuers.stdout)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "work"))


def check(run: RunCli, folder: Path, *words: str, permit: str = "permit.json") -> subprocess.CompletedProcess[str]:
    return run("authorize", "check", permit, "--register", "register.db", *words, cwd=folder)


def test_what_is_issued(folder: Path) -> None:
    authorization = SourceBoundAuthorizationV1.parse((folder / "permit.json").read_bytes())

    assert [" ".join(run.pair) for run in authorization.runs] == ["V1 reference", "V2 reference"]
    assert (authorization.serial, authorization.issuer_name, authorization.limits.max_uses) == (1, "desk", 2)
    assert (authorization.expires_at - authorization.not_before).days == 7
    assert authorization.issued_at == authorization.not_before
    assert sorted(path.name for path in folder.iterdir()) == [
        "issuers.json",
        "key.pem",
        "permit.json",
        "permit.manifest-1.json",
        "permit.manifest-2.json",
        "permit.source.json",
        "register.db",
    ]
    secret = (folder / "key.pem").read_text().splitlines()[1]
    assert all(secret not in path.read_bytes().decode("latin-1") for path in folder.iterdir() if path.name != "key.pem")


def test_check_says_yes_and_uses_nothing(run_here: RunCli, answer: Answer, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    done = check(run_here, folder, "--issuers", "issuers.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "ADMITTED: permit.json, as it is now; nothing was used\n"
    said = answer(check(run_here, folder, "--issuers", "issuers.json", "--json"))
    assert (said["admitted"], said["reasons"], said["refusals"], said["use_index"]) == (True, [], [], None)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_run_uses_it_and_its_bundle_says_so(run_cli: RunCli, run_here: RunCli, answer: Answer, folder: Path) -> None:
    done = run_cli(*RUN, "--out", "run", *PERMIT, cwd=folder)

    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "ADMITTED: permit.json, use 1 of 2"
    document = json.loads((folder / "run" / "authorization.json").read_bytes())
    assert document["authorization"] == json.loads((folder / "permit.json").read_bytes())
    audit = Register(folder / "register.db").audit()
    assert document["admission"]["register_head"] == audit.head
    assert (document["admission"]["use_index"], document["admission"]["unsigned"]) == (1, False)
    artifact = read_bundle(folder / "run").artifact
    assert artifact.authorization_digest_sha256 == document["authorization"]["authorization_digest_sha256"]

    said = answer(run_here("verify", "run", "--issuers", "issuers.json", "--json", cwd=folder))
    assert (said["exit"], said["verdict"]) == (0, "verified")
    (eighth,) = [each for each in said["checks"] if each["check"] == "8"]
    key_id = document["authorization"]["issuer"]["key_id"]
    assert eighth["detail"].endswith(f", use 1; signed by key {key_id}")
    assert run_here("verify", "--many", "run", "--issuers", "issuers.json", cwd=folder).returncode == 64
    many = run_here("verify", "--many", ".", "--issuers", "issuers.json", "--jobs", "1", cwd=folder)
    assert "VERIFIED         run" in many.stdout.splitlines()

    contained = run_here("authorize", "audit", "register.db", "--head", audit.head, cwd=folder)
    assert (contained.returncode, contained.stderr) == (0, "OK: register.db\n")
    assert contained.stdout.splitlines()[0] == "rows  3"


def test_a_refused_run_writes_and_uses_nothing(run_here: RunCli, answer: Answer, folder: Path) -> None:
    taken = run_here(*RUN, "--out", "permit.json", *PERMIT, cwd=folder)
    assert (taken.returncode, "file_exists" in taken.stderr) == (1, True)
    other = run_here(
        "run", "maintenance", "--variant", "V3", "--agent", "reference", "--out", "run", *PERMIT, cwd=folder
    )
    assert (other.returncode, other.stderr.splitlines()[-1]) == (1, "REFUSED: permit.json: scope_mismatch")
    assert not (folder / "run").exists()
    assert Register(folder / "register.db").audit().kinds["use"] == 0
    said = answer(run_here(*RUN, "--out", "run", *PERMIT[:4], "--json", cwd=folder))
    assert (said["exit"], said["admission"]["reasons"]) == (1, ["issuer_unknown"])
    assert said["admission"]["refusals"][0]["file"] == "permit.json"


def test_all_is_one_use_of_as_many_episodes(run_here: RunCli, folder: Path) -> None:
    done = run_here("run", "maintenance", "--all", "--out", "runs", *PERMIT, cwd=folder)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "REFUSED: permit.json: scope_mismatch, limit_exceeded"
    assert not (folder / "runs").exists()


def test_used_up_superseded_revoked(run_here: RunCli, answer: Answer, folder: Path) -> None:
    issue = ("authorize", "issue", "--run", "V1:reference", "--issuer", "desk", "--key", "key.pem")
    assert run_here(*issue, "--serial", "2", "--out", "second.json", cwd=folder).returncode == 0
    assert run_here(*RUN, "--out", "run", *PERMIT[:1], "second.json", *PERMIT[2:], cwd=folder).returncode == 0

    older = check(run_here, folder, "--issuers", "issuers.json")
    assert (older.returncode, older.stderr.splitlines()[-1]) == (2, "REFUSED: permit.json: superseded")
    spent = check(run_here, folder, "--issuers", "issuers.json", permit="second.json")
    assert (spent.returncode, spent.stderr.splitlines()[-1]) == (2, "REFUSED: second.json: uses_exhausted")
    assert spent.stdout == "unchanged: source, runtime_bundle, experiment_bundle, manifest, settings\n"

    digest = json.loads((folder / "second.json").read_text())["authorization_digest_sha256"]
    revoked = answer(run_here("authorize", "revoke", "second.json", "--register", "register.db", "--json", cwd=folder))
    assert (revoked["authorization_digest_sha256"], revoked["already"]) == (digest, False)
    again = run_here("authorize", "revoke", digest, "--register", "register.db", cwd=folder)
    assert (again.returncode, again.stderr) == (0, f"REVOKED: {digest}, before, at {revoked['revoked_at']}\n")
    assert (
        "revoked, uses_exhausted" in check(run_here, folder, "--issuers", "issuers.json", permit="second.json").stderr
    )


def test_unsigned(run_here: RunCli, folder: Path) -> None:
    issue = ("authorize", "issue", "--run", "V1:reference", "--issuer", "desk", "--unsigned", "--serial", "1")
    assert run_here(*issue, "--out", "open.json", cwd=folder).returncode == 0

    refused = check(run_here, folder, permit="open.json")
    assert refused.stderr.splitlines()[-1] == "REFUSED: open.json: signature_required"
    allowed = (*RUN, "--out", "run", "--authorization", "open.json", *PERMIT[2:4], "--allow-unsigned")
    assert run_here(*allowed, cwd=folder).returncode == 0
    said = run_here("verify", "run", cwd=folder)
    assert (said.returncode, "use 1; unsigned: nobody vouches for it" in said.stdout) == (0, True)
    with_issuers = run_here("verify", "run", "--issuers", "issuers.json", cwd=folder)
    assert (with_issuers.returncode, "signature_required" in with_issuers.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--not-before", "2020-01-01T00:00:00Z", "--days", "1"), "expired"),
        (("--not-before", "2999-01-01T00:00:00Z"), "not_yet_valid"),
    ],
)
def test_times(words: tuple[str, ...], reason: str, run_here: RunCli, folder: Path) -> None:
    issue = ("authorize", "issue", "--run", "V1:reference", "--issuer", "desk", "--key", "key.pem", "--serial", "2")
    assert run_here(*issue, *words, "--out", "other.json", cwd=folder).returncode == 0

    done = check(run_here, folder, "--issuers", "issuers.json", permit="other.json")
    assert done.stderr.splitlines()[-1] == f"REFUSED: other.json: {reason}"


def test_a_key_from_a_descriptor(folder: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, (folder / "key.pem").read_bytes())
    os.close(writing)
    words = (
        "authorize",
        "issue",
        "--run",
        "V1:reference",
        "--issuer",
        "desk",
        "--serial",
        "2",
        "--key-fd",
        str(reading),
    )
    done = subprocess.run(
        [SCRIPT, *words, "--out", "all.json"],
        cwd=folder,
        pass_fds=[reading],
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(reading)

    assert (done.returncode, len(done.stderr.splitlines())) == (0, 3)
    assert SourceBoundAuthorizationV1.parse((folder / "all.json").read_bytes()).signature is not None
    assert (folder / "key.pem").read_text().splitlines()[1] not in done.stdout + done.stderr


def test_moved_source_is_named_and_the_restored_one_is_good_again(folder: Path) -> None:
    package = Path(
        str(shutil.copytree(Path(str(__import__("operatebench").__path__[0])), folder / "copy" / "operatebench"))
    )
    changed = package / "runtime" / "core" / "engine.py"
    text = changed.read_bytes()
    program = "from operatebench.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", program, "authorize", "check", "permit.json", *PERMIT[2:], "--run", "V1:reference"]

    def checked() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(folder / "copy")}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    changed.write_bytes(text + b"\n")
    done = checked()
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "REFUSED: permit.json: source_identity_changed, runtime_bundle_changed, experiment_bundle_changed, "
        "manifest_changed"
    )
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "moved since it was issued",
        "  changed  runtime/core/engine.py  runtime_contract_content",
        "  V1 reference: runtime_bundle, experiment_bundle moved",
    ]
    assert lines[-1] == "unchanged: settings"
    (folder / "permit.source.json").unlink()
    (folder / "permit.manifest-1.json").unlink()
    assert checked().stdout.splitlines() == [
        "moved since it was issued",
        "  files: the list of those that were authorized is not at hand",
        "  V1 reference: the manifest that was authorized is not at hand",
        "unchanged: settings",
    ]
    changed.write_bytes(text)
    assert checked().returncode == 0


def altered(folder: Path, change: Any) -> str:
    document = json.loads((folder / "permit.json").read_text())
    change(document)
    (folder / "altered.json").write_text(json.dumps(document))
    return "altered.json"


def test_what_is_no_authorization(run_here: RunCli, folder: Path) -> None:
    (folder / "text.json").write_text("{")
    for name, status, code in (
        ("none.json", 1, "file_missing"),
        ("text.json", 1, "malformed"),
        ("issuers.json", 1, "malformed"),
        (altered(folder, lambda document: document.update(serial=2)), 2, "digest_mismatch"),
    ):
        done = check(run_here, folder, permit=name)
        assert (done.returncode, done.stdout) == (status, ""), name
        assert done.stderr.startswith(f"refused   {code}: ")
        assert check(run_here, folder, "--json", permit=name).stdout.count("\n") == 1
    used = run_here(*RUN, "--out", "run", "--authorization", "altered.json", *PERMIT[2:], cwd=folder)
    assert (used.returncode, used.stderr.startswith("refused   digest_mismatch")) == (1, True)
    other = check(run_here, folder, "--issuers", "permit.json")
    assert (other.returncode, other.stderr.startswith("refused   issuers_shape")) == (1, True)


def test_hostile_names_are_escaped(run_here: RunCli, folder: Path) -> None:
    name = "\x1b[2J\nOK \u202e"
    issue = ("authorize", "issue", "--run", "V1:reference", "--issuer", name, "--key", "key.pem", "--serial", "1")
    assert run_here(*issue, "--out", "odd.json", cwd=folder).returncode == 0

    done = check(run_here, folder, "--issuers", "issuers.json", permit="odd.json")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr + done.stdout
    assert '"\\x1b[2J\\nOK \\u202e" with key' in done.stderr


def test_a_register_that_is_none_or_damaged(run_here: RunCli, folder: Path) -> None:
    for name in ("none.db", "permit.json", "."):
        done = run_here(
            "authorize", "check", "permit.json", "--register", name, "--issuers", "issuers.json", cwd=folder
        )
        assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "REFUSED: permit.json: register_unavailable")
    assert run_here("authorize", "audit", "none.db", cwd=folder).returncode == 1
    assert run_here("authorize", "revoke", "a" * 64, "--register", "none.db", cwd=folder).returncode == 1
    assert run_here("authorize", "init", "register.db", cwd=folder).returncode == 1
    with closing(sqlite3.connect(folder / "register.db")) as connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET at = '2020-01-01T00:00:00Z'")
        connection.commit()
    audit = run_here("authorize", "audit", "register.db", cwd=folder)
    assert (audit.returncode, audit.stdout) == (2, "")
    assert audit.stderr.startswith("refused   register_unavailable: ")


def test_a_head_that_is_not_there(run_here: RunCli, answer: Answer, folder: Path) -> None:
    done = run_here("authorize", "audit", "register.db", "--head", "a" * 64, cwd=folder)

    assert done.returncode == 2
    assert done.stderr == f"NOT THERE: register.db is sound, and no row of it has the digest {'a' * 64}\n"
    said = answer(run_here("authorize", "audit", "register.db", "--json", cwd=folder))
    assert (said["rows"], said["kinds"], said["contains_head"]) == (1, {"genesis": 1}, True)


@pytest.mark.parametrize(
    "words",
    [
        ("authorize", "issue", "--serial", "1", "--issuer", "d", "--unsigned", "--out", "x.json"),
        (
            "authorize",
            "issue",
            "--all",
            "--run",
            "V1:reference",
            "--serial",
            "1",
            "--issuer",
            "d",
            "--unsigned",
            "--out",
            "x.json",
        ),
        ("authorize", "issue", "--all", "--serial", "1", "--issuer", "d", "--out", "x.json"),
        (
            "authorize",
            "issue",
            "--all",
            "--serial",
            "1",
            "--issuer",
            "d",
            "--unsigned",
            "--key",
            "key.pem",
            "--out",
            "x.json",
        ),
        ("authorize", "issue", "--all", "--serial", "1", "--issuer", "d", "--unsigned", "--out", "x"),
        ("authorize", "issue", "--all", "--serial", "0", "--issuer", "d", "--unsigned", "--out", "x.json"),
        (
            "authorize",
            "issue",
            "--run",
            "V9:reference",
            "--serial",
            "1",
            "--issuer",
            "d",
            "--unsigned",
            "--out",
            "x.json",
        ),
        ("authorize", "issue", "--run", "V1", "--serial", "1", "--issuer", "d", "--unsigned", "--out", "x.json"),
        (
            "authorize",
            "issue",
            "--all",
            "--not-before",
            "soon",
            "--serial",
            "1",
            "--issuer",
            "d",
            "--unsigned",
            "--out",
            "x.json",
        ),
        (*ISSUE, "--not-before", "9999-12-31T00:00:00Z", "--serial", "1", "--out", "x.json"),
        ("authorize", "audit", "register.db", "--head", "A" * 64),
        ("authorize", "check", "permit.json"),
        (*RUN, "--out", "run", "--authorization", "permit.json"),
        (*RUN, *PERMIT),
        (*RUN, "--out", "run", "--register", "register.db"),
        (*RUN, "--out", "run", "--allow-unsigned"),
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_wrong_usage(words: tuple[str, ...], run_here: RunCli, folder: Path) -> None:
    done = run_here(*words, cwd=folder)

    assert (done.returncode, done.stdout) == (64, "")
    assert "wrong usage: " in done.stderr
    assert not (folder / "x.json").exists()
    assert Register(folder / "register.db").audit().rows == 1
