-- office_internal.read_payload: a wakeup's payload as it is stored: references become uuids, nulls are left out (Q2).
-- Refuses unknown sources (unknown_source), unknown, missing and mistyped fields (unknown_field, missing, invalid), and
-- references that lead nowhere in this workspace (not_found), each by name.
create or replace function office_internal.read_payload(source text, payload jsonb, workspace_id uuid)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_given jsonb;
  v_read jsonb := '{}'::jsonb;
  v_field record;
  v_value jsonb;
  v_text text;
  v_fits boolean;
  v_unknown text;
begin
  if not exists (select from office.wakeup_sources as s where s.source = read_payload.source) then
    perform office_internal.refuse(
      'unknown_source',
      format('No wakeup source "%s".', coalesce(read_payload.source, '')),
      coalesce(
        (
          select 'Did you mean "' || office_internal.closest(read_payload.source, array_agg(s.source)) || '"?'
          from office.wakeup_sources as s
        ),
        'select source, meaning from office.wakeup_sources; lists them.'
      ),
      jsonb_build_object('field', 'source', 'given', read_payload.source)
    );
  end if;
  perform office_internal.check_object('payload', payload);
  -- A field that is null is not given, nor a task that is ''; what lies deeper is the caller's.
  v_given := payload - array(
    select g.key from jsonb_each(payload) as g where g.value = 'null' or (g.key = 'task_id' and g.value = '""')
  );
  select k.key into v_unknown
  from jsonb_object_keys(payload) as k (key)
  where not exists (select from office.wakeup_fields as f where f.source = read_payload.source and f.field = k.key)
  limit 1;
  if v_unknown is not null then
    perform office_internal.refuse(
      'unknown_field',
      format('A %s wakeup has no field "%s".', read_payload.source, v_unknown),
      (select 'Fields: ' || string_agg(f.field, ', ' order by f.required desc, f.field) || '.'
        from office.wakeup_fields as f where f.source = read_payload.source),
      jsonb_build_object('field', v_unknown)
    );
  end if;
  for v_field in select f.* from office.wakeup_fields as f where f.source = read_payload.source order by f.field loop
    v_value := v_given -> v_field.field;
    -- Who wakes by hand need not say who he is.
    if v_value is null and v_field.field = 'user_id' then
      v_value := to_jsonb(office_internal.caller());
    end if;
    if v_value is null then
      if v_field.required then
        perform office_internal.refuse(
          'missing', format('A %s wakeup needs %s.', read_payload.source, v_field.field),
          format('As {"%s": …}.', v_field.field), jsonb_build_object('field', v_field.field)
        );
      end if;
      continue;
    end if;
    v_text := v_value #>> '{}';
    v_fits := case v_field.type
      when 'number' then jsonb_typeof(v_value) = 'number'
      when 'boolean' then jsonb_typeof(v_value) = 'boolean'
      when 'object' then jsonb_typeof(v_value) = 'object'
      when 'json' then true
      when 'uuids' then jsonb_typeof(v_value) = 'array'
        and not exists (select from jsonb_array_elements(v_value) as e (item) where office_internal.is_uuid(e.item #>> '{}') is not true)
      when 'uuid' then jsonb_typeof(v_value) = 'string' and office_internal.is_uuid(v_text)
      when 'time' then jsonb_typeof(v_value) = 'string' and v_text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}'
      else jsonb_typeof(v_value) = 'string' and (v_field.choices is null or v_text = any(v_field.choices))
    end;
    if not v_fits then
      perform office_internal.refuse(
        'invalid',
        format('%s of a %s wakeup is not of the right form.', v_field.field, read_payload.source),
        case when v_field.choices is null then format('It is a %s.', v_field.type)
          else format('One of: %s.', array_to_string(v_field.choices, ', ')) end,
        jsonb_build_object('field', v_field.field, 'given', v_value)
      );
    end if;
    v_value := case v_field.type
      when 'task' then to_jsonb(office_internal.find_task(v_text))
      when 'agent' then to_jsonb(office_internal.find_agent(v_text, read_payload.workspace_id))
      when 'account' then to_jsonb(office_internal.find_account(v_text))
      when 'run' then to_jsonb(office_internal.find_run(v_text))
      else v_value
    end;
    if v_field.type = 'task' and not exists (
      select from office.tasks as t where t.id = (v_value #>> '{}')::uuid and t.workspace_id = read_payload.workspace_id
    ) then
      perform office_internal.refuse(
        'not_found', format('Task %s is of another workspace.', v_text), 'An agent is woken about its own workspace''s tasks.',
        jsonb_build_object('field', v_field.field, 'given', v_text)
      );
    end if;
    v_read := v_read || jsonb_build_object(v_field.field, v_value);
  end loop;
  return v_read;
end
$$;

comment on function office_internal.read_payload(text, jsonb, uuid) is 'Checks a wakeup''s payload and stores its references as uuids.';
