-- office_internal.outdated_by: why an answer to a permission or publish request no longer applies (D2): a checkpoint that its attempt saved
-- since it asked tells of another working tree, or of another operation that is pending. Null: it applies.
create or replace function office_internal.outdated_by(decision office.decisions)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if (decision).kind not in ('permission', 'publish') then
    return null;
  end if;
  return (
    select case
      when c.id = (decision).checkpoint_id then null
      when c.tree <> (decision).tree then 'The working tree changed.'
      when c.operation_digest <> (decision).operation_digest then 'Another operation is pending.'
    end
    from office.checkpoints as c
    where c.attempt_id = (decision).attempt_id
    order by c.number desc
    limit 1
  );
end
$$;

comment on function office_internal.outdated_by(office.decisions) is 'Why an answer no longer applies.';
