"""Small SQL trees to deploy: the mechanics of a deploy do not depend on what is deployed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

FOUNDATION = """
create schema office;
create schema office_internal;
create table office_internal.deployment (
  singleton boolean primary key default true check (singleton),
  version text not null,
  digest text not null,
  role_prefix text not null,
  single_role boolean not null,
  migrating boolean not null default false,
  deployed_at timestamptz not null default now()
);
create table office.notes (id integer primary key, body text not null default '100%');
"""

FILES = {
    "schema/0001-foundation.sql": FOUNDATION,
    "schema/0001-foundation.rollback.sql": "drop schema office, office_internal cascade;",
    "schema/0002-colours.sql": """
create table office.colours (name text primary key);
do $$ begin if true then insert into office.colours values ('red; begin'); end if; end $$;
""",
    "functions/core/now.sql": """
create or replace function office.now() returns timestamptz language sql stable return pg_catalog.now();
""",
    "functions/notes/count_notes.sql": """
create or replace function office.count_notes() returns bigint
language sql stable as 'select count(*) from office.notes';
revoke execute on function office.count_notes from public;
""",
    "functions/notes/keep_note.sql": """
create or replace function office_internal.keep_note() returns trigger language plpgsql as $$
begin
  return new;
end
$$;
""",
    "functions/office/install.sql": """
create or replace function office_internal.install(owner_name text, workspace_name text) returns void
language plpgsql as $$
begin
  insert into office.notes values (1, workspace_name) on conflict do nothing;
end
$$;
""",
    # Out of order by name: the first reads the second.
    "views/a_summary.sql": "create view office.a_summary as select count(*) as notes from office.b_notes;",
    "views/b_notes.sql": """
create view office.b_notes as select id, body from office.notes;
comment on view office.b_notes is 'Not the other way round: office.a_summary reads this one.';
""",
    "triggers/notes.sql": """
create or replace trigger keep_note before update on office.notes
for each row execute function office_internal.keep_note();
""",
    "grants.sql": """
grant usage on schema office to office_reader, office_client;
grant select on all tables in schema office to office_reader;
grant execute on all functions in schema office to office_client, office_worker, office_operator;
alter table office.notes enable row level security;
create policy everybody on office.notes for select to office_reader, office_client using (true);
""",
}


def write(root: Path, files: dict[str, str] = FILES, *, without: Collection[str] = ()) -> Path:
    """Write a tree below ``root``, leaving out some of its files; returns ``root``."""
    for path, text in files.items():
        if path not in without:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    return root


# The version before, which had fewer migrations and functions.
OLD = ("schema/0002-colours.sql", "functions/notes/count_notes.sql")
