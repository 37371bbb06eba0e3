-- office_internal.guard_gate: the trigger before every UPDATE and DELETE of the office's tables: outside a gate function, that is by
-- hand, it locks all gates first, so that nobody claims or ends meanwhile (A6).
create or replace function office_internal.guard_gate()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if office_internal.is_by_hand() then
    perform office_internal.take_all_gates();
  end if;
  return null;
end
$$;
comment on function office_internal.guard_gate() is 'Takes all gates for a hand-written statement on an office''s table.';
