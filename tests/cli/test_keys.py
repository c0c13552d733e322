"""``keys``: a private key goes into its own file and nowhere else."""

import json
import os
import stat
from pathlib import Path

import pytest

from operatebench.authority import TrustedIssuers, read_verifying_key
from tests.cli.conftest import Answer
from tests.support import RunCli


def test_a_new_key(run_cli: RunCli, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        done = run_cli("keys", "new", "--out", "key.pem", cwd=tmp_path)
    finally:
        os.umask(before)

    key = read_verifying_key(tmp_path / "key.pem")
    assert (done.returncode, done.stdout) == (0, f"key id {key.key_id}\n")
    assert done.stderr == "written: key.pem: keep it to yourself\n"
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600
    secret = (tmp_path / "key.pem").read_text().splitlines()[1]
    assert secret not in done.stdout + done.stderr
    again = run_cli("keys", "new", "--out", "key.pem", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (1, "")
    assert read_verifying_key(tmp_path / "key.pem").key_id == key.key_id


def test_shown(run_here: RunCli, answer: Answer, tmp_path: Path) -> None:
    made = answer(run_here("keys", "new", "--out", "key.pem", "--json", cwd=tmp_path))
    assert list(made) == ["command", "exit", "file", "key_id", "public_key_pem"]

    shown = run_here("keys", "show", "key.pem", cwd=tmp_path)
    assert shown.stdout == f"key id {made['key_id']}\n{made['public_key_pem']}"
    (tmp_path / "public.pem").write_text(made["public_key_pem"])
    assert run_here("keys", "show", "public.pem", cwd=tmp_path).stdout == shown.stdout
    issuers = run_here("keys", "show", "public.pem", "--issuer", "desk", cwd=tmp_path)
    assert list(TrustedIssuers.read(json.loads(issuers.stdout)).keys) == [("desk", made["key_id"])]
    said = answer(run_here("keys", "show", "key.pem", "--issuer", "desk", "--json", cwd=tmp_path))
    assert said["issuers"] == json.loads(issuers.stdout)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("keys", "show", "none.pem"), "file_missing"),
        (("keys", "show", "text"), "key_file"),
        (("keys", "show", "open.pem"), "key_permissions"),
        (("keys", "show", "key.pem", "--issuer", ""), "issuers_shape"),
        (("keys", "show", "key.pem", "--issuer", "x" * 257), "issuers_shape"),
        (("keys", "new", "--out", "no/folder.pem"), "file_unwritable"),
    ],
)
def test_refusals(words: tuple[str, ...], code: str, run_here: RunCli, tmp_path: Path) -> None:
    run_here("keys", "new", "--out", "key.pem", cwd=tmp_path)
    (tmp_path / "text").write_text("no key")
    (tmp_path / "open.pem").write_bytes((tmp_path / "key.pem").read_bytes())

    done = run_here(*words, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"refused   {code}: ")
    assert (tmp_path / "key.pem").read_text().splitlines()[1] not in done.stderr
