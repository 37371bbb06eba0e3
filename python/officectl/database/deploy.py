"""The deploy (A4): `officectl db migrate`.

Under one advisory lock: the migrations that are pending, each in a transaction of its own, then all
functions, views, triggers and grants in one. Killed at any point, the next deploy repairs it: what is
committed is recorded in the same transaction, what is not is gone, and the last one is always the same.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from officectl import __version__
from officectl.database import checks, migrations
from officectl.database.connect import connect, place, resolve_direct_dsn
from officectl.database.sqlfiles import ROLES, SqlFile, SqlFiles, packaged, with_roles
from officectl.errors import OfficeError, Refused, VersionMismatch, first_line, translate

Connection = psycopg.Connection[Any]
Announce = Callable[[str], None]

FIRST_WORKSPACE = "main"

_ADVISORY_LOCK = "1330005571, 1129010252"
_LOCK_TIMEOUT = "2s"
_LOCK_PATIENCE_SECONDS = 60
_QUEUE_PATIENCE_SECONDS = 600
_NOT_NOW = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
_NOTICE = "officectl: "


@dataclass
class Report:
    """What a deploy did. ``previous`` is the version before, None at the first deploy."""

    previous: str | None
    version: str
    migrations: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Deployment:
    """The row that a deploy leaves behind."""

    version: str
    digest: str
    role_prefix: str
    single_role: bool
    migrating: bool


@dataclass(frozen=True)
class Status:
    """What is deployed at a place, and how it compares with this officectl. Migrations are ids, in order.

    ``deployment`` is None where nothing is deployed, or the login may not see it (``visible``).
    """

    place: str
    database: str
    user: str
    server_version: str
    package_version: str
    visible: bool
    deployment: Deployment | None
    pending: tuple[str, ...]
    edited: tuple[str, ...]
    unknown: tuple[str, ...]
    state: str  # absent, current, behind, migrating, other (edited or newer), hidden


def migrate(
    dsn: str,
    *,
    single_role: bool | None = None,
    role_prefix: str | None = None,
    root: Path | None = None,
    progress: Announce | None = None,
) -> Report:
    """Bring the database to this officectl's schema; safe at any time, and again.

    ``single_role`` and ``role_prefix`` stay as deployed unless given (at first: four roles, ``office``).
    ``root`` is another folder of SQL files than the packaged one. ``progress`` hears a line before each step.
    Raises `OfficeError`; the message is one line.
    """
    files = SqlFiles(root) if root else packaged()
    with connect(resolve_direct_dsn(dsn), autocommit=True, application_name="officectl deploy") as connection:
        try:
            return _Deploy(connection, files, progress or _silence).run(single_role, role_prefix)
        except psycopg.Error as error:
            raise translate(error) from error


def prepare(dsn: str, *, single_role: bool | None = None, role_prefix: str | None = None) -> None:
    """Check everything that a deploy checks, and make the roles: for a restore, whose policies name them."""
    with connect(dsn, autocommit=True, application_name="officectl deploy") as connection:
        try:
            settings = _Settings.of(deployment(connection), single_role, role_prefix)
            _check(connection, settings)
            _make_roles(connection, settings, _silence)
        except psycopg.Error as error:
            raise translate(error) from error


def script(
    dsn: str | None = None,
    *,
    single_role: bool | None = None,
    role_prefix: str | None = None,
    root: Path | None = None,
) -> str:
    """What a deploy would run, as a script for psql: at ``dsn``, or without one in an empty database."""
    files = SqlFiles(root) if root else packaged()
    if dsn is None:
        settings = _Settings.of(None, single_role, role_prefix)
        return _script(files, settings, files.migrations, [] if settings.single_role else settings.role_names)
    with connect(resolve_direct_dsn(dsn), autocommit=True) as connection:
        try:
            _refuse_foreign_files(connection, files)
            settings = _Settings.of(deployment(connection), single_role, role_prefix)
            names = migrations.progress(connection, files).pending
            pending = [file for file in files.migrations if file.name in names]
            missing = [] if settings.single_role else checks.missing_roles(connection, settings.prefix)
            return _script(files, settings, pending, missing)
        except psycopg.Error as error:
            raise translate(error) from error


def status(dsn: str, *, root: Path | None = None) -> Status:
    """What is deployed there. Works for every login; those without the owner's rights see less."""
    files = SqlFiles(root) if root else packaged()
    with connect(dsn, autocommit=True) as connection:
        try:
            return _status(connection, files, place(dsn))
        except psycopg.Error as error:
            raise translate(error) from error


def deployment(connection: Connection) -> Deployment | None:
    """The row of the last deploy, or None when nothing was deployed or the login may not read it."""
    if not _readable(connection, "office_internal", "deployment"):
        return None
    row = connection.execute(
        "select version, digest, role_prefix, single_role, migrating from office_internal.deployment"
    ).fetchone()
    return Deployment(*row) if row else None


@dataclass(frozen=True)
class _Settings:
    """How the four roles are called in this database."""

    prefix: str
    single_role: bool

    @classmethod
    def of(cls, deployed: Deployment | None, single_role: bool | None, prefix: str | None) -> _Settings:
        """What was asked for, else what is deployed, else four roles called office_*."""
        if prefix is None:
            prefix = deployed.role_prefix if deployed else "office"
        elif deployed and not deployed.single_role and prefix != deployed.role_prefix:
            raise Refused(
                f"this database was deployed with roles named {deployed.role_prefix}_*, not {prefix}_*",
                "Leave the prefix as it is: the old roles would keep their rights.",
                code="other_prefix",
            )
        if single_role is None:
            single_role = deployed.single_role if deployed else False
        return cls(checks.check_prefix(prefix), single_role)

    @property
    def role_names(self) -> list[str]:
        """The four, in the order of `ROLES`."""
        return [f"{self.prefix}_{role}" for role in ROLES]

    @property
    def names(self) -> dict[str, str]:
        """What stands for reader, client, worker and operator in SQL; alone, the owner is whoever deploys."""
        return {role: "current_user" if self.single_role else f"{self.prefix}_{role}" for role in ROLES}


class _SignatureChanged(Exception):
    """Functions that cannot be replaced as they are: their result or their arguments' names changed."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


class _Deploy:
    """One deploy on one connection in autocommit."""

    def __init__(self, connection: Connection, files: SqlFiles, announce: Announce) -> None:
        self.connection = connection
        self.files = files
        self.announce = announce
        self.running: SqlFile | None = None

    def run(self, single_role: bool | None, role_prefix: str | None) -> Report:
        _require(checks.server_version(self.connection))
        _require(checks.not_pooled(self.connection))
        self._wait_for_turn()
        try:
            return self._deploy(single_role, role_prefix)
        except psycopg.Error as error:
            raise self._explained(error) from error

    def _wait_for_turn(self) -> None:
        """Take the advisory lock, which goes with the connection. To wait inside it would hold a snapshot."""
        deadline = time.monotonic() + _QUEUE_PATIENCE_SECONDS
        told = False
        while not _scalar(self.connection, f"select pg_catalog.pg_try_advisory_lock({_ADVISORY_LOCK})"):
            if time.monotonic() > deadline:
                raise OfficeError(
                    "another deploy of this database does not end",
                    "Look for application_name 'officectl deploy' in pg_stat_activity.",
                )
            if not told:
                self.announce("waiting for another deploy of this database")
                told = True
            time.sleep(0.1)

    def _deploy(self, single_role: bool | None, role_prefix: str | None) -> Report:
        before = deployment(self.connection)
        settings = _Settings.of(before, single_role, role_prefix)
        _check(self.connection, settings)
        _refuse_foreign_files(self.connection, self.files)

        report = Report(previous=before.version if before else None, version=__version__)
        _make_roles(self.connection, settings, self.announce)
        self._keep_records()
        self._migrate(report)
        self._define(settings, report)
        return report

    def _keep_records(self) -> None:
        self.announce("records")
        with self.connection.transaction():
            self._run(_own_script("bootstrap", "records"))

    def _migrate(self, report: Report) -> None:
        pending = migrations.pending(self.connection, self.files)
        if pending and deployment(self.connection):
            # Until the last transaction commits, claims answer schema_changed.
            self.connection.execute("update office_internal.deployment set migrating = true")
        self.connection.execute(f"set lock_timeout = '{_LOCK_TIMEOUT}'".encode())
        for file in pending:
            self.announce(f"migration {file.name}")
            self.running = file
            self._patiently(partial(migrations.apply, self.connection, file))
            report.migrations.append(file.name)

    def _define(self, settings: _Settings, report: Report) -> None:
        """The last transaction, again for each function that has to be dropped before it can be made."""
        changed: list[str] = []
        while True:
            try:
                self._patiently(partial(self._define_once, settings, report, changed))
                return
            except _SignatureChanged as error:
                changed.extend(error.names)

    def _define_once(self, settings: _Settings, report: Report, changed: list[str]) -> None:
        report.dropped.clear()
        with self.connection.transaction(), _notices(self.connection, report.dropped):
            for name in changed:
                self._run(SqlFile(name, f"drop routine if exists {name}"))
            part = ""
            for file in _last_transaction(self.files, settings):
                if file.part != part:
                    part = file.part
                    self.announce(part)
                try:
                    self._run(file)
                except psycopg.errors.InvalidFunctionDefinition as error:
                    names = [name for name in file.created if name not in changed]
                    if not names:
                        raise
                    raise _SignatureChanged(names) from error

    def _run(self, file: SqlFile) -> None:
        self.running = file
        self.connection.execute(file.text.encode())

    def _patiently(self, step: Callable[[], None]) -> None:
        """Run a transaction, again when it did not get its locks: who queues behind it waits 2 s at most."""
        deadline = time.monotonic() + _LOCK_PATIENCE_SECONDS
        while True:
            try:
                step()
                return
            except _NOT_NOW:
                if time.monotonic() > deadline:
                    raise
                self.announce("waiting for a table that somebody holds")
                time.sleep(random.uniform(0.1, 0.5))

    def _explained(self, error: psycopg.Error) -> OfficeError:
        """The error with the file and line that it came from."""
        known = translate(error)
        if error.sqlstate is None or self.running is None:
            return known
        if isinstance(error, _NOT_NOW):
            return Refused(
                f"{self.running.path} needs a table that somebody has held for {_LOCK_PATIENCE_SECONDS} s",
                _longest_transaction(self.connection) or "Try again when the server is quieter.",
                code="table_held",
            )
        if isinstance(error, psycopg.errors.DependentObjectsStillExist):
            return Refused(
                f"what is replaced here is in use: {first_line(error.diag.message_detail or known.message)}",
                "Drop it, deploy again, and make it anew.",
                code="in_use",
            )
        line = ""
        if error.diag.statement_position:
            line = f":{self.running.text[: int(error.diag.statement_position) - 1].count(chr(10)) + 1}"
        hint = error.diag.message_detail or error.diag.message_hint
        return OfficeError(f"{self.running.path}{line}: {known.message}", hint, code=known.code)


def _check(connection: Connection, settings: _Settings) -> None:
    for check in checks.required(connection, prefix=settings.prefix, single_role=settings.single_role):
        _require(check)


def _make_roles(connection: Connection, settings: _Settings, announce: Announce) -> None:
    if settings.single_role:
        return
    for name in checks.missing_roles(connection, settings.prefix):
        announce(f"role {name}")
        # Roles belong to the whole server: a deploy of another database may have been faster.
        with contextlib.suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            connection.execute(checks.create_roles([name]).encode())


def _require(check: checks.Check) -> None:
    if check.error:
        raise check.error


def _refuse_foreign_files(connection: Connection, files: SqlFiles) -> None:
    """Refuse a database that was migrated by other files: an edited one, or a newer officectl's."""
    found = migrations.progress(connection, files)
    if found.edited:
        raise Refused(
            f"the migration {found.edited[0]} was edited after it was applied here",
            "Put the file back as it was, and write what is to change as a new migration.",
            code="migration_edited",
        )
    if found.unknown:
        raise VersionMismatch(
            f"officectl {__version__} does not know the migration {found.unknown[-1]} of this database",
            "Install the newer officectl that deployed it.",
            code="newer_database",
        )


def _last_transaction(files: SqlFiles, settings: _Settings) -> list[SqlFile]:
    """Everything that every deploy makes anew, in order."""
    return [
        SqlFile(
            "last transaction",
            f"set local lock_timeout = '{_LOCK_TIMEOUT}';\n"
            "set local check_function_bodies = off;\n"
            "set local search_path = pg_catalog;\n",
        ),
        _own_script("retire", "old views"),
        *files.functions,
        *files.views,
        *files.triggers,
        _own_script("prune", "leftovers"),
        _own_script("revoke", "old grants"),
        *(with_roles(file, settings.names) for file in files.grants),
        _record(files, settings),
    ]


def _record(files: SqlFiles, settings: _Settings) -> SqlFile:
    """The row that says what is deployed, and the first account and workspace."""
    values = (True, __version__, files.digest, settings.prefix, settings.single_role, False)
    return SqlFile(
        "record",
        "insert into office_internal.deployment\n"
        "  (singleton, version, digest, role_prefix, single_role, migrating)\n"
        f"values ({', '.join(sql.Literal(value).as_string() for value in values)})\n"
        "on conflict (singleton) do update set\n"
        "  version = excluded.version, digest = excluded.digest, role_prefix = excluded.role_prefix,\n"
        "  single_role = excluded.single_role, migrating = false, deployed_at = office.now();\n"
        f"select office_internal.install(current_user::text, '{FIRST_WORKSPACE}');\n",
    )


def _own_script(name: str, about: str) -> SqlFile:
    """One of the deploy's own scripts, beside this module, called after what it is about."""
    file = resources.files("officectl.database").joinpath("scripts", f"{name}.sql")
    return SqlFile(about, file.read_text(encoding="utf-8"))


def _script(files: SqlFiles, settings: _Settings, pending: list[SqlFile], new_roles: list[str]) -> str:
    """Everything as one text; psql stops at the first error, and every transaction is whole or not there."""
    parts = [
        f"-- officectl {__version__}: run with psql, as the login that owns the office (or will).\n"
        "\\set ON_ERROR_STOP on\n"
        "set client_min_messages = warning;\n"
        f"select pg_catalog.pg_advisory_lock({_ADVISORY_LOCK});\n",
        checks.create_roles(new_roles),
        _transaction([_own_script("bootstrap", "records")]),
    ]
    if len(pending) < len(files.migrations):
        parts.append("update office_internal.deployment set migrating = true;\n")
    parts += [_transaction([file, SqlFile("recorded", migrations.recording(file))]) for file in pending]
    parts.append(_transaction(_last_transaction(files, settings)))
    return "\n".join(part for part in parts if part)


def _transaction(files: list[SqlFile]) -> str:
    body = "\n".join(f"-- {file.path}\n{file.text}" for file in files)
    return f"begin;\n{body}\ncommit;\n"


def _status(connection: Connection, files: SqlFiles, where: str) -> Status:
    row = connection.execute(
        "select current_database(), current_user, current_setting('server_version')"
    ).fetchone()
    assert row is not None
    database, user, server_version = row
    visible = not _exists(connection, "office_internal", "deployment") or (
        _readable(connection, "office_internal", "deployment")
        and _readable(connection, "office_migrations", "files")
    )
    deployed = deployment(connection)
    compared = migrations.progress(connection, files) if visible else migrations.Progress((), (), ())
    return Status(
        place=where,
        database=database,
        user=user,
        server_version=server_version,
        package_version=__version__,
        visible=visible,
        deployment=deployed,
        pending=compared.pending,
        edited=compared.edited,
        unknown=compared.unknown,
        state=_state(deployed, visible, compared, files),
    )


def _state(deployed: Deployment | None, visible: bool, compared: migrations.Progress, files: SqlFiles) -> str:
    if not visible:
        return "hidden"
    if compared.edited or compared.unknown:
        return "other"
    if deployed is None:
        return "absent"
    if deployed.migrating:
        return "migrating"
    return "current" if deployed.digest == files.digest else "behind"


def _exists(connection: Connection, schema: str, table: str) -> bool:
    return bool(
        _scalar(
            connection,
            "select exists (select from pg_catalog.pg_class c"
            " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname = %s and c.relname = %s)",
            [schema, table],
        )
    )


def _readable(connection: Connection, schema: str, table: str) -> bool:
    """Whether the table is there and this login may read it; to_regclass would raise for a closed schema."""
    return _exists(connection, schema, table) and bool(
        _scalar(
            connection,
            "select pg_catalog.has_schema_privilege(%s, 'usage')"
            " and pg_catalog.has_table_privilege(%s, 'select')",
            [schema, f"{schema}.{table}"],
        )
    )


def _longest_transaction(connection: Connection) -> str | None:
    """Who has had a transaction open for longest, for a person who wants to know whom to ask."""
    row = connection.execute(
        """
        select pid, usename, application_name, pg_catalog.date_trunc('second', now() - xact_start)
        from pg_catalog.pg_stat_activity
        where datname = current_database() and pid <> pg_catalog.pg_backend_pid() and xact_start is not null
        order by xact_start limit 1
        """
    ).fetchone()
    if row is None:
        return None
    pid, user, application, lasted = row
    return f"The oldest open transaction is process {pid} ({user}, {application or 'unnamed'}), for {lasted}."


@contextlib.contextmanager
def _notices(connection: Connection, heard: list[str]) -> Iterator[None]:
    """Collect what the deploy's own scripts say they dropped."""

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        text = notice.message_primary or ""
        if text.startswith(_NOTICE):
            heard.append(text.removeprefix(_NOTICE))

    connection.add_notice_handler(hear)
    try:
        yield
    finally:
        connection.remove_notice_handler(hear)


def _scalar(connection: Connection, query: str, parameters: list[Any] | None = None) -> Any:
    row = connection.execute(query.encode(), parameters).fetchone()
    return row[0] if row else None


def _silence(_line: str) -> None:
    """Nobody listens."""
