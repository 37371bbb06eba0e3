-- office.confirm_deletion: a worker says what became of an engine session that was to be deleted (N3): deleted, not_there, or unknown,
-- where it does not know how that engine keeps them. Said again it changes nothing; the first word stands.
-- Refuses an unknown deletion (not_found), another outcome (invalid). Takes no gate.
create or replace function office.confirm_deletion(deletion_id uuid, outcome text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if confirm_deletion.outcome is null or confirm_deletion.outcome not in ('deleted', 'not_there', 'unknown') then
    perform office_internal.refuse(
      'invalid', 'A deletion is deleted, not_there or unknown.', 'Say what became of it.',
      jsonb_build_object('field', 'outcome', 'given', confirm_deletion.outcome)
    );
  end if;
  update office.session_deletions as d
  set done_at = office_internal.wall_clock(), outcome = confirm_deletion.outcome
  where d.id = confirm_deletion.deletion_id and d.done_at is null;
  if not found and not exists (select from office.session_deletions as d where d.id = confirm_deletion.deletion_id) then
    perform office_internal.refuse(
      'not_found', 'No such deletion.', 'office.sessions_to_delete tells what a host is to delete.',
      jsonb_build_object('noun', 'deletion', 'given', confirm_deletion.deletion_id)
    );
  end if;
end
$$;

comment on function office.confirm_deletion(uuid, text) is 'Says what became of an engine session that was to be deleted.';
