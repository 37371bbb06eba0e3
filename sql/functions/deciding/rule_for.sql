-- office_internal.rule_for: the rule that answers a permission at once (D8): of its agent, for its project, bound to nothing or to its
-- session, covering it, with a choice that this request offers; the narrower first. Null: none.
create or replace function office_internal.rule_for(asked office.decisions)
returns office.permission_rules
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  return (
    select p
    from office.permission_rules as p
    where p.agent_id = (asked).agent_id
      and p.covers in ((asked).operation ->> 'covers', encode((asked).operation_digest, 'hex'))
      and p.project_id is not distinct from office_internal.project_of_task((asked).task_id)
      and (p.bound_to is null or p.bound_to = office_internal.session_of_run((asked).run_id))
      and exists (select from jsonb_array_elements((asked).choices) as c (choice) where c.choice ->> 'id' = p.choice)
    order by p.bound_to nulls last, p.id desc
    limit 1
  );
end
$$;

comment on function office_internal.rule_for(office.decisions) is 'The rule that answers a permission at once.';
