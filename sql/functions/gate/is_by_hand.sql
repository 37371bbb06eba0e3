-- office_internal.is_by_hand: whether no gate function but a hand-written statement is at work, by what note_gates has noted.
create or replace function office_internal.is_by_hand()
returns boolean
language sql stable parallel safe
return coalesce(current_setting('office.gates', true), '') <> statement_timestamp()::text;

comment on function office_internal.is_by_hand() is 'True in a hand-written statement on the office''s tables.';
