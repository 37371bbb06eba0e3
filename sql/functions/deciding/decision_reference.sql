-- office_internal.decision_reference: a decision as functions answer with it. One whose time has passed counts as expired before any
-- sweep (D3).
create or replace function office_internal.decision_reference(decision_id uuid)
returns office.decision_reference
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select (
      d.id, 'd' || d.number, d.kind,
      s.status, s.status = 'pending', d.choice, d.note, d.reason, 'r' || r.number, r.status, d.operation
    )::office.decision_reference
    from office.decisions as d
    cross join lateral (
      select case when d.status = 'pending' and d.expires_at <= office_internal.wall_clock() then 'expired' else d.status end as status
    ) as s
    left join office.runs as r on r.id = d.run_id
    where d.id = decision_reference.decision_id
  );
end
$$;

comment on function office_internal.decision_reference(uuid) is 'A decision as functions answer with it.';
