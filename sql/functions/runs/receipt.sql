-- office.receipt: an agent records, from inside its run, that a write is done, under a key of its own (D2): with a detail, {} for one. The
-- first record stands; fresh says whether this call made it. Without a detail it only looks: no row says that the write is not done. A run
-- that goes on, or is tried again, looks before it writes.
-- Refuses people (forbidden), bad keys and details (invalid). Takes no gate: it only inserts.
create or replace function office.receipt(key text, detail jsonb default null)
returns table (receipt text, outcome jsonb, written_at timestamptz, attempt integer, fresh boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_here record;
  v_fresh boolean := false;
begin
  select * into v_here from office_internal.need_attempt();
  if length(btrim(coalesce(receipt.key, ''))) = 0 or length(receipt.key) > 200 then
    perform office_internal.refuse(
      'invalid', 'A receipt''s key is a text of 1 to 200 characters.',
      'It names the write, as "report".', jsonb_build_object('field', 'key')
    );
  end if;
  if coalesce(jsonb_typeof(receipt.detail), 'null') <> 'null' then
    perform office_internal.check_object('detail', receipt.detail);
    if octet_length(receipt.detail::text) > 65536 then
      perform office_internal.refuse(
        'invalid', 'A receipt''s detail has at most 64 KB.', 'Say where to find what is larger.', jsonb_build_object('field', 'detail')
      );
    end if;
    insert into office.receipts as w (run_id, key, workspace_id, attempt_id, detail, written_at)
    values (v_here.run_id, receipt.key, v_here.workspace_id, v_here.attempt_id, receipt.detail, office_internal.wall_clock())
    on conflict on constraint receipts_pkey do nothing;
    v_fresh := found;
  end if;
  return query
    select w.key, w.detail, w.written_at, a.number, v_fresh
    from office.receipts as w
    join office.attempts as a on a.id = w.attempt_id
    where w.run_id = v_here.run_id and w.key = receipt.key;
end
$$;

comment on function office.receipt(text, jsonb) is 'Records that a write of a run is done, or tells whether it is.';
