-- office_internal.read_choices: the choices of a request: 1 to 20 objects with an id of its own and a text; yes and no when none are
-- given. Refuses others (invalid), naming what is wrong.
create or replace function office_internal.read_choices(choices jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if coalesce(jsonb_typeof(choices), 'null') = 'null' then
    return '[{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}]'::jsonb;
  end if;
  perform office_internal.check_array('choices', choices);
  if jsonb_array_length(choices) not between 1 and 20
    or exists (
      select
      from jsonb_array_elements(choices) as c (choice)
      where coalesce(c.choice ->> 'id', '') !~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'
        or jsonb_typeof(c.choice -> 'text') is distinct from 'string'
        or length(c.choice ->> 'text') not between 1 and 500
    )
    or (select count(distinct c.choice ->> 'id') <> count(*) from jsonb_array_elements(choices) as c (choice))
  then
    perform office_internal.refuse(
      'invalid', 'There are 1 to 20 choices, each with an id of its own (letters, digits, ".", "_", "-") and a text.',
      'As [{"id": "a", "text": "The first"}, {"id": "b", "text": "The second"}].', jsonb_build_object('field', 'choices')
    );
  end if;
  return (
    select jsonb_agg(jsonb_build_object('id', c.choice ->> 'id', 'text', c.choice ->> 'text') order by c.nth)
    from jsonb_array_elements(choices) with ordinality as c (choice, nth)
  );
end
$$;

comment on function office_internal.read_choices(jsonb) is 'Checks what can be chosen.';
