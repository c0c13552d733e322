"""YAML documents that the strict reader refuses: what is wrong, the text, and the refusal."""

from typing import NamedTuple

from operatebench.runtime.maintenance.spec.yaml import MAX_BYTES, MAX_DEPTH


class Bad(NamedTuple):
    """A document and its refusal: code, place, what is expected, what was found."""

    name: str
    data: bytes
    code: str
    path: str
    expected: str
    actual: str


_PRINTABLE = "a printable character"
_ONE = "one document without directives"
_VALUE = "a value written out"
_RANGE = "an integer within ±(2^53-1)"

BAD_YAML = (
    Bad("nothing", b"", "yaml_documents", "s:1", "one document", "none"),
    Bad("only a comment", b"# nothing\n", "yaml_documents", "s:1", "one document", "none"),
    Bad("latin-1", b"a: 1\nb: caf\xe9\n", "yaml_encoding", "s:2", "UTF-8", "byte 0xe9"),
    Bad("utf-16", "a: 1".encode("utf-16"), "yaml_encoding", "s:1", "UTF-8", "byte 0xff"),
    Bad("byte order mark", b"\xef\xbb\xbfa: 1\n", "yaml_character", "s:1", _PRINTABLE, "U+FEFF"),
    Bad("tab", b"a: 1\nb:\t1\n", "yaml_character", "s:2", _PRINTABLE, "U+0009"),
    Bad("carriage return", b"a: 1\r\nb: 1\r\n", "yaml_character", "s:1", _PRINTABLE, "U+000D"),
    Bad("line separator", "a: x\u2028y\n".encode(), "yaml_character", "s:1", _PRINTABLE, "U+2028"),
    Bad("text turned around", "a: x\u202ey\n".encode(), "yaml_character", "s:1", _PRINTABLE, "U+202E"),
    Bad("null character", b"a: 1\nb: \0\n", "yaml_character", "s:2", _PRINTABLE, "U+0000"),
    Bad("escaped control", b'a: 1\nb: {c: "\\x07"}\n', "yaml_character", "s:2 /b/c", _PRINTABLE, "U+0007"),
    Bad("unclosed list", b"a: 1\nb: [1, 2\nc: 3\n", "yaml_syntax", "s:3", "YAML", "text that is none"),
    Bad("bad indent", b"a:\n  b: 1\n c: 2\n", "yaml_syntax", "s:3", "YAML", "text that is none"),
    Bad("unclosed quote", b'a: "x\n', "yaml_syntax", "s:2", "YAML", "text that is none"),
    Bad("colon in text", b"a: 1\nb: this: that\n", "yaml_syntax", "s:2", "YAML", "text that is none"),
    Bad("two documents", b"a: 1\n---\na: 2\n", "yaml_documents", "s:2", _ONE, "another one"),
    Bad("version directive", b"%YAML 1.1\n---\na: 1\n", "yaml_documents", "s:1", _ONE, "another one"),
    Bad("tag directive", b"%TAG !e! !x\n---\na: 1\n", "yaml_documents", "s:1", _ONE, "another one"),
    Bad("anchor", b"a: 1\nb: &x 2\n", "yaml_alias", "s:2", _VALUE, "an anchor or alias"),
    Bad("anchored list", b"a: &x [1]\n", "yaml_alias", "s:1", _VALUE, "an anchor or alias"),
    Bad("anchored key", b"&x a: 1\n", "yaml_alias", "s:1", _VALUE, "an anchor or alias"),
    Bad("alias", b"a: 1\nb: *x\n", "yaml_alias", "s:2", _VALUE, "an anchor or alias"),
    Bad("merge", b"a: {b: 1}\nc:\n  <<: *a\n", "yaml_alias", "s:3", _VALUE, "an anchor or alias"),
    Bad("tagged text", b"a: !!str 1\n", "yaml_tag", "s:1", "a value without tag", "a tag"),
    Bad("tagged mapping", b"a: 1\nb: !!omap {c: 1}\n", "yaml_tag", "s:2", "a value without tag", "a tag"),
    Bad("object tag", b"a: !!python/object:os.system {}\n", "yaml_tag", "s:1", "a value without tag", "a tag"),
    Bad("bare tag", b"a: ! x\n", "yaml_tag", "s:1", "a value without tag", "a tag"),
    Bad("set", b"a: {b, c}\n", "yaml_empty", "s:1 /a/b", "a value", "nothing"),
    Bad("list as key", b"a: 1\n? [b]\n: 2\n", "yaml_key", "s:2", "a key of text", "a mapping or list"),
    Bad("mapping as key", b"a:\n  ? {b: 1}\n  : 2\n", "yaml_key", "s:2 /a", "a key of text", "a mapping or list"),
    Bad("number as key", b"a:\n  7: 1\n", "yaml_key", "s:2 /a", "a key of text", "7"),
    Bad("null as key", b"null: 1\n", "yaml_key", "s:1", "a key of text", "null"),
    Bad("boolean as key", b"true: 1\n", "yaml_key", "s:1", "a key of text", "true"),
    Bad("empty key", b"? \n: 1\n", "yaml_empty", "s:1", "a value", "nothing"),
    Bad("key twice", b"a: 1\nb: 2\na: 3\n", "yaml_duplicate_key", "s:3 /a", "a key no earlier one repeats", '"a"'),
    Bad(
        "inner key twice",
        b"x: {a: 1, 'a': 2}\n",
        "yaml_duplicate_key",
        "s:1 /x/a",
        "a key no earlier one repeats",
        '"a"',
    ),
    Bad("no value", b"a:\nb: 2\n", "yaml_empty", "s:1 /a", "a value", "nothing"),
    Bad("no item", b"a:\n  - 1\n  -\n", "yaml_empty", "s:3 /a/1", "a value", "nothing"),
    Bad("large integer", b"a: 9007199254740992\n", "yaml_number", "s:1 /a", _RANGE, "one of 16 characters"),
    Bad("small integer", b"a: -9007199254740992\n", "yaml_number", "s:1 /a", _RANGE, "one of 17 characters"),
    Bad("huge integer", b"a: " + b"9" * 5000 + b"\n", "yaml_number", "s:1 /a", _RANGE, "one of 5000 characters"),
    Bad(
        "too deep",
        b"a: 1\nb: " + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"\n",
        "yaml_depth",
        "s:2 /b" + "/0" * (MAX_DEPTH - 1),
        f"at most {MAX_DEPTH} nested containers",
        "more",
    ),
    Bad(
        "far too deep",
        b"[" * 500,
        "yaml_depth",
        "s:1 " + "/0" * MAX_DEPTH,
        f"at most {MAX_DEPTH} nested containers",
        "more",
    ),
    Bad(
        "too long",
        b"#" * (MAX_BYTES + 1),
        "out_of_bounds",
        "s",
        f"at most {MAX_BYTES} bytes",
        f"{MAX_BYTES + 1} bytes",
    ),
)
