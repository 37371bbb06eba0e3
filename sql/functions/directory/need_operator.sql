-- office_internal.need_operator: refuses everybody but the office itself and operators (forbidden).
create or replace function office_internal.need_operator()
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
begin
  perform office_internal.caller();
  if not (select me.is_operator from office_internal.identity() as me) then
    perform office_internal.refuse('forbidden', 'Only an operator may do this.', 'Ask an operator.');
  end if;
end
$$;

comment on function office_internal.need_operator() is 'Refuses everybody but operators.';
