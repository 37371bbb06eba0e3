-- office_internal.keep_executor: the unchangeable row of these executor settings, made when it is new (T13).
-- Its id is made from its body, so that two sessions that keep the same settings meet in one row.
create or replace function office_internal.keep_executor(executor jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_id uuid := substr(encode(sha256(convert_to(executor::text, 'UTF8')), 'hex'), 1, 32)::uuid;
begin
  if executor is null then
    return null;
  end if;
  perform office_internal.check_executor(executor);
  insert into office.executors (id, body) values (v_id, executor) on conflict (id) do nothing;
  return v_id;
end
$$;

comment on function office_internal.keep_executor(jsonb) is 'Id of the row that holds these executor settings.';
