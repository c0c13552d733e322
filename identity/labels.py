"""Digests that say what they are of: SHA-256 over the canonical wrapper ``{domain, schema, content}``."""

from __future__ import annotations

from .canonical import Canonical, mapping, scalar


def labelled(domain: str, content: Canonical, schema: str | None = None) -> Canonical:
    """Return the canonical wrapper of ``content`` (replay contract, section 1).

    Args:
        domain: what the digest is of, without its prefix, such as ``operation_instance.v1``.
        content: what is digested.
        schema: name of the schema, without its prefix; the domain's if it is None.
    """
    return mapping(
        {
            "content": content,
            "domain": scalar(f"operatebench.digest.{domain}"),
            "schema": scalar(f"operatebench.{domain if schema is None else schema}"),
        }
    )


def labelled_digest(domain: str, content: Canonical, schema: str | None = None) -> str:
    """Return the digest of ``content`` under its label; see :func:`labelled`."""
    return labelled(domain, content, schema).sha256()
