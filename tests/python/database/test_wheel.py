"""A built wheel works without the checkout (A3)."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd="/",
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_wheel_deploys_without_the_checkout(fresh_database: str, tmp_path: Path) -> None:
    """A3, A4: the SQL is inside the wheel; installed into a fresh environment it deploys and is complete."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("officectl-*.whl")
    packed = {name.removeprefix("officectl/_sql/") for name in zipfile.ZipFile(wheel).namelist()}
    files = {path.relative_to(ROOT / "sql").as_posix() for path in (ROOT / "sql").rglob("*.sql")}
    assert files <= packed

    fresh = tmp_path / "fresh"
    venv.create(fresh, symlinks=True)
    python = fresh / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(fresh), "platbase": str(fresh)}))
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel)
    # What officectl depends on is borrowed from this environment; officectl itself is not.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    officectl = fresh / "bin" / "officectl"
    where = run(python, "-c", "import officectl; print(officectl.__file__)")
    assert Path(where.strip()).is_relative_to(fresh)
    run(officectl, "db", "migrate", OFFICE_DSN=fresh_database)
    assert '"state": "current"' in run(officectl, "db", "status", "-o", "json", OFFICE_DSN=fresh_database)
