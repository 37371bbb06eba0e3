-- office_internal.read_choices: the choices of a request of a kind: 1 to 20 objects with an id of its own and a text; a permission's may
-- have a scope, once, session or always, and a publish request's one that counts once. When none are given: yes and no, or what a
-- permission or publishing is usually answered with (D8). Refuses others (invalid), naming what is wrong.
create or replace function office_internal.read_choices(choices jsonb, kind text)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_scopes text[] := case kind when 'permission' then array['once', 'session', 'always'] when 'publish' then array['once'] else '{}' end;
begin
  if coalesce(jsonb_typeof(choices), 'null') = 'null' then
    return case kind
      when 'permission' then '[
        {"id": "once", "text": "Allow this once", "scope": "once"},
        {"id": "session", "text": "Allow it in this session", "scope": "session"},
        {"id": "always", "text": "Always allow it here", "scope": "always"}, {"id": "no", "text": "Do not allow it"}
      ]'::jsonb
      when 'publish' then '[{"id": "yes", "text": "Publish this", "scope": "once"}, {"id": "no", "text": "Do not publish it"}]'::jsonb
      else '[{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}]'::jsonb
    end;
  end if;
  perform office_internal.check_array('choices', choices);
  if jsonb_array_length(choices) not between 1 and 20
    or exists (
      select
      from jsonb_array_elements(choices) as c (choice)
      where coalesce(c.choice ->> 'id', '') !~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'
        or jsonb_typeof(c.choice -> 'text') is distinct from 'string'
        or length(c.choice ->> 'text') not between 1 and 500
        or (cardinality(v_scopes) > 0 and c.choice ->> 'scope' <> all(v_scopes))
    )
    or (select count(distinct c.choice ->> 'id') <> count(*) from jsonb_array_elements(choices) as c (choice))
  then
    perform office_internal.refuse(
      'invalid', 'There are 1 to 20 choices, each with an id of its own (letters, digits, ".", "_", "-") and a text.',
      concat_ws(
        ' ', 'As [{"id": "a", "text": "The first"}, {"id": "b", "text": "The second"}].',
        case when cardinality(v_scopes) > 0 then format('A scope is one of: %s.', array_to_string(v_scopes, ', ')) end
      ), jsonb_build_object('field', 'choices')
    );
  end if;
  return (
    select jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object(
        'id', c.choice ->> 'id', 'text', c.choice ->> 'text',
        'scope', case when cardinality(v_scopes) > 0 then c.choice ->> 'scope' end
      ))
      order by c.nth
    )
    from jsonb_array_elements(choices) with ordinality as c (choice, nth)
  );
end
$$;

comment on function office_internal.read_choices(jsonb, text) is 'Checks what can be chosen.';
