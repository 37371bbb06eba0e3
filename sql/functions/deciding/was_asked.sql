-- office_internal.was_asked: whether this attempt has asked the same thing before (D1). Void requests do not count, nor answers that were
-- spent, nor what was asked before a tool was used in another working tree (D2).
create or replace function office_internal.was_asked(asked office.decisions)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return exists (
    select
    from office.decisions as d
    where d.attempt_id = (asked).attempt_id and d.fingerprint = (asked).fingerprint and d.status <> 'void' and d.spent_at is null
      and (d.status = 'expired' or (d.tree <> (asked).tree and d.kind <> 'question') is not true)
  );
end
$$;

comment on function office_internal.was_asked(office.decisions) is 'Whether an attempt has asked the same thing before.';
