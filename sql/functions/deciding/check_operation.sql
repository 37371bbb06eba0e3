-- office_internal.check_operation: refuses an operation that is no JSON object of at most 256 KB, or whose "covers" (what an answer that
-- counts for more than once is to cover) is no text of 1 to 1000 characters (invalid).
create or replace function office_internal.check_operation(operation jsonb)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.check_object('operation', operation);
  if octet_length(operation::text) > 262144
    or (operation ? 'covers' and (jsonb_typeof(operation -> 'covers') <> 'string' or length(operation ->> 'covers') not between 1 and 1000))
  then
    perform office_internal.refuse(
      'invalid', 'An operation has at most 256 KB, and its "covers" is a text of 1 to 1000 characters.',
      'As {"tool": "shell", "input": {"command": "ls"}, "covers": "shell(ls)"}.', jsonb_build_object('field', 'operation')
    );
  end if;
end
$$;

comment on function office_internal.check_operation(jsonb) is 'Refuses what is no operation.';
