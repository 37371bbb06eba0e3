-- office_internal.answers_text: told answers as a part of the prompt. What people and agents wrote is fenced (C3).
create or replace function office_internal.answers_text(answers jsonb)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return E'# What you asked\n\nThis run goes on where it waited. What it did before stands: do not do it again.\n' || (
    select string_agg(
      format(E'\n%s:\n\n%s\n\n', a.answer ->> 'decision', office_internal.fence(a.answer ->> 'prompt'))
      || case a.answer ->> 'status'
        when 'answered' then format('The answer: %s', a.answer ->> 'choice')
          || coalesce(E', with a note:\n\n' || office_internal.fence(a.answer ->> 'note'), '.')
          || case when a.answer ->> 'kind' in ('permission', 'publish') then
            ' Ask for the same again before you act: the answer covers what was asked, while nothing has changed.'
          else '' end
        when 'expired' then 'Nobody answered: it expired. That is not a "no".'
        else 'It no longer applies. Ask again if you need it.'
      end || E'\n',
      '' order by a.nth
    )
    from jsonb_array_elements(answers) with ordinality as a (answer, nth)
  );
end
$$;

comment on function office_internal.answers_text(jsonb) is 'Answers as a part of the prompt.';
