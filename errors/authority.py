"""Refusals of authorizations, of the register of their uses, and of the keys that sign them."""

from __future__ import annotations

from types import MappingProxyType

from .base import OperateBenchError

_ISSUE_AGAIN = "See what moved; if it is meant to run, issue a new authorization with `operatebench authorize issue`."


class AuthorizationError(OperateBenchError, ValueError):
    """An authorization does not permit what was asked for.

    The codes are the reasons of an admission, in its order; the first two stand alone. Those behind them are refusals
    of the work around an admission.
    """

    codes = MappingProxyType(
        {
            "malformed": (
                "The document is no authorization: not of the form that its schema asks for, or a rule beside it.",
                "Compare it with the packaged schema; every object is closed.",
            ),
            "digest_mismatch": (
                "The authorization, or the settings in it, do not have the digest that it carries.",
                "Get the authorization as it was issued; it was changed afterwards.",
            ),
            "signature_invalid": (
                "The signature is not that of the named key over this authorization.",
                "Get the authorization as it was issued; trust no other.",
            ),
            "signature_required": (
                "The authorization is not signed.",
                "Have it signed; an authorization that names no key passes with --allow-unsigned.",
            ),
            "issuer_unknown": (
                "The authorization is signed by a key that is not among the trusted issuers under this name.",
                "Give the file of trusted issuers with --issuers; add the issuer to it if you trust that key.",
            ),
            "not_yet_valid": ("The authorization is not valid yet.", "Wait, or look at the clock of this machine."),
            "expired": (
                "The authorization is not valid any more.",
                "Issue a new one with `operatebench authorize issue`.",
            ),
            "superseded": (
                "The register has seen another authorization of the same issuer for the same thing, which is newer.",
                "Use the newest one; an older one never becomes good again.",
            ),
            "revoked": ("The authorization was revoked.", "Ask whoever revoked it; a new one can be issued."),
            "scope_mismatch": (
                "The authorization is for something else than what was asked for.",
                "Ask for what it is for, or have one issued for this.",
            ),
            "source_identity_changed": ("The source is not the one that was authorized.", _ISSUE_AGAIN),
            "runtime_bundle_changed": (
                "What can change an episode is not what was authorized: the runtime bundle is another one.",
                _ISSUE_AGAIN,
            ),
            "experiment_bundle_changed": (
                "What can change a result is not what was authorized: the experiment bundle is another one.",
                _ISSUE_AGAIN,
            ),
            "manifest_changed": ("The identity manifest is not the one that was authorized.", _ISSUE_AGAIN),
            "settings_changed": ("The provider settings are not the ones that were authorized.", _ISSUE_AGAIN),
            "uses_exhausted": (
                "All uses of the authorization are used up.",
                "Issue a new one with `operatebench authorize issue`; a use is never given back.",
            ),
            "limit_exceeded": (
                "More was asked for than one use of the authorization permits.",
                "Ask for less at a time, or have one issued with higher limits.",
            ),
            "clock_rollback": (
                "The clock of this machine is before an instant that the register has seen.",
                "Set the clock right.",
            ),
            "register_unavailable": (
                "The register is missing, damaged, busy, or not to be opened.",
                "Look at it with `operatebench authorize audit`; a damaged register is never taken for an empty one.",
            ),
            "authorization_required": (
                "The run would ask a provider, and nothing authorizes it.",
                "Give --authorization; only runs of offline deterministic agents need none.",
            ),
            "plans_differ": (
                "The runs to be authorized do not share one provider plan.",
                "Issue one authorization for each plan.",
            ),
        }
    )


class SigningKeyError(OperateBenchError, ValueError):
    """A key that signs, or that signatures are checked with, cannot be used. Nothing of a private key is ever shown."""

    codes = MappingProxyType(
        {
            "key_file": ("The file holds no key in PEM.", "Make one with `operatebench keys new`."),
            "key_encrypted": (
                "The private key is encrypted, and no passphrase is asked for here.",
                "Decrypt it elsewhere and give it through a file descriptor, with --key-fd.",
            ),
            "key_type": ("The key is not of the type Ed25519.", "Make one with `operatebench keys new`."),
            "key_permissions": (
                "The private key can be read by others than its owner.",
                "Take the permissions away (chmod 600), and consider whether others have read it.",
            ),
            "issuers_shape": (
                "The document is no list of trusted issuers.",
                "Write it with `operatebench keys show KEY --issuer NAME`; add further issuers to the list.",
            ),
            "issuer_key": (
                "A key in the list of trusted issuers is not the Ed25519 key that its key id names.",
                "Write the entry again with `operatebench keys show KEY --issuer NAME`.",
            ),
        }
    )
