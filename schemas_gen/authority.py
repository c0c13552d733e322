"""The schemas of authorizations bound to a source, of the member of a run bundle that holds one, of trusted issuers."""

from . import lexical
from .forms import (
    WIDTH_MAX,
    Schema,
    about,
    boolean,
    constant,
    document,
    head,
    integer,
    nullable,
    one_of,
    ordered,
    record,
    text,
)

AUTHORIZATION_FILE = "source-bound-authorization-v1.schema.json"
USED_AUTHORIZATION_FILE = "used-authorization-v1.schema.json"
ISSUERS_FILE = "trusted-issuers-v1.schema.json"

SAFE_INTEGER = 2**53 - 1

_SHORT: Schema = {"type": "string", "minLength": 1, "maxLength": 256}
_DIGEST = text(lexical.DIGEST, 64, 64)
_INSTANT = text(lexical.INSTANT, 20, 20)
_COUNT = integer(0, SAFE_INTEGER)
_FROM_ONE = integer(1, SAFE_INTEGER)


def authorization() -> Schema:
    """Return the schema of an authorization."""
    scope = {
        "action": about("What may be done.", one_of("run")),
        "operation_id": about("The operation it may be done with.", _SHORT),
    }
    run = {
        "variant_id": about("The variant.", _SHORT),
        "agent_id": about("The agent.", _SHORT),
        "runtime_bundle_digest_sha256": about("The runtime bundle.", _DIGEST),
        "experiment_bundle_digest_sha256": about("The experiment bundle; null for any.", nullable(_DIGEST)),
        "manifest_digest_sha256": about("The identity manifest; null for any.", nullable(_DIGEST)),
    }
    bound = {
        "source_identity_digest_sha256": about("The source.", _DIGEST),
        "runs": about("What may run, sorted by variant and agent, each pair once.", ordered(record(run), 1)),
        "settings_digest_sha256": about("The content digest of the settings.", _DIGEST),
    }
    limits = {
        "max_uses": about("How often it may be used.", _FROM_ONE),
        "max_episodes": about("Episodes in one use.", _FROM_ONE),
        "max_provider_calls": about("Calls of a provider in one use.", _COUNT),
    }
    issuer = {
        "name": about("Who issued it.", _SHORT),
        "key_id": about("The key it is signed with; null for none.", nullable(_SHORT)),
    }
    signature = {
        "algorithm": about("How it is signed.", constant("ed25519")),
        "signature_base64": about("The 64 bytes of the signature.", text(lexical.SIGNATURE, 88, 88)),
    }
    settings = {"type": "object", "maxProperties": WIDTH_MAX}
    members = {
        "authorization_id": about("Its id.", text(lexical.AUTHORIZATION, 37, 37)),
        "serial": about("A higher one supersedes all lower ones of issuer, action and operation.", _FROM_ONE),
        "scope": about("What it is for.", record(scope)),
        "bound": about("What may run, by digests.", record(bound)),
        "settings": about("What the component of the provider's plan owns: field path to value.", settings),
        "limits": about("How much of it.", record(limits)),
        "issued_at": about("When it was issued.", _INSTANT),
        "not_before": about("The first second in which it is valid.", _INSTANT),
        "expires_at": about("The first second in which it is not valid any more.", _INSTANT),
        "issuer": about("Who issued it.", record(issuer)),
        "authorization_digest_sha256": about("SHA-256 over the others but the signature, under their label.", _DIGEST),
        "signature": about("Over the bytes that the digest is of; null for none.", nullable(record(signature))),
    }
    says = "A permission to run certain agents in certain variants with exactly one source."
    return document(AUTHORIZATION_FILE, "Source-bound authorization", says, members)


def used_authorization() -> Schema:
    """Return the schema of authorization.json, the member of a run bundle."""
    admission = {
        "admitted_at": about("When the use was recorded.", _INSTANT),
        "use_index": about("Which use it was, from 1.", _FROM_ONE),
        "register_head": about("The digest of the register's last row then, which recorded the use.", _DIGEST),
        "unsigned": boolean("Whether nobody had signed the authorization."),
    }
    members = {
        "authorization": about("The authorization, as it was issued.", {"$ref": AUTHORIZATION_FILE}),
        "admission": about("How it was used.", record(admission)),
    }
    says = "The authorization that a run used. What stands in it is compared with the rest of the bundle in code."
    return head(USED_AUTHORIZATION_FILE, "Used authorization, version 1", says) | record(members)


def issuers() -> Schema:
    """Return the schema of the list of trusted issuers."""
    issuer = {
        "name": about("Who issues.", _SHORT),
        "key_id": about("SHA-256 of the key as SubjectPublicKeyInfo in DER.", _DIGEST),
        "public_key_pem": about("The key, in PEM.", {"type": "string", "minLength": 1, "maxLength": 4096}),
    }
    members = {"issuers": about("Each of them; no key id twice.", ordered(record(issuer), 1))}
    return document(ISSUERS_FILE, "Trusted issuers", "Whose signatures on authorizations are trusted.", members)
