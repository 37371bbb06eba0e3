-- office_internal.void_outdated: what this attempt asked before, about the same operation in another working tree, is void, answered or not
-- (D2). It counts as told, as does what became void before: the caller asks anew, and holds the gate.
create or replace function office_internal.void_outdated(asked office.decisions)
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  update office.decisions as d
  set status = 'void', reason = case d.status when 'void' then d.reason else 'The working tree changed.' end, choice = null,
    told_at = coalesce(d.told_at, office_internal.wall_clock())
  where d.attempt_id = (asked).attempt_id and d.fingerprint = (asked).fingerprint and d.spent_at is null
    and d.kind in ('permission', 'publish')
    and (
      (d.status = 'void' and d.told_at is null)
      or (d.status in ('pending', 'answered') and d.tree <> (asked).tree)
    );
end
$$;

comment on function office_internal.void_outdated(office.decisions) is 'Voids what was asked in another working tree.';
