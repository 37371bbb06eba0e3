-- office_internal.list_choices: makes these the profiles that a profile chooses among, in this order (X7). Refuses what is not there
-- (not_found), and by trigger what launches nothing itself (invalid).
create or replace function office_internal.list_choices(profile_id uuid, choices text[])
returns void
language plpgsql volatile
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  delete from office.profile_choices as c where c.profile_id = list_choices.profile_id;
  insert into office.profile_choices (profile_id, position, workspace_id, choice_id)
  select p.id, k.position, p.workspace_id, office_internal.find_profile(k.ref, p.workspace_id)
  from office.profiles as p
  cross join lateral unnest(list_choices.choices) with ordinality as k (ref, position)
  where p.id = list_choices.profile_id;
end
$$;

comment on function office_internal.list_choices(uuid, text[]) is 'Sets the list of a profile that chooses.';
