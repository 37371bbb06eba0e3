-- office_internal.expire_decisions: expires what is open past its time (D7); what comes of it is done by the decisions' triggers.
-- Answers how many. Takes the gates concerned.
create or replace function office_internal.expire_decisions()
returns integer
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_now timestamptz := office_internal.wall_clock();
  v_gates uuid[];
  v_expired integer;
begin
  v_gates := array(
    select distinct d.workspace_id from office.decisions as d where d.status = 'pending' and d.expires_at <= v_now
  );
  if cardinality(v_gates) = 0 then
    return 0;
  end if;
  perform office_internal.take_gates(v_gates);
  update office.decisions as d
  set status = 'expired', reason = 'Its time passed.', decided_at = v_now
  where d.status = 'pending' and d.expires_at <= v_now and d.workspace_id = any(v_gates);
  get diagnostics v_expired = row_count;
  return v_expired;
end
$$;

comment on function office_internal.expire_decisions() is 'Expires decisions whose time has passed.';
