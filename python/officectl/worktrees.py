"""Git worktrees of tasks' agents (X9): made before a launch, taken away when they are done with.

Which there are, where, on which branch, and whether one may go is the database's to say; this runs git.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 600
"""How long one git command may take: a checkout of a large repository does."""

Worktree = Mapping[str, Any]
"""As `office.claim_runs` and `office.worktree_use` say: branch, repository and folder at least."""


SECRET_FILES = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "id_rsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".git-credentials",
    "credentials.json",
)
"""What names of files that hold secrets look like, in any folder."""


class NoWorktree(Exception):
    """There can be none: no repository there, no commit in it, or git says why."""


def prepare(worktree: Worktree) -> None:
    """Have the worktree there, on its branch; one that is there stays as it is. NoWorktree: git cannot."""
    repository, folder, branch = (str(worktree[name]) for name in ("repository", "folder", "branch"))
    start = str(worktree.get("start") or "")
    with _alone(repository) as lock:
        if start and not _has_branch(repository, start):
            start = ""
        if _is_worktree(folder):
            if _is_complete(folder):
                if start and _git(folder, "branch", "--show-current").strip() == branch:
                    # What its assignee has committed since, where nothing of its own is in the way.
                    _succeeds(folder, "merge", "--quiet", "--ff-only", start)
                return
            # git was killed while it made it: nobody has worked there.
            _git(repository, "worktree", "remove", "--force", "--force", folder)
        # One whose folder somebody has removed is forgotten; its branch, and what was committed, is kept.
        _git(repository, "worktree", "prune")
        if _has_branch(repository, branch):
            _git(repository, "worktree", "add", folder, branch, lock=lock)
        else:
            _git(repository, "worktree", "add", "-b", branch, folder, start or "HEAD", lock=lock)


def kept_by(worktree: Worktree) -> str | None:
    """Why its work would be lost if it went now; None: it is merged, or there is none."""
    repository, folder, branch = (str(worktree[name]) for name in ("repository", "folder", "branch"))
    if _is_worktree(folder) and _git(folder, "status", "--porcelain"):
        return "uncommitted changes"
    if _has_branch(repository, branch) and not _is_merged(repository, branch):
        return f"{branch} is not merged"
    return None


@contextmanager
def removing(worktree: Worktree, *, dropped: bool) -> Iterator[None]:
    """Nobody prepares one of this repository meanwhile: say in the database that it goes, then it is gone.

    An exception inside leaves it where it is. NoWorktree: its work would be lost, and is not dropped.
    """
    repository, folder, branch = (str(worktree[name]) for name in ("repository", "folder", "branch"))
    with _alone(repository):
        # Looked at again: somebody may have worked there since.
        if not dropped and (lost := kept_by(worktree)):
            raise NoWorktree(lost)
        yield
        if _is_worktree(folder):
            _git(repository, "worktree", "remove", "--force", folder)
        _git(repository, "worktree", "prune")
        if _has_branch(repository, branch):
            _git(repository, "branch", "-D", branch)


def diff(worktree: Worktree) -> str:
    """What its branch, and what is not committed there yet, changes since it left the repository's HEAD.

    Of files that hold secrets by their names it is only said that they differ (E2).
    """
    repository, folder, branch = (str(worktree[name]) for name in ("repository", "folder", "branch"))
    if not _has_branch(repository, branch):
        raise NoWorktree(f"There is no branch {branch} in {repository}.")
    base = _git(repository, "merge-base", "HEAD", branch).strip()
    if _is_worktree(folder):
        # Files that are new are shown as well, and stay as untracked as they are.
        index = {"GIT_INDEX_FILE": _git(folder, "rev-parse", "--git-path", "officectl-index").strip()}
        _git(folder, "read-tree", "HEAD", environment=index)
        _git(folder, "add", "--all", environment=index)
        return _without_secrets(folder, "--cached", base, environment=index)
    return _without_secrets(repository, base, branch)


def _without_secrets(folder: str, *words: str, environment: Mapping[str, str] | None = None) -> str:
    shown = [f":(top,exclude,icase,glob)**/{name}" for name in SECRET_FILES]
    secret = [f":(top,icase,glob)**/{name}" for name in SECRET_FILES]
    told = _git(folder, "diff", *words, "--", ":(top)", *shown, environment=environment)
    names = _git(folder, "diff", "--name-only", *words, "--", *secret, environment=environment)
    return told + "".join(f"Not shown, it may hold secrets: {name}\n" for name in names.splitlines())


@contextmanager
def _alone(repository: str) -> Iterator[int]:
    """One process at a time makes and removes worktrees of a repository; its lock, for a git left over."""
    if not Path(repository).is_dir():
        raise NoWorktree(f"There is no folder {repository}.")
    common = _git(repository, "rev-parse", "--git-common-dir").strip()
    with (Path(repository) / common / "officectl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _is_worktree(folder: str) -> bool:
    return Path(folder, ".git").exists()


def _is_complete(folder: str) -> bool:
    """git writes the index last."""
    return Path(folder, _git(folder, "rev-parse", "--git-path", "index").strip()).exists()


def _has_branch(repository: str, branch: str) -> bool:
    return _succeeds(repository, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")


def _is_merged(repository: str, branch: str) -> bool:
    return _succeeds(repository, "merge-base", "--is-ancestor", branch, "HEAD")


def _succeeds(folder: str, *words: str) -> bool:
    return _run(folder, *words).returncode == 0


def _git(
    folder: str, *words: str, environment: Mapping[str, str] | None = None, lock: int | None = None
) -> str:
    done = _run(folder, *words, environment=environment, lock=lock)
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise NoWorktree(f"git {words[0]} in {folder}: {said}")
    return done.stdout


def _run(
    folder: str, *words: str, environment: Mapping[str, str] | None = None, lock: int | None = None
) -> subprocess.CompletedProcess[str]:
    """One git command that asks nobody anything."""
    place = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(environment or {})}
    # Those of a hook or another git that officectl runs under would lead elsewhere.
    for name in ("GIT_DIR", "GIT_WORK_TREE", *(() if environment else ("GIT_INDEX_FILE",))):
        place.pop(name, None)
    try:
        return subprocess.run(
            ["git", "-C", folder, *words],
            env=place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            pass_fds=() if lock is None else (lock,),
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise NoWorktree(f"git {words[0]} in {folder}: {fault}") from fault
