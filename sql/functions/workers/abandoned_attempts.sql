-- office.abandoned_attempts: attempts, each in its last launch, of ended workers of a host that nobody has cleaned up after; the next
-- worker there looks for what they left running before its first claim (P7, K15).
create or replace function office.abandoned_attempts(host text)
returns table (attempt_id uuid, launch integer)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select a.id, a.launch
    from office.attempts as a
    join office.workers as w on w.id = a.worker_id
    where a.cleaned_at is null and (a.ended_at is not null or a.left_at is not null)
      and w.ended_at is not null and w.host = abandoned_attempts.host;
end
$$;

comment on function office.abandoned_attempts(text) is 'Attempts of ended workers of a host that are not cleaned up after.';
