-- Triggers of office.profile_choices: a list is of profiles of its workspace that launch something themselves (X7).

create or replace function office_internal.profile_choices_check()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not exists (
    select
    from office.profiles as p
    join office.profiles as c on c.id = new.choice_id and c.workspace_id = p.workspace_id and c.executor is not null
      and c.deleted_at is null
    where p.id = new.profile_id and p.workspace_id = new.workspace_id and p.executor is null
  ) then
    perform office_internal.refuse(
      'invalid', 'A list is of profiles of one workspace that launch something themselves.', 'Name profiles with an executor.',
      jsonb_build_object('field', 'choices')
    );
  end if;
  return new;
end
$$;
comment on function office_internal.profile_choices_check() is 'Guards what a profile chooses among.';

create or replace trigger profile_choices_check
before insert or update on office.profile_choices
for each row execute function office_internal.profile_choices_check();
