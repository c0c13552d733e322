"""Clean trees of real checkouts: what git says is clean, in which order it is asked, and that nothing else runs."""

import json
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from operatebench.errors import CleanTreeError, OperateBenchError, RepositoryError
from operatebench.provenance import SourceTree, read_source_tree
from operatebench.provenance import git as git_module
from operatebench.provenance.git import Git
from tests.provenance.repositories import (
    SEARCH_PATH,
    THREE_MODES,
    THREE_MODES_DIGEST,
    commit_all,
    git,
    make_repository,
    script,
    write,
)

FILE = b"100644"
VECTORS = files("operatebench.vectors").joinpath("evidence")
TREES = [
    case
    for name in ("clean_tree.json", "clean_tree_golden.json")
    for case in json.loads(VECTORS.joinpath(name).read_bytes())["cases"]
    if "entries" in case and (name == "clean_tree_golden.json" or case["expect"]["verdict"] == "refuse")
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a checkout with the three files of the fixture."""
    return make_repository(tmp_path / "repository", THREE_MODES)


def read(place: Path) -> SourceTree:
    return read_source_tree(place, SEARCH_PATH)


def refusal_of(place: Path) -> tuple[str, str, str, str]:
    """Return code, path, expected and actual of the refusal of a checkout that is not clean."""
    with pytest.raises(CleanTreeError) as refused:
        read(place)
    return refused.value.code, refused.value.path, refused.value.expected, refused.value.actual


def fault_of(place: Path, search_path: str = SEARCH_PATH) -> tuple[str, str, str]:
    """Return code, path and actual of what keeps git from answering."""
    with pytest.raises(RepositoryError) as refused:
        read_source_tree(place, search_path)
    return refused.value.code, refused.value.path, refused.value.actual


def on_disk(case: dict[str, Any]) -> dict[bytes, tuple[bytes, bytes]] | None:
    """Return the files of a vector case, if a file system and git can hold them."""
    entries = {bytes.fromhex(entry["path_hex"]): entry for entry in case["entries"]}
    names = [name for path in entries for name in path.split(b"/")]
    modes = {entry["mode"] for entry in entries.values()}
    if not all(0 < len(name) < 256 and name.lower() != b".git" for name in names):
        return None
    if not modes <= {"100644", "100755", "120000"} or list(entries) != sorted(entries):
        return None
    return {path: (each["mode"].encode(), bytes.fromhex(each["content_hex"])) for path, each in entries.items()}


def test_the_trees_of_the_vectors_come_out_of_real_repositories_too(tmp_path: Path) -> None:
    tried = []
    for case in TREES:
        tree = on_disk(case)
        if tree is None:
            continue
        place = make_repository(tmp_path / case["name"], tree)
        try:
            found = read(place).tree
            said = {"verdict": "accept", "sha256": found.digest_sha256, "framed_bytes": found.framed_bytes}
        except CleanTreeError as refusal:
            said = {"verdict": "refuse", "code": refusal.code}
        assert said == case["expect"], case["name"]
        tried.append(case["expect"].get("code", "accept"))

    assert (tried.count("accept"), set(tried)) == (
        5,
        {"accept", "non_canonical_path", "portable_path_collision", "unsafe_path"},
    )


def test_the_fixture_comes_with_its_commit_and_is_counted_while_it_is_read(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(repository)
    steps: list[tuple[int, int]] = []

    source = read_source_tree(tmp_path / "way", SEARCH_PATH, lambda *step: steps.append(step))

    assert (source.tree.digest_sha256, source.tree.entries) == (THREE_MODES_DIGEST, 3)
    assert source.commit == git(repository, "rev-parse", "HEAD").decode()
    assert (source.root, steps) == (str(repository.resolve()), [(1, 3), (2, 3), (3, 3)])


def test_another_commit_of_the_same_files_and_ignored_files_change_nothing(repository: Path) -> None:
    (repository / ".git/info").mkdir()
    (repository / ".git/info/exclude").write_text("ignored\n", encoding="utf-8")
    (repository / "ignored").write_bytes(b"x")
    first = read(repository)
    git(repository, "commit", "--quiet", "--allow-empty", "--message=other")

    second = read(repository)

    assert first.commit != second.commit
    assert first.tree == second.tree


def test_linked_work_trees_and_object_names_of_64_digits_are_checkouts_too(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "../linked")
    longer = tmp_path / "longer"
    longer.mkdir()
    git(longer, "init", "--quiet", "--object-format=sha256", ".")
    write(longer, THREE_MODES)
    commit_all(longer)

    assert read(tmp_path / "linked").tree.digest_sha256 == THREE_MODES_DIGEST
    assert (len(read(longer).commit), read(longer).tree.digest_sha256) == (64, THREE_MODES_DIGEST)


STAGED = ("git diff-index to end with 0", "1")
LISTED = "nothing in git status"
OBSERVED = "true, or no such setting"


def stage(place: Path) -> None:
    (place / "README.md").write_bytes(b"changed\n")
    git(place, "add", "README.md")


def change(place: Path) -> None:
    (place / "tools/run.sh").chmod(0o644)


def hide_changes_of_modes(place: Path) -> None:
    git(place, "config", "core.fileMode", "false")


@pytest.mark.parametrize(
    ("steps", "refusal"),
    [
        ([stage, change, hide_changes_of_modes], ("staged_index_drift", "", *STAGED)),
        ([change], ("dirty_tracked_content", "tools/run.sh", LISTED, "M")),
        ([hide_changes_of_modes], ("mode_observation_unavailable", "core.fileMode", OBSERVED, "false")),
        ([change, hide_changes_of_modes], ("mode_observation_unavailable", "core.fileMode", OBSERVED, "false")),
        (
            [lambda place: (place / "README.md").unlink(), hide_changes_of_modes],
            ("dirty_tracked_content", "README.md", LISTED, "D"),
        ),
        (
            [lambda place: git(place, "rm", "--quiet", "--cached", "README.md")],
            ("staged_index_drift", "", *STAGED),
        ),
        (
            [lambda place: (place / "tools/new\n\N{SNOWMAN}").write_bytes(b"")],
            ("dirty_tracked_content", "tools/new\\n\N{SNOWMAN}", LISTED, "??"),
        ),
        (
            [lambda place: (place / "link").unlink(), lambda place: (place / "link").symlink_to("tools")],
            ("dirty_tracked_content", "link", LISTED, "M"),
        ),
        (
            [lambda place: (place / "README.md").unlink(), lambda place: os.mkfifo(place / "README.md")],
            ("dirty_tracked_content", "README.md", LISTED, "M"),
        ),
        (
            [lambda place: git(place, "config", "core.symlinks", "0")],
            ("mode_observation_unavailable", "core.symlinks", OBSERVED, "false"),
        ),
        (
            [
                lambda place: git(place, "config", "status.showUntrackedFiles", "no"),
                lambda place: (place / "n").touch(),
            ],
            ("dirty_tracked_content", "n", LISTED, "??"),
        ),
    ],
)
def test_staged_comes_before_changed_and_that_before_modes(
    repository: Path, steps: list[Callable[[Path], object]], refusal: tuple[str, ...]
) -> None:
    for step in steps:
        step(repository)

    assert refusal_of(repository) == refusal


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_an_entry_that_is_hidden_from_git_status_is_not_known_to_be_clean(repository: Path, bit: str) -> None:
    git(repository, "update-index", bit, "README.md")
    (repository / "README.md").write_bytes(b"changed\n")
    assert git(repository, "status", "--porcelain") == b""

    expected, actual = "an entry that git status looks at", "assume-unchanged or skip-worktree"
    assert refusal_of(repository) == ("dirty_tracked_content", "README.md", expected, actual)


def test_a_change_of_the_same_size_at_the_same_time_is_seen(repository: Path) -> None:
    git(repository, "config", "core.trustCtime", "false")
    git(repository, "config", "core.checkStat", "minimal")
    readme = repository / "README.md"
    os.utime(readme, ns=(10**18, 10**18))
    git(repository, "update-index", "--refresh")
    (repository / "new").write_bytes(b"# another\n")
    (repository / "new").rename(readme)  # git compares times by the second, but also numbers of files
    os.utime(readme, ns=(10**18, 10**18))
    assert git(repository, "status", "--porcelain") == b""

    assert refusal_of(repository)[:2] == ("dirty_tracked_content", "README.md")


@pytest.mark.parametrize(("value", "kept"), [("true", True), ("yes", True), ("1", True), ("maybe", False)])
def test_settings_of_modes_are_read_as_git_reads_them(repository: Path, value: str, kept: bool) -> None:
    git(repository, "config", "core.symlinks", value)
    if kept:
        assert read(repository).tree.digest_sha256 == THREE_MODES_DIGEST
        return
    # An invalid value keeps git from anything else as well.
    assert fault_of(repository)[0] == "git_failed"


def test_git_config_that_fails_observes_no_modes(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Git.answer

    def failing(self: Git, *words: str) -> git_module.Answer:
        if words[0] == "config":
            return git_module.Answer(128, b"", b"fatal: bad\n")
        return answer(self, *words)

    monkeypatch.setattr(Git, "answer", failing)

    expected = ("mode_observation_unavailable", "core.fileMode", OBSERVED, "git config: 128: fatal: bad")
    assert refusal_of(repository) == expected


def test_another_system_observes_no_modes(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operatebench.provenance.checkout.SYSTEM", "nt")

    assert refusal_of(repository) == ("mode_observation_unavailable", "", "a POSIX system", "nt")


@pytest.mark.parametrize(
    ("tree", "refusal"),
    [
        ({b"a\\b": (FILE, b"")}, ("unsafe_path", "a\\b")),
        ({b"a\tb": (FILE, b"")}, ("unsafe_path", "a\\tb")),
        ({b"a\xff": (FILE, b"")}, ("unsafe_path", "a\\udcff")),
        ({"cafe\u0301".encode(): (FILE, b"")}, ("non_canonical_path", "cafe\u0301")),
        ({b"A/x": (FILE, b""), b"a/X": (FILE, b"")}, ("portable_path_collision", "a/X")),
    ],
)
def test_entries_that_only_some_systems_can_hold(
    tmp_path: Path, tree: dict[bytes, tuple[bytes, bytes]], refusal: tuple[str, str]
) -> None:
    assert refusal_of(make_repository(tmp_path / "repository", tree))[:2] == refusal


def nest(repository: Path) -> Path:
    """Put a repository into a repository, as a submodule would be."""
    inner = make_repository(repository / "inner", {b"file": (FILE, b"x")})
    commit_all(repository)
    return inner


def test_a_submodule_is_refused_and_not_looked_into(repository: Path) -> None:
    inner = nest(repository)
    (inner / "file").write_bytes(b"changed")

    assert refusal_of(repository) == ("submodule_entry", "inner", "100644, 100755, 120000", "160000")
    commit_all(inner)
    assert refusal_of(repository) == ("dirty_tracked_content", "inner", LISTED, "M")


def test_a_tree_that_git_would_never_check_out_is_not_that_of_the_index(repository: Path) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=b"x")
    tree = git(repository, "mktree", "-z", stdin=b"100644 blob " + blob + b"\t.GIT\x00")
    git(repository, "update-ref", "HEAD", git(repository, "commit-tree", tree, "-m", "x"))

    assert refusal_of(repository) == ("staged_index_drift", "", *STAGED)
    assert list(Git(os.fsencode(repository), SEARCH_PATH).tree()) == [(FILE, b".GIT")]


def test_a_path_that_is_too_long_for_any_system_is_cut_and_refused(repository: Path) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=b"x")
    name = 300_000 * b"p"
    tree = git(repository, "mktree", "-z", stdin=b"100644 blob " + blob + b"\t" + name + b"\x00")
    git(repository, "update-ref", "HEAD", git(repository, "commit-tree", tree, "-m", "x"))

    ((mode, path),) = Git(os.fsencode(repository), SEARCH_PATH).tree()

    assert (mode, path[:4_097], len(path) < 150_000) == (FILE, 4_097 * b"p", True)


def test_what_is_no_checkout(repository: Path, tmp_path: Path) -> None:
    bare, empty, broken = tmp_path / "bare", tmp_path / "empty", tmp_path / "broken"
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    git(tmp_path, "init", "--quiet", "empty")
    (broken / ".git").mkdir(parents=True)

    for place in (repository / "tools", bare, tmp_path / "nowhere", tmp_path):
        assert fault_of(place) == ("no_repository", str(place), "none")
    assert fault_of(empty) == ("no_commit", str(empty), "none")
    assert fault_of(broken) == ("git_failed", "", f"128: fatal: not a git repository: '{broken}/.git'")
    assert fault_of(repository, "") == ("git_missing", "", "none")
    assert fault_of(repository, str(tmp_path)) == ("git_missing", "", "none")


def test_a_program_in_a_relative_folder_of_the_search_path_is_never_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(repository / "git", tmp_path / "marker")
    monkeypatch.chdir(repository)

    for search_path in (".", ":", "tools/.."):
        assert fault_of(repository, search_path)[0] == "git_missing"
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("exit 3", ("git_failed", "3")),
        ("echo oops >&2; exit 128", ("git_failed", "128: oops")),
        ("echo abc", ("git_output", "abc\\n")),
        ("exec sleep 60", ("git_timeout", "none")),
        ("exec >&-; exec sleep 60", ("git_timeout", "none")),
        ("head -c 100000 /dev/zero", ("git_output", "\\x00")),
    ],
)
def test_a_git_that_does_not_answer_as_git_does(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, fault: tuple[str, str]
) -> None:
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/git"
    fake.write_text(f"#!/bin/sh\nPATH={SEARCH_PATH}\n{program}\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr(git_module, "PATIENCE", 0.2 if "sleep" in program else 60)

    code, _, actual = fault_of(repository, str(tmp_path / "bin"))

    assert (code, actual[: len(fault[1])]) == fault


def test_records_without_an_end_or_without_fields_are_no_answer(repository: Path) -> None:
    asked = Git(os.fsencode(repository), SEARCH_PATH)

    with pytest.raises(RepositoryError) as cut:
        list(asked.records("rev-parse", "HEAD"))
    asked.records = lambda *_: (each for each in (b"100644 blob", b""))  # type: ignore[method-assign]
    with pytest.raises(RepositoryError) as other:
        list(asked.tree())

    assert (cut.value.code, cut.value.expected) == ("git_output", "records that end in a zero byte")
    assert (other.value.code, other.value.actual) == ("git_output", "100644 blob")


def test_another_commit_meanwhile_is_noticed(repository: Path) -> None:
    before = git(repository, "rev-parse", "HEAD").decode()

    def commit(done: int, _: int) -> None:
        if done == 1:
            git(repository, "commit", "--quiet", "--allow-empty", "--message=other")

    with pytest.raises(RepositoryError) as refused:
        read_source_tree(repository, SEARCH_PATH, commit)

    after = git(repository, "rev-parse", "HEAD").decode()
    assert (refused.value.code, refused.value.expected, refused.value.actual) == ("head_moved", before, after)


def test_a_file_that_goes_or_becomes_a_link_meanwhile_is_refused(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/run.sh").write_bytes(b"#!/bin/sh\nexit 0\n")

    def swap(done: int, _: int) -> None:
        if done == 1:
            (repository / "tools").rename(tmp_path / "gone")
            (repository / "tools").symlink_to(tmp_path / "other")

    with pytest.raises(CleanTreeError) as refused:
        read_source_tree(repository, SEARCH_PATH, swap)

    assert (refused.value.code, refused.value.path) == ("unreadable_bytes", "tools/run.sh")


# Hostile repositories. Each is tried with plain git first, which must leave the marker: else the test could not fail.


def touch(repository: Path) -> None:
    """Make git read the files again."""
    for file in repository.glob("[!.]*"):
        os.utime(file, ns=(10**18, 10**18), follow_symlinks=False)


def set_filter(key: str) -> Callable[[Path, Path], None]:
    def prepare(repository: Path, program: Path) -> None:
        (repository / ".git/info").mkdir(exist_ok=True)
        (repository / ".git/info/attributes").write_text("* filter=Evil.one\n", encoding="utf-8")
        git(repository, "config", f"filter.Evil.one.{key}", str(program))
        touch(repository)

    return prepare


def set_required_filter(repository: Path, program: Path) -> None:
    set_filter("CLEAN")(repository, program)
    git(repository, "config", "filter.Evil.one.required", "true")


def set_included_filter(repository: Path, program: Path) -> None:
    set_filter("clean")(repository, program)
    settings = repository / ".git/config"
    settings.rename(repository / ".git/more")
    settings.write_text("[core]\n\trepositoryFormatVersion = 0\n[include]\n\tpath = more\n", encoding="utf-8")


def set_filter_in_submodule(repository: Path, program: Path) -> None:
    inner = nest(repository)
    set_filter("clean")(inner, program)
    git(repository, "config", "submodule.inner.ignore", "none")


def set_watcher(repository: Path, program: Path) -> None:
    git(repository, "config", "core.fsmonitor", str(program))


def set_hook(repository: Path, program: Path) -> None:
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    program.rename(hooks / "post-index-change")
    touch(repository)


def set_promisor(repository: Path, program: Path) -> None:
    program.write_text(program.read_text("utf-8").replace("cat\n", "exit 1\n"), encoding="utf-8")  # no conversation
    tree = git(repository, "rev-parse", "HEAD:tools").decode()
    (repository / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program}",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }.items():
        git(repository, "config", name, value)


@pytest.mark.parametrize(
    ("prepare", "control", "verdict"),
    [
        (set_filter("clean"), ("status",), "clean"),
        (set_filter("process"), ("status",), "clean"),
        (set_required_filter, ("status",), "clean"),
        (set_included_filter, ("status",), "clean"),
        (set_filter_in_submodule, ("status",), "submodule_entry"),
        (set_watcher, ("status",), "clean"),
        (set_hook, ("status",), "clean"),
        (set_promisor, ("ls-tree", "-r", "HEAD"), "git_failed"),
    ],
)
def test_no_program_of_a_repository_ever_runs(
    repository: Path, tmp_path: Path, prepare: Callable[[Path, Path], None], control: tuple[str, ...], verdict: str
) -> None:
    marker = tmp_path / "marker"
    prepare(repository, script(tmp_path / "program", marker))

    try:
        said = "clean" if read(repository).tree.digest_sha256 == THREE_MODES_DIGEST else "other"
    except OperateBenchError as refusal:
        said = refusal.code

    assert not marker.exists()
    assert said == verdict
    git(repository, *control, check=False)
    assert marker.exists()


@pytest.mark.parametrize("name", ["evil=one", 1_100 * "n"])
def test_a_filter_that_no_setting_can_switch_off_is_refused(repository: Path, tmp_path: Path, name: str) -> None:
    marker = tmp_path / "marker"
    program = script(tmp_path / "program", marker)
    (repository / ".git/info").mkdir()
    (repository / ".git/info/attributes").write_text(f"* filter={name}\n", encoding="utf-8")
    with (repository / ".git/config").open("a", encoding="utf-8") as settings:
        settings.write(f'[filter "{name}"]\n\tclean = {program}\n')
    touch(repository)

    assert fault_of(repository)[:2] == ("git_failed", ".git")
    assert not marker.exists()
    git(repository, "status")
    assert marker.exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"GIT_DIR": "/nowhere"},
        {"GIT_INDEX_FILE": "/nowhere"},
        {"GIT_OBJECT_DIRECTORY": "/nowhere"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "PROGRAM"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor=PROGRAM'"},
        {"GIT_EXTERNAL_DIFF": "PROGRAM"},
        {"HOME": "HOSTILE", "XDG_CONFIG_HOME": "HOSTILE", "GIT_CONFIG_GLOBAL": "HOSTILE/.gitconfig"},
    ],
)
def test_nothing_of_the_environment_or_of_the_user_counts(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    program = script(tmp_path / "program", tmp_path / "marker")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\tfsmonitor = {program}\n\tfileMode = false\n", encoding="utf-8")
    for name, value in settings.items():
        monkeypatch.setenv(name, value.replace("PROGRAM", str(program)).replace("HOSTILE", str(home)))

    assert read(repository).tree.digest_sha256 == THREE_MODES_DIGEST
    assert not (tmp_path / "marker").exists()


def test_the_repository_cannot_have_another_folder_looked_at(repository: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other", THREE_MODES)
    git(repository, "config", "core.worktree", str(other))
    (repository / "README.md").write_bytes(b"changed\n")
    assert refusal_of(repository)[:2] == ("dirty_tracked_content", "README.md")
    git(repository, "config", "--unset", "core.worktree")
    git(repository, "checkout", "--", "README.md")
    git(repository, "config", "core.bare", "true")
    assert read(repository).tree.digest_sha256 == THREE_MODES_DIGEST


def test_replaced_objects_do_not_count_and_nothing_is_written(repository: Path) -> None:
    empty = git(repository, "commit-tree", git(repository, "mktree"), "-m", "x")
    git(repository, "replace", "HEAD", empty.decode())
    touch(repository)
    index = repository / ".git/index"
    before = index.read_bytes()

    assert read(repository).tree.digest_sha256 == THREE_MODES_DIGEST
    assert index.read_bytes() == before


def test_the_untracked_cache_and_a_split_index_hide_nothing(repository: Path) -> None:
    git(repository, "update-index", "--force-untracked-cache", "--split-index")
    git(repository, "status")
    assert read(repository).tree.digest_sha256 == THREE_MODES_DIGEST
    (repository / "tools/new").write_bytes(b"")

    assert refusal_of(repository)[:2] == ("dirty_tracked_content", "tools/new")
