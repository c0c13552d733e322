"""Ed25519 keys: the private one that signs authorizations, and the public one that signatures are checked with.

Whatever reads a key is public in the sense of the boundary: no frame that held its text hangs on a refusal.
"""

from __future__ import annotations

import hashlib
import os
import stat

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ..errors import SigningKeyError
from ..files import open_file, read_descriptor, read_file, shown
from ..identity.boundary import public

MAX_KEY_BYTES = 16 * 1024
"""Bytes of a key file; one of an Ed25519 key has about 120."""

_PRIVATE = b"PRIVATE KEY-----"
"""In the first line of each kind of private key."""
_SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class VerifyingKey:
    """A public Ed25519 key.

    Attributes:
        key_id: SHA-256 of the key as SubjectPublicKeyInfo in DER, in lowercase hexadecimal.
    """

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self.key_id = hashlib.sha256(key.public_bytes(serialization.Encoding.DER, _SPKI)).hexdigest()

    @classmethod
    @public
    def from_pem(cls, text: bytes, at: str) -> VerifyingKey:
        """Read a public key.

        Args:
            text: the PEM.
            at: the path of a refusal.

        Raises:
            SigningKeyError: ``key_file`` or ``key_type``.
        """
        try:
            key = serialization.load_pem_public_key(text)
        except (ValueError, UnsupportedAlgorithm):
            raise SigningKeyError("key_file", path=at, expected="a public key in PEM", actual="none") from None
        if not isinstance(key, Ed25519PublicKey):
            raise _other_type(key, at)
        return cls(key)

    def to_pem(self) -> str:
        """Return the key in PEM."""
        return self._key.public_bytes(serialization.Encoding.PEM, _SPKI).decode("ascii")

    def signed(self, signature: bytes, content: bytes) -> bool:
        """Tell whether ``signature`` is that of this key over ``content``."""
        try:
            self._key.verify(signature, content)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """A private Ed25519 key. It is written to its file and shown nowhere else; what it signs is all that leaves it.

    Attributes:
        public: the key that its signatures are checked with.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = VerifyingKey(key.public_key())

    @classmethod
    def new(cls) -> SigningKey:
        """Return a new key, from the randomness of the operating system."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    @public
    def read(cls, path: str | os.PathLike[str]) -> SigningKey:
        """Read a key from a file that its owner alone may read.

        Raises:
            SigningKeyError: ``key_permissions``, ``key_file``, ``key_encrypted`` or ``key_type``.
            DocumentError: ``file_…``: the file cannot be read.
        """
        at = shown(path)
        with open_file(path) as file:
            _require_private(os.fstat(file.fileno()).st_mode, at)
            return cls.from_pem(read_descriptor(file.fileno(), MAX_KEY_BYTES, at), at)

    @classmethod
    @public
    def read_descriptor(cls, descriptor: int) -> SigningKey:
        """Read a key from an open file descriptor, to its end.

        Raises:
            SigningKeyError: ``key_file``, ``key_encrypted`` or ``key_type``.
            DocumentError: ``file_unreadable`` or ``file_too_large``.
        """
        at = f"file descriptor {descriptor}"
        return cls.from_pem(read_descriptor(descriptor, MAX_KEY_BYTES, at), at)

    @classmethod
    @public
    def from_pem(cls, text: bytes, at: str) -> SigningKey:
        """Read a key.

        Args:
            text: the PEM; nothing of it is in a refusal.
            at: the path of a refusal.

        Raises:
            SigningKeyError: ``key_file``, ``key_encrypted`` or ``key_type``.
        """
        try:
            key = serialization.load_pem_private_key(text, password=None)
        except TypeError:  # there is a passphrase
            expected, actual = "a key as it is", "an encrypted one"
            raise SigningKeyError("key_encrypted", path=at, expected=expected, actual=actual) from None
        except (ValueError, UnsupportedAlgorithm):
            raise SigningKeyError("key_file", path=at, expected="a private key in PEM", actual="none") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise _other_type(key, at)
        return cls(key)

    def to_pem(self) -> bytes:
        """Return the private key in PEM, for its file and for nothing else."""
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def sign(self, content: bytes) -> bytes:
        """Return the signature over ``content``: 64 bytes."""
        return self._key.sign(content)


@public
def read_verifying_key(path: str | os.PathLike[str]) -> VerifyingKey:
    """Return the public key in a file, which may be that of the private key.

    Raises:
        SigningKeyError: ``key_permissions`` for a private one, ``key_file``, ``key_encrypted`` or ``key_type``.
        DocumentError: ``file_…``: the file cannot be read.
    """
    text = read_file(path, MAX_KEY_BYTES)
    if _PRIVATE in text:
        return SigningKey.read(path).public
    return VerifyingKey.from_pem(text, shown(path))


def _require_private(mode: int, at: str) -> None:
    if mode & _OTHERS:
        raise SigningKeyError("key_permissions", path=at, expected="0600", actual=f"{stat.S_IMODE(mode):04o}")


def _other_type(key: object, at: str) -> SigningKeyError:
    return SigningKeyError("key_type", path=at, expected="Ed25519", actual=type(key).__name__.strip("_"))
