-- office_internal.trigger_card: a trigger as functions answer with it; with a secret only for who has just made that.
create or replace function office_internal.trigger_card(trigger_id uuid, secret text default null)
returns office.trigger_reference
language sql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
  select t.id, r.name, t.kind, t.enabled, t.next_run_at, t.public_id, trigger_card.secret
  from office.routine_triggers as t
  join office.routines as r on r.id = t.routine_id
  where t.id = trigger_card.trigger_id
$$;

comment on function office_internal.trigger_card(uuid, text) is 'A trigger''s reference.';
