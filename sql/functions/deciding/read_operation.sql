-- office_internal.read_operation: what a permission or publish request is about, added to it: the operation, its hash, the working tree it
-- was asked in, the run's last checkpoint (D1, D2). Another operation is another request. Refuses one without an operation, a question
-- with one, and what is too large or no text (invalid).
create or replace function office_internal.read_operation(asked office.decisions, operation jsonb, tree text)
returns office.decisions
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_asked office.decisions := asked;
  v_given boolean := coalesce(jsonb_typeof(operation), 'null') <> 'null';
begin
  if v_given = (v_asked.kind = 'question') then
    perform office_internal.refuse(
      'invalid', format('A %s %s an operation.', v_asked.kind, case v_asked.kind when 'question' then 'has not' else 'has' end),
      'kind permission or publish, with what is to be done: {"tool": "shell", "input": {…}}.', jsonb_build_object('field', 'operation')
    );
  end if;
  perform office_internal.check_tree(tree);
  v_asked.tree := read_operation.tree;
  if v_given then
    perform office_internal.check_operation(operation);
    v_asked.operation := read_operation.operation;
    v_asked.operation_digest := sha256(convert_to(operation::text, 'UTF8'));
    v_asked.fingerprint := sha256(v_asked.fingerprint || v_asked.operation_digest);
  end if;
  v_asked.checkpoint_id := (
    select c.id from office.checkpoints as c where c.attempt_id = v_asked.attempt_id order by c.number desc limit 1
  );
  return v_asked;
end
$$;

comment on function office_internal.read_operation(office.decisions, jsonb, text) is 'Adds what a request is about.';
