-- office_internal.limit_reached: which limit of one attempt this one has reached, in words; null: none that was counted (S6).
create or replace function office_internal.limit_reached(attempt_id uuid)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select format(
      'It reached its limit of %s %s.', m.allowed, case m.setting when 'attempt_turns' then 'model turns' else 'tool calls' end
    )
    from office_internal.limits_reached as m
    where m.attempt_id = limit_reached.attempt_id
  );
end
$$;

comment on function office_internal.limit_reached(uuid) is 'Which limit an attempt has reached, in words.';
