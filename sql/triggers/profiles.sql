-- Triggers of office.profiles: it stays in its workspace, what it launches is kept as an unchangeable row (T13), and it either launches
-- something or chooses (X7).

create or replace function office_internal.profiles_executor()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if new.executor is null and num_nonnulls(new.model, new.thinking_level, new.context_window, new.tiers) > 0 then
    perform office_internal.refuse(
      'invalid', 'A profile that chooses has no model, thinking level, context window or tiers of its own.',
      'Give them to the profiles in its list.', jsonb_build_object('field', 'executor')
    );
  end if;
  -- Only what another profile names may be in a list: no list is in a list.
  if new.executor is null and exists (select from office.profile_choices as c where c.choice_id = new.id) then
    perform office_internal.refuse(
      'invalid', format('%s is in a list, and launches something itself.', new.name), 'Take it out of the list first.',
      jsonb_build_object('field', 'executor')
    );
  end if;
  -- What cannot be is refused by the table's checks, under its own name.
  new.executor_id := office_internal.keep_executor(new.executor || jsonb_strip_nulls(jsonb_build_object(
    'model', new.model,
    'effort', case when new.thinking_level in ('low', 'medium', 'high', 'max') then new.thinking_level end,
    'context_window', case when new.context_window > 0 then new.context_window end
  )));
  return new;
end
$$;
comment on function office_internal.profiles_executor() is 'Keeps what a profile launches as an unchangeable row.';

create or replace trigger profiles_belong
before update on office.profiles
for each row execute function office_internal.guard_workspace('A profile');

create or replace trigger profiles_executor
before insert or update on office.profiles
for each row execute function office_internal.profiles_executor();
