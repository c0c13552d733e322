"""Private keys of all kinds, and a search for one of them in whatever can be shown."""

import base64
import pickle
import traceback
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519

from operatebench.errors import OperateBenchError
from tests.authority.builds import KEY, SEED

PEM = KEY.to_pem()
BODY = PEM.splitlines()[1]
NEEDLES = (BODY, SEED, SEED.hex().encode(), *(base64.b64encode(SEED[skip:])[:39] for skip in range(3)))
"""The key as it would be shown; in base64 it depends on what stands before."""

PRIVATE = {
    "RSAPrivateKey": rsa.generate_private_key(65537, 2048),
    "ECPrivateKey": ec.generate_private_key(ec.SECP256R1()),
    "X25519PrivateKey": x25519.X25519PrivateKey.generate(),
    "Ed448PrivateKey": ed448.Ed448PrivateKey.generate(),
}
PKCS8, TRADITIONAL = serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL
PLAIN: Any = serialization.NoEncryption()


def pem(key: Any, form: Any = PKCS8, encryption: Any = PLAIN) -> bytes:
    made: bytes = key.private_bytes(serialization.Encoding.PEM, form, encryption)
    return made


def public_pem(key: Any) -> str:
    made: bytes = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return made.decode()


def values(error: BaseException) -> Iterator[Any]:
    """Yield what hangs on an error, but for what the tests themselves hold."""
    yield from (str(error), repr(error), pickle.dumps(error), "".join(traceback.format_exception(error)))
    trace = error.__traceback__
    while trace is not None:
        if "/tests/authority/" not in trace.tb_frame.f_code.co_filename:
            yield from trace.tb_frame.f_locals.values()
        trace = trace.tb_next
    for further in (error.__cause__, error.__context__):
        if further is not None:
            yield from values(further)


def assert_hidden(*things: Any) -> None:
    """Search for the private key in everything."""
    errors = [thing for thing in things if isinstance(thing, OperateBenchError)]
    shown = [text for error in errors for text in (*values(error), str(error.to_json()), error.diagnostics())]
    for thing in (*things, *shown):
        text = thing if isinstance(thing, bytes) else repr(thing).encode("utf-8", "replace")
        assert not any(needle in text for needle in NEEDLES), text
