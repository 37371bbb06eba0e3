-- office.sessions_to_delete: engine sessions of retired work that this host keeps and whose deletion nobody has confirmed, but for those
-- that a run is still at (N3): its worker deletes them, where it knows how, and says so by confirm_deletion.
create or replace function office.sessions_to_delete(host text)
returns table (deletion_id uuid, engine_session text, executor jsonb)
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return query
    select d.id, d.engine_session, d.executor
    from office.session_deletions as d
    where d.host = sessions_to_delete.host and d.done_at is null
      and not exists (
        select
        from office.agent_sessions as e
        join office.agent_sessions as s on s.id = e.id or s.link_id = e.link_id
        join office.runs as r on r.session_id = s.id
        where e.id = d.session_id and r.status in ('claimed', 'running', 'waiting', 'stopping')
      )
    order by d.id;
end
$$;

comment on function office.sessions_to_delete(text) is 'Engine sessions of retired work that a host''s worker is to delete.';
