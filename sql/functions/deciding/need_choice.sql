-- office_internal.need_choice: refuses an answer that is none of the decision's choices (invalid), naming them (D3).
create or replace function office_internal.need_choice(decision office.decisions)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (select from jsonb_array_elements((decision).choices) as c (choice) where c.choice ->> 'id' = (decision).choice) then
    perform office_internal.refuse(
      'invalid', format('d%s has no choice "%s".', (decision).number, (decision).choice),
      'Choices: ' || (
        select string_agg(c.choice ->> 'id', ', ' order by c.nth)
        from jsonb_array_elements((decision).choices) with ordinality as c (choice, nth)
      ) || '.',
      jsonb_build_object('field', 'choice', 'given', (decision).choice)
    );
  end if;
end
$$;

comment on function office_internal.need_choice(office.decisions) is 'Refuses an answer that is no choice.';
