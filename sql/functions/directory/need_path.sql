-- office_internal.need_path: refuses a folder that is not an absolute path in its plain form (invalid); null is none.
create or replace function office_internal.need_path(folder text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  if not office_internal.is_path(folder) then
    perform office_internal.refuse(
      'invalid', format('"%s" is not an absolute path without ".", ".." or a slash at its end.', folder), 'As /srv/work/site.',
      jsonb_build_object('field', 'folder')
    );
  end if;
end
$$;

comment on function office_internal.need_path(text) is 'Refuses a folder that is no absolute path.';
