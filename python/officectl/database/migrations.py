"""The versioned part of the schema, applied by yoyo (A4, A13).

yoyo keeps the list of what is applied and orders what is not. Two of its habits do not fit, and are changed
here: it splits a file into statements with a parser that does not know PL/pgSQL, and it records a migration
in a transaction after the migration's own, so that a kill between the two would apply it twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import parse_uri
from yoyo.migrations import Migration, MigrationList, StepCollector, get_migration_hash

from officectl.database.sqlfiles import SqlFile, SqlFiles

SCHEMA = "office_migrations"


@dataclass(frozen=True)
class Progress:
    """How the migrations in a database compare with the files: ids, oldest first."""

    pending: tuple[str, ...]
    edited: tuple[str, ...]
    unknown: tuple[str, ...]


def progress(connection: psycopg.Connection[Any], files: SqlFiles) -> Progress:
    """Compare, reading only. Everything is pending where nothing was deployed yet."""
    applied: dict[str, str] = {}
    found = connection.execute(
        "select pg_catalog.to_regclass('office_migrations.files') is not null"
    ).fetchone()
    if found and found[0]:
        applied = dict(
            connection.execute("select migration_id, sha256 from office_migrations.files").fetchall()
        )
    known = {file.name: file.sha256 for file in files.migrations}
    return Progress(
        pending=tuple(name for name in known if name not in applied),
        edited=tuple(name for name, digest in known.items() if applied.get(name, digest) != digest),
        unknown=tuple(sorted(set(applied) - set(known))),
    )


def pending(connection: psycopg.Connection[Any], files: SqlFiles) -> list[SqlFile]:
    """What yoyo says is to be applied, in its order. Needs the deploy's own tables."""
    backend = _Backend(connection)
    by_name = {file.name: file for file in files.migrations}
    return [by_name[migration.id] for migration in backend.to_apply(_migrations(files.migrations))]


def apply(connection: psycopg.Connection[Any], file: SqlFile) -> None:
    """Apply and record one migration in one transaction; ``connection`` is in autocommit."""
    _Backend(connection).apply_one(_WholeFile(file))


def recording(file: SqlFile) -> str:
    """The statements that record a migration as applied, for a script that is run by hand."""
    return (
        f"insert into {SCHEMA}._yoyo_migration (migration_hash, migration_id, applied_at_utc)\n"
        f"values ('{get_migration_hash(file.name)}', '{file.name}', now() at time zone 'UTC');\n"
        f"insert into {SCHEMA}.files (migration_id, sha256) values ('{file.name}', '{file.sha256}');\n"
    )


class _WholeFile(Migration):
    """A migration of one step, the file's text: Postgres itself knows best where a statement ends."""

    def __init__(self, file: SqlFile) -> None:
        super().__init__(file.name, file.path, source_dir="sql/schema")
        self.file = file

    def load(self) -> None:
        if not self.loaded:
            collector = StepCollector(migration=self)
            collector.add_step(self.file.text)
            self._depends: set[Migration] = set()
            self.steps = collector.create_steps(self.use_transactions)


def _migrations(files: list[SqlFile]) -> MigrationList:
    return MigrationList([_WholeFile(file) for file in files])


class _Backend(PostgresqlPsycopgBackend):
    """yoyo's backend on a connection of ours, whose advisory lock it shares."""

    schema = SCHEMA

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._ours = connection
        super().__init__(parse_uri("postgresql+psycopg://"), "_yoyo_migration")

    def connect(self, _uri: object) -> psycopg.Connection[Any]:
        return self._ours

    def apply_one(self, migration: _WholeFile, force: bool = False, _mark: bool = True) -> None:
        with self.transaction():
            # A migration that forgets to name a schema fails, instead of landing in yoyo's.
            self.execute("set local search_path = pg_catalog")
            migration.process_steps(self, "apply", force=force)
            self.execute(f"set local search_path = {SCHEMA}")
            self.mark_one(migration, log=False)
            self.execute(
                f"insert into {SCHEMA}.files (migration_id, sha256) values (:id, :sha256)",
                {"id": migration.id, "sha256": migration.file.sha256},
            )
