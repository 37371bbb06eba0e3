-- office_internal.told_answers: what an attempt that goes on is told: each of its requests that was decided and not told yet, in the order
-- they were asked. Expired is an outcome of its own, never "no" (D7).
create or replace function office_internal.told_answers(attempt_id uuid)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object(
        'decision', 'd' || d.number, 'kind', d.kind, 'prompt', d.prompt, 'status', d.status, 'choice', d.choice,
        'text', (
          select c.choice ->> 'text' from jsonb_array_elements(d.choices) as c (choice) where c.choice ->> 'id' = d.choice
        ),
        'note', d.note, 'reason', d.reason
      ))
      order by d.number
    ), '[]')
    from office.decisions as d
    where d.attempt_id = told_answers.attempt_id and d.status <> 'pending' and d.told_at is null
      and d.kind in ('question', 'permission', 'publish')
  );
end
$$;

comment on function office_internal.told_answers(uuid) is 'What was decided for an attempt and is to be told.';
