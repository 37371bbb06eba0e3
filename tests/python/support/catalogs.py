"""What a deploy made, as text to compare: every object of ours that the catalog knows, without its oid."""

from __future__ import annotations

from typing import Any

import psycopg

SCHEMAS = "('office', 'office_internal', 'office_migrations')"

QUERIES = {
    "schemas": """
      select nspname, pg_get_userbyid(nspowner), nspacl::text, obj_description(oid, 'pg_namespace')
      from pg_namespace where nspname in {schemas}
    """,
    "relations": """
      select c.oid::regclass, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions::text,
        c.relacl::text, pg_get_userbyid(c.relowner), obj_description(c.oid, 'pg_class'),
        case when c.relkind = 'v' then pg_get_viewdef(c.oid) end,
        case when c.relkind = 'i' then pg_get_indexdef(c.oid) end
      from pg_class c
      where c.relnamespace::regnamespace::text in {schemas} and c.relkind in ('r', 'v', 'S', 'i')
    """,
    "columns": """
      select a.attrelid::regclass, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        a.attacl::text, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid),
        col_description(a.attrelid, a.attnum)
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace::regnamespace::text in {schemas} and c.relkind in ('r', 'v') and a.attnum > 0
        and not a.attisdropped
    """,
    "constraints": """
      select conrelid::regclass, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint')
      from pg_constraint where connamespace::regnamespace::text in {schemas} and conrelid <> 0
    """,
    "functions": """
      select p.oid::regprocedure, pg_get_functiondef(p.oid), p.proacl::text, pg_get_userbyid(p.proowner),
        obj_description(p.oid, 'pg_proc')
      from pg_proc p where p.pronamespace::regnamespace::text in {schemas}
    """,
    "triggers": """
      select tgrelid::regclass, tgname, pg_get_triggerdef(t.oid), tgenabled,
        obj_description(t.oid, 'pg_trigger')
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace::regnamespace::text in {schemas} and not tgisinternal
    """,
    "policies": """
      select polrelid::regclass, polname, polcmd, polpermissive, polroles::regrole[]::text,
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
      from pg_policy p join pg_class c on c.oid = p.polrelid
      where c.relnamespace::regnamespace::text in {schemas}
    """,
    "default rights": """
      select defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl::text
      from pg_default_acl
    """,
    "deployment": """
      select version, digest, role_prefix, single_role, migrating from office_internal.deployment
    """,
    "migrations": "select migration_id, sha256 from office_migrations.files",
    "yoyo's migrations": "select migration_hash, migration_id from office_migrations._yoyo_migration",
}


def catalog(dsn: str) -> list[str]:
    """One line an object, sorted; two databases with the same list are the same to every client."""
    lines: list[str] = []
    with psycopg.connect(dsn) as connection:
        connection.execute("set search_path = pg_catalog")
        for kind, query in QUERIES.items():
            lines += [
                f"{kind}: {_text(row)}"
                for row in connection.execute(query.replace("{schemas}", SCHEMAS).encode())
            ]
    return sorted(lines)


def _text(row: tuple[Any, ...]) -> str:
    return " | ".join("" if value is None else str(value) for value in row)
