-- office_internal.read_template: a routine's task template, checked (R1): empty, or with a title. Names become ids. Refuses unknown
-- settings (unknown_field), a template without a title (missing), values of the wrong type (invalid), unknown projects (not_found).
create or replace function office_internal.read_template(given jsonb, workspace_id uuid)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_template jsonb;
  v_field text;
begin
  perform office_internal.check_object('task_template', given);
  select min(k.key) into v_field
  from jsonb_object_keys(given) as k (key)
  where k.key not in ('title', 'description', 'project', 'priority', 'requires_approval');
  if v_field is not null then
    perform office_internal.refuse(
      'unknown_field', format('A task template has no "%s".', v_field),
      'Settings: title, description, project, priority, requires_approval.',
      jsonb_build_object('field', 'task_template.' || v_field)
    );
  end if;
  v_template := jsonb_strip_nulls(given);
  if v_template = '{}' then
    return v_template;
  end if;
  if btrim(v_template ->> 'title') is not distinct from '' or not v_template ? 'title' then
    perform office_internal.refuse(
      'missing', 'A task template needs a title.', 'Without any template the routine wakes its agent and makes no task.',
      jsonb_build_object('field', 'task_template.title')
    );
  end if;
  select min(f.field) into v_field
  from (values
    ('title', 'string'), ('description', 'string'), ('project', 'string'), ('priority', 'string'), ('requires_approval', 'boolean')
  ) as f (field, type)
  where jsonb_typeof(v_template -> f.field) <> f.type;
  if v_field is null and v_template ->> 'priority' not in ('low', 'medium', 'high', 'urgent') then
    v_field := 'priority';
  end if;
  if v_field is not null then
    perform office_internal.refuse(
      'invalid', format('The %s of a task template cannot be that.', v_field),
      case v_field
        when 'priority' then 'low, medium, high or urgent.'
        when 'requires_approval' then 'true or false.'
        else 'It is a text.'
      end,
      jsonb_build_object('field', 'task_template.' || v_field)
    );
  end if;
  if v_template ? 'project' then
    v_template := v_template || jsonb_build_object(
      'project', office_internal.find_project(v_template ->> 'project', read_template.workspace_id)
    );
  end if;
  return v_template;
end
$$;

comment on function office_internal.read_template(jsonb, uuid) is 'A task template, checked, with ids for names.';
