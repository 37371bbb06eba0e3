-- The deploy's own records, in a schema of their own (I13): yoyo's tables in the form of its version 2, and the
-- digest of every migration file as it was applied (yoyo does not notice that an applied file was edited).

create schema if not exists office_migrations;

create table if not exists office_migrations.yoyo_lock (
  locked integer default 1 primary key,
  ctime timestamp,
  pid integer not null
);
create table if not exists office_migrations._yoyo_migration (
  migration_hash varchar(64) primary key,
  migration_id varchar(255),
  applied_at_utc timestamp
);
create table if not exists office_migrations._yoyo_log (
  id varchar(36) primary key,
  migration_hash varchar(64),
  migration_id varchar(255),
  operation varchar(10),
  username varchar(255),
  hostname varchar(255),
  comment varchar(255),
  created_at_utc timestamp
);
create table if not exists office_migrations._yoyo_version (
  version integer primary key,
  installed_at_utc timestamp
);
insert into office_migrations._yoyo_version (version, installed_at_utc)
values (2, now() at time zone 'UTC')
on conflict do nothing;

create table if not exists office_migrations.files (
  migration_id text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table office_migrations.files is 'Digest of each migration file as it was applied here.';

-- A deploy that was killed leaves yoyo's lock behind. The advisory lock that is held now is the one that counts.
delete from office_migrations.yoyo_lock;
