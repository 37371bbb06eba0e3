-- office.end_hold: an operator ends the hold of a provider account, or of one model there (Q25): who waits goes, none as a probe. Without a
-- model all holds of the account end. Answers what was ended. Refuses an account that is not on hold (not_found), others than
-- operators (forbidden). Takes the account's shared row.
create or replace function office.end_hold(provider text, model text default null)
returns table (ended_provider text, ended_model text, was_until timestamptz)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.need_operator();
  perform office_internal.need_read_committed();
  perform from office_internal.shared as s where s.key = 'provider:' || end_hold.provider for no key update;
  return query
    update office.provider_holds as h
    set ended_at = office_internal.wall_clock(), ended_by = 'operator'
    where h.ended_at is null and h.provider = end_hold.provider
      and (end_hold.model is null or h.model = end_hold.model)
    returning h.provider, h.model, h.until;
  if not found then
    perform office_internal.not_found(
      'hold', concat_ws(', ', end_hold.provider, end_hold.model),
      (select array_agg(distinct h.provider) from office.provider_holds as h where h.ended_at is null),
      'select provider, model, until from office.provider_holds where ended_at is null; lists them.'
    );
  end if;
end
$$;

comment on function office.end_hold(text, text) is 'Ends the hold of a provider account, or of one model there.';
