-- office_internal.is_cleaned_up: whether nothing can be left of what an attempt started (P7): its launcher, or another worker of that host,
-- has confirmed it, or no worker lives there that will.
create or replace function office_internal.is_cleaned_up(attempt_id uuid)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select
      a.cleaned_at is not null
      or (w.ended_at is not null and not exists (select from office.workers as o where o.host = w.host and o.ended_at is null))
    from office.attempts as a
    join office.workers as w on w.id = a.worker_id
    where a.id = is_cleaned_up.attempt_id
  );
end
$$;

comment on function office_internal.is_cleaned_up(uuid) is 'Whether nothing can be left of what an attempt started.';
