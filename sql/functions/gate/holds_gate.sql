-- office_internal.holds_gate: whether this transaction noted that it holds the workspace's gate, or all of them.
create or replace function office_internal.holds_gate(workspace_id uuid)
returns boolean
language sql stable parallel safe
return position('all' in coalesce(current_setting('office.gates', true), '')) > 0
  or position(workspace_id::text in coalesce(current_setting('office.gates', true), '')) > 0;

comment on function office_internal.holds_gate(uuid) is 'True when this transaction holds the workspace''s gate.';
