-- office_internal.check_tree: refuses a working tree's identity that is no text of 1 to 200 characters (invalid); null is none.
create or replace function office_internal.check_tree(tree text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if length(tree) not between 1 and 200 then
    perform office_internal.refuse(
      'invalid', 'The identity of a working tree is a text of 1 to 200 characters.', 'officectl agent tree prints it.',
      jsonb_build_object('field', 'tree')
    );
  end if;
end
$$;

comment on function office_internal.check_tree(text) is 'Refuses what identifies no working tree.';
