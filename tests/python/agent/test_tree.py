"""D2: the identity of a working tree is another whenever something in it has changed, and else the same."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from officectl.agent.tree import identity


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.org", *words],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".gitignore").write_text("built\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def stage(tree: Path, name: str) -> None:
    (tree / name).touch()
    git(tree, "add", name)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a changed file": lambda tree: (tree / "sub" / "a").write_text("two\n"),
    "a new file": lambda tree: (tree / "b").write_text("new\n"),
    "a removed file": lambda tree: (tree / "sub" / "a").unlink(),
    "a new commit": lambda tree: git(tree, "commit", "--quiet", "--allow-empty", "-m", "second"),
    "what is staged": lambda tree: stage(tree, "c"),
    "a link": lambda tree: (tree / "l").symlink_to("nowhere"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_repository_is_another_after(change: Callable[[Path], object], repository: Path) -> None:
    before = identity(repository)
    assert before == identity(repository / "sub"), "the tree is the repository's, wherever one stands in it"
    change(repository)
    assert identity(repository) != before


def test_what_was_changed_already_may_change_again(repository: Path) -> None:
    """Git's status says the same of both: the contents count."""
    (repository / "sub" / "a").write_text("two\n")
    (repository / "new").write_text("1")
    before = identity(repository)
    (repository / "sub" / "a").write_text("six\n")
    after = identity(repository)
    assert after != before
    (repository / "new").write_text("2")
    assert identity(repository) != after


def test_what_git_ignores_does_not_count(repository: Path) -> None:
    before = identity(repository)
    (repository / "built").write_text("anew")
    os.utime(repository / "sub" / "a", (1, 1))
    assert identity(repository) == before


def test_elsewhere_paths_sizes_and_times_count(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    before = identity(tmp_path)
    assert before == identity(tmp_path)
    assert before.startswith("files:")
    os.utime(tmp_path / "a", (1, 1))
    touched = identity(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert len({before, touched, identity(tmp_path)}) == 3
