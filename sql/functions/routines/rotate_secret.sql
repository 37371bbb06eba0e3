-- office.rotate_secret: a new secret for a webhook, shown this once; the old one is good no more (R18).
-- Refuses agents (forbidden), unknown triggers (not_found), what is no signed webhook (invalid). Takes no gate.
create or replace function office.rotate_secret(trigger text)
returns office.trigger_reference
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid;
begin
  perform office_internal.need_person();
  v_id := office_internal.find_trigger(trigger);
  return office_internal.trigger_card(v_id, office_internal.keep_secret(v_id, null));
end
$$;

comment on function office.rotate_secret(text) is 'Makes a webhook a new secret, shown once.';
