-- How long an attempt has worked, over all its launches: waiting for a person uses none of its minutes (S6, D9).

alter table office.attempts
  add column worked interval,
  add column working_since timestamptz;
comment on column office.attempts.worked is 'How long it had worked when it last began to wait for a person; null: it never did (S6).';
comment on column office.attempts.working_since is 'Since when it works again after that; null: since it started.';
