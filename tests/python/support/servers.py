"""The PostgreSQL versions that the tests run on, and pgTAP.

18 is the embedded one and always there. 15 and pgTAP are the distribution's: found where they are installed,
else unpacked without root into a cache folder (`make test` runs this file once before the tests).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from officectl.database.embedded import Binaries, find_binaries
from officectl.errors import OfficeError

VERSIONS = (15, 18)
NOT_TO_BE_HAD = 3  # exit code of this file as a program
PACKAGES = ("postgresql-15", "postgresql-15-pgtap", "postgresql-15-plpgsql-check")
LARGE_AND_UNUSED = re.compile(r"libllvm|libz3|postgresql-\d+$")
"""Fetched only when asked for by name: the compiler for queries, and a server that only pgTAP wants."""


def cache() -> Path:
    """Where packages are unpacked: readable by the user that the server runs as, so not below root's home."""
    if os.geteuid() == 0:
        return Path("/var/cache/officectl/debian")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "officectl" / "debian"


def server(version: int) -> Binaries | None:
    """The programs of one major version, or None when they cannot be had."""
    folder = cache() / f"usr/lib/postgresql/{version}/bin"
    if (folder / "postgres").exists():
        _let_unpacked_programs_find_their_libraries()
        return Binaries(folder=folder, version=version)
    try:
        return find_binaries(version=version)
    except OfficeError:
        return None


def pgtap() -> str | None:
    """The newest pgTAP script, which fits every version, or None when it cannot be had."""
    scripts = [
        script
        for root in (Path("/"), cache())
        for script in root.glob("usr/share/postgresql/*/extension/pgtap--*.sql")
        if re.fullmatch(r"pgtap--[0-9.]+\.sql", script.name)
    ]
    if not scripts:
        return None
    newest = max(scripts, key=lambda script: [int(part) for part in re.findall(r"\d+", script.name)])
    return "\n".join(line for line in newest.read_text().splitlines() if not line.startswith("\\"))


def unpack() -> None:
    """Put PostgreSQL 15, pgTAP and plpgsql_check into the cache folder, with the libraries that they lack.

    Where the distribution has another PostgreSQL, only its pgTAP. Needs apt-get and dpkg, not root. Raises
    subprocess.CalledProcessError with apt's words in stderr.
    """
    root = cache()
    download = root.with_name("packages")
    shutil.rmtree(download, ignore_errors=True)
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (download / folder).mkdir(parents=True)
    # Lists of our own, since only root may update the machine's; its record of what is installed stays.
    options = [
        f"-oDir::State={download}/state",
        f"-oDir::Cache={download}/cache",
        "-oDir::State::status=/var/lib/dpkg/status",
        "-q",
    ]
    _run(["apt-get", *options, "update"], download)
    packages = _offered(_run(["apt-cache", *options, "pkgnames", "postgresql-"], download).split())
    plan = _run(["apt-get", *options, "-s", "--no-install-recommends", "install", *packages], download)
    lacking = {name for name in re.findall(r"^Inst (\S+)", plan, re.M) if not LARGE_AND_UNUSED.match(name)}
    _run(["apt-get", *options, "download", *sorted(lacking.union(packages))], download)
    fresh = root.with_name("debian.new")
    shutil.rmtree(fresh, ignore_errors=True)
    for package in sorted(download.glob("*.deb")):
        _run(["dpkg", "-x", str(package), str(fresh)], download)
    shutil.rmtree(root, ignore_errors=True)
    fresh.rename(root)
    shutil.rmtree(download)


def _offered(names: list[str]) -> list[str]:
    """What to fetch of the packages that the distribution has."""
    if set(PACKAGES) <= set(names):
        return list(PACKAGES)
    return [name for name in sorted(names) if re.fullmatch(r"postgresql-\d+-pgtap", name)][-1:]


def _let_unpacked_programs_find_their_libraries() -> None:
    """Put the unpacked libraries on the path of the programs that this process starts."""
    folders = [str(folder) for folder in sorted(cache().glob("usr/lib/*-linux-gnu"))]
    known = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    os.environ["LD_LIBRARY_PATH"] = ":".join(dict.fromkeys(known + folders))


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def main() -> int:
    """Make PostgreSQL 15 and pgTAP available; exit code 3, with one line why, when that cannot be done."""
    if server(15) and pgtap():
        return 0
    print("PostgreSQL 15 with pgTAP is not installed: unpacking it into", cache(), flush=True)
    try:
        unpack()
    except FileNotFoundError as error:
        print(f"cannot: {error.filename} is not on this machine")
    except subprocess.CalledProcessError as error:
        print("cannot:", (error.stderr.strip() or str(error)).splitlines()[-1])
    return 0 if server(15) and pgtap() else NOT_TO_BE_HAD


if __name__ == "__main__":
    sys.exit(main())
